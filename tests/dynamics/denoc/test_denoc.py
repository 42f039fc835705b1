"""DeNOC matrices of Shah, Saha and Dutt, and what follows from them."""

import numpy as np
import pytest
from dynamics.finite_differences import RELATIVE, along, derivative
from dynamics.formulations import branch_pattern
from dynamics.random_models import models, random_builder, seeds
from dynamics.states import PROPERTY, assert_close, random_state
from hypothesis import given

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError

FACTORS = 1e-10
"""U D U^T against the mass matrix: an elimination through up to eight joints of random trees."""


def rotors(model: ts.Model) -> FloatArray:
    return np.diag(np.concatenate([joint.armature for joint in model.joints.values()]))


@PROPERTY
@given(models(), seeds())
def test_product_of_the_denoc_matrices_is_the_jacobian_of_all_bodies(model: ts.Model, seed: int) -> None:
    q = random_state(model, seed).q
    N_l, N_d, _ = ts.denoc_matrices(model, q)
    assert_close((N_l @ N_d).reshape(model.nb, 6, model.nv), ts.body_jacobians(model, q))


@PROPERTY
@given(models(), seeds())
def test_n_l_carries_and_n_d_adds(model: ts.Model, seed: int) -> None:
    """N_l = (1 - A)^-1 with ones on its diagonal (11), (12); N_d has one block of columns for each joint (10)."""
    q = random_state(model, seed).q
    N_l, N_d, _ = ts.denoc_matrices(model, q)
    blocks = N_l.reshape(model.nb, 6, model.nb, 6)
    A = np.zeros_like(blocks)
    for i, joint in enumerate(list(model.joints.values())[1:], start=1):
        parent = model.bodies[joint.parent].index
        A[i, :, parent, :] = blocks[i, :, parent, :]
    assert_close(N_l @ (np.eye(6 * model.nb) - A.reshape(N_l.shape)), np.eye(6 * model.nb))
    for joint in model.joints.values():
        others = np.delete(N_d, np.s_[6 * joint.index : 6 * joint.index + 6], axis=0)
        assert not others[:, joint.v_index].any()


@PROPERTY
@given(models(), seeds())
def test_inertia_matrix_follows_from_the_denoc_matrices_and_from_composite_bodies(model: ts.Model, seed: int) -> None:
    q = random_state(model, seed).q
    N_l, N_d, M = ts.denoc_matrices(model, q)
    expected = ts.mass_matrix(model, q)
    assert_close(N_d.T @ N_l.T @ M @ N_l @ N_d + rotors(model), expected)
    assert_close(ts.denoc_mass_matrix(model, q), expected)


@PROPERTY
@given(models(), seeds())
def test_factors_multiply_to_the_mass_matrix(model: ts.Model, seed: int) -> None:
    q = random_state(model, seed).q
    U, D = ts.denoc_factors(model, q)
    M = ts.mass_matrix(model, q)
    assert_close(U @ D @ U.T, M, FACTORS)
    np.testing.assert_array_equal(np.tril(U), np.eye(model.nv))
    assert not U[branch_pattern(model).T == 0.0].any()
    for joint in model.joints.values():
        others = np.delete(D, joint.v_index, axis=0)
        assert not others[:, joint.v_index].any()


@PROPERTY
@given(models(), seeds())
def test_pivots_of_the_factors_are_what_the_native_recursion_divides_by(model: ts.Model, seed: int) -> None:
    """vdot = U^-T D^-1 U^-1 phi', step 3 of the forward dynamics, against the method "denoc"."""
    q, v, _, tau, external = random_state(model, seed)
    U, D = ts.denoc_factors(model, q)
    phi = tau - ts.inverse_dynamics(model, q, v, np.zeros(model.nv), external, "denoc")
    vdot = np.linalg.solve(U.T, np.linalg.solve(D, np.linalg.solve(U, phi)))
    assert_close(ts.forward_dynamics(model, q, v, tau, external, "denoc"), vdot, 1e-9)


@PROPERTY
@given(models(), seeds())
def test_equation_of_motion_holds_with_convective_inertia(model: ts.Model, seed: int) -> None:
    q, v, vdot, *_ = random_state(model, seed)
    C = ts.convective_inertia(model, q, v)
    expected = ts.inverse_dynamics(model, q, v, vdot)
    assert_close(ts.mass_matrix(model, q) @ vdot + C @ v + ts.gravity_force(model, q), expected)


@PROPERTY
@given(models(), seeds())
def test_convective_inertia_does_no_work_beyond_the_change_of_inertia(model: ts.Model, seed: int) -> None:
    """v^T (dI/dt - 2 C) v = 0, since power is force times velocity."""
    q, v, *_ = random_state(model, seed)
    motion = along(model, q, v)
    dI = derivative(lambda time: ts.mass_matrix(model, motion(time)[0]))
    C = ts.convective_inertia(model, q, v)
    scale = float(np.abs(v) @ np.abs(dI) @ np.abs(v)) + 1.0
    assert abs(v @ (dI - 2.0 * C) @ v) < RELATIVE * scale


def test_shah7_has_the_inertia_of_the_paper() -> None:
    """Whole mass at the base's translations; 9 degrees of freedom of 7 links, n0 = 3."""
    model = ts.robots.shah7()
    q = model.random(np.random.default_rng(4))
    N_l, N_d, M = ts.denoc_matrices(model, q)
    assert N_l.shape == (42, 42)
    assert N_d.shape == (42, 9)
    inertia = ts.denoc_mass_matrix(model, q)
    np.testing.assert_allclose(inertia[:2, :2], 9.4 * np.eye(2), atol=1e-14)
    assert np.trace(M[:3, :3]) == pytest.approx(3 * 5.0, rel=1e-15)


@pytest.mark.parametrize("batch", [(4,), (2, 3), (0,)])
def test_batches_equal_single_states(batch: tuple[int, ...]) -> None:
    model = random_builder(("universal", "spherical", "helical", "cylindrical"), (0, 1, 1, 3), "free", 5).build()
    q, v, *_ = random_state(model, 80, batch)
    together = (
        *ts.denoc_matrices(model, q),
        *ts.denoc_factors(model, q),
        ts.denoc_mass_matrix(model, q),
        ts.convective_inertia(model, q, v),
    )
    for index in np.ndindex(*batch):
        one = (
            *ts.denoc_matrices(model, q[index]),
            *ts.denoc_factors(model, q[index]),
            ts.denoc_mass_matrix(model, q[index]),
            ts.convective_inertia(model, q[index], v[index]),
        )
        for whole, part in zip(together, one, strict=True):
            assert_close(whole[index], part)
    assert all(whole.shape[: len(batch)] == batch for whole in together)


def test_batch_axes_of_q_and_v_broadcast() -> None:
    model = ts.robots.shah7()
    q, v, *_ = random_state(model, 81, (3,))
    C = ts.convective_inertia(model, q[:, None], v)
    assert C.shape == (3, 3, 9, 9)
    assert_close(C[2, 1], ts.convective_inertia(model, q[2], v[1]))


def test_bad_input_is_named() -> None:
    model = ts.robots.shah7()
    q, v = model.neutral(), np.zeros(model.nv)
    with pytest.raises(ShapeError, match=r"v of convective_inertia has shape \(4,\)"):
        ts.convective_inertia(model, q, v[:4])
    with pytest.raises(NonFiniteError, match="v of convective_inertia"):
        ts.convective_inertia(model, q, np.full(model.nv, np.nan))
    with pytest.raises(ShapeError):
        ts.convective_inertia(model, np.zeros((2, model.nq)), np.zeros((3, model.nv)))
    with pytest.raises(NonFiniteError, match="q of"):
        ts.denoc_matrices(model, np.full(model.nq, np.inf))
    coupled = random_builder(("revolute", "revolute"), (0, 1), "fixed", 6).add_coupling("joint2", "joint1", 2.0, 0.0)
    with pytest.raises(ArgumentError, match=r"coupled joints.*couplings='cut'"):
        ts.denoc_matrices(coupled.build(), [0.0])
    assert ts.denoc_matrices(coupled.build(couplings="cut"), [0.0, 0.0]).N_d.shape == (18, 2)
