"""Inverse dynamics with an unknown acceleration of the base, Shah, Saha and Dutt section 3.2."""

import numpy as np
import pytest
from dynamics.finite_differences import RELATIVE, along, derivative
from dynamics.random_models import models, seeds
from dynamics.states import PROPERTY, SOLVED, assert_close, random_state
from hypothesis import given
from hypothesis import strategies as st

import tarsus as ts
from tarsus.errors import ArgumentError, MasslessJointError, NonFiniteError, ShapeError

FLOATING = ("free", "planar")


@PROPERTY
@given(models(bases=FLOATING, passive=True), seeds(), st.booleans(), st.booleans())
def test_torques_make_joints_and_base_accelerate_as_said(
    model: ts.Model, seed: int, pushed: bool, passive: bool
) -> None:
    q, v, vdot, _, external = random_state(model, seed)
    n0 = model.joints["base"].nv
    wrenches = external if pushed else None
    base, torque = ts.floating_inverse_dynamics(model, q, v, vdot[n0:], wrenches, passive=passive)
    tau = np.concatenate([np.zeros(n0), torque])
    expected = ts.forward_dynamics(model, q, v, tau, wrenches, passive=passive)
    assert_close(np.concatenate([base, vdot[n0:]]), expected, SOLVED)


@pytest.mark.parametrize("base", FLOATING)
def test_equations_of_the_paper_hold(base: str) -> None:
    """(21): base acceleration I_0^-1 (phi_0 - I~^T theta''), torques I~ q_0'' - (phi - I theta'')."""
    model = ts.robots.shah7(base=base)  # type: ignore[arg-type]
    q, v, vdot, *_ = random_state(model, 90)
    n0 = {"planar": 3, "free": 6}[base]
    inertia, phi = ts.mass_matrix(model, q), -ts.bias_force(model, q, v)
    I_0, I_tilde, I_bar = inertia[:n0, :n0], inertia[n0:, :n0], inertia[n0:, n0:]
    expected = np.linalg.solve(I_0, phi[:n0] - I_tilde.T @ vdot[n0:])
    found = ts.floating_inverse_dynamics(model, q, v, vdot[n0:])
    assert_close(found.base_acceleration, expected)
    assert_close(found.joint_torque, I_tilde @ expected - (phi[n0:] - I_bar @ vdot[n0:]))


def test_robot_in_free_fall_needs_no_torque_to_keep_its_shape() -> None:
    model = ts.robots.hrp2()
    found = ts.floating_inverse_dynamics(model, model.reference, np.zeros(model.nv), np.zeros(model.nv - 6))
    np.testing.assert_allclose(found.base_acceleration, [0, 0, -9.81, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(found.joint_torque, 0.0, atol=1e-11)


def test_momentum_is_kept_but_for_the_weight() -> None:
    """The motion that results changes the momentum by the weight alone."""
    model = ts.robots.hrp2()
    q, v, vdot, *_ = random_state(model, 91)
    base, _ = ts.floating_inverse_dynamics(model, q, v, vdot[6:])
    motion = along(model, q, v, np.concatenate([base, vdot[6:]]))
    rate = derivative(lambda time: ts.momentum(model, *motion(time)))
    assert_close(rate, model.total_mass * np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]), RELATIVE)


def test_far_from_the_origin_nothing_is_lost() -> None:
    model = ts.robots.hrp2()
    q, v, vdot, *_ = random_state(model, 92)
    away = q.copy()
    away[:3] += 1e4
    here, there = (ts.floating_inverse_dynamics(model, x, v, vdot[6:]) for x in (q, away))
    assert_close(there.base_acceleration, here.base_acceleration, SOLVED)
    assert_close(there.joint_torque, here.joint_torque, SOLVED)


@pytest.mark.parametrize("batch", [(5,), (2, 3), (0,)])
def test_batches_and_threads_give_what_single_states_give(batch: tuple[int, ...]) -> None:
    model = ts.robots.shah7()
    q, v, vdot, _, external = random_state(model, 93, batch)
    together = ts.floating_inverse_dynamics(model, q, v, vdot[..., 3:], external)
    assert together.base_acceleration.shape == (*batch, 3)
    assert together.joint_torque.shape == (*batch, 6)
    for index in np.ndindex(*batch):
        one = ts.floating_inverse_dynamics(model, q[index], v[index], vdot[index][3:], external[index])
        assert_close(together.base_acceleration[index], one.base_acceleration)
        assert_close(together.joint_torque[index], one.joint_torque)
    threaded = ts.floating_inverse_dynamics(model, q, v, vdot[..., 3:], external, threads=2)
    np.testing.assert_array_equal(threaded.joint_torque, together.joint_torque)


def test_batch_axes_broadcast() -> None:
    model = ts.robots.shah7()
    q, v, vdot, *_ = random_state(model, 94, (4,))
    found = ts.floating_inverse_dynamics(model, q[:, None], v[0], vdot[:2, 3:])
    assert found.base_acceleration.shape == (4, 2, 3)
    one = ts.floating_inverse_dynamics(model, q[3], v[0], vdot[1, 3:])
    assert_close(found.joint_torque[3, 1], one.joint_torque)


def test_robot_with_coupled_joints_is_folded() -> None:
    builder = ts.ModelBuilder("gripper", base="free")
    for name in ("palm", "left", "right"):
        builder.add_link(name, ts.Inertia.of_box(1.0, (0.1, 0.2, 0.3), com=(0.1, 0.0, 0.2)))
    builder.add_joint("left_joint", "revolute", "palm", "left", axis=(1, 0, 0), position=(0, 0.1, 0))
    builder.add_joint("right_joint", "revolute", "palm", "right", axis=(1, 0, 0), position=(0, -0.1, 0))
    model = builder.add_coupling("right_joint", "left_joint", -1.0, 0.0).build()
    q, v, vdot, *_ = random_state(model, 95)
    base, torque = ts.floating_inverse_dynamics(model, q, v, vdot[6:])
    vdot[:6] = base
    assert_close(ts.inverse_dynamics(model, q, v, vdot), np.array([0, 0, 0, 0, 0, 0, *torque]))


def test_fixed_base_is_refused() -> None:
    model = ts.robots.shah7(base="fixed")
    with pytest.raises(ArgumentError, match=r"floating_inverse_dynamics needs a base that moves.*'shah7' is fixed"):
        ts.floating_inverse_dynamics(model, model.neutral(), np.zeros(6), np.zeros(6))


def test_bad_input_is_named() -> None:
    model = ts.robots.shah7()
    q, v, a = model.neutral(), np.zeros(9), np.zeros(6)
    with pytest.raises(ShapeError, match=r"joint_acceleration of floating_inverse_dynamics has shape \(9,\).*6\)"):
        ts.floating_inverse_dynamics(model, q, v, v)
    with pytest.raises(NonFiniteError, match="joint_acceleration of .* has the entry nan at position 2"):
        ts.floating_inverse_dynamics(model, q, v, [0, 0, np.nan, 0, 0, 0])
    with pytest.raises(NonFiniteError, match="^v of"):
        ts.floating_inverse_dynamics(model, q, np.full(9, np.inf), a)
    with pytest.raises(ShapeError):
        ts.floating_inverse_dynamics(model, np.zeros((2, 9)), np.zeros((3, 9)), a)


def test_base_without_inertia_is_named() -> None:
    builder = ts.ModelBuilder("point", base="planar").add_link("point", ts.Inertia(1.0, np.zeros(3), np.zeros((3, 3))))
    model = builder.build()
    with pytest.raises(MasslessJointError, match="joint 'base' moves no inertia.*floating_inverse_dynamics"):
        ts.floating_inverse_dynamics(model, model.neutral(), np.zeros(3), np.zeros(0))
