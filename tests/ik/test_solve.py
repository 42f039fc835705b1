"""Position-level inverse kinematics: solutions are solutions, limits are kept, failures are told."""

import numpy as np
import pytest
from planar_arm import arm, flat_position

import tarsus as ts
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError, UnknownNameError
from tarsus.ik.position.levenberg_marquardt import LevenbergMarquardt
from tarsus.ik.position.problem import Problem
from tarsus.ik.position.search import Search
from tarsus.ik.position.solve import METHODS
from tarsus.model.shapes import Box
from tarsus.tasks import CenterOfMass, FramePose, Function, LookAt, Orientation, Position, Posture

TOLERANCE = 1e-8  # of `solve`, by default


def test_two_link_arm_reaches_its_closed_form_solution():
    model = arm()
    answer = ts.ik.solve(model, flat_position([0.6, 0.3]), [0.1, 0.5])
    assert answer.success
    bend = np.arccos((0.6**2 + 0.3**2 - 0.5) / 0.5)  # law of cosines with two links of 0.5
    expected = [np.arctan2(0.3, 0.6) - bend / 2, bend]
    assert np.allclose(answer.q, expected, atol=1e-7)
    assert answer.residual <= TOLERANCE
    assert "solved" in answer.reason


HUMANOID = ts.robots.hrp2(base="fixed")
ARM = ts.robots.crops9()


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.parametrize(("model", "frame"), [(ARM, "tool"), (HUMANOID, "r_hand")], ids=["crops9", "hrp2"])
def test_every_method_solves_reachable_positions_within_limits(method, model, frame):
    targets = ts.frame_pose(model, model.random(np.random.default_rng(2), (30,)), frame)[:, :3, 3]
    options = {"tolerance": 1e-5, "max_iterations": 1000} if method == "steepest-descent" else {}
    answer = ts.ik.solve(model, Position(frame, targets), method=method, **options)
    assert answer.success.all(), answer.reason
    assert np.abs(ts.frame_pose(model, answer.q, frame)[:, :3, 3] - targets).max() <= options.get(
        "tolerance", TOLERANCE
    )
    assert (answer.q >= model.q_min - 1e-12).all()
    assert (answer.q <= model.q_max + 1e-12).all()


SHARE = 0.995
"""Of random reachable poses that one call with default settings must solve."""


@pytest.mark.parametrize(("model", "frame"), [(ARM, "tool"), (HUMANOID, "r_hand"), (HUMANOID, "l_hand")])
def test_reachable_poses_are_found_from_one_call(model, frame):
    targets = ts.frame_pose(model, model.random(np.random.default_rng(7), (1000,)), frame)
    answer = ts.ik.solve(model, FramePose(frame, targets))
    assert answer.success.mean() >= SHARE
    error = FramePose(frame, targets).error(model, answer.q)[answer.success]
    assert np.abs(error).max() <= TOLERANCE
    assert (answer.q >= model.q_min - 1e-12).all()
    assert (answer.q <= model.q_max + 1e-12).all()


def every_kind_of_task(model, q):
    """Tasks of all kinds that q meets."""
    hand, other = "r_hand", "l_hand"
    X = ts.frame_pose(model, q, hand)
    relative = ts.spatial.inverse_pose(ts.frame_pose(model, q, other)) @ X
    sight = ts.frame_pose(model, q, "HEAD_LINK1")
    return [
        FramePose("l_sole", ts.frame_pose(model, q, "l_sole"), weight=2.0),
        FramePose("r_sole", ts.frame_pose(model, q, "r_sole"), axes=[True, True, True, True, False, True]),
        Position(hand, X[..., :3, 3], axes=[True, False, True]),
        Orientation(hand, relative[..., :3, :3], other),
        CenterOfMass(ts.center_of_mass(model, q), axes=[True, True, False], weight=[0.5, 3.0]),
        LookAt("HEAD_LINK1", sight[..., :3, 3] + 2 * sight[..., :3, 0]),
        Posture(q, joints=["CHEST_JOINT0", "CHEST_JOINT1"]),
    ]


@pytest.mark.parametrize("model", [ts.robots.hrp2()], ids=["hrp2"])
def test_native_solver_takes_the_steps_of_the_method_in_python(model):
    rng = np.random.default_rng(4)
    q = model.integrate(model.reference, 0.3 * rng.normal(size=(5, model.nv)))
    tasks = every_kind_of_task(model, q)
    native = ts.ik.solve(model, tasks, starts=1, max_iterations=4)
    problem = Problem(model, tasks, (5,), True)
    begin = problem.inside(np.tile(model.reference, (5, 1)))
    slow = Search(problem, LevenbergMarquardt, begin, TOLERANCE, 4).run(np.zeros((0, model.nq)), 1)
    assert np.allclose(native.q, slow.q, atol=1e-9)
    assert np.allclose(native.residual, slow.residual, atol=1e-9)
    assert native.status.tolist() == slow.status.tolist()


def test_robots_with_loops_are_solved_in_their_independent_coordinates():
    model = ts.robots.lola(drives="rigid")
    rng = np.random.default_rng(1)
    q = model.integrate(model.reference, 0.05 * rng.normal(size=(8, model.nv)))
    soles = [FramePose(name, ts.frame_pose(model, q, name)) for name in ("l_sole", "r_sole")]
    answer = ts.ik.solve(model, [*soles, CenterOfMass(ts.center_of_mass(model, q))])
    assert answer.success.all(), answer.reason
    for task in soles:
        assert np.abs(task.error(model, answer.q)).max() <= TOLERANCE


def test_tasks_of_ones_own_are_solved_too():
    model = ARM
    height = Function(lambda m, q: ts.frame_pose(m, q, "tool")[..., 2, 3:] ** 2, [0.49])
    answer = ts.ik.solve(model, [height, Position("tool", [0.9, 0.1, 0.0], axes=[True, True, False])])
    assert answer.success, answer.reason
    assert abs(ts.frame_pose(model, answer.q, "tool")[2, 3]) == pytest.approx(0.7, abs=1e-7)


def test_answers_do_not_depend_on_what_else_is_asked_nor_on_threads():
    targets = ts.frame_pose(ARM, ARM.random(np.random.default_rng(3), (40,)), "tool")
    together = ts.ik.solve(ARM, FramePose("tool", targets))
    parallel = ts.ik.solve(ARM, FramePose("tool", targets), threads=2)
    assert np.array_equal(together.q, parallel.q)
    for k in (0, 17, 39):
        alone = ts.ik.solve(ARM, FramePose("tool", targets[k]))
        assert np.array_equal(alone.q, together.q[k])
        assert alone.starts == together.starts[k]


def test_targets_out_of_reach_give_the_nearest_point_and_say_so():
    model = arm()
    answer = ts.ik.solve(model, flat_position([3.0, 4.0]))
    assert not answer.success
    assert answer.status == "no way down"
    assert np.allclose(ts.frame_pose(model, answer.q, "tool")[:2, 3], [0.6, 0.8], atol=1e-4)
    assert answer.residual == pytest.approx(3.2, abs=1e-3)  # 4 - 0.8
    assert "Position of 'tool'" in answer.reason
    assert answer.starts == 30


def test_targets_whose_squares_overflow_are_told_to_be_out_of_reach():
    answer = ts.ik.solve(arm(), flat_position([1e200, 0.0]))
    assert answer.status == "no way down" and answer.residual == pytest.approx(1e200)
    assert np.isfinite(answer.q).all()


def test_limits_that_keep_a_target_away_are_told():
    model = arm(limits=(-0.2, 0.2))
    answer = ts.ik.solve(model, flat_position([0.0, 0.9]))
    assert not answer.success
    assert answer.status == "limits in the way"
    assert np.allclose(answer.q, [0.2, 0.2], atol=1e-6)
    free = ts.ik.solve(model, flat_position([0.0, 0.9]), limits=False)
    assert free.success


def test_starts_beyond_limits_are_brought_back_to_them():
    model = arm(limits=(-1.0, 1.0))
    answer = ts.ik.solve(model, flat_position([0.9, 0.2]), [2.0, 3.0])
    assert answer.success
    assert (np.abs(answer.q) <= 1.0).all()


def test_weights_decide_between_tasks_that_contradict_each_other():
    model = arm()
    near, far = flat_position([0.5, 0.0]), flat_position([0.7, 0.0], weight=10.0)
    answer = ts.ik.solve(model, [near, far])
    assert not answer.success
    x = ts.frame_pose(model, answer.q, "tool")[0, 3]
    assert x == pytest.approx((0.5 + 100 * 0.7) / 101, abs=1e-6)  # least squares


@pytest.mark.parametrize("method", list(METHODS))
def test_singular_starts_end_with_numbers_that_are_finite(method):
    model = arm()
    answer = ts.ik.solve(model, flat_position([0.4, 0.0]), [0.0, 0.0], method=method, starts=1)
    assert np.isfinite(answer.q).all()
    assert np.isfinite(answer.residual)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "told"),
    [
        ([], {}, ArgumentError, "tasks is empty"),
        (["tool"], {}, ArgumentError, "tasks holds"),
        (flat_position([1, 0], weight=0.0), {}, ArgumentError, "weights"),
        (flat_position([1, 0]), {"method": "newtn"}, UnknownNameError, "newton"),
        (flat_position([1, 0]), {"starts": 0}, ArgumentError, "starts"),
        (flat_position([1, 0]), {"max_iterations": 1.5}, ArgumentError, "max_iterations"),
        (flat_position([1, 0]), {"tolerance": np.nan}, ArgumentError, "tolerance"),
        (flat_position([1, 0]), {"q0": [np.nan, 0.0]}, NonFiniteError, "q0"),
        (flat_position([1, 0]), {"q0": [0.0]}, ArgumentError, "q"),
        (Position("tol", [1, 0, 0]), {}, UnknownNameError, "tool"),
    ],
)
def test_what_cannot_be_solved_for_is_refused_by_name(arguments, options, error, told):
    with pytest.raises(error, match=told):
        ts.ik.solve(arm(), arguments, **options)


def test_empty_batches_have_empty_answers():
    answer = ts.ik.solve(ARM, Position("tool", np.zeros((0, 3))))
    assert answer.q.shape == (0, ARM.nq)
    assert answer.success.shape == (0,)


def test_rows_without_weight_are_not_asked_for():
    answer = ts.ik.solve(ARM, Position("tool", [0.8, 0.2, 99.0], weight=[1.0, 1.0, 0.0]))
    assert answer.success, answer.reason
    assert np.allclose(ts.frame_pose(ARM, answer.q, "tool")[:2, 3], [0.8, 0.2], atol=TOLERANCE)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_scale_of_all_weights_changes_nothing(scale):
    plain, scaled = (ts.ik.solve(ARM, Position("tool", [0.8, 0.2, 0.9], weight=w)) for w in (1.0, scale))
    assert scaled.success
    assert np.array_equal(plain.q, scaled.q)


def test_targets_are_copies():
    place = np.array([0.8, 0.2, 0.9])
    task = Position("tool", place)
    place[:] = np.nan
    answer = ts.ik.solve(ARM, task)
    assert answer.success
    assert np.allclose(ts.frame_pose(ARM, answer.q, "tool")[:3, 3], [0.8, 0.2, 0.9], atol=TOLERANCE)


def test_objects_beside_the_robot_stay_where_they_are():
    model = ARM.with_object(Box((0.1, 0.1, 0.1)), mass=1.0, pose=ts.pose((0.5, 0.5, 0.5)), name="box")
    q = model.random(np.random.default_rng(2), (40,))
    answer = ts.ik.solve(model, FramePose("tool", ts.frame_pose(model, q, "tool")))
    assert answer.success.all()
    assert (answer.starts > 1).any()
    assert np.abs(answer.q[:, 9:] - model.reference[9:]).max() < 1e-12
    assert Posture().rows(model) == ARM.nv


@pytest.mark.parametrize("rotation", ["zyx", "rotation-vector"])
def test_other_parametrisations_of_the_base_are_solved_too(rotation):
    model, plain = ts.robots.hrp2(rotation=rotation), ts.robots.hrp2()
    target = [0.3, -0.25, 0.9]
    answer, known = (ts.ik.solve(m, Position("r_hand", target)) for m in (model, plain))
    assert answer.success
    assert known.success
    assert answer.q.shape == (model.nq,)
    assert np.allclose(ts.frame_pose(model, answer.q, "r_hand")[:3, 3], target, atol=TOLERANCE)


def test_nothing_asked_for_is_said():
    assert "nothing" in ts.ik.solve(ARM, Position("tool", np.zeros((2, 0, 3)))).reason


def test_batches_that_do_not_fit_are_told_with_their_axes():
    with pytest.raises(ShapeError, match="broadcast"):
        ts.ik.solve(ARM, Position("tool", np.zeros((3, 3))), np.zeros((2, 9)))


def test_robots_that_cannot_move_are_refused():
    block = ts.ModelBuilder("block").add_link("block", ts.Inertia(1.0, [0, 0, 0], np.eye(3))).build()
    with pytest.raises(ArgumentError, match="no joints"):
        ts.ik.solve(block, Position("block", [0, 0, 0]))


def test_functions_that_give_no_numbers_are_named():
    with pytest.raises(NonFiniteError, match="value of Function"):
        ts.ik.solve(ARM, Function(lambda m, q: np.full((*q.shape[:-1], 1), np.nan), [1.0]))


def test_joints_that_no_task_depends_on_stay_where_they_are_whatever_the_number_of_starts():
    model = ts.robots.hrp2(base="fixed")
    rng = np.random.default_rng(3)
    others = [name for name in model.joints if name.startswith("L")]
    tried = 0
    for _ in range(20):
        target = ts.frame_pose(model, model.random(rng), "r_hand")
        found = ts.ik.solve(model, ts.tasks.FramePose("r_hand", target), model.reference)
        tried = max(tried, int(found.starts))
        for name in others:
            own = model.joints[name].q_index
            assert np.array_equal(found.q[own], model.reference[own])
    assert tried > 1 and others
