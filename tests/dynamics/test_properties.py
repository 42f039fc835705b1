"""Properties of the whole: power, the configuration manifold, independence of order, and models made from others."""

from dataclasses import replace

import numpy as np
import pytest
from dynamics.finite_differences import along, assert_derivative, derivative
from dynamics.random_models import (
    KINDS,
    builders,
    models,
    random_inertia,
    random_model,
    random_pose,
    seeds,
)
from dynamics.states import PROPERTY, SOLVED, State, assert_close, random_state
from hypothesis import assume, given
from hypothesis import strategies as st

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.model.assembly import assemble
from tarsus.spatial.pose import inverse_pose

NEAR_HALF_TURN = 1e-7
"""Loss of digits in the logarithm of rotations within 1e-6 of a half turn: the square root of the rounding error."""
FAR_AWAY = 1e-9
"""Accuracy asked of a robot 1 km from the world origin."""


@PROPERTY
@given(models(passive=True), seeds())
def test_power_of_all_forces_is_the_rate_of_the_energy(model: ts.Model, seed: int) -> None:
    q, v, vdot, _, external = random_state(model, seed)
    motion = along(model, q, v, vdot)
    rate = derivative(lambda t: ts.kinetic_energy(model, *motion(t)) + ts.potential_energy(model, motion(t)[0]))
    tau = ts.inverse_dynamics(model, q, v, vdot, external, passive=True)
    pushes = np.einsum("bi,bi->", external, ts.body_jacobians(model, q) @ v)
    assert_derivative(np.array(v @ (tau + ts.passive_force(model, q, v)) + pushes), rate)


@PROPERTY
@given(models(), seeds(), st.floats(1e-9, 3.1))
def test_difference_undoes_integrate(model: ts.Model, seed: int, angle: float) -> None:
    q, v, *_ = random_state(model, seed)
    v = with_turns(model, v, angle)
    assert_close(model.difference(q, model.integrate(q, v)), v)


@PROPERTY
@given(models(), seeds(), st.floats(0.0, 20.0))
def test_integrate_undoes_difference_however_far_rotations_go(model: ts.Model, seed: int, angle: float) -> None:
    q, v, *_ = random_state(model, seed)
    q2 = model.integrate(q, with_turns(model, v, angle))
    assume(not np.isclose(angle % (2.0 * np.pi), np.pi, atol=1e-3))
    back = model.integrate(q, model.difference(q, q2))
    assert_close(ts.body_poses(model, back), ts.body_poses(model, q2))


@pytest.mark.parametrize("kind", ["free", "spherical", "planar"])
@pytest.mark.parametrize("short", [0.0, 1e-15, 1e-12, 1e-9, 1e-6])
def test_half_turns_have_a_difference_that_leads_there(kind: str, short: float) -> None:
    model = random_model([kind] * 2, "fixed", seed=6)
    q, v, *_ = random_state(model, 7)
    q2 = model.integrate(q, with_turns(model, v, np.pi - short))
    way = model.difference(q, q2)
    assert_close(ts.body_poses(model, model.integrate(q, way)), ts.body_poses(model, q2), NEAR_HALF_TURN)
    for joint in list(model.joints.values())[1:]:
        turn = way[joint.v_index][{"free": slice(3, 6), "spherical": slice(0, 3), "planar": slice(2, 3)}[kind]]
        assert np.linalg.norm(turn) == pytest.approx(np.pi, abs=2e-6)


def with_turns(model: ts.Model, v: FloatArray, angle: float) -> FloatArray:
    """Velocities whose rotations of free, spherical and planar joints have a given angle."""
    v = v.copy()
    for joint in model.joints.values():
        part = {"free": slice(3, 6), "spherical": slice(0, 3), "planar": slice(2, 3)}.get(joint.kind)
        if part is not None:
            own = v[joint.v_index]
            own[part] *= angle / np.linalg.norm(own[part])
    return v


@PROPERTY
@given(models(), seeds())
def test_integrate_takes_durations(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    times = np.array([0.0, 0.3, 1.0])
    path = model.integrate(q, v, times)
    assert_close(path, np.array([model.integrate(q, t * v) for t in times]))
    assert_close(ts.body_poses(model, path[0]), ts.body_poses(model, q))


@PROPERTY
@given(models(), seeds())
def test_neutral_and_random_configurations_are_normalised(model: ts.Model, seed: int) -> None:
    for q in (model.neutral(), random_state(model, seed).q):
        assert_close(model.normalize(q), q)
        assert_close(model.normalize(q * _off_norm(model)), q)


def _off_norm(model: ts.Model) -> FloatArray:
    """Factors that take quaternions a little off their norm."""
    factor = np.ones(model.nq)
    for joint in model.joints.values():
        if joint.kind in ("free", "spherical"):
            factor[joint.q_index.stop - 4 : joint.q_index.stop] = 1.0005
    return factor


# Order of insertion


def mapped(source: ts.Model, target: ts.Model, x: FloatArray, which: str) -> FloatArray:
    """A vector over the joints of one model, joint by joint in the order of another."""
    result = np.empty(target.nq if which == "q_index" else target.nv)
    for name, joint in target.joints.items():
        result[getattr(joint, which)] = x[getattr(source.joints[name], which)]
    return result


@PROPERTY
@given(builders(min_bodies=2), seeds(), st.randoms(use_true_random=False))
def test_results_do_not_depend_on_the_order_of_insertion(builder: ts.ModelBuilder, seed: int, random: object) -> None:
    description = builder.describe()
    links, joints = list(description.links), list(description.joints)
    random.shuffle(links)  # type: ignore[attr-defined]
    random.shuffle(joints)  # type: ignore[attr-defined]
    one, two = builder.build(), assemble(replace(description, links=tuple(links), joints=tuple(joints)))
    s = random_state(one, seed)
    q, (v, vdot) = mapped(one, two, s.q, "q_index"), (mapped(one, two, x, "v_index") for x in (s.v, s.vdot))
    tau = ts.inverse_dynamics(one, s.q, s.v, s.vdot)
    assert_close(ts.inverse_dynamics(two, q, v, vdot), mapped(one, two, tau, "v_index"))
    acceleration = ts.forward_dynamics(one, s.q, s.v, s.tau)
    found = ts.forward_dynamics(two, q, v, mapped(one, two, s.tau, "v_index"))
    assert_close(found, mapped(one, two, acceleration, "v_index"), SOLVED)
    assert_close(ts.frame_poses(two, q, list(one.bodies)), ts.body_poses(one, s.q))
    assert_close(ts.momentum(two, q, v), ts.momentum(one, s.q, s.v))


# Models from models


@PROPERTY
@given(models(min_bodies=2), seeds(), st.data())
def test_locked_joint_leaves_the_dynamics_of_the_others(model: ts.Model, seed: int, data: st.DataObject) -> None:
    s = random_state(model, seed)
    joint = model.joints[data.draw(st.sampled_from(list(model.joints)[1:]))]
    locked = model.locked({joint.name: s.q[joint.q_index]})
    others = np.ones(model.nv, dtype=bool)
    others[joint.v_index] = False
    assert locked.nv == others.sum()
    q = mapped(model, locked, s.q, "q_index")
    v, vdot = np.where(others, s.v, 0.0), np.where(others, s.vdot, 0.0)
    assert_close(ts.mass_matrix(locked, q), ts.mass_matrix(model, s.q)[np.ix_(others, others)])
    tau = ts.inverse_dynamics(model, s.q, v, vdot)[others]
    assert_close(ts.inverse_dynamics(locked, q, v[others], vdot[others]), tau)
    names = list(model.bodies)
    assert_close(ts.frame_poses(locked, q, names), ts.body_poses(model, s.q))
    assert_close(ts.center_of_mass(locked, q), ts.center_of_mass(model, s.q))


@PROPERTY
@given(models(), seeds())
def test_payload_adds_its_own_energy(model: ts.Model, seed: int) -> None:
    rng = np.random.default_rng(seed)
    s, load, X_FL = random_state(model, seed), random_inertia(rng), random_pose(rng)
    frame = f"tool{model.nb - 1}"
    loaded = model.with_payload(frame, load, X_FL, name="box")
    X_WL = ts.frame_pose(model, s.q, frame) @ X_FL
    assert_close(ts.frame_pose(loaded, s.q, "box"), X_WL)
    free = ts.ModelBuilder("box", base="free", gravity=model.gravity).add_link("box", load).build()
    twist = ts.frame_velocity(loaded, s.q, s.v, "box", "local")
    q_box = np.concatenate([X_WL[:3, 3], _quaternion(X_WL)])
    assert loaded.total_mass == pytest.approx(model.total_mass + load.mass, rel=1e-15)
    more = ts.kinetic_energy(loaded, s.q, s.v) - ts.kinetic_energy(model, s.q, s.v)
    assert_close(np.array(more), np.array(ts.kinetic_energy(free, q_box, twist)))
    higher = ts.potential_energy(loaded, s.q) - ts.potential_energy(model, s.q)
    assert_close(np.array(higher), np.array(ts.potential_energy(free, q_box)))
    acceleration = ts.frame_acceleration(loaded, s.q, s.v, s.vdot, "box", "local")
    needed = ts.inverse_dynamics(free, q_box, twist, acceleration)
    pushes = ts.jacobian(loaded, s.q, "box", "local").T @ needed
    expected = ts.inverse_dynamics(model, s.q, s.v, s.vdot) + pushes
    assert_close(ts.inverse_dynamics(loaded, s.q, s.v, s.vdot), expected)


def _quaternion(X: FloatArray) -> FloatArray:
    return ts.spatial.quaternion_from_rotation_matrix(X[:3, :3])


@PROPERTY
@given(models(), seeds())
def test_new_frame_stands_where_it_was_put(model: ts.Model, seed: int) -> None:
    q, X_FN = random_state(model, seed).q, random_pose(np.random.default_rng(seed))
    more = model.with_frame("pen", "tool1", X_FN)
    assert_close(ts.frame_pose(more, q, "pen"), ts.frame_pose(model, q, "tool1") @ X_FN)
    np.testing.assert_array_equal(ts.mass_matrix(more, q), ts.mass_matrix(model, q))


@PROPERTY
@given(models(), models(bases=("fixed",)), seeds())
def test_merged_robots_move_as_one(one: ts.Model, other: ts.Model, seed: int) -> None:
    """Energy of both is that of one, and that of the other carried along by the frame it stands on."""
    X_FO = random_pose(np.random.default_rng(seed))
    both = one.merged(other, "tool1", X_FO, prefix="other_")
    s = random_state(both, seed)
    q1, v1 = (mapped_back(both, one, x, which) for x, which in ((s.q, "q_index"), (s.v, "v_index")))
    X_WO, twist = ts.frame_pose(both, s.q, "other_body0"), ts.frame_velocity(both, s.q, s.v, "other_body0", "local")
    assert_close(X_WO, ts.frame_pose(one, q1, "tool1") @ X_FO)
    carried = assemble(replace(other.description, base="free", gravity=one.description.gravity))
    q2, v2 = (mapped_back(both, other, x, which, "other_") for x, which in ((s.q, "q_index"), (s.v, "v_index")))
    q2, v2 = np.concatenate([X_WO[:3, 3], _quaternion(X_WO), q2]), np.concatenate([twist, v2])
    for energy in (ts.kinetic_energy, lambda m, q, v: ts.potential_energy(m, q)):
        expected = energy(one, q1, v1) + energy(carried, q2, v2)
        assert_close(np.array(energy(both, s.q, s.v)), np.array(expected))
    moving = [both.joints["other_" + joint.name] for joint in list(other.joints.values())[1:]]
    own = np.concatenate([np.arange(both.nv)[joint.v_index] for joint in moving])
    assert_close(ts.mass_matrix(both, s.q)[np.ix_(own, own)], ts.mass_matrix(carried, q2)[6:, 6:])


def mapped_back(both: ts.Model, part: ts.Model, x: FloatArray, which: str, prefix: str = "") -> FloatArray:
    """The entries of a joint vector of a merged model that belong to one of its parts."""
    pieces = [x[getattr(both.joints[prefix + joint.name], which)] for joint in part.joints.values() if joint.nv > 0]
    return np.concatenate(pieces)


# Parametrisations of the base, and places far away


@pytest.mark.parametrize(
    ("rotation", "size"), [("roll-pitch-yaw", 3), ("rotation-vector", 3), ("zxz", 3), ("rotation-matrix", 9)]
)
def test_parametrisation_of_the_base_changes_q_and_nothing_else(rotation: str, size: int) -> None:
    quaternion = random_model(KINDS, "free", seed=8)
    other = assemble(replace(quaternion.description, rotation=rotation))
    assert (other.nq, other.nv) == (quaternion.nq - 4 + size, quaternion.nv)
    s: State = random_state(quaternion, 9, (6,))
    R = ts.frame_pose(quaternion, s.q, "body0")[..., :3, :3]
    parameters = ts.spatial.parametrisation(rotation).parameters(R)
    q = np.concatenate([s.q[:, :3], parameters, s.q[:, 7:]], axis=1)
    for rows in (slice(None), 2):
        args, peer = (q[rows], s.v[rows]), (s.q[rows], s.v[rows])
        assert_close(ts.body_poses(other, args[0]), ts.body_poses(quaternion, peer[0]))
        assert_close(ts.bias_force(other, *args), ts.bias_force(quaternion, *peer))
        assert_close(ts.mass_matrix(other, args[0]), ts.mass_matrix(quaternion, peer[0]))
        assert_close(ts.frame_velocity(other, *args, "tool9"), ts.frame_velocity(quaternion, *peer, "tool9"))
        found = ts.forward_dynamics(other, *args, s.tau[rows])
        assert_close(found, ts.forward_dynamics(quaternion, *peer, s.tau[rows]), SOLVED)
        moved = other.integrate(*args, 0.1)
        assert moved.shape == args[0].shape
        assert_close(ts.body_poses(other, moved), ts.body_poses(quaternion, quaternion.integrate(*peer, 0.1)))
        assert_close(other.difference(args[0], moved), 0.1 * s.v[rows])


@pytest.mark.parametrize("direction", [(1000.0, 0.0, 0.0), (600.0, -700.0, 400.0)])
def test_base_far_away_keeps_its_digits(direction: tuple[float, float, float]) -> None:
    model = random_model(KINDS, "free", seed=10)
    s = random_state(model, 11, (5,))
    far = s.q.copy()
    far[:, :3] += direction
    for rows in (slice(None), 0):
        near_state, far_state = (s.q[rows], s.v[rows]), (far[rows], s.v[rows])
        for function in (ts.momentum, ts.bias_force, ts.kinetic_energy, ts.coriolis_matrix):
            assert_close(function(model, *far_state), function(model, *near_state), FAR_AWAY)
        for function in (ts.mass_matrix, ts.momentum_matrix, ts.com_jacobian, ts.body_jacobians, ts.gravity_force):
            assert_close(function(model, far_state[0]), function(model, near_state[0]), FAR_AWAY)
        shift = ts.center_of_mass(model, far_state[0]) - ts.center_of_mass(model, near_state[0])
        assert_close(shift, np.broadcast_to(direction, shift.shape), FAR_AWAY)
        found = ts.forward_dynamics(model, *far_state, s.tau[rows])
        assert_close(found, ts.forward_dynamics(model, *near_state, s.tau[rows]), FAR_AWAY)


def test_poses_of_frames_invert() -> None:
    model = random_model(KINDS, "free", seed=12)
    X = ts.body_poses(model, random_state(model, 13, (4,)).q)
    assert_close(X @ inverse_pose(X), np.broadcast_to(np.eye(4), X.shape))
