"""Partial derivatives where joints follow others by loops and polynomials: differences, closed forms, identities."""

import numpy as np
import pytest
from dynamics.finite_differences import assert_derivative, derivative, gradient
from dynamics.loop_models import FourBar
from dynamics.states import SOLVED, assert_close
from loop_models import MECHANISMS, configurations, four_bar, mechanism, opened
from parallel_robots import delta, stewart

import tarsus as ts
from tarsus.dynamics.constraints import LoopJoint
from tarsus.model import Loop
from tarsus.spatial import pose

STEEP = 1e-6
"""Agreement with finite differences where slopes change quickly: near dead points, and of the platforms."""
RELATIVE = {"space rod": STEEP, "double rocker": STEEP}
AXES = ("world", "local", "world_origin")


def slope(x, f):
    """Derivatives of a function of a vector, stacked on the last axis."""
    return np.stack([derivative(lambda t, e=e: f(x + t * e)) for e in np.eye(len(x))], axis=-1)


def state(model, seed):
    rng = np.random.default_rng(seed)
    v, vdot = rng.normal(size=(2, model.nv))
    return v + 0.1 * np.sign(v), vdot, rng.normal(size=(model.nb, 6))  # away from rest, where friction jumps


@pytest.mark.parametrize("passive", [False, True])
@pytest.mark.parametrize("name", MECHANISMS)
def test_derivatives_of_inverse_dynamics_are_those_along_the_manifold(name, passive):
    model, q = mechanism(name), configurations(name, 2)
    v, vdot, push = state(model, 3)

    def tau(q, v):
        return ts.inverse_dynamics(model, q, v, vdot, push, passive=passive)

    dq, dv, da = ts.inverse_dynamics_derivatives(model, q, v, vdot, push, passive=passive)
    relative = RELATIVE.get(name, 2e-8)
    assert_derivative(dq, gradient(model, q, lambda x: tau(x, v)), relative)
    assert_derivative(dv, slope(v, lambda x: tau(q, x)), relative)
    assert_close(da, ts.mass_matrix(model, q))


@pytest.mark.parametrize("name", MECHANISMS)
def test_derivatives_of_forward_dynamics_are_those_along_the_manifold(name):
    model, q = mechanism(name), configurations(name, 4)
    v, _, push = state(model, 5)
    tau = np.random.default_rng(6).normal(size=model.nv)
    for passive in (False, True):

        def vdot(q, v, tau, passive=passive):
            return ts.forward_dynamics(model, q, v, tau, push, passive=passive)

        dq, dv, dtau = ts.forward_dynamics_derivatives(model, q, v, tau, push, passive=passive)
        relative = RELATIVE.get(name, 2e-8)
        assert_derivative(dq, gradient(model, q, lambda x: vdot(x, v, tau)), relative)
        assert_derivative(dv, slope(v, lambda x: vdot(q, x, tau)), relative)
        assert_derivative(dtau, slope(tau, lambda x: vdot(q, v, x)), relative)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_derivatives_of_jacobians_are_those_along_the_manifold(name, axes):
    model, q = mechanism(name), configurations(name, 7)
    for frame in list(model.frames)[-2:]:
        H = ts.jacobian_derivative(model, q, frame, axes)
        expected = gradient(model, q, lambda x, f=frame: ts.jacobian(model, x, f, axes))
        assert_derivative(H, expected, RELATIVE.get(name, 2e-8))
        v = np.random.default_rng(8).normal(size=model.nv)
        assert_close(H @ v, ts.jacobian_dot(model, q, v, frame, axes), 1e-8)


@pytest.mark.parametrize("make", [lambda: stewart(level=True), delta], ids=["stewart", "delta"])
def test_derivatives_of_parallel_robots(make):
    """Loops closed by iteration, with balls and universal joints among the followers."""
    model = make().build()
    q = model.integrate(model.reference, np.full(model.nv, 0.01))
    v, vdot, push = state(model, 9)
    dq, dv, _ = ts.inverse_dynamics_derivatives(model, q, v, vdot, push)
    assert_derivative(dq, gradient(model, q, lambda x: ts.inverse_dynamics(model, x, v, vdot, push)), STEEP)
    assert_derivative(dv, slope(v, lambda x: ts.inverse_dynamics(model, q, x, vdot, push)), STEEP)


@pytest.mark.parametrize("crank", [0.3, 1.2, 4.0])
def test_velocity_derivative_of_a_four_bar_has_its_closed_form(crank):
    """tau = M vdot + C v^2 + weight, with C of the virtual power of all bars: d tau / d v = 2 C v."""
    bars = FourBar()
    builder = bars.builder()
    builder.add_loop(
        Loop("pin", "revolute", "coupler", "rocker", pose((bars.coupler, 0, 0)), pose((bars.rocker, 0, 0)),
             axis=(0.0, -1.0, 0.0), independent=("crank_joint",))
    )  # fmt: skip
    start = bars.configuration(crank)
    builder.reference = dict(zip(("crank_joint", "coupler_joint", "rocker_joint"), start.tolist(), strict=True))
    model = builder.build()
    rate, q = 1.7, np.array([crank])
    M = float(ts.mass_matrix(model, q)[0, 0])
    still, moving = (bars.crank_acceleration(crank, x, 0.0) for x in (0.0, rate))
    C = -M * (moving - still) / rate**2
    _, dv, _ = ts.inverse_dynamics_derivatives(model, q, [rate], [0.4])
    assert float(dv[0, 0]) == pytest.approx(2.0 * C * rate, rel=1e-9)
    dq, _, _ = ts.forward_dynamics_derivatives(model, q, [rate], [0.0])
    expected = derivative(lambda t: np.array(bars.crank_acceleration(crank + t, rate, 0.0)))
    assert float(dq[0, 0]) == pytest.approx(float(expected), rel=1e-7)


@pytest.mark.parametrize("name", ["four-bar", "Bennett", "ball rod", "ankle", "walker", "cam"])
def test_batches_and_threads_give_what_single_states_give(name):
    model, q = mechanism(name), configurations(name, 10, (7,))
    rng = np.random.default_rng(11)
    v, vdot = rng.normal(size=(2, 7, model.nv))
    batch = ts.inverse_dynamics_derivatives(model, q, v, vdot)
    np.testing.assert_array_equal(batch, ts.inverse_dynamics_derivatives(model, q, v, vdot, threads=2))
    for k in range(7):
        assert_close(batch[k], ts.inverse_dynamics_derivatives(model, q[k], v[k], vdot[k]), 1e-10)


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "ball rod", "ankle", "walker", "cam", "differential"])
def test_derivatives_of_forward_dynamics_undo_those_of_inverse_dynamics(name):
    model, q = mechanism(name), configurations(name, 12)
    v, _, push = state(model, 13)
    tau = np.random.default_rng(14).normal(size=model.nv)
    vdot = ts.forward_dynamics(model, q, v, tau, push)
    dq, dv, M = ts.inverse_dynamics_derivatives(model, q, v, vdot, push)
    found = ts.forward_dynamics_derivatives(model, q, v, tau, push)
    assert_close(M @ found[0], -dq, SOLVED)
    assert_close(M @ found[1], -dv, SOLVED)


def test_derivative_of_weight_is_symmetric_and_zero_of_a_balanced_loop():
    """The Hessian of the potential; gravity along the axes of a planar loop does no work."""
    model = mechanism("ankle")
    rest = np.zeros(model.nv)
    K = ts.inverse_dynamics_derivatives(model, configurations("ankle", 15), rest, rest)[0]
    assert_close(K, K.T)
    builder = four_bar()
    builder.gravity = (0.0, 0.0, -9.81)
    flat = builder.build()
    np.testing.assert_allclose(ts.inverse_dynamics_derivatives(flat, [0.8], [0.0], [0.0])[0], 0.0, atol=1e-12)


def test_a_loop_by_multipliers_has_the_same_derivative():
    """Along the crank: the tree under its constraint, differentiated by differences on the manifold."""
    model, tree, q, v, tau = (
        mechanism("four-bar"),
        opened("four-bar"),
        np.array([0.8]),
        np.array([1.3]),
        np.array([0.4]),
    )
    knee = model.loops[0]
    loop = LoopJoint("coupler", "rocker", "spherical", pose_a=knee.pose_a, pose_b=knee.pose_b)

    def vdot(t):
        q_tree, v_tree = model.joint_positions(q + t), model.joint_velocities(q + t, v)
        answer = ts.constrained_dynamics(tree, q_tree, v_tree, [tau[0], 0.0, 0.0], [loop], redundant="accept")
        return answer.vdot[0]

    assert float(ts.forward_dynamics_derivatives(model, q, v, tau)[0, 0, 0]) == pytest.approx(
        float(derivative(vdot)), rel=1e-7
    )
