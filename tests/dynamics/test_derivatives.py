"""Partial derivatives of dynamics and Jacobians: finite differences on the manifold, closed forms and identities."""

from collections.abc import Callable

import numpy as np
import pytest
from dynamics.finite_differences import assert_derivative, derivative, gradient
from dynamics.random_models import models, seeds
from dynamics.states import PROPERTY, SOLVED, assert_close, random_state
from dynamics.test_couplings import coupled_builders
from dynamics.test_kinematics import AXES
from hypothesis import given
from sample_models import BRICK, double_pendulum, pendulum, star, zoo

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.errors import MasslessJointError

ROBOTS: dict[str, Callable[[], ts.Model]] = {
    "zoo in flight": lambda: zoo("free").build(),
    "zoo on the ground": lambda: zoo("fixed").build(),
    "zoo in the plane": lambda: zoo("planar").build(),
    "double pendulum": lambda: double_pendulum().build(),
    "hrp2": ts.robots.hrp2,
    "shah7": ts.robots.shah7,
}
"""Every kind of joint on every kind of base, and robots."""


def slope(x: FloatArray, f: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Derivatives of a function of a vector, stacked on the last axis."""
    return np.stack([derivative(lambda t, e=e: f(x + t * e)) for e in np.eye(len(x))], axis=-1)


@PROPERTY
@given(models(), seeds())
def test_inverse_dynamics_derivatives_are_those_along_the_manifold(model: ts.Model, seed: int) -> None:
    q, v, vdot, _, external = random_state(model, seed)
    for push in (None, external):
        dq, dv, da = ts.inverse_dynamics_derivatives(model, q, v, vdot, push)
        assert_derivative(dq, gradient(model, q, lambda x, w=push: ts.inverse_dynamics(model, x, v, vdot, w)))
        assert_derivative(dv, slope(v, lambda x, w=push: ts.inverse_dynamics(model, q, x, vdot, w)))
        assert_close(da, ts.mass_matrix(model, q))


@pytest.mark.parametrize("robot", ROBOTS)
def test_forward_dynamics_derivatives_are_those_along_the_manifold(robot: str) -> None:
    model = ROBOTS[robot]()
    q, v, _, tau, external = random_state(model, 3)
    for push in (None, external):
        dq, dv, dtau = ts.forward_dynamics_derivatives(model, q, v, tau, push)
        assert_derivative(dq, gradient(model, q, lambda x, w=push: ts.forward_dynamics(model, x, v, tau, w)))
        assert_derivative(dv, slope(v, lambda x, w=push: ts.forward_dynamics(model, q, x, tau, w)))
        assert_derivative(dtau, slope(tau, lambda x, w=push: ts.forward_dynamics(model, q, v, x, w)))


@PROPERTY
@given(models(), seeds())
def test_forward_dynamics_derivatives_undo_those_of_inverse_dynamics(model: ts.Model, seed: int) -> None:
    q, v, _, tau, external = random_state(model, seed)
    vdot = ts.forward_dynamics(model, q, v, tau, external)
    dq, dv, M = ts.inverse_dynamics_derivatives(model, q, v, vdot, external)
    found = ts.forward_dynamics_derivatives(model, q, v, tau, external)
    assert_close(M @ found[0], -dq, SOLVED)
    assert_close(M @ found[1], -dv, SOLVED)
    assert_close(M @ found[2], np.eye(model.nv), SOLVED)
    np.testing.assert_array_equal(found[2], found[2].T)


@PROPERTY
@given(models(passive=True), seeds())
def test_springs_and_dampers_count_where_passive_forces_do(model: ts.Model, seed: int) -> None:
    q, v, vdot, _, external = random_state(model, seed)
    v = v + 0.1 * np.sign(v)  # away from rest, where friction jumps
    dq, dv, M = ts.inverse_dynamics_derivatives(model, q, v, vdot, external, passive=True)
    tau = ts.inverse_dynamics(model, q, v, vdot, external, passive=True)
    assert_derivative(dq, gradient(model, q, lambda x: ts.inverse_dynamics(model, x, v, vdot, external, passive=True)))
    assert_derivative(dv, slope(v, lambda x: ts.inverse_dynamics(model, q, x, vdot, external, passive=True)))
    found = ts.forward_dynamics_derivatives(model, q, v, tau, external, passive=True)
    assert_close(M @ found[0], -dq, SOLVED)
    assert_close(M @ found[1], -dv, SOLVED)


def test_linearised_oscillator_with_spring_and_damper() -> None:
    """m x'' = -d x' - k x: d x''/dx = -k/m, d x''/dx' = -d/m."""
    builder = ts.ModelBuilder("oscillator").add_link("ground").add_link("mass", ts.Inertia(2.0, np.zeros(3), np.eye(3)))
    builder.add_joint("x", "prismatic", "ground", "mass", axis=(1, 0, 0), stiffness=5.0, damping=0.3, friction=0.2)
    model = builder.build()
    found = ts.forward_dynamics_derivatives(model, [0.4], [0.7], [0.0], passive=True)
    np.testing.assert_allclose(found[:, 0, 0], [-2.5, -0.15, 0.5], rtol=1e-14)


@PROPERTY
@given(coupled_builders(), seeds())
def test_passive_derivatives_of_coupled_joints(builder: ts.ModelBuilder, seed: int) -> None:
    model = builder.build()
    q, v, vdot, *_ = random_state(model, seed)
    v = v + 0.1 * np.sign(v)
    dq, dv, M = ts.inverse_dynamics_derivatives(model, q, v, vdot, passive=True)
    assert_derivative(dq, gradient(model, q, lambda x: ts.inverse_dynamics(model, x, v, vdot, passive=True)))
    assert_derivative(dv, slope(v, lambda x: ts.inverse_dynamics(model, q, x, vdot, passive=True)))
    tau = ts.inverse_dynamics(model, q, v, vdot, passive=True)
    assert_close(M @ ts.forward_dynamics_derivatives(model, q, v, tau, passive=True)[0], -dq, SOLVED)


@PROPERTY
@given(models(), seeds())
def test_velocity_terms_are_quadratic(model: ts.Model, seed: int) -> None:
    """Euler's theorem: a form of degree two is half its derivative times its argument."""
    q, v, vdot, *_ = random_state(model, seed)
    dv = ts.inverse_dynamics_derivatives(model, q, v, vdot)[1]
    assert_close(0.5 * dv @ v, ts.bias_force(model, q, v) - ts.gravity_force(model, q))


@PROPERTY
@given(models(), seeds())
def test_derivative_of_gravity_is_the_hessian_of_the_potential_at_vector_coordinates(
    model: ts.Model, seed: int
) -> None:
    q = random_state(model, seed).q
    rest = np.zeros(model.nv)
    K = ts.inverse_dynamics_derivatives(model, q, rest, rest)[0]
    turning = [joint.v_index for joint in model.joints.values() if joint.kind in ("free", "planar", "spherical")]
    kept = np.delete(np.arange(model.nv), np.r_[tuple(turning)] if turning else [])
    assert_close(K[np.ix_(kept, kept)], K[np.ix_(kept, kept)].T)


@PROPERTY
@given(models(bases=("free",)), seeds())
def test_place_of_a_free_base_changes_no_force(model: ts.Model, seed: int) -> None:
    q, v, vdot, _, external = random_state(model, seed)
    for push in (None, external):
        assert np.all(ts.inverse_dynamics_derivatives(model, q, v, vdot, push)[0, :, :3] == 0.0)


def test_derivatives_between_branches_are_exactly_zero() -> None:
    model = star(4).build()
    q, v, vdot, _, external = random_state(model, 5)
    found = ts.inverse_dynamics_derivatives(model, q, v, vdot, external)
    off = ~np.eye(model.nv, dtype=bool)
    assert np.all(found[:, off] == 0.0)
    assert np.all(found[::2, ~off] != 0.0)


def test_pendulum_has_the_stiffness_of_its_weight() -> None:
    """tau = I qddot - m g (x cos q + z sin q) for a centre of mass at (x, z), which q turns from z towards x."""
    model = pendulum(base="fixed").build()
    q, m, g = 0.4, BRICK.mass, 9.81
    x, _, z = BRICK.com
    dq, dv, da = ts.inverse_dynamics_derivatives(model, [q], [1.3], [0.7])[:, 0, 0]
    weight = m * g * (z * np.cos(q) - x * np.sin(q))
    inertia = (BRICK.moments + m * (np.dot(BRICK.com, BRICK.com) * np.eye(3) - np.outer(BRICK.com, BRICK.com)))[1, 1]
    assert_close(np.array([dq, dv, da]), np.array([-weight, 0.0, inertia]))
    found = ts.forward_dynamics_derivatives(model, [q], [1.3], [0.2])[:, 0, 0]
    assert_close(found, np.array([weight / inertia, 0.0, 1.0 / inertia]))


def test_force_on_a_pendulum_keeps_its_direction_and_moves_with_the_body() -> None:
    """A force F along x at a body's origin, l below the hinge, has the moment -F l cos q about y."""
    builder = ts.ModelBuilder("hanging", base="fixed").add_link("ground").add_link("bob", BRICK)
    builder.add_joint("hinge", "revolute", "ground", "bob", axis=(0, 1, 0), child_pose=ts.pose((0.0, 0.0, -0.5)))
    model, q, force = builder.build(), 0.3, 7.0
    external = np.zeros((model.nb, 6))
    external[list(model.bodies).index("bob"), 0] = force
    pushed, alone = (ts.inverse_dynamics_derivatives(model, [q], [0.0], [0.0], w)[0, 0, 0] for w in (external, None))
    assert_close(np.array(pushed - alone), np.array(-force * 0.5 * np.sin(q)))


@PROPERTY
@given(coupled_builders(), seeds())
def test_derivatives_of_coupled_joints_are_in_independent_coordinates(builder: ts.ModelBuilder, seed: int) -> None:
    model = builder.build()
    q, v, vdot, tau, external = random_state(model, seed)
    frame = list(model.bodies)[-1]
    dq, dv, da = ts.inverse_dynamics_derivatives(model, q, v, vdot, external)
    assert_derivative(dq, gradient(model, q, lambda x: ts.inverse_dynamics(model, x, v, vdot, external)))
    assert_derivative(dv, slope(v, lambda x: ts.inverse_dynamics(model, q, x, vdot, external)))
    assert_close(da, ts.mass_matrix(model, q))
    H = ts.jacobian_derivative(model, q, frame)
    assert_derivative(H, gradient(model, q, lambda x: ts.jacobian(model, x, frame)))
    at = ts.forward_dynamics(model, q, v, tau, external)
    dq, dv, da = ts.inverse_dynamics_derivatives(model, q, v, at, external)
    found = ts.forward_dynamics_derivatives(model, q, v, tau, external)
    assert_close(da @ found, np.stack([-dq, -dv, np.eye(model.nv)]), SOLVED)


@PROPERTY
@given(models(), seeds())
def test_jacobian_derivative_is_the_gradient_of_the_jacobian(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    frame = f"tool{model.nb - 1}"
    for axes in AXES:
        H = ts.jacobian_derivative(model, q, frame, axes)
        assert_derivative(H, gradient(model, q, lambda x, a=axes: ts.jacobian(model, x, frame, a)))
        assert_close(H @ v, ts.jacobian_dot(model, q, v, frame, axes))


def test_linear_jacobian_derivative_of_vector_coordinates_is_symmetric() -> None:
    model = ts.robots.crops9()
    H = ts.jacobian_derivative(model, random_state(model, 6).q, list(model.frames)[-1])[:3]
    assert_close(H, H.swapaxes(-1, -2))
    assert np.max(np.abs(H)) > 0.1


def test_joint_that_moves_no_inertia_is_named() -> None:
    builder = pendulum(base="fixed").add_link("hand")
    model = builder.add_joint("wrist", "revolute", "bob", "hand", axis=(1, 0, 0)).build()
    q, v, _, tau, _ = random_state(model, 7, (3,))
    with pytest.raises(MasslessJointError, match="wrist"):
        ts.forward_dynamics_derivatives(model, q[0], v[0], tau[0])
    with pytest.raises(MasslessJointError, match=r"wrist.*\[0\]"):
        ts.forward_dynamics_derivatives(model, q, v, tau)
