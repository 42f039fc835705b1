"""Motions within limits and apart from obstacles, of our robots and of others."""

import numpy as np
import pytest
from planar_arm import arm, flat_position
from robot_data import robot_data_path

import tarsus as ts
from tarsus.collision import CollisionModel, Obstacle, SweptSphere
from tarsus.errors import ArgumentError

DT = 0.01
START = np.array([0.5, 0.3, -0.4, 0.6, 0.5, -0.3, 0.4, 0.2, 0.1])


@pytest.mark.long
def test_tool_goes_past_a_ball_on_its_way_and_arrives():
    model = ts.robots.crops9()
    tool = ts.frame_pose(model, START, "tool")[:3, 3]
    goal = tool + np.array([-0.05, -0.55, 0.25])
    ball = Obstacle("ball", SweptSphere([[0, 0, 0]], 0.06), ts.pose(0.5 * (tool + goal)))
    scene = CollisionModel(model, obstacles=[ball])
    limits = ts.ik.Limits(velocity=1.2)

    def reach(t):
        hand = ts.tasks.Position("tool", tool + min(t / 2.0, 1.0) * (goal - tool), gain=2.0)
        return [[hand], [ts.tasks.Posture(START, gain=0.5)]]

    plain = ts.ik.follow(model, reach, START, duration=4.0, dt=DT)
    assert scene.clearance(plain.q).min() < -0.05
    kept = ts.ik.follow(
        model, reach, START, duration=4.0, dt=DT, limits=limits, collision=ts.ik.Avoidance(scene, margin=0.02)
    )
    assert scene.clearance(kept.q).min() > 0.02 - 1.2e-3
    assert np.abs(kept.v).max() < 1.2 + 1e-9
    assert (kept.q >= model.q_min).all()
    assert (kept.q <= model.q_max).all()
    assert kept.error[-1] < 0.02
    assert set(kept.status) <= {"followed", "held back"}


def test_accelerations_are_limited_from_rest_on():
    model = arm(limits=(-1.0, 1.0))
    limits = ts.ik.Limits(velocity=2.0, acceleration=5.0)
    path = ts.ik.follow(
        model, lambda t: ts.tasks.Posture([1.5, -1.5], gain=20.0), [0.0, 0.0], duration=2.0, dt=DT, limits=limits
    )
    speeds = np.vstack([np.zeros(2), path.v])
    assert np.abs(np.diff(speeds, axis=0)).max() <= 5.0 * DT + 1e-9
    assert np.abs(path.v).max() == pytest.approx(2.0, abs=0.3)
    assert (np.abs(path.q) <= 1.0).all()
    assert np.allclose(path.q[-1], [1.0, -1.0], atol=1e-9)


def test_divided_steps_and_limits_of_acceleration_exclude_each_other():
    with pytest.raises(ArgumentError, match="tolerance"):
        ts.ik.follow(
            arm(), lambda t: flat_position([0.5, 0.2]), [0.3, 0.4], duration=0.1, dt=DT, tolerance=1e-3,
            limits=ts.ik.Limits(acceleration=1.0),
        )  # fmt: skip


OTHERS = {
    "panda": ("panda_description/urdf/panda.urdf", {}, "panda_hand_tcp"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", {}, "tool0"),
    "talos": ("talos_data/robots/talos_reduced.urdf", {"base": "free"}, "arm_left_7_link"),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", {"base": "free"}, "LF_FOOT"),
    "tiago": ("tiago_description/robots/tiago.urdf", {}, "arm_7_link"),
    "kinova": ("kinova_description/robots/kinova.urdf", {}, "j2s6s200_end_effector"),
    "icub": ("icub_description/robots/icub.urdf", {"base": "free"}, "l_sole"),
}


def agile_posture(model, frame):
    """Of some random postures that in which the joints move the frame best in all directions."""
    q = model.random(np.random.default_rng(4), (30,))
    J = ts.jacobian(model, q, frame)[:, :3, 6 if model.base == "free" else 0 :]
    return q[np.argmax(np.linalg.svd(J, compute_uv=False)[:, -1])]


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")  # of tiago's antennas
@pytest.mark.parametrize("name", OTHERS)
def test_robots_of_others_follow_a_circle_within_their_limits(name):
    """A frame goes round as fast as it can: 5 cm in 1 s, from a posture out of many random ones."""
    path, options, frame = OTHERS[name]
    model = ts.load(str(robot_data_path(path)), **options)
    assert frame in model.frames
    q = agile_posture(model, frame)
    place = ts.frame_pose(model, q, frame)[:3, 3]
    limits = ts.ik.Limits(velocity=np.minimum(model.v_max, 1.5))
    fixed = [ts.tasks.FramePose(f, ts.frame_pose(model, q, f), gain=50.0) for f in list(model.frames)[:1]]
    levels = [fixed, [ts.tasks.Position(frame, place, gain=50.0)], [ts.tasks.Posture(q, gain=1.0)]]
    step = ts.ik.Stepper(model, levels if model.base == "free" else levels[1:], dt=DT, limits=limits)
    circle = len(step.tasks) - 2
    met = []
    for k in range(150):
        angle = 2 * np.pi * k * DT
        target = place + 0.05 * np.array([np.cos(angle) - 1.0, np.sin(angle), 0.0])
        step.target(circle)[:] = target
        step.target_velocity(circle)[:] = 0.05 * 2 * np.pi * np.array([-np.sin(angle), np.cos(angle), 0.0])
        met.append(np.linalg.norm(ts.frame_pose(model, q, frame)[:3, 3] - target))
        q = step(q)
        assert step.status in ("solved", "held back")
        assert (np.abs(step.v) <= limits.velocity + 1e-9).all()
        own = np.isfinite(model.q_min)
        assert (q >= model.q_min)[own].all()
        assert (q <= model.q_max)[own].all()
    assert np.median(met) < 5e-3
