"""Tasks: errors vanish at the target, Jacobians and biases are derivatives, bad ones are refused by name."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError, UnknownNameError
from tarsus.tasks import CenterOfMass, FramePose, Function, LookAt, Momentum, Orientation, Position, Posture

STEP = 1e-5
DIFFERENCES = 2e-8
"""Error of central differences with that step, for motions of metres and radians a second."""
BATCH = (2, 3)


def models():
    return {
        "hrp2": (ts.robots.hrp2(), "r_hand", "l_hand"),
        "lola": (ts.robots.lola(drives="rigid"), "l_sole", "r_sole"),
        "crops9": (ts.robots.crops9(), "tool", None),
    }


MODELS = models()


def reached(kind, model, q, frame, other):
    """A task whose target is where the robot is at q."""
    X = ts.frame_pose(model, q, frame)
    relative = X if other is None else ts.spatial.inverse_pose(ts.frame_pose(model, q, other)) @ X
    return {
        "position": lambda: Position(frame, X[..., :3, 3]),
        "relative position": lambda: Position(frame, relative[..., :3, 3], other),
        "orientation": lambda: Orientation(frame, X[..., :3, :3]),
        "relative orientation": lambda: Orientation(frame, relative[..., :3, :3], other),
        "pose": lambda: FramePose(frame, X),
        "relative pose": lambda: FramePose(frame, relative, other),
        "centre of mass": lambda: CenterOfMass(ts.center_of_mass(model, q)),
        "posture": lambda: Posture(q),
        "look at": lambda: LookAt(frame, X[..., :3, 3] + 0.7 * X[..., :3, 1], (0, 1, 0)),
        "function": lambda: Function(
            lambda m, x: ts.center_of_mass(m, x)[..., 2:] ** 2, ts.center_of_mass(model, q)[..., 2:] ** 2
        ),
    }[kind]()


KINDS = (
    "position",
    "relative position",
    "orientation",
    "relative orientation",
    "pose",
    "relative pose",
    "centre of mass",
    "posture",
    "look at",
    "function",
)
CASES = [
    (name, kind) for name, (_, _, other) in MODELS.items() for kind in KINDS if other or not kind.startswith("relative")
]


def states(name, seed=3):
    model, frame, other = MODELS[name]
    rng = np.random.default_rng(seed)
    return model, frame, other, model.random(rng, BATCH), rng.normal(size=(*BATCH, model.nv))


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_error_is_zero_at_the_target_and_falls_by_the_jacobian(name, kind):
    model, frame, other, q, v = states(name)
    task = reached(kind, model, q, frame, other)
    assert np.abs(task.error(model, q)).max() < 1e-7  # of a rotation: the root of the rounding of its cosine
    J = task.jacobian(model, q)
    assert J.shape == (*BATCH, task.rows(model), model.nv)
    ahead, behind = (task.error(model, model.integrate(q, v, sign * STEP)) for sign in (1, -1))
    rate = (J @ v[..., None])[..., 0]
    assert np.abs((behind - ahead) / (2 * STEP) - rate).max() < DIFFERENCES * np.abs(rate).max()


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_bias_is_the_rate_of_the_jacobian_times_v(name, kind):
    model, frame, other, q, v = states(name, seed=4)
    task = reached(kind, model, q, frame, other)
    ahead, behind = (
        (task.jacobian(model, model.integrate(q, v, sign * STEP)) @ v[..., None])[..., 0] for sign in (1, -1)
    )
    bias = task.jacobian_dot_v(model, q, v)
    assert bias.shape == (*BATCH, task.rows(model))
    scale = 1.0 + np.abs(bias).max()
    tolerance = 1e-4 if kind == "function" else 2e-7  # differences of differences have half the digits
    assert np.abs((ahead - behind) / (2 * STEP) - bias).max() < tolerance * scale


def test_momentum_has_its_matrix_its_target_as_velocity_and_no_error():
    model, _, _, q, v = states("hrp2")
    task = Momentum([1, 2, 3, 4, 5, 6], axes=[False, False, False, True, True, False])
    assert task.error(model, q).shape == (*BATCH, 2)
    assert not task.error(model, q).any()
    assert np.array_equal(task.target_velocity(model), [4, 5])
    assert np.allclose((task.jacobian(model, q) @ v[..., None])[..., 0], ts.momentum(model, q, v)[..., 3:5], atol=1e-12)
    assert np.array_equal(task.jacobian_dot_v(model, q, v), ts.momentum_dot_v(model, q, v)[..., 3:5])


def test_error_of_orientation_is_the_rotation_that_is_missing():
    model, frame, _, q, _ = states("hrp2")
    turn = ts.spatial.rotation_matrix_from_rotation_vector([0.3, -1.1, 0.4])
    task = Orientation(frame, turn @ ts.frame_pose(model, q, frame)[..., :3, :3])
    assert np.allclose(task.error(model, q), [0.3, -1.1, 0.4], atol=1e-12)


def test_look_at_turns_the_whole_way_to_a_target_that_is_behind():
    model, frame, _, q, _ = states("hrp2")
    X = ts.frame_pose(model, q, frame)
    behind = LookAt(frame, X[..., :3, 3] - X[..., :3, 0])
    assert np.allclose(np.linalg.norm(behind.error(model, q), axis=-1), np.pi, atol=1e-7)


def test_axes_choose_rows_and_weights_follow_them():
    model, frame, _, q, _ = states("hrp2")
    full, chosen = Position(frame, [1, 2, 3]), Position(frame, [1, 2, 3], axes=[True, False, True], weight=[2.0, 5.0])
    assert chosen.rows(model) == 2
    assert np.array_equal(chosen.error(model, q), full.error(model, q)[..., [0, 2]])
    assert np.array_equal(chosen.jacobian(model, q), full.jacobian(model, q)[..., [0, 2], :])
    assert np.array_equal(chosen.weights(model), [2.0, 5.0])


def test_targets_of_a_batch_broadcast_against_one_configuration():
    model, frame, _ = MODELS["hrp2"]
    targets = np.random.default_rng(0).normal(size=(5, 3))
    error = Position(frame, targets).error(model, model.neutral())
    assert np.allclose(error, targets - ts.frame_pose(model, model.neutral(), frame)[:3, 3], atol=1e-15)


def test_posture_counts_chosen_joints_only():
    model = MODELS["hrp2"][0]
    q = model.random(np.random.default_rng(1))
    task = Posture(joints=["RARM_JOINT3", "LARM_JOINT3"])
    index = [model.joints[name].v_index.start for name in ("RARM_JOINT3", "LARM_JOINT3")]
    assert np.allclose(task.error(model, q), model.difference(q, model.reference)[index])
    assert Posture().rows(model) == model.nv - 6


@pytest.mark.parametrize(
    ("make", "error", "told"),
    [
        (lambda: Position("r_hand", [0, 0]), ShapeError, "target of Position"),
        (lambda: Position("r_hand", [0, 0, np.nan]), NonFiniteError, "target of Position"),
        (lambda: Position("r_hand", [0, 0, 0], gain=-1), ArgumentError, "gain of Position"),
        (lambda: Position("r_hand", [0, 0, 0], weight=-1), ArgumentError, "weight of Position"),
        (lambda: Orientation("r_hand", 2 * np.eye(3)), ArgumentError, "no rotation matrix"),
        (lambda: FramePose("r_hand", np.diag([1.0, 1, -1, 1])), ArgumentError, "no rotation matrix"),
        (lambda: LookAt("r_hand", [0, 0, 0], [0, 0, 0]), ArgumentError, "axis of LookAt"),
        (lambda: Function(lambda m, q: q, 1.0), ShapeError, "target of Function"),
        (lambda: Function(3, [1.0]), ArgumentError, "value of Function"),
    ],
)
def test_what_is_no_task_is_refused_by_name(make, error, told):
    with pytest.raises(error, match=told):
        make()


@pytest.mark.parametrize(
    ("task", "error", "told"),
    [
        (Position("r_hnd", [0, 0, 0]), UnknownNameError, "r_hand"),
        (Position("r_hand", [0, 0, 0], axes=[True]), ArgumentError, "axes of Position"),
        (Position("r_hand", [0, 0, 0], weight=[1, 2]), ShapeError, "weight of Position"),
        (Posture(joints=["RARM_JOINT9"]), UnknownNameError, "RARM_JOINT"),
        (Function(lambda m, q: q[..., :2], [1.0]), ShapeError, "value of Function returned"),
    ],
)
def test_what_does_not_fit_the_robot_is_refused_by_name(task, error, told):
    model = MODELS["hrp2"][0]
    with pytest.raises(error, match=told):
        task.error(model, model.neutral())
        task.weights(model)


def test_rows_of_a_batch_have_their_own_targets():
    model, frame, _ = MODELS["hrp2"]
    rng = np.random.default_rng(5)
    poses = ts.frame_pose(model, model.random(rng, (2, 1)), frame)
    task = FramePose(frame, poses, velocity=rng.normal(size=(4, 6)))
    assert task.batch_shape() == (2, 4)
    q = model.random(rng, (2, 4))
    rows = np.array([5, 0, 7])
    taken = task.of_rows((2, 4), rows)
    assert np.array_equal(taken.error(model, q.reshape(8, -1)[rows]), task.error(model, q).reshape(8, 6)[rows])
    assert np.array_equal(taken.target_velocity(model), task.target_velocity(model)[[1, 0, 3]])
    alone = Position(frame, [1, 2, 3])
    assert alone.of_rows((8,), rows) is alone
