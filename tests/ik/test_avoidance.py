"""Distances that velocities keep: the laws of approach, motions past obstacles, starts in collision."""

import numpy as np
import pytest
from planar_arm import arm, flat_position

import tarsus as ts
from tarsus.collision import CollisionModel, Obstacle, SweptSphere
from tarsus.errors import ArgumentError

MARGIN = 0.02
SLOW = ts.ik.Limits(velocity=2.0)
"""Rows are those of the first order: steps must be short beside the distances."""


def scene_of(at=(0.9, 0.1, 0.0), radius=0.1):
    """A planar arm with round links, and a ball in its way."""
    model = arm((0.5, 0.4, 0.3))
    volumes = {
        f"link{k + 1}": SweptSphere([[0, 0, 0], [length, 0, 0]], 0.03) for k, length in enumerate((0.5, 0.4, 0.3))
    }
    ball = Obstacle("ball", SweptSphere([[0, 0, 0]], radius), ts.pose(at))
    return model, CollisionModel(model, volumes, [ball], include=["ball"])


START = np.array([-0.3, 0.2, 0.2])


def through(model, speed=0.6):
    """The tool on a straight line across the ball."""
    begin = ts.frame_pose(model, START, "tool")[:2, 3]
    way = np.array([-0.5, 0.9])
    way /= np.linalg.norm(way)
    return lambda t: flat_position(begin + speed * t * way, velocity=[*(speed * way), 0.0], gain=20.0)


def test_without_rows_the_arm_goes_through_the_ball_and_with_them_it_keeps_the_margin():
    model, scene = scene_of()
    plain = ts.ik.follow(model, through(model), START, duration=1.0, dt=0.01)
    assert scene.clearance(plain.q).min() < -0.05
    kept = ts.ik.follow(
        model,
        through(model),
        START,
        duration=1.0,
        dt=0.01,
        collision=ts.ik.Avoidance(scene, margin=MARGIN),
        limits=SLOW,
    )
    assert scene.clearance(kept.q).min() > MARGIN - 5e-4
    assert scene.clearance(kept.q).min() < MARGIN + 5e-3  # it goes as near as it may
    assert "held back" in kept.status


def test_what_is_missing_to_the_margin_falls_with_the_square_of_the_step():
    model, scene = scene_of()
    worst = []
    for dt in (0.02, 0.005):
        avoidance = ts.ik.Avoidance(scene, margin=MARGIN, rate=1e6, influence=0.2)  # 1 / dt
        path = ts.ik.follow(model, through(model), START, duration=0.9, dt=dt, collision=avoidance, limits=SLOW)
        worst.append(max(MARGIN - scene.clearance(path.q).min(), 0.0))
    assert worst[1] <= worst[0] / 8 + 1e-9


@pytest.mark.parametrize(
    ("options", "rate"),
    [({"speed": 0.36, "influence": 0.2}, 0.36 / (0.2 - MARGIN)), ({"rate": 3.0, "influence": np.inf}, 3.0)],
)
def test_approach_is_the_exponential_of_the_law(options, rate):
    model = arm((0.5, 0.4, 0.3)).locked({"joint2": 0.0, "joint3": 0.0})  # one joint, a ball ahead of its end
    model = model.with_volumes({"tool": SweptSphere([[0, 0, 0]], 0.03)})
    ball = Obstacle("ball", SweptSphere([[0, 0, 0]], 0.1), ts.pose([1.2 * np.cos(0.25), 1.2 * np.sin(0.25), 0.0]))
    scene = CollisionModel(model, obstacles=[ball])
    push = ts.tasks.Posture([1.0], gain=100.0)
    dt = 1e-3
    path = ts.ik.follow(
        model, lambda t: push, [0.0], duration=0.3, dt=dt, collision=ts.ik.Avoidance(scene, margin=MARGIN, **options)
    )
    left = scene.clearance(path.q) - MARGIN
    assert left[0] > 0.1
    expected = left[0] * (1 - rate * dt) ** np.arange(len(left))
    assert np.abs(left - expected).max() < 1e-4  # curvature of the way: (1.2 v dt)^2 / 2 a step
    assert left.min() > 0


def test_pairs_in_collision_are_driven_apart():
    model, scene = scene_of(at=(0.75, 0.0, 0.0))
    q0 = np.array([0.05, 0.1, 0.1])
    assert scene.clearance(q0) < 0
    stay = ts.tasks.Posture(q0, gain=1.0)
    path = ts.ik.follow(model, lambda t: stay, q0, duration=1.5, dt=0.01, collision=scene, limits=SLOW)
    assert scene.clearance(path.q[-1]) > 0.009
    assert (np.diff(scene.clearance(path.q)) > -1e-6).all()


def test_a_ball_that_cannot_be_left_is_named():
    model, scene = scene_of(at=(0.3, 0.02, 0.0))
    locked = ts.ik.LinearInequality(np.eye(3), 0.0, 0.0, name="brake")
    answer = ts.ik.velocity(model, flat_position([0.5, 0.2]), [0.0, 0.1, 0.1], collision=scene, inequalities=locked)
    assert answer.status == "infeasible"
    assert "distance of link1 and ball" in answer.conflict
    assert any(name.startswith("brake") for name in answer.conflict)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"margin": -0.1}, "margin"),
        ({"margin": 0.2}, "influence"),
        ({"speed": 1.0, "rate": 1.0}, "speed, rate"),
        ({"rate": 0.0}, "rate"),
        ({"speed": np.nan}, "speed"),
        ({"influence": np.inf}, "influence"),
    ],
)
def test_distances_that_are_none_are_refused_by_name(options, told):
    _, scene = scene_of()
    with pytest.raises(ArgumentError, match=told):
        ts.ik.Avoidance(scene, **options)


def test_scenes_of_another_model_are_refused():
    _, scene = scene_of()
    with pytest.raises(ArgumentError, match="another model"):
        ts.ik.velocity(arm(), flat_position([0.5, 0.2]), [0.3, 0.4], collision=scene)
