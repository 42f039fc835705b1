"""Dynamics of models with kinematic loops in minimal coordinates, against the opened tree and against themselves."""

import numpy as np
import pytest
from dynamics.finite_differences import along, assert_derivative, derivative
from dynamics.integration import free_acceleration, runge_kutta_step
from dynamics.loop_oracle import Opened
from dynamics.states import ROUNDING, SOLVED, assert_close
from loop_models import MECHANISMS, bennett, configurations, four_bar, mechanism, opened

import tarsus as ts
from tarsus.model import Loop

MULTIPLIERS = 1e-9
"""Agreement with multipliers, which least squares determine where conditions are redundant."""
METHODS = ("articulated-body", "composite-body")
AXES = ("world", "local", "world_origin")

every_mechanism = pytest.mark.parametrize("name", MECHANISMS)


def sample(name, seed=0, shape=()):
    """Model and a state of it with accelerations, forces and wrenches."""
    model, rng = mechanism(name), np.random.default_rng(100 + seed)
    v, vdot, tau = rng.normal(size=(3, *shape, model.nv))
    return model, configurations(name, seed, shape), v, vdot, tau, rng.normal(size=(*shape, model.nb, 6))


def last_link(model):
    return list(model.bodies)[-1]


@every_mechanism
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_the_opened_tree_with_multipliers(name, method, seed):
    model, q, v, _, tau, _ = sample(name, seed)
    tree = Opened(model, opened(name), q, v)
    vdot = ts.forward_dynamics(model, q, v, tau, method=method)
    assert_close(tree.G @ vdot + tree.bias, tree.accelerations(tau), MULTIPLIERS)


@every_mechanism
def test_kinematics_are_those_of_the_tree_times_g(name):
    model, q, v, vdot, _, _ = sample(name)
    tree = Opened(model, opened(name), q, v)
    assert_close(model.coupling_matrix(q), tree.G)
    assert_close(ts.body_poses(model, q), tree.state.poses)
    assert_close(ts.center_of_mass(model, q), ts.center_of_mass(tree.tree, tree.Q))
    assert_close(ts.momentum(model, q, v), ts.momentum(tree.tree, tree.Q, tree.V))
    for function in (ts.body_jacobians, ts.joint_screws, ts.com_jacobian, ts.momentum_matrix):
        assert_close(function(model, q), function(tree.tree, tree.Q) @ tree.G)
    for axes in AXES:
        J = ts.jacobian(tree.tree, tree.Q, last_link(model), axes)
        rate = ts.jacobian_dot_v(tree.tree, tree.Q, tree.V, last_link(model), axes)
        assert_close(ts.jacobian(model, q, last_link(model), axes), J @ tree.G)
        assert_close(ts.frame_velocity(model, q, v, last_link(model), axes), J @ tree.V)
        assert_close(ts.jacobian_dot_v(model, q, v, last_link(model), axes), J @ tree.bias + rate)
        expected = J @ (tree.G @ vdot + tree.bias) + rate
        assert_close(ts.frame_acceleration(model, q, v, vdot, last_link(model), axes), expected)
    several = ts.frame_motions(model, q, v, vdot, [last_link(model)])
    assert_close(several.X_WF[0], ts.frame_pose(model, q, last_link(model)))
    assert_close(several.V_WF[0], ts.frame_velocity(model, q, v, last_link(model)))
    assert_close(several.A_WF[0], ts.frame_acceleration(model, q, v, vdot, last_link(model)))


@every_mechanism
def test_dynamics_are_those_of_the_tree_projected_by_g(name):
    model, q, v, vdot, _, external = sample(name, 1)
    tree = Opened(model, opened(name), q, v)
    G, A = tree.G, tree.G @ vdot + tree.bias
    assert_close(ts.mass_matrix(model, q), G.T @ tree.state.mass_matrix @ G)
    h = tree.state.bias_force + tree.state.mass_matrix @ tree.bias
    assert_close(ts.bias_force(model, q, v), G.T @ h)
    assert_close(ts.gravity_force(model, q), G.T @ ts.gravity_force(tree.tree, tree.Q))
    assert_close(ts.passive_force(model, q, v), G.T @ ts.passive_force(tree.tree, tree.Q, tree.V))
    assert_close(ts.kinetic_energy(model, q, v), ts.kinetic_energy(tree.tree, tree.Q, tree.V))
    assert_close(ts.potential_energy(model, q), ts.potential_energy(tree.tree, tree.Q))
    assert_close(ts.torque_regressor(model, q, v, vdot), G.T @ ts.torque_regressor(tree.tree, tree.Q, tree.V, A))
    for passive in (False, True):
        expected = G.T @ ts.inverse_dynamics(tree.tree, tree.Q, tree.V, A, external, passive=passive)
        assert_close(ts.inverse_dynamics(model, q, v, vdot, external, passive=passive), expected)


@every_mechanism
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("passive", [False, True])
def test_forward_dynamics_undo_inverse_dynamics(name, method, passive):
    model, q, v, _, tau, external = sample(name, 2, (7,))
    vdot = ts.forward_dynamics(model, q, v, tau, external, method, passive=passive)
    assert_close(ts.inverse_dynamics(model, q, v, vdot, external, passive=passive), tau, SOLVED)
    solved = ts.solve_mass(model, q, tau)
    assert_close(np.einsum("bij,bj->bi", ts.mass_matrix(model, q), solved), tau, SOLVED)


@every_mechanism
def test_batches_equal_single_states(name):
    model, q, v, vdot, tau, external = sample(name, 3, (9,))
    calls = [
        lambda *x: ts.inverse_dynamics(model, x[0], x[1], x[2], x[4], passive=True),
        lambda *x: ts.forward_dynamics(model, x[0], x[1], x[3], x[4], passive=True),
        lambda *x: ts.forward_dynamics(model, x[0], x[1], x[3], method="composite-body"),
        lambda *x: ts.mass_matrix(model, x[0]),
        lambda *x: ts.coriolis_matrix(model, x[0], x[1]),
        lambda *x: ts.jacobian_dot(model, x[0], x[1], last_link(model)),
        lambda *x: ts.body_poses(model, x[0]),
        lambda *x: ts.torque_regressor(model, x[0], x[1], x[2]),
    ]
    states = (q, v, vdot, tau, external)
    for call in calls:
        together = call(*states)
        assert_close(together, np.stack([call(*(x[row] for x in states)) for row in range(9)]), SOLVED)


@every_mechanism
def test_rates_of_jacobians_are_their_derivatives_in_time(name):
    model, q, v, vdot, _, _ = sample(name, 4)
    motion = along(model, q, 0.3 * v, 0.3 * vdot)
    frame = last_link(model)
    for axes in AXES:
        rate = ts.jacobian_dot(model, q, 0.3 * v, frame, axes)
        assert_derivative(rate, derivative(lambda t: ts.jacobian(model, motion(t)[0], frame, axes)))  # noqa: B023
        assert_close(rate @ (0.3 * v), ts.jacobian_dot_v(model, q, 0.3 * v, frame, axes))
        if axes == "world":
            found = ts.frame_acceleration(model, q, 0.3 * v, 0.3 * vdot, frame, axes)
            assert_derivative(found, derivative(lambda t: ts.frame_velocity(model, *motion(t), frame)))


@every_mechanism
def test_coriolis_matrix_gives_the_bias_force_and_a_skew_rate(name):
    model, q, v, *_ = sample(name, 5)
    v = 0.3 * v
    C = ts.coriolis_matrix(model, q, v)
    assert_close(C @ v + ts.gravity_force(model, q), ts.bias_force(model, q, v))
    motion = along(model, q, v)
    rate = derivative(lambda t: ts.mass_matrix(model, motion(t)[0]))
    assert_derivative(C + C.T, rate)


@every_mechanism
def test_power_of_the_drives_is_the_rate_of_energy(name):
    model, q, v, vdot, *_ = sample(name, 6)
    v, vdot = 0.3 * v, 0.3 * vdot
    tau = ts.inverse_dynamics(model, q, v, vdot)
    motion = along(model, q, v, vdot)

    def energy(t):
        x, u = motion(t)
        return np.array(ts.kinetic_energy(model, x, u) + ts.potential_energy(model, x))

    assert_derivative(np.array(tau @ v), derivative(energy))


@every_mechanism
def test_results_are_finite_over_the_sampled_range(name):
    model, q, v, _, tau, _ = sample(name, 7, (64,))
    assert np.isfinite(ts.forward_dynamics(model, q, v, tau)).all()
    assert np.isfinite(ts.coriolis_matrix(model, q, v)).all()


def test_springs_on_dependent_joints_act_on_the_crank():
    builder = four_bar()
    builder._joints[2] = builder._joints[2].__class__(
        "d", "revolute", "ground", "rocker", pose=builder._joints[2].pose, stiffness=20.0, rest=1.2, damping=0.5
    )
    model = builder.build()
    q, v = np.array([0.8]), np.array([1.3])
    angle, slope = model.joint_positions(q)[2], model.coupling_matrix(q)[2, 0]
    expected = slope * (-20.0 * (angle - 1.2) - 0.5 * slope * v)
    assert_close(ts.passive_force(model, q, v), expected)


def test_structure_without_freedom_has_empty_dynamics():
    builder = ts.ModelBuilder("triangle").add_link("ground")
    for name, x in (("left", 0.0), ("right", 1.0)):
        builder.add_link(name, ts.Inertia.of_box(1.0, (1.0, 0.1, 0.1), com=(0.5, 0.0, 0.0)))
        builder.add_joint(f"{name}_foot", "revolute", "ground", name, position=(x, 0.0, 0.0))
    tip = np.eye(4)
    tip[0, 3] = 1.0
    builder.add_loop(Loop("top", "revolute", "left", "right", tip, tip))
    builder.reference = {"left_foot": 1.0, "right_foot": 2.0}
    model = builder.build()
    assert ts.mass_matrix(model, []).shape == (0, 0)
    for method in METHODS:
        assert ts.forward_dynamics(model, [], [], [], method=method).shape == (0,)
    np.testing.assert_allclose(ts.frame_pose(model, [], "right")[:3, 0], (-0.5, np.sqrt(0.75), 0.0), atol=1e-12)


@pytest.mark.parametrize("make", [four_bar, bennett])
def test_a_minute_of_motion_neither_opens_the_loop_nor_changes_its_energy(make):
    builder = make()
    model, tree = builder.build(), builder.build(couplings="cut")
    (loop,) = builder.describe().loops
    q, v = model.reference.copy(), np.array([1.0])
    f = free_acceleration(model)
    energy = ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q)
    step, visited = 0.004, []
    for k in range(15000):
        q, v = runge_kutta_step(model, q, v, step, f)
        if k % 50 == 0 or k == 14999:
            visited.append(q)
    visited = np.array(visited)
    Q = model.joint_positions(visited)
    X_a = ts.frame_pose(tree, Q, loop.link_a) @ loop.pose_a
    X_b = ts.frame_pose(tree, Q, loop.link_b) @ loop.pose_b
    assert np.abs(X_a[..., :3, 3] - X_b[..., :3, 3]).max() < 1e-12
    assert np.abs(X_a[..., :3, 2] - X_b[..., :3, 2]).max() < 1e-12
    assert np.ptp(visited) > 1.0  # it moved
    drift = ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q) - energy
    assert abs(drift) < 1e-6 * abs(energy)  # 7e-7 and 5e-9 at 4 ms; half the step makes it 32 times smaller


def test_rounding_is_what_is_asked_of_closed_forms():
    """The four-bar in closed form and the same loop closed by Newton's method."""
    closed, general = four_bar().build(), four_bar().add_link("wheel", ts.Inertia.of_box(1e-9, (1e-3, 1e-3, 1e-3)))
    general.add_joint("spin", "revolute", "ground", "wheel").add_coupling("spin", "d")
    general = general.build()
    assert [m.coordinates.closures[0].kind for m in (closed, general)] == ["four-bar", "loop"]
    q, v = np.linspace(-4.0, 4.0, 33)[:, None], np.full((33, 1), 1.7)
    tau = np.zeros((33, 1))
    found, expected = (ts.forward_dynamics(m, q, v, tau) for m in (closed, general))
    assert_close(found, expected, 1e-8)  # the wheel's own inertia is 1e-9 of the mechanism's
    assert_close(closed.coupling_matrix(q), general.coupling_matrix(q)[:, :3], 10 * ROUNDING)
