"""Walks past obstacles before they are walked."""

import numpy as np
import pytest
from walking.obstacles.scenes import GAIT, SPEED, STEPS, box, lola, planned, random_box

import tarsus as ts
from tarsus.errors import ArgumentError, PlanningError
from tarsus.geometry.shapes import Box, Shape
from tarsus.spatial import pose
from tarsus.walking.obstacles.experiments import PUBLISHED, beam
from tarsus.walking.obstacles.foot_extent import FootExtent
from tarsus.walking.obstacles.obstacle_plan import first_lift, plan_past_obstacles
from tarsus.walking.obstacles.obstruction import Obstruction

TRACKED = 2e-3
"""Of feet that stand, which the plan refuses to miss by more [m]."""
PRESSURE = 0.1
"""Of the planned motion beside the wanted pressure, 0.06 to 0.07 where feet are hurried over the beam [m]."""
PASSED = 29
"""Of fifty random boxes, as docs/obstacles.md tells; Lola walked past all of them in simulation, too."""


@pytest.mark.parametrize("name", ["beam", "triangle"])
def test_experiment_is_passed_without_contact_by_the_manoeuvre_of_the_paper(name):
    plan = planned(name)
    situation = plan.situations[0]
    ways = {"beam": ("around", "over"), "triangle": ("around", "around")}[name]
    assert (situation.kind, situation.left.way, situation.right.way) == ("over", *ways)
    assert plan.distance.min() > 0.01
    assert plan.nearest.distance == pytest.approx(plan.distance.min())
    for foot, published in enumerate(PUBLISHED[name]):
        if published:  # of the same kind and size: margins and places of the paper are not known
            assert 0.25 * published < plan.shifts[foot] < 2.5 * published


@pytest.mark.parametrize("name", ["beam", "triangle"])
def test_feet_are_back_on_their_references_when_they_land(name):
    plan = planned(name)
    assert plan.missed == 0.0
    walk = plan.walk
    for foot, leg in enumerate(walk.biped.legs):
        stands = walk.feet.standing[:, foot]
        X = ts.frame_pose(walk.biped.model, walk.q[stands], leg.sole)
        flat = walk.feet.pitch[stands, foot] == 0.0
        np.testing.assert_allclose(X[flat, :3, 3], walk.feet.place[stands, foot, :3][flat], atol=TRACKED)


@pytest.mark.parametrize("name", ["beam", "triangle"])
def test_footsteps_keep_the_margin_from_the_box(name):
    plan = planned(name)
    low, high = plan.obstructions[0].box()
    margin = ts.walking.PassingLimits.of(lola()).margin
    extent = FootExtent.of(lola())
    for foot in plan.walk.footsteps:
        x = foot.position[0]
        assert x + extent.front <= low[0] - margin + 1e-9 or x - extent.back >= high[0] + margin - 1e-9


def test_deviations_of_the_reactive_layer_are_smooth():
    plan = planned("beam")
    e, dt = plan.deviation[..., :3], plan.walk.dt
    rate = np.diff(e, axis=0) / dt
    change = np.diff(rate, axis=0) / dt
    assert np.abs(e).max() > 0.005  # it does something
    assert np.abs(rate).max() < 1.0
    assert np.abs(change).max() < 40.0  # jumps of the rate would be 0.1 m/s in 2 ms: 50


def test_plan_follows_the_wanted_pressure():
    for name in ("beam", "triangle"):
        assert np.abs(planned(name).walk.pressure_error).max() < PRESSURE


def test_knots_are_those_of_the_paper():
    walk = planned("beam").walk
    assert walk.dt == pytest.approx(0.002)
    assert walk.phases[2].end - walk.phases[1].start == pytest.approx(1.0)


def test_without_obstacles_the_walk_is_an_ordinary_one():
    plan = plan_past_obstacles(lola(), [], SPEED, 2, GAIT)
    assert plan.situations == ()
    assert np.isinf(plan.nearest.distance)
    np.testing.assert_array_equal(plan.deviation, 0.0)
    np.testing.assert_allclose(plan.moved, plan.plain[..., :3], atol=1e-12)


@pytest.mark.parametrize("seed", [1, 4])
def test_random_box_is_passed_or_refused_with_the_reason(seed):
    passed_or_refused(seed)


def passed_or_refused(seed):
    """Whether a plan past a random box was found; what it claims is checked with distances of all volumes."""
    one = random_box(seed)
    try:
        plan = plan_past_obstacles(lola(), [one], SPEED, 6, GAIT)
    except PlanningError as error:
        assert any(
            word in str(error) for word in ("too large", "cannot take these steps", "touched", "no swing", "no row")
        )
        return False
    scene = ts.collision.CollisionModel(lola().model, obstacles=[one.obstacle], include=["box"])
    assert scene.distances(plan.walk.q[::4]).min() > 0.0
    return True


@pytest.mark.long
def test_fifty_random_boxes_are_passed_or_refused_with_the_reason():
    assert sum(passed_or_refused(seed) for seed in range(50)) == PASSED


def test_obstacle_that_the_walk_does_not_come_to_is_told():
    plan = plan_past_obstacles(lola(), [beam(3.0)], SPEED, 1, GAIT)
    assert plan.situations == ()
    assert "beam: the walk does not come to it" in str(plan)


def test_obstacle_that_moves_is_met_where_it_will_be():
    # It comes from the side and is in the way when the robot is there.
    one = box((0.08, 0.35, 0.10), (0.9, -0.35), velocity=(0.0, 0.05, 0.0))
    plan = plan_past_obstacles(lola(), [one], SPEED, STEPS, GAIT)
    assert plan.situations[0].kind == "over"
    assert plan.distance.min() > 0.0
    # Where it starts, it is in the lane of one foot alone.
    assert one.box()[1][1] < 0.0 < plan.situations[0].high[1]


def test_obstacle_that_comes_into_the_way_is_foreseen():
    """At first it is beyond the walk; 8 s later it is where the last steps go."""
    comes = box((0.05, 0.35, 0.08), (1.75, 0.0), velocity=(-0.06, 0.0, 0.0))
    still = box((0.05, 0.35, 0.08), (1.75, 0.0))
    plan = plan_past_obstacles(lola(), [still], SPEED, 4, GAIT)
    assert "the walk does not come to it" in str(plan)
    with pytest.raises(PlanningError, match="'box' is too large|no row|touched"):
        plan_past_obstacles(lola(), [comes], SPEED, 4, GAIT)


def test_obstacle_that_has_left_the_way_when_feet_come_is_clear():
    """A wall that could not be passed where it is at first; it is metres aside when the robot is there."""
    with pytest.raises(PlanningError, match="'box' is too large"):
        plan_past_obstacles(lola(), [box((0.1, 0.4, 0.6), (1.0, 0.0))], SPEED, 4, GAIT)
    plan = plan_past_obstacles(lola(), [box((0.1, 0.4, 0.6), (1.0, 0.0), velocity=(0.0, 0.6, 0.0))], SPEED, 4, GAIT)
    assert all(one.kind == "clear" for one in plan.situations)
    assert plan.distance.min() > 0.1


def test_obstacle_that_is_too_large_because_it_moves_is_told_so():
    size, at = (0.04, 0.3, 0.04), (0.8, 0.0)
    plan_past_obstacles(lola(), [box(size, at)], SPEED, 4, GAIT)
    with pytest.raises(PlanningError, match=r"'box' is too large: .*; its box has the way of .* m that it moves"):
        plan_past_obstacles(lola(), [box(size, (2.0, 0.0), velocity=(-0.3, 0.0, 0.0))], SPEED, 4, GAIT)


def test_first_foot_is_lifted_when_moving_obstacles_are_foreseen_to_meet_it():
    walk = plan_past_obstacles(lola(), [], SPEED, 1, GAIT).walk
    assert first_lift(lola(), GAIT) == pytest.approx(walk.phases[0].end, abs=1e-9)


def test_what_hangs_above_the_robot_is_clear():
    high = Obstruction(Shape(Box((0.05, 0.6, 0.1)), pose((0.8, 0.0, 2.5)), (0.5, 0.5, 0.5, 1.0), "lamp"))
    plan = plan_past_obstacles(lola(), [high], SPEED, 2, GAIT)
    assert plan.situations[0].kind == "clear"
    assert 0.3 < plan.nearest.distance < 1.0


def test_short_steps_are_found_on_a_finer_grid():
    plan = plan_past_obstacles(lola(), [], 0.002, 2, GAIT)
    assert plan.walk.footsteps[-1].position[0] == pytest.approx(0.003, abs=0.001)


def test_obstacle_on_the_start_is_refused():
    with pytest.raises(PlanningError, match=r"'box' is where the robot starts: .* inside of it"):
        plan_past_obstacles(lola(), [box((0.1, 0.5, 0.2), (0.0, 0.0))], SPEED, 4, GAIT)
    with pytest.raises(PlanningError, match="'box' stands between the feet"):
        plan_past_obstacles(lola(), [box((0.05, 0.02, 0.05), (0.0, 0.0))], SPEED, 4, GAIT)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"speed": np.nan}, "speed is nan"),
        ({"speed": -0.1}, "speed is -0.1"),
        ({"speed": "fast"}, "speed is 'fast'"),
        ({"obstructions": None}, "obstructions is None"),
        ({"obstructions": beam()}, "expected a sequence of Obstruction"),
        ({"steps": 0}, "steps is 0"),
        ({"steps": 2.5}, "steps is 2.5"),
        ({"steps": 5000}, "5000 steps are asked for"),
        ({"dt": 0.0}, "dt is 0.0"),
        ({"dt": np.nan}, "dt is nan"),
        ({"settings": ts.walking.AvoidanceSettings(attraction=1e4)}, "attraction of AvoidanceSettings is 10000"),
        ({"obstructions": ["beam"]}, "obstructions holds 'beam'"),
        ({"obstructions": [beam(), beam(2.0)]}, "expected different names"),
    ],
)
def test_wrong_arguments_are_refused_by_name(change, message):
    given = {"obstructions": [beam()], "speed": SPEED, "steps": 4} | change
    options = {name: given[name] for name in ("dt", "settings") if name in given}
    with pytest.raises(ArgumentError, match=message):
        plan_past_obstacles(lola(), given["obstructions"], given["speed"], given["steps"], GAIT, **options)


def test_steps_that_are_too_long_among_obstacles_are_refused():
    with pytest.raises(PlanningError, match="ordinary steps of 0.50 m are too long"):
        plan_past_obstacles(lola(), [beam()], 0.5, 4, GAIT)
