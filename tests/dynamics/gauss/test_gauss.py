"""Gauss' principle: the native methods, and the equations of motion in any parametrisation."""

from itertools import product

import numpy as np
import pytest
from dynamics.finite_differences import assert_derivative, derivative
from dynamics.random_models import models, random_model, seeds
from dynamics.states import PROPERTY, SOLVED, assert_close, random_state
from hypothesis import given
from hypothesis import strategies as st
from robot_data import robot_data_path
from sample_models import BRICK, zoo

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.dynamics.gauss.forms import Form, solve_motion
from tarsus.dynamics.gauss.system import GaussSystem
from tarsus.errors import (
    ArgumentError,
    MasslessJointError,
    NonFiniteError,
    ShapeError,
    SingularityError,
    UnknownNameError,
)
from tarsus.spatial import (
    PARAMETRISATIONS,
    Parametrisation,
    complex_step_derivative,
    quaternion_from_rotation_matrix,
    skew,
)

NAMES = sorted({p.name for p in PARAMETRISATIONS.values()})
REDUNDANT = ("quaternion", "axis-angle", "rotation-matrix")
FORMS: tuple[Form, ...] = ("multiplier", "projection")
AGREEMENT = 1e-9
"""Relative; solutions with M, whose condition number reaches 1e7 where Euler angles come within 1e-2 of gimbal lock."""
NO_MULTIPLIER = 1e-9
"""Multiplier [N m] that is rounding of moments of some hundred N m."""


def ball_chain(base: str = "free", joints: int = 2) -> ts.Model:
    """A trunk with spherical joints in a row, no symmetry anywhere."""
    return random_model(["spherical"] * joints + ["revolute"], base, seed=8)


ROBOTS = {
    "coil": lambda: ts.robots.coil(32),
    "dill": lambda: ts.robots.dill(5),
    "hrp2": ts.robots.hrp2,
    "shah7": ts.robots.shah7,
    "talos": lambda: ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free"),
    "icub": lambda: ts.load(robot_data_path("icub_description/robots/icub.urdf"), base="free"),
    "zoo, free": lambda: zoo("free").build(),
    "zoo, planar": lambda: zoo("planar").build(),
    "zoo, fixed": lambda: zoo("fixed").build(),
}
MODELS = {name: ROBOTS[name] for name in ("hrp2", "talos", "shah7", "zoo, free")} | {"balls": ball_chain}


def in_parameters(model: ts.Model, name: str | Parametrisation) -> GaussSystem:
    """All rotations of a model in one parametrisation."""
    turning = [joint.name for joint in model.joints.values() if joint.kind in ("spherical", "free")]
    return ts.gauss_system(model, name, dict.fromkeys(turning, name))


# The native methods


@pytest.mark.parametrize("name", ROBOTS)
def test_native_method_agrees_with_articulated_bodies_and_is_another_algorithm(name: str) -> None:
    model = ROBOTS[name]()
    q, v, vdot, tau, external = random_state(model, 1, (7,))
    expected = ts.forward_dynamics(model, q, v, tau, external)
    found = ts.forward_dynamics(model, q, v, tau, external, method="gauss")
    assert_close(found, expected, AGREEMENT)
    assert not np.array_equal(found, expected)
    expected = ts.inverse_dynamics(model, q, v, vdot, external)
    found = ts.inverse_dynamics(model, q, v, vdot, external, method="gauss")
    assert_close(found, expected, AGREEMENT)
    assert not np.array_equal(found, expected)


@PROPERTY
@given(models(passive=True), seeds(), st.booleans(), st.booleans())
def test_native_forward_after_inverse_dynamics_is_the_identity(
    model: ts.Model, seed: int, passive: bool, pushed: bool
) -> None:
    q, v, vdot, _, external = random_state(model, seed, (3,))
    wrenches = external if pushed else None
    tau = ts.inverse_dynamics(model, q, v, vdot, wrenches, "gauss", passive=passive)
    assert_close(tau, ts.inverse_dynamics(model, q, v, vdot, wrenches, passive=passive))
    assert_close(ts.forward_dynamics(model, q, v, tau, wrenches, "gauss", passive=passive), vdot, SOLVED)
    one = ts.forward_dynamics(model, q[1], v[1], tau[1], wrenches[1] if wrenches is not None else None, "gauss")
    if not passive:
        assert_close(one, vdot[1], SOLVED)


def test_native_method_does_not_depend_on_the_sign_or_rounding_of_quaternions() -> None:
    model = zoo("free").build()
    q, v, _, tau, external = random_state(model, 4)
    expected = ts.forward_dynamics(model, q, v, tau, external, "gauss")
    q[3:7] *= -1.0 - 1e-4
    assert_close(ts.forward_dynamics(model, q, v, tau, external, "gauss"), expected, SOLVED)


def test_native_method_names_a_joint_that_moves_nothing() -> None:
    builder = ts.ModelBuilder(base="free").add_link("trunk", BRICK).add_link("tip")
    model = builder.add_joint("wrist", "revolute", "trunk", "tip").build()
    with pytest.raises(MasslessJointError, match="wrist"):
        ts.forward_dynamics(model, model.neutral(), np.zeros(7), np.zeros(7), method="gauss")


# Equations of motion in any parametrisation


@pytest.mark.parametrize(("robot", "name"), list(product(MODELS, NAMES)))
def test_every_parametrisation_and_form_gives_the_same_motion_and_forces(robot: str, name: str) -> None:
    model = MODELS[robot]()
    system = in_parameters(model, name)
    q, v, vdot, tau, external = random_state(model, 3, (2,))
    x = system.parameters(q)
    xdot = system.rates(x, v)
    assert_close(system.velocity(x, xdot), v)
    xddot = system.second_rates(x, xdot, vdot)
    assert_close(system.acceleration(x, xdot, xddot), vdot, AGREEMENT)
    accelerations = ts.forward_dynamics(model, q, v, tau, external)
    forces = ts.inverse_dynamics(model, q, v, vdot, external)
    for form in FORMS:
        motion = system.forward_dynamics(x, xdot, tau, external, form)
        assert_close(system.acceleration(x, xdot, motion.xddot), accelerations, AGREEMENT)
        residual = (system.constraint_jacobian(x) @ motion.xddot[..., None])[..., 0]
        assert_close(residual, -system.constraint_drift(x, xdot), AGREEMENT)
        assert_close(system.inverse_dynamics(x, xdot, xddot, external, form).tau, forces, AGREEMENT)


@pytest.mark.parametrize("name", NAMES)
def test_rank_of_the_mass_matrix_is_the_number_of_degrees_of_freedom(name: str) -> None:
    model = ball_chain()
    system = in_parameters(model, name)
    assert (system.nx - system.nv, system.nc) == (system.nc, 3 * PARAMETRISATIONS[name].constraint_count)
    x = system.parameters(random_state(model, 5).q)
    M = system.mass_matrix(x)
    assert_close(M, M.T)
    values = np.linalg.eigvalsh(M)
    assert np.sum(values > 1e-9 * values[-1]) == model.nv
    G = system.rate_map(x)
    assert_close(M, G.T @ ts.mass_matrix(model, system.configuration(x)) @ G)


@pytest.mark.parametrize("name", NAMES)
def test_gravity_acts_as_an_acceleration_of_the_base(name: str) -> None:
    system = in_parameters(ts.robots.hrp2(), name)  # without rotors: (24) as printed
    x = system.parameters(ts.robots.hrp2().random(np.random.default_rng(1)))
    g = np.concatenate([[0.0, 0.0, -9.81], np.zeros(system.nx - 3)])
    assert np.all(np.concatenate([j.armature for j in ts.robots.hrp2().joints.values()])[:6] == 0.0)
    assert_close(system.gravity_force(x), system.mass_matrix(x) @ g)


@pytest.mark.parametrize("name", NAMES)
def test_base_columns_follow_from_the_rate_matrix(name: str) -> None:
    """(14), (16), (17) and (19), with J_omega0 of (10) and (13)."""
    model = ts.robots.hrp2()
    system = ts.gauss_system(model, name)
    q = model.random(np.random.default_rng(2))
    x = system.parameters(q)
    points = np.random.default_rng(3).normal(size=(model.nb, 3))
    J = system.body_jacobians(x, points)
    X = ts.body_poses(model, q)
    R, arm = X[:, :3, :3], X[:, :3, 3] + (X[:, :3, :3] @ points[..., None])[..., 0] - X[0, :3, 3]
    E_base, E_world = system.rate_matrix(x), system.rate_matrix(x, frame="world")
    assert_close(E_world, R[0] @ E_base)
    d = E_base.shape[1]
    base = slice(3, 3 + d)
    for k in range(model.nb):
        assert_close(J.translational[k][:, :3], np.eye(3))
        assert_close(J.translational[k][:, base], -skew(arm[k]) @ E_world)
        assert_close(J.rotational[k][:, base], R[k].T @ E_world)
        assert_close(J.rotational[k][:, :3], np.zeros((3, 3)))
    origin = system.body_jacobians(x)
    shift = np.cross(points[:, :, None], origin.rotational, axisa=1, axisb=1, axisc=1)
    assert_close(J.translational, origin.translational - R @ shift)


@pytest.mark.parametrize(("name", "base"), list(product(NAMES, ("free", "planar"))))
def test_jacobians_and_their_rates_equal_finite_differences(name: str, base: str) -> None:
    model = random_model(["spherical", "planar", "free"], base, seed=6)
    system = in_parameters(model, name)
    q, v, *_ = random_state(model, 2)
    x = system.parameters(q)
    xdot = 0.1 * system.rates(x, v)  # parameters near a singularity bend strongly
    points = np.random.default_rng(7).normal(size=(model.nb, 3))

    def positions(t: float) -> FloatArray:
        X = ts.body_poses(model, system.configuration(system.normalize(x + t * xdot)))
        return X[:, :3, 3] + (X[:, :3, :3] @ points[..., None])[..., 0]

    J = system.body_jacobians(x, points)
    assert_derivative(J.translational @ xdot, derivative(positions))
    rates = system.body_jacobian_rates(x, xdot, points)
    assert_derivative(
        rates.translational, derivative(lambda t: system.body_jacobians(x + t * xdot, points).translational)
    )
    assert_derivative(rates.rotational, derivative(lambda t: system.body_jacobians(x + t * xdot, points).rotational))
    assert_derivative(system.rate_map_dot(x, xdot), derivative(lambda t: system.rate_map(x + t * xdot)))


@pytest.mark.parametrize("name", REDUNDANT)
def test_constraint_and_its_derivatives_equal_finite_differences(name: str) -> None:
    model = ball_chain()
    system = in_parameters(model, name)
    q, v, *_ = random_state(model, 9)
    x = system.parameters(q)
    xdot = system.rates(x, v)
    assert_close(system.constraint(x), np.zeros(system.nc))
    found = system.constraint_jacobian(x)
    for direction, column in zip(np.eye(system.nx), found.T, strict=True):
        assert_derivative(column, derivative(lambda t, d=direction: system.constraint(x + t * d)))
    assert_close(found @ xdot, np.zeros(system.nc))
    drift = derivative(lambda t: system.constraint_jacobian(x + t * xdot) @ xdot)
    assert_derivative(system.constraint_drift(x, xdot), drift)


def test_mass_matrix_rate_is_the_symmetric_part_of_the_velocity_matrix() -> None:
    """dM/dt = N + N^T: the kinetic energy changes by the power of the forces alone."""
    model = random_model(["spherical", "revolute"], "free", seed=3)
    system = ts.gauss_system(model, "xyz", {model.joints["joint1"].name: "rodrigues"})
    q, v, *_ = random_state(model, 1)
    x = system.parameters(q)
    xdot = 0.1 * system.rates(x, v)
    rate = derivative(lambda t: system.mass_matrix(x + t * xdot))
    N = system.velocity_matrix(x, xdot)
    assert_derivative(xdot @ (N + N.T) @ xdot, xdot @ rate @ xdot)


# The equations as they are printed


def printed_rotation(p: FloatArray) -> FloatArray:
    """(11), a rotation for unit quaternions only."""
    a, b, c, d = np.moveaxis(p, -1, 0)
    rows = [
        [2 * (a * a + b * b) - 1, 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), 2 * (a * a + c * c) - 1, 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), 2 * (a * a + d * d) - 1],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)


PRINTED = Parametrisation(
    "printed quaternion",
    4,
    printed_rotation,
    from_matrix=lambda R, singular: quaternion_from_rotation_matrix(R),
    constraint=lambda p: (p * p).sum(-1, keepdims=True) - 1.0,
)
"""Unit quaternions by (10)-(12), where E p is not zero."""


def moving(rotation: str | Parametrisation) -> tuple[ts.Model, GaussSystem, FloatArray, FloatArray]:
    """hrp2 in motion."""
    model = ts.robots.hrp2()
    system = ts.gauss_system(model, rotation)
    q, v, *_ = random_state(model, 6)
    x = system.parameters(q)
    return model, system, x, system.rates(x, v)


REDUNDANT_OR_PRINTED = (*REDUNDANT, PRINTED)


@pytest.mark.parametrize("rotation", REDUNDANT_OR_PRINTED, ids=str)
def test_multiplier_of_redundant_parameters_vanishes(rotation: str | Parametrisation) -> None:
    """All terms of (32) but the last are G^T times something, and G maps the tangent space onto all velocities."""
    model, system, x, xdot = moving(rotation)
    *_, tau, external = random_state(model, 7)
    expected = ts.forward_dynamics(model, system.configuration(x), system.velocity(x, xdot), tau, external)
    for form in FORMS:
        motion = system.forward_dynamics(x, xdot, tau, external, form)
        assert_close(system.acceleration(x, xdot, motion.xddot), expected, AGREEMENT)
        assert np.abs(motion.multiplier).max() < NO_MULTIPLIER


@pytest.mark.parametrize("rotation", REDUNDANT_OR_PRINTED, ids=str)
def test_force_along_the_normals_is_taken_by_the_multiplier_in_both_forms(rotation: str | Parametrisation) -> None:
    model, system, x, xdot = moving(rotation)
    M, C, drift = system.mass_matrix(x), system.constraint_jacobian(x), system.constraint_drift(x, xdot)
    force = system.rate_map(x).T @ random_state(model, 7).tau - system.bias(x, xdot)
    push = np.random.default_rng(3).normal(size=system.nc)
    motions = [solve_motion(form, M, C, force + C.T @ push, drift) for form in FORMS]
    for motion in motions:
        assert_close(motion.multiplier, -push, AGREEMENT)
        assert_close(motion.xddot, solve_motion("multiplier", M, C, force, drift).xddot, AGREEMENT)


@pytest.mark.parametrize("rotation", ["quaternion", PRINTED], ids=str)
def test_printed_projector_serves_one_quaternion(rotation: str | Parametrisation) -> None:
    """(34), A = 1 - S^T S q q^T, is another projector along the same direction as the general one."""
    model, system, x, xdot = moving(rotation)
    M, C, drift = system.mass_matrix(x), system.constraint_jacobian(x), system.constraint_drift(x, xdot)
    force = system.rate_map(x).T @ random_state(model, 7).tau - system.bias(x, xdot) + C.T @ [2.0]
    p = np.zeros(system.nx)
    p[3:7] = x[3:7]
    A = np.eye(system.nx) - np.outer(p, x)
    left, right = np.concatenate([A @ M, C]), np.concatenate([A @ force, -drift])
    xddot = np.linalg.lstsq(left, right, rcond=None)[0]
    assert_close(xddot, solve_motion("projection", M, C, force, drift).xddot, AGREEMENT)
    assert_close(A @ C.T, np.zeros((system.nx, 1)))


def test_derivative_of_the_rotation_replaces_its_rate_matrix_on_the_tangent_space_only() -> None:
    """(15) against (14): equal for rates that keep |p|, different by O(1) along p."""
    rng = np.random.default_rng(1)
    p = rng.normal(size=4)
    p /= np.linalg.norm(p)
    point = rng.normal(size=3)
    by_derivative = complex_step_derivative(lambda at: printed_rotation(at) @ point, p)
    turn = np.cross((printed_rotation(p) @ point)[:, None], PRINTED.rate_matrix(p, "world"), axis=0)
    tangent = np.eye(4) - np.outer(p, p)
    assert_close(by_derivative @ tangent, -turn @ tangent)
    assert np.abs((by_derivative + turn) @ p).max() > 0.1


def test_printed_rate_matrix_is_the_closed_form_on_the_tangent_space() -> None:
    p = np.array([0.5, -0.5, 0.1, 0.7])  # of unit norm
    tangent = np.eye(4) - np.outer(p, p)
    assert_close(PRINTED.rate_matrix(p) @ tangent, PARAMETRISATIONS["quaternion"].rate_matrix(p) @ tangent)
    assert np.abs(PRINTED.rate_matrix(p) @ p).max() > 0.1


# Motions


def runge_kutta(system: GaussSystem, x: FloatArray, xdot: FloatArray, dt: float) -> tuple[FloatArray, FloatArray]:
    """One step of order four in parameter coordinates, without forces but gravity."""

    def accelerate(at: FloatArray, rate: FloatArray) -> FloatArray:
        return system.forward_dynamics(at, rate, np.zeros(system.nv), form="projection").xddot

    k1 = accelerate(x, xdot)
    k2 = accelerate(x + 0.5 * dt * xdot, xdot + 0.5 * dt * k1)
    k3 = accelerate(x + 0.5 * dt * xdot + 0.25 * dt * dt * k1, xdot + 0.5 * dt * k2)
    k4 = accelerate(x + dt * xdot + 0.5 * dt * dt * k2, xdot + dt * k3)
    return x + dt * xdot + dt * dt / 6.0 * (k1 + k2 + k3), xdot + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


@pytest.mark.parametrize("name", ["quaternion", "axis-angle", "rotation-matrix", "rotation-vector", "zxz"])
def test_energy_is_conserved_in_parameter_coordinates(name: str) -> None:
    builder = ts.ModelBuilder(base="free").add_link("trunk", BRICK).add_link("arm", BRICK)
    model = builder.add_joint("shoulder", "spherical", "trunk", "arm", position=(0.1, 0.2, -0.3)).build()
    system = ts.gauss_system(model, name, {"shoulder": name})
    q, v, *_ = random_state(model, 12)
    x = system.parameters(q)
    xdot = system.rates(x, v)
    energy = system.kinetic_energy(x, xdot) + system.potential_energy(x)
    assert_close(energy, ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q))
    for _ in range(100):
        x, xdot = runge_kutta(system, x, xdot, 1e-3)
    # order four: (1e-3 s)^4 times rates of some tens per second to the fourth power
    assert abs(system.kinetic_energy(x, xdot) + system.potential_energy(x) - energy) < 1e-7 * abs(energy)
    assert np.abs(system.constraint(x)).max(initial=0.0) < 1e-8


# Objects in the hand


def box(base: str = "free", name: str = "box") -> ts.Model:
    """A heavy box with a handle."""
    X = np.eye(4)
    X[:3, 3] = (0.05, -0.1, 0.02)
    X[:3, :3] = ts.spatial.rotation_x(0.4)
    builder = ts.ModelBuilder(name, base=base).add_link(
        "crate", ts.Inertia.of_box(4.0, (0.3, 0.2, 0.4), (0.02, 0.01, 0))
    )
    return builder.add_frame("handle", "crate", X).build()


def carrying(rotation: str = "quaternion", held: str = "axis-angle") -> tuple[GaussSystem, FloatArray, FloatArray]:
    """hrp2 with a box in its right hand, in motion."""
    robot, crate = ts.robots.hrp2(), box()
    system = ts.gauss_system(robot, rotation).with_object(crate, held).with_grasp("r_hand", "handle")
    rng = np.random.default_rng(4)
    x = system.parameters(np.concatenate([robot.random(rng, 3), crate.random(rng, 3)], -1))
    xdot = system.rates(x, rng.normal(size=(3, system.nv)))
    return system, *system.held(x, xdot)


def welded() -> ts.Model:
    robot, crate = ts.robots.hrp2(), box()
    X_BF = np.linalg.inv(crate.frames["handle"].pose)
    return robot.with_payload("r_hand", crate.bodies["crate"].inertia, X_BF)


@pytest.mark.parametrize(("rotation", "held"), [("quaternion", "axis-angle"), ("zxz", "rotation-matrix")])
def test_grasped_object_moves_as_if_it_were_welded_to_the_hand(rotation: str, held: str) -> None:
    system, x, xdot = carrying(rotation, held)
    model, crate = welded(), box()
    nq, nv = model.nq, model.nv
    assert_close(system.constraint(x), np.zeros((3, system.nc)))
    assert_close((system.constraint_jacobian(x) @ xdot[..., None])[..., 0], np.zeros((3, system.nc)))
    q, v = system.configuration(x), system.velocity(x, xdot)
    tau = np.concatenate([random_state(model, 3, (3,)).tau, np.zeros((3, 6))], -1)
    expected = ts.forward_dynamics(model, q[:, :nq], v[:, :nv], tau[:, :nv])
    for form in FORMS:
        motion = system.forward_dynamics(x, xdot, tau, form=form)
        vdot = system.acceleration(x, xdot, motion.xddot)
        assert_close(vdot[:, :nv], expected, AGREEMENT)
        # what the object needs by Newton-Euler is the wrench of the grasp
        needed = ts.inverse_dynamics(crate, q[:, nq:], v[:, nv:], vdot[:, nv:])
        J = ts.jacobian(crate, q[:, nq:], "handle")
        assert_close((np.swapaxes(J, -1, -2) @ motion.multiplier[:, -6:, None])[..., 0], needed, AGREEMENT)
        forces = system.inverse_dynamics(x, xdot, motion.xddot, form=form)
        assert_close(forces.tau, tau, AGREEMENT)
        assert_close(forces.multiplier, motion.multiplier, AGREEMENT)


def test_hand_carries_the_weight_of_an_object_at_rest() -> None:
    system, x, _ = carrying()
    rest = np.zeros_like(x)
    forces = system.inverse_dynamics(x, rest, rest)
    assert_close(forces.multiplier[:, -6:-3], np.broadcast_to([0.0, 0.0, 4.0 * 9.81], (3, 3)))
    q = system.configuration(x)[:, : ts.robots.hrp2().nq]
    assert_close(forces.tau[:, :-6], ts.gravity_force(welded(), q), AGREEMENT)


def test_jacobian_of_a_grasp_equals_finite_differences() -> None:
    system, x, _ = carrying("xyz", "rodrigues")
    xdot = 0.3 * system.rates(x, np.random.default_rng(6).normal(size=(3, system.nv)))  # hand and object part
    found = (system.constraint_jacobian(x) @ xdot[..., None])[..., 0]
    assert_derivative(found, derivative(lambda t: system.constraint(x + t * xdot)))
    together = system.held(x, xdot)[1]
    drift = derivative(lambda t: (system.constraint_jacobian(x + t * together) @ together[..., None])[..., 0])
    assert_derivative(system.constraint_drift(x, together), drift)


def test_free_objects_do_not_feel_each_other_without_a_grasp() -> None:
    robot, crate = ts.robots.shah7(), box()
    system = ts.gauss_system(robot).with_object(ts.gauss_system(crate, "zyx"))
    one, two = random_state(robot, 1), random_state(crate, 2)
    x = system.parameters(np.concatenate([one.q, two.q]))
    xdot = system.rates(x, np.concatenate([one.v, two.v]))
    motion = system.forward_dynamics(
        x, xdot, np.concatenate([one.tau, two.tau]), np.concatenate([one.external, two.external])
    )
    vdot = system.acceleration(x, xdot, motion.xddot)
    assert_close(vdot[: robot.nv], ts.forward_dynamics(robot, one.q, one.v, one.tau, one.external), AGREEMENT)
    assert_close(vdot[robot.nv :], ts.forward_dynamics(crate, two.q, two.v, two.tau, two.external), AGREEMENT)
    J = system.body_jacobians(x)
    assert J.rotational.shape == (robot.nb + crate.nb, 3, system.nx)
    assert not J.translational[robot.nb :, :, : robot.nq].any()


def test_object_carried_by_both_hands_needs_forces_that_carry_it() -> None:
    robot = ts.robots.hrp2()
    q = robot.reference
    X_WA, X_WB = ts.frame_pose(robot, q, "r_hand"), ts.frame_pose(robot, q, "l_hand")
    crate = box().with_frame("other_handle", "handle", np.linalg.inv(X_WA) @ X_WB)
    system = (
        ts.gauss_system(robot).with_object(crate).with_grasp("r_hand", "handle").with_grasp("l_hand", "other_handle")
    )
    rest = np.zeros(system.nx)
    x, _ = system.held(system.parameters(np.concatenate([q, crate.neutral()])), rest)
    assert_close(system.constraint(x), np.zeros(system.nc))
    for form in FORMS:
        forces = system.inverse_dynamics(x, rest, rest, form=form)
        grasps = forces.multiplier[-12:].reshape(2, 6)
        assert_close(grasps[:, :3].sum(axis=0), np.array([0.0, 0.0, 4.0 * 9.81]), AGREEMENT)
        motion = system.forward_dynamics(x, rest, forces.tau, form=form)
        assert_close(motion.xddot, np.zeros(system.nx), 1e-8)  # at rest with these forces


def test_grasp_within_one_model_closes_a_loop() -> None:
    """The robot holds its own hand: both hands accelerate alike, and equal and opposite wrenches act."""
    model = ts.robots.hrp2()
    X_WR, X_WL = ts.frame_pose(model, model.reference, "r_hand"), ts.frame_pose(model, model.reference, "l_hand")
    model = model.with_frame("beside", "l_hand", np.linalg.inv(X_WL) @ X_WR)
    system = ts.gauss_system(model).with_grasp("r_hand", "beside")
    x, tau = system.parameters(model.reference), random_state(model, 2).tau
    rest = np.zeros(system.nx)
    motion = system.forward_dynamics(x, rest, tau)
    q, v, vdot = model.reference, np.zeros(model.nv), system.acceleration(x, rest, motion.xddot)
    right, left = (ts.frame_acceleration(model, q, v, vdot, name) for name in ("r_hand", "beside"))
    assert_close(right, left, AGREEMENT)
    wrench = motion.multiplier[-6:]
    assert np.abs(wrench).max() > 0.1
    external = ts.body_wrenches(model, q, {"r_hand": -wrench, "beside": wrench})
    assert_close(vdot, ts.forward_dynamics(model, q, v, tau, external), AGREEMENT)


# Further models


def test_coupled_joints_count_once() -> None:
    builder = ts.ModelBuilder(base="free")
    for name in ("trunk", "upper", "lower"):
        builder.add_link(name, BRICK)
    builder.add_joint("hip", "revolute", "trunk", "upper", axis=(0, 1, 0), armature=0.1)
    builder.add_joint("knee", "revolute", "upper", "lower", axis=(0, 1, 0), position=(0, 0, -0.4), armature=0.2)
    model = builder.add_coupling("knee", "hip", ratio=-2.0, offset=0.3).build()
    system = ts.gauss_system(model, "zyx")
    q, v, vdot, tau, external = random_state(model, 1)
    x = system.parameters(q)
    xdot = system.rates(x, v)
    motion = system.forward_dynamics(x, xdot, tau, external)
    expected = ts.forward_dynamics(model, q, v, tau, external)
    assert_close(system.acceleration(x, xdot, motion.xddot), expected, AGREEMENT)
    assert_close(ts.forward_dynamics(model, q, v, tau, external, "gauss"), expected, AGREEMENT)
    assert_close(ts.inverse_dynamics(model, q, v, vdot, None, "gauss"), ts.inverse_dynamics(model, q, v, vdot))


def test_parameters_of_the_base_are_those_of_the_model_by_default() -> None:
    model = zoo("free", rotation="zyx").build()
    system = ts.gauss_system(model)
    assert system.parts[0].joints[0].rotation is PARAMETRISATIONS["zyx"]
    q, v, _, tau, _ = random_state(model, 3)
    x = system.parameters(q)
    assert_close(x[: model.joints["base"].q_index.stop], q[model.joints["base"].q_index])
    assert_close(system.configuration(x), q)
    xdot = system.rates(x, v)
    expected = ts.forward_dynamics(model, q, v, tau)
    assert_close(system.acceleration(x, xdot, system.forward_dynamics(x, xdot, tau).xddot), expected, AGREEMENT)


# Bad input


@pytest.mark.parametrize(
    ("name", "p"),
    [
        ("xyz", (0.3, np.pi / 2, 0.1)),
        ("zxz", (0.3, 1e-9, 0.1)),
        ("rotation-vector", (0.0, 2 * np.pi, 0.0)),
        ("axis-angle", (0.0, 1.0, 0.0, 0.0)),
    ],
)
def test_singular_parameters_are_refused_and_named(name: str, p: tuple[float, ...]) -> None:
    model = ball_chain("fixed", 1)
    joint = next(j.name for j in model.joints.values() if j.kind == "spherical")
    system = ts.gauss_system(model, joints={joint: name})
    x = np.zeros((2, system.nx))
    x[0, : len(p)] = system.parameters(random_state(model, 1).q)[: len(p)]
    x[1, : len(p)] = p
    zero, tau = np.zeros(system.nx), np.zeros(system.nv)
    for call in (
        lambda: system.forward_dynamics(x, zero, tau),
        lambda: system.inverse_dynamics(x, zero, zero, form="projection"),
        lambda: system.second_rates(x, zero, tau),
    ):
        with pytest.raises(SingularityError, match=rf"'{name}' of joint '{joint}'.*\(1,\)"):
            call()


def test_half_turn_has_no_rodrigues_parameters() -> None:
    model = ts.robots.hrp2()
    q = model.neutral()
    q[3:7] = (0.0, 1.0, 0.0, 0.0)
    with pytest.raises(SingularityError, match="joint 'base'.*rodrigues"):
        ts.gauss_system(model, "rodrigues").parameters(q)


def test_unknown_names_are_refused_with_close_ones() -> None:
    model = ball_chain()
    with pytest.raises(UnknownNameError, match="quaternion"):
        ts.gauss_system(model, "quaternoin")
    with pytest.raises(UnknownNameError, match="joint1"):
        ts.gauss_system(model, joints={"joint11": "xyz"})
    with pytest.raises(ArgumentError, match="revolute"):
        ts.gauss_system(model, joints={"joint3": "xyz"})
    with pytest.raises(ArgumentError, match="Model"):
        ts.gauss_system("hrp2")  # type: ignore[arg-type]
    system = ts.gauss_system(model)
    zero = np.zeros(system.nx)
    with pytest.raises(UnknownNameError, match="projection"):
        system.forward_dynamics(system.parameters(model.neutral()), zero, np.zeros(system.nv), form="projected")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="joint1"):
        system.rate_matrix(system.parameters(model.neutral()), "joint12")


def test_arrays_of_wrong_shape_or_with_nan_are_refused() -> None:
    system = ts.gauss_system(ball_chain())
    x, zero, tau = system.parameters(ball_chain().neutral()), np.zeros(system.nx), np.zeros(system.nv)
    with pytest.raises(ShapeError, match="xdot"):
        system.forward_dynamics(x, tau, tau)
    with pytest.raises(ShapeError, match="tau"):
        system.forward_dynamics(x, zero, zero)
    with pytest.raises(ShapeError, match="external"):
        system.forward_dynamics(x, zero, tau, np.zeros((2, 6)))
    with pytest.raises(ShapeError, match="points"):
        system.body_jacobians(x, np.zeros(3))
    with pytest.raises(ShapeError, match="broadcast"):
        system.bias(np.tile(x, (3, 1)), np.zeros((2, system.nx)))
    with pytest.raises(NonFiniteError, match="xdot"):
        system.bias(x, np.full(system.nx, np.nan))


@pytest.mark.parametrize("form", FORMS)
def test_model_that_moves_no_inertia_is_refused(form: Form) -> None:
    builder = ts.ModelBuilder().add_link("ground").add_link("tip")
    system = ts.gauss_system(builder.add_joint("wrist", "spherical", "ground", "tip").build())
    with pytest.raises(MasslessJointError):
        system.forward_dynamics([1.0, 0.0, 0.0, 0.0], np.zeros(4), np.zeros(3), form=form)


def test_bad_grasps_are_refused() -> None:
    robot = ts.gauss_system(ts.robots.hrp2())
    both = robot.with_object(box()).with_object(box(name="second"))
    with pytest.raises(UnknownNameError, match="r_hand"):
        both.with_grasp("r_hamd", "box:handle")
    with pytest.raises(ArgumentError, match="'box', 'second'"):
        both.with_grasp("r_hand", "handle")
    with pytest.raises(ArgumentError, match="itself"):
        robot.with_grasp("r_hand", "r_hand")
    with pytest.raises(ArgumentError, match="parametrisations"):
        robot.with_object(ts.gauss_system(box()), "xyz")
    fixed = robot.with_object(box("fixed")).with_grasp("r_hand", "handle")
    x = fixed.parameters(np.concatenate([ts.robots.hrp2().reference, []]))
    with pytest.raises(ArgumentError, match="fixed base"):
        fixed.held(x, np.zeros(fixed.nx))
    twice = robot.with_object(box()).with_grasp("r_hand", "handle").with_grasp("r_hand", "handle")
    x = twice.parameters(np.concatenate([ts.robots.hrp2().reference, box().neutral()]))
    with pytest.raises(SingularityError, match="rank 8 of 14"):
        twice.forward_dynamics(x, np.zeros(twice.nx), np.zeros(twice.nv))
