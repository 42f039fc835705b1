"""Reaching: arrives, keeps every limit and distance, says why where it cannot, and refuses what makes no sense."""

import numpy as np
import pytest
from ik.reaching.scenes import among, bars, fine, least_distance, post, rods
from loop_models import four_bar
from planar_arm import flat_position
from sample_models import zoo

import tarsus as ts
from tarsus.collision import CollisionModel, SweptSphere
from tarsus.errors import (
    ArgumentError,
    DtypeError,
    KinematicsWarning,
    NonFiniteError,
    ShapeError,
    TarsusError,
    UnknownNameError,
)
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Position, Posture

ARRIVED = 1e-8
KEPT = 1e-6


def violations(motion, scenes=(), keep=()):
    """What a motion does wrong, at twenty times the rate of its samples."""
    model = motion.model
    q, v, vdot = fine(motion)
    wrong = []
    if not ((q >= model.q_min - 1e-9) & (q <= model.q_max + 1e-9)).all():
        wrong.append("limits")
    if not (np.abs(v) <= motion.v_max).all() or not (np.abs(vdot) <= motion.vdot_max).all():
        wrong.append("rates")
    if scenes and least_distance(scenes, q) <= 0:
        wrong.append("collision")
    if any(np.abs(task.error(model, q)).max() > KEPT for task in keep):
        wrong.append("keep")
    if np.abs(v[[0, -1]]).max() > 1e-9:
        wrong.append("rest")
    return wrong


def test_an_arm_arrives():
    model = ts.robots.crops9()
    task = Position("tool", [0.8, 0.2, 0.9])
    motion = ts.ik.reach(model, task)
    assert motion.success and motion.status == "arrived" and motion.duration > 0
    assert np.abs(task.error(model, motion.q[-1])).max() < ARRIVED
    assert np.array_equal(motion.q[0], model.reference)
    assert violations(motion, ts.collision.motion_scenes(model).scenes) == []
    assert np.diff(motion.t).max() <= 0.01 + 1e-12


def wall(model):
    """A post between where the arm is and where it shall be: it must fold to get past."""
    return among(model, post((0.75, 0.45), 0.08))


def test_ways_around_an_obstacle_are_found_and_kept_free():
    model = rods()
    scene = wall(model)
    q0 = np.array([0.1, 0.05, 0.05])
    task = flat_position([0.55, 0.8])
    motion = ts.ik.reach(model, task, q0, collision=scene, max_iterations=2000)
    assert motion.success, motion.reason
    assert motion.iterations > 0
    assert violations(motion, [scene]) == []
    assert np.abs(task.error(model, motion.q[-1])).max() < ARRIVED


def test_margins_are_kept():
    model = rods()
    scene = wall(model)
    motion = ts.ik.reach(model, flat_position([0.55, 0.8]), [0.1, 0.05, 0.05], collision=scene, margin=0.03)
    assert motion.success, motion.reason
    assert least_distance([scene], fine(motion).q) > 0.03


def test_without_a_scene_to_look_at_nothing_is_avoided():
    model = rods()
    motion = ts.ik.reach(model, flat_position([0.55, 0.8]), [0.1, 0.05, 0.05], collision=())
    assert motion.success and motion.iterations == 0 and motion.looked == 0


def test_the_same_seed_gives_the_same_motion():
    model = rods()
    one, two, other = (
        ts.ik.reach(model, flat_position([0.55, 0.8]), [0.1, 0.05, 0.05], collision=wall(model), seed=seed)
        for seed in (3, 3, 4)
    )
    assert np.array_equal(one.q, two.q) and np.array_equal(one.t, two.t)
    assert one.q.shape != other.q.shape or not np.array_equal(one.q, other.q)


def test_places_out_of_reach_block_and_name_the_task():
    motion = ts.ik.reach(rods(), flat_position([3.0, 0.0]), [0.1, 0.1, 0.1])
    assert motion.status == "blocked" and not motion.success
    assert "Position of 'tool' is 2" in motion.reason
    assert motion.duration == 0 and np.array_equal(motion.q, [[0.1, 0.1, 0.1]])


def test_places_inside_an_obstacle_block_and_name_the_pair():
    model = rods()
    scene = among(model, post((0.6, 0.5), 0.1))
    motion = ts.ik.reach(model, flat_position([0.6, 0.5]), [0.1, 0.1, 0.1], collision=scene)
    assert motion.status == "blocked"
    assert "collide" in motion.reason and "'post'" in motion.reason


def cage(model):
    """Bars around the first link, which is longer than they are away: it stays in one of two gaps."""
    side = np.linspace(0.35, np.pi - 0.35, 20)
    angles = [*side, *(-side)]
    return among(model, *(post((0.3 * np.cos(a), 0.3 * np.sin(a)), 0.02, f"bar {k}") for k, a in enumerate(angles)))


def test_goals_without_a_way_block_and_name_what_is_in_the_way():
    model = rods()
    scene = cage(model)
    q0 = np.array([0.0, 0.0, 0.0])
    motion = ts.ik.reach(model, flat_position([-0.95, 0.0]), q0, collision=scene, max_iterations=30)
    assert motion.status == "blocked" and motion.iterations == 30 and motion.goals > 0
    assert "in 30 growths of trees" in motion.reason and "'bar" in motion.reason
    ended = ts.ik.reach(model, flat_position([-0.95, 0.0]), q0, collision=scene, max_time=0.05, max_iterations=10**9)
    assert ended.status == "blocked" and "in the time given" in ended.reason


def test_tasks_that_are_met_take_no_time():
    model = ts.robots.crops9()
    motion = ts.ik.reach(model, Position("tool", ts.frame_pose(model, model.reference, "tool")[:3, 3]))
    assert motion.success and motion.duration == 0 and len(motion.t) == 1
    assert np.array_equal(motion.sample([0.0, 1.0]).q, np.stack([model.reference] * 2))


def test_a_humanoid_stands_while_it_reaches():
    model = ts.robots.hrp2()
    keep = ts.ik.stance(model)
    task = Position("r_hand", [0.4, -0.3, 1.0])
    scenes = ts.collision.motion_scenes(model).scenes
    motion = ts.ik.reach(model, task, keep=keep)
    assert motion.success, motion.reason
    assert violations(motion, scenes, keep) == []
    assert np.abs(task.error(model, motion.q[-1])).max() < ARRIVED
    assert np.abs(motion.q[:, 2] - motion.q[0, 2]).max() > 1e-4  # the base moves


def test_the_base_is_held_where_nothing_is_kept():
    model = ts.robots.hrp2()
    task = Position("r_hand", [0.3, -0.35, 0.9])
    motion = ts.ik.reach(model, task)
    assert motion.success
    assert np.array_equal(motion.q[:, :7], np.broadcast_to(model.reference[:7], (len(motion.t), 7)))
    legs = [model.joints[f"{side}LEG_JOINT{k}"].q_index.start for side in "LR" for k in range(6)]
    assert np.array_equal(motion.q[:, legs], np.broadcast_to(model.reference[legs], (len(motion.t), 12)))
    assert np.abs(task.error(model, motion.q[-1])).max() < ARRIVED


def test_joints_may_be_chosen():
    model = ts.robots.crops9()
    goal = model.reference + np.array([0.1, 0.3, 0.2, -0.2, 0.1, 0, 0, 0, 0])
    task = Position("tool", ts.frame_pose(model, goal, "tool")[:3, 3])
    motion = ts.ik.reach(model, task, joints=["q1", "q2", "q3", "q4", "q5"])
    assert motion.success
    assert np.abs(motion.q[:, 5:] - motion.q[0, 5:]).max() == 0
    with pytest.raises(UnknownNameError, match="'q11'"):
        ts.ik.reach(model, Position("tool", [0.8, 0.2, 0.9]), joints=["q11"])


def test_joints_of_every_kind_move():
    model = zoo("fixed").build()
    name = list(model.bodies)[-1]
    q = model.random(np.random.default_rng(3))
    task = Posture(q)
    motion = ts.ik.reach(model, task, collision=())
    assert motion.success, motion.reason
    assert np.abs(task.error(model, motion.q[-1])).max() < 1e-7, name
    assert violations(motion) == []
    t = np.linspace(0.1, 0.9, 30) * motion.duration
    h = 1e-4
    numeric = model.difference(motion.sample(t - h).q, motion.sample(t + h).q) / (2 * h)
    assert np.abs(numeric - motion.sample(t).v).max() < 1e-3


def test_loops_stay_closed_on_the_way():
    model = four_bar().build()
    model = model.with_volumes({name: SweptSphere([[0, 0, 0], [0.1, 0, 0]], 0.02) for name in ("crank", "rocker")})
    goal = model.integrate(model.reference, np.full(model.nv, 0.6))
    task = Posture(goal)
    motion = ts.ik.reach(model, task, collision=CollisionModel(model, adjacent=True))
    assert motion.success, motion.reason
    assert violations(motion) == []
    model.joint_positions(fine(motion).q)  # raises where a loop is open


def test_planar_bases_move_where_feet_are_kept():
    model = ts.robots.rabbit()
    q0 = np.array(model.reference)
    soles = ("l_sole", "r_sole")
    keep = [Position(name, ts.frame_pose(model, q0, name)[:3, 3], axes=[True, False, True]) for name in soles]
    R = ts.frame_pose(model, q0, next(iter(model.bodies)))[:3, :3]
    lean = Orientation(next(iter(model.bodies)), ts.spatial.rotation_matrix_from_axis_angle([0, 1, 0], 0.05) @ R)
    motion = ts.ik.reach(model, lean, keep=keep, collision=())
    assert motion.success, motion.reason
    assert violations(motion, (), keep) == []


def test_velocities_that_files_do_not_give_are_assumed_and_told():
    model = rods()
    motion = ts.ik.reach(model, flat_position([0.5, 0.5]), [0.1, 0.1, 0.1], collision=())
    assert set(motion.assumed) == {"joint1", "joint2", "joint3"}
    assert np.array_equal(motion.v_max, np.ones(3)) and np.array_equal(motion.vdot_max, np.full(3, 4.0))
    slow = ts.ik.reach(model, flat_position([0.5, 0.5]), [0.1, 0.1, 0.1], collision=(), v_max=0.1, vdot_max=[1, 2, 3])
    assert slow.assumed == () and slow.duration > 3 * motion.duration
    assert violations(slow) == []


BAD = [
    ({"q0": np.zeros(4)}, ShapeError, "q0"),
    ({"q0": [0.0, np.nan, 0.0]}, NonFiniteError, "q0"),
    ({"q0": [4.0, 0.0, 0.0]}, ArgumentError, "joint 'joint1' is at 4, beyond its limits"),
    ({"margin": -1.0}, ArgumentError, "margin"),
    ({"dt": 0.0}, ArgumentError, "dt"),
    ({"v_max": [1.0, 0.0, 1.0]}, ArgumentError, "v_max"),
    ({"v_max": [1.0, 2.0]}, ShapeError, "v_max"),
    ({"vdot_max": -1.0}, ArgumentError, "vdot_max"),
    ({"goals": 0}, ArgumentError, "goals"),
    ({"starts": 1.5}, ArgumentError, "starts"),
    ({"max_iterations": -1}, ArgumentError, "max_iterations"),
    ({"max_time": 0.0}, ArgumentError, "max_time"),
    ({"seed": -1}, ArgumentError, "seed"),
    ({"collision": ["scene"]}, ArgumentError, "collision"),
    ({"keep": [CenterOfMass([0.9, 0.9, 0.0])]}, ArgumentError, "keep: CenterOfMass is"),
    ({"q0": "home"}, DtypeError, "q0: cannot be read"),
    ({"margin": "wide"}, ArgumentError, "margin is 'wide'"),
    ({"dt": None}, ArgumentError, "dt is None"),
    ({"max_time": "long"}, ArgumentError, "max_time is 'long'"),
    ({"joints": 5}, ArgumentError, "joints is 5"),
    ({"collision": 5}, ArgumentError, "collision is 5"),
    ({"keep": 5}, ArgumentError, "keep is 5"),
    ({"keep": [5]}, ArgumentError, "keep holds 5"),
    ({"progress": 5}, ArgumentError, "progress is 5"),
]


@pytest.mark.parametrize(("options", "error", "told"), BAD, ids=lambda value: str(value)[:30])
def test_bad_arguments_are_refused_by_name(options, error, told):
    with pytest.raises(error, match=told):
        ts.ik.reach(rods(), flat_position([0.5, 0.5]), **options)


def test_what_is_no_model_is_refused():
    with pytest.raises(ArgumentError, match="model is 5"):
        ts.ik.reach(5, flat_position([0.5, 0.5]))


def test_a_start_in_collision_is_refused_with_the_pair():
    model = rods()
    with pytest.raises(ArgumentError, match=r"q0 is in collision: 'link\d' and 'post' overlap"):
        ts.ik.reach(model, flat_position([0.5, 0.5]), [0.0, 0.0, 0.0], collision=among(model, post((0.6, 0.0))))


def test_batches_strangers_and_robots_that_cannot_move_are_refused():
    model = rods()
    with pytest.raises(ArgumentError, match="Position of 'tool' has targets of shape"):
        ts.ik.reach(model, Position("tool", np.zeros((4, 3))))
    with pytest.raises(ArgumentError, match="scene of 'crops9'"):
        ts.ik.reach(model, flat_position([0.5, 0.5]), collision=CollisionModel(ts.robots.crops9()))
    fixed = model.locked(["joint1", "joint2", "joint3"])
    with pytest.raises(ArgumentError, match="has no joints that could move"):
        ts.ik.reach(fixed, Position("tool", np.zeros(3)))
    free = ts.robots.hrp2()
    with pytest.raises(ArgumentError, match="base of 'hrp2' alone"):
        ts.ik.reach(free, FramePose("BODY", np.eye(4)))
    with pytest.raises(TarsusError, match="no collision volumes"):
        ts.ik.reach(ts.robots.planar4().with_volumes({}), Position("tool", [0.1, 0.1, 0.0]))
    motion = ts.ik.reach(model, flat_position([0.5, 0.5]), [0.1, 0.1, 0.1], collision=())
    with pytest.raises(ArgumentError, match="t of sample"):
        motion.sample(np.nan)


def test_a_start_whose_shapes_overlap_is_refused_without_a_depth_that_nobody_knows():
    model = bars()
    with pytest.raises(ArgumentError, match=r"'first' and 'second' overlap; expected a start that is free"):
        ts.ik.reach(model, flat_position([0.5, 0.3]), [1.6, 1.5])


def test_a_reference_that_limits_fold_into_itself_starts_in_the_middle_of_them():
    target = flat_position([0.3 + 0.4 * np.cos(0.5), 0.4 * np.sin(0.5)])
    folded = bars(limits=(1.4, 2 * np.pi - 1.4))  # straight in the middle
    with pytest.warns(KinematicsWarning, match=r"'bend' at 3.14159 in place of 0, 'fold' at 3.14159 in place of 0"):
        motion = ts.ik.reach(folded, target)
    assert motion.success and np.allclose(motion.q[0], np.pi)
    free = bars(limits=(0.1, 2.0))
    with pytest.warns(KinematicsWarning, match=r"'bend' at 0.1 in place of 0, 'fold' at 0.1 in place of 0"):
        assert ts.ik.reach(free, target).success


def test_a_reference_beyond_limits_starts_at_the_nearest_limit_and_says_so():
    model = rods()
    beyond = model.with_reference([0.1, 4.0, 0.1])
    with pytest.warns(KinematicsWarning, match="'joint2' at 3.14159 in place of 4"):
        motion = ts.ik.reach(beyond, flat_position([0.5, 0.5]), collision=())
    assert motion.success
    assert np.array_equal(motion.q[0], [0.1, model.q_max[1], 0.1])
