"""Feet that are pushed off obstacles, and come back."""

import numpy as np
import pytest
from walking.obstacles.scenes import box, lola, planned

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.spatial import rotation_matrix_from_rotation_vector
from tarsus.walking.obstacles.foot_extent import FootExtent, leg_segments
from tarsus.walking.obstacles.limit_gradient import BAND, LimitGradient
from tarsus.walking.obstacles.reactive_avoidance import AvoidanceSettings, ReactiveAvoidance, displaced
from tarsus.walking.obstacles.task_jacobian import FEET, task_jacobian

DT, DURATION = 0.002, 0.8
GRADIENT = 1e-6
"""Of central differences over 1e-6, whose error is rounding of about 1e-10."""


def standing():
    return lola().q[lola().lower.q]


def ahead(gap=0.02, height=0.1):
    """A box in front of the toes of the right foot where Lola stands."""
    front = FootExtent.of(lola()).front
    return box((0.1, 0.14, height), (front + gap + 0.05, -lola().width / 2))


def swung(avoidance, q, foot=1):
    """Deviations along a swing, seen from a robot that stays where it is, shape (n, 6)."""
    avoidance.lift()
    n = round(DURATION / DT)
    return np.array([avoidance.step(foot, q, k * DT, k / n, (n - 1 - k) * DT) for k in range(n)])


def test_foot_is_pushed_away_from_the_obstacle():
    e = swung(ReactiveAvoidance(lola(), [ahead()], DT), standing())
    assert e[:, 0].min() < -0.002
    assert np.abs(e[:, 1]).max() < 0.3 * np.abs(e[:, 0]).max()


def test_nothing_happens_without_obstacles():
    np.testing.assert_array_equal(swung(ReactiveAvoidance(lola(), [], DT), standing()), 0.0)


def test_distances_are_not_looked_at_where_the_obstacle_is_outside_of_the_volume_around_the_robot():
    avoidance = ReactiveAvoidance(lola(), [box((0.1, 0.1, 0.1), (4.0, 0.0))], DT)
    swung(avoidance, standing())
    assert avoidance.looked == 0
    near = ReactiveAvoidance(lola(), [ahead()], DT)
    swung(near, standing())
    assert near.looked == pytest.approx(AvoidanceSettings().off * DURATION / DT, abs=1)


def test_deviation_ends_with_the_swing_and_returns_without_a_jump_or_overshoot():
    e = swung(ReactiveAvoidance(lola(), [ahead()], DT), standing())
    np.testing.assert_allclose(e[-1], 0.0, atol=1e-12)
    off = round(AvoidanceSettings().off * DURATION / DT)
    back = e[off:, 0]
    assert (back <= 1e-12).all()  # it never crosses the path
    rate = np.diff(e, axis=0) / DT
    assert np.abs(np.diff(rate[off - 3 : off + 3], axis=0)).max() < 0.02  # [m/s] in 2 ms


def test_attractor_holds_the_foot_near_its_path():
    weak, strong = (
        np.abs(swung(ReactiveAvoidance(lola(), [ahead()], DT, AvoidanceSettings(attraction=s)), standing())[:, 0]).max()
        for s in (0.0, 6.0)
    )
    assert strong < 0.7 * weak


@pytest.mark.parametrize("law", ["foot-alone", "selected-foot"])
def test_both_laws_of_the_foot_push_it_the_same_way(law):
    e = swung(ReactiveAvoidance(lola(), [ahead()], DT, AvoidanceSettings(law=law)), standing())
    assert e[:, 0].min() < -0.002


def test_obstacle_that_moves_pushes_when_it_comes():
    still = box((0.1, 0.14, 0.1), (0.6, -lola().width / 2))
    moving = box((0.1, 0.14, 0.1), (0.6, -lola().width / 2), velocity=(-0.8, 0.0, 0.0))
    assert np.abs(swung(ReactiveAvoidance(lola(), [still], DT), standing())[:, :3]).max() < 1e-3
    e = swung(ReactiveAvoidance(lola(), [moving], DT), standing())
    first = int(np.flatnonzero(np.abs(e[:, 0]) > 1e-3)[0])
    touching = (0.6 - 0.05 - FootExtent.of(lola()).front) / 0.8 / DT  # cycles until it would touch the toe
    assert 0.5 * touching < first < touching


def test_gradient_of_distances_is_that_of_the_potential():
    avoidance = ReactiveAvoidance(lola(), [ahead()], DT)
    q, model = standing(), lola().lower.model
    found = avoidance.gradients(1, q)[:, 0]
    scene = avoidance._filters[1].scene
    potential = avoidance._potential
    h = 1e-6
    for k in range(model.nv):
        v = np.zeros(model.nv)
        v[k] = h
        plus, minus = (potential.value(scene.distances(model.integrate(q, s * v, 1.0))).sum() for s in (1, -1))
        assert (plus - minus) / (2 * h) == pytest.approx(found[k], abs=GRADIENT)
    assert np.abs(found).max() > 0.01


def test_limits_are_those_of_the_objective_of_inverse_kinematics():
    model = lola().lower.model
    objective = ts.ik.objectives.ScaledJointLimits(band=BAND, weight=0.3)
    own = LimitGradient(model, 0.3)
    rng = np.random.default_rng(0)
    for _ in range(20):
        q = model.random(rng)
        np.testing.assert_allclose(own.at(q), objective.gradient(model, q), atol=1e-12)


def test_task_jacobian_has_the_rows_of_the_soles_where_they_are_told():
    q, model = standing(), lola().lower.model
    J = task_jacobian(lola(), q)
    assert J.shape == (18, model.nv)
    for rows, leg in zip(FEET, lola().legs, strict=True):
        np.testing.assert_array_equal(J[rows], ts.jacobian(model, q, leg.sole))
    np.testing.assert_array_equal(J[:3], ts.com_jacobian(model, q))


def test_displaced_pose_is_moved_and_turned_in_the_world():
    X = ts.frame_pose(lola().model, lola().q, lola().legs[0].sole)
    e = np.array([0.1, -0.2, 0.3, 0.2, -0.1, 0.4])
    found = displaced(X, e)
    np.testing.assert_allclose(found[:3, 3], X[:3, 3] + e[:3])
    np.testing.assert_allclose(found[:3, :3], rotation_matrix_from_rotation_vector(e[3:]) @ X[:3, :3], atol=1e-12)


def test_volume_around_the_robot_encloses_it_all_along_the_walk_over_the_beam():
    plan = planned("beam")
    model, biped = plan.walk.biped.model, plan.walk.biped
    volume = ReactiveAvoidance(biped, plan.obstructions, DT)._near.volume
    a, b = volume.vertices
    X_P = ts.frame_pose(model, plan.walk.q[::25], biped.pelvis)
    for name in model.volumes:
        X = ts.frame_pose(model, plan.walk.q[::25], name)
        for own in model.volumes[name]:
            p = np.einsum("nij,vj->nvi", X[:, :3, :3], own.vertices) + X[:, None, :3, 3]
            local = np.einsum("nji,nvj->nvi", X_P[:, :3, :3], p - X_P[:, None, :3, 3])
            s = np.clip((local - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
            away = np.linalg.norm(local - a - s[..., None] * (b - a), axis=-1)
            assert (away + own.radius).max() <= volume.radius


def test_segments_of_a_leg_are_those_that_it_moves():
    left = leg_segments(lola(), lola().legs[0])
    assert "l_thigh" in left
    assert "pelvis" not in left
    assert not any(name.startswith("r_") for name in left)
    assert set(leg_segments(lola(), lola().legs[0], foot=True)) == {"l_foot", "l_toe"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"activation": np.nan}, "activation of AvoidanceSettings is nan"),
        ({"gain": -1.0}, "gain of AvoidanceSettings"),
        ({"off": 1.0}, "off 1.0"),
        ({"ramp": 0.8}, "ramp is 0.8"),
        ({"law": "whole-task-space"}, "law of AvoidanceSettings is 'whole-task-space'"),
    ],
)
def test_settings_that_are_none_are_refused_by_name(change, message):
    with pytest.raises(ArgumentError, match=message):
        AvoidanceSettings(**change)


@pytest.mark.parametrize("dt", [0.0, np.nan, -0.1])
def test_cycle_that_is_none_is_refused(dt):
    with pytest.raises(ArgumentError, match="dt of ReactiveAvoidance"):
        ReactiveAvoidance(lola(), [], dt)
