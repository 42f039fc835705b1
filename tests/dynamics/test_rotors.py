"""Round rotors geared to joints, which forward dynamics takes for parts of the links that carry them."""

import numpy as np
import pytest
from dynamics.random_models import random_inertia, random_pose, seeds
from dynamics.states import PROPERTY, SOLVED, assert_close, random_state
from hypothesis import given
from hypothesis import strategies as st

import tarsus as ts
from tarsus.arrays import FloatArray

KINDS = ("revolute", "prismatic", "helical", "spherical")


def round_inertia(rng: np.random.Generator, axis: FloatArray) -> ts.Inertia:
    """A body that looks the same at every angle about an axis through its frame."""
    across, along = rng.uniform(0.01, 0.02, 2)
    moments = across * np.eye(3) + (along - across) * np.outer(axis, axis)
    return ts.Inertia(float(rng.uniform(0.1, 0.5)), 0.1 * float(rng.normal()) * axis, moments)


@st.composite
def driven_builders(draw: st.DrawFn) -> ts.ModelBuilder:
    """Trees whose one-axis joints turn none, one or two rotors on the link before, about any axis."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    base = draw(st.sampled_from(("fixed", "free", "planar")))
    builder = ts.ModelBuilder("driven", base=base, gravity=(0.2, 0.1, -9.81)).add_link("body0", random_inertia(rng))
    for k in range(1, draw(st.integers(2, 7)) + 1):
        kind = draw(st.sampled_from(KINDS)) if k > 1 else "revolute"
        parent = f"body{draw(st.integers(0, k - 1))}"
        builder.add_link(f"body{k}", random_inertia(rng))
        axis = rng.normal(size=3) if draw(st.booleans()) else rng.permutation([0.0, 0.0, -1.0])
        armature = float(rng.choice([0.0, 0.1]))
        builder.add_joint(
            f"joint{k}", kind, parent, f"body{k}", pose=random_pose(rng), axis=tuple(axis), pitch=0.1, armature=armature
        )
        rotors = draw(st.integers(0, 2)) if kind != "spherical" else 0
        for i in range(max(rotors, int(k == 1))):
            spin = rng.normal(size=3)
            spin /= np.linalg.norm(spin)
            builder.add_link(f"rotor{k}_{i}", round_inertia(rng, spin))
            builder.add_joint(
                f"motor{k}_{i}", "continuous", parent, f"rotor{k}_{i}", pose=random_pose(rng), axis=tuple(spin)
            )
            builder.add_coupling(f"motor{k}_{i}", f"joint{k}", float(rng.uniform(-50.0, 50.0)), float(rng.normal()))
    return builder


@PROPERTY
@given(driven_builders(), seeds(), st.booleans())
def test_accelerations_solve_the_equation_of_the_model_with_rotors_as_bodies(
    builder: ts.ModelBuilder, seed: int, batched: bool
) -> None:
    """M vdot = tau - bias, with M and bias from the spanning tree, whose rotors are bodies like any other."""
    reduced, tree = builder.build(), builder.build(couplings="cut")
    q, v, _, tau, _ = random_state(reduced, seed, (3,) if batched else ())
    tau = 100.0 * tau
    full_q, full_v, G = reduced.joint_positions(q), reduced.joint_velocities(q, v), reduced.coupling_matrix(q)
    M = np.swapaxes(G, -1, -2) @ ts.mass_matrix(tree, full_q) @ G
    rest = tau - (np.swapaxes(G, -1, -2) @ ts.bias_force(tree, full_q, full_v)[..., None])[..., 0]
    expected = np.linalg.solve(M, rest[..., None])[..., 0]
    assert_close(ts.forward_dynamics(reduced, q, v, tau), expected, SOLVED)
    assert_close(ts.solve_mass(reduced, q, rest), expected, SOLVED)


@PROPERTY
@given(driven_builders(), seeds(), st.booleans())
def test_wrenches_and_friction_on_rotors_count(builder: ts.ModelBuilder, seed: int, passive: bool) -> None:
    model = builder.build()
    q, v, vdot, _, external = random_state(model, seed)
    tau = ts.inverse_dynamics(model, q, v, vdot, external, passive=passive)
    assert_close(ts.forward_dynamics(model, q, v, tau, external, passive=passive), vdot, SOLVED)


@pytest.mark.parametrize("spin", [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)])
def test_turntable_with_a_geared_wheel_moves_as_calculated_by_hand(spin: tuple[float, float, float]) -> None:
    """A wheel on a turntable, geared to an arm: the arm feels r^2 I, the table r I where the axes are parallel."""
    table, arm, wheel, ratio = 0.7, 0.3, 0.02, 10.0
    builder = ts.ModelBuilder("turntable", gravity=(0.0, 0.0, 0.0)).add_link("ground")
    for name, inertia in (("table", table), ("arm", arm), ("wheel", wheel)):
        builder.add_link(name, ts.Inertia(1.0, np.zeros(3), inertia * np.eye(3)))
    builder.add_joint("table", "continuous", "ground", "table", axis=(0, 0, 1))
    builder.add_joint("arm", "continuous", "table", "arm", axis=(0, 0, 1))
    builder.add_joint("motor", "continuous", "table", "wheel", axis=spin)
    model = builder.add_coupling("motor", "arm", ratio).build()
    cosine = spin[2]
    M = np.array([[table + arm + wheel, arm + ratio * wheel * cosine], [0.0, arm + ratio**2 * wheel]])
    M[1, 0] = M[0, 1]
    tau = np.array([0.4, -1.3])
    assert_close(ts.forward_dynamics(model, np.zeros(2), np.array([2.0, -3.0]), tau), np.linalg.solve(M, tau))
