"""Searches over contacts: they arrive with stances that hold, say why they do not, and repeat themselves."""

from dataclasses import replace

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.control import Contact, Limb, Surface, com_region, first_stance, search_stances, static_equilibrium
from tarsus.control.stances.com_region import region_width
from tarsus.control.stances.reach import reach
from tarsus.control.stances.surface import places
from tarsus.control.whole_body.terms import slip
from tarsus.errors import TarsusError
from tarsus.scenarios.stances import stair
from tarsus.spatial import pose

FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")


def check(model, plan):
    """One change at a time; contacts that two stances share hold the posture between them."""
    assert plan.success, plan.reason
    for before, after in zip(plan.stances, plan.stances[1:], strict=False):
        old, new = ({id(c): c for c in stance.contacts} for stance in (before, after))
        assert len(old.keys() ^ new.keys()) == 1
        for contact in (old | new).values():
            assert np.abs(slip(contact, ts.frame_pose(model, after.q, contact.frame))).max() < 1e-6
        shared = [old[key] for key in old.keys() & new.keys()]
        assert static_equilibrium(model, after.q, shared).feasible


def crossing(gap, height=0.0, **options):
    """solo12 walks over a gap to ground that is higher or lower."""
    model = ts.load(robot_data_path("solo_description/robots/solo12.urdf"), base="free")
    q = ts.ik.standing(model)
    X = {frame: ts.frame_pose(model, q, frame)[:3, 3] for frame in FEET}
    start = first_stance(model, q, [Contact(frame, pose=pose(X[frame])) for frame in FEET])
    edge, z = X["FL_FOOT"][0] + 0.05, X["FL_FOOT"][2]
    surfaces = [
        Surface("near", pose((edge - 0.4, 0.0, z)), (0.8, 0.4)),
        Surface("far", pose((edge + gap + 0.4, 0.0, z + height)), (0.8, 0.4)),
    ]
    way = edge + gap + 0.05 - X["HL_FOOT"][0]
    goal = [Contact(frame, pose=pose(X[frame] + [way, 0.0, height])) for frame in FEET]
    return model, search_stances(model, start, goal, surfaces, [Limb(f) for f in FEET], stride=0.25, **options), goal


@pytest.mark.parametrize("height", [0.0, 0.08])
def test_a_quadruped_crosses_a_gap(height):
    gap = 0.1
    model, plan, goal = crossing(gap, height, greed=3.0)
    check(model, plan)
    for aim in goal:
        assert np.abs(slip(aim, ts.frame_pose(model, plan.stances[-1].q, aim.frame))).max() < 1e-6
    edge = np.asarray(plan.stances[0].contacts[0].pose)[0, 3] + 0.05
    for stance in plan.stances:  # never on two points, never in the gap
        assert len(stance.contacts) >= 3
        x = [np.asarray(contact.pose)[0, 3] for contact in stance.contacts]
        assert not any(edge + 1e-9 < each < edge + gap - 1e-9 for each in x)


def test_a_gap_that_is_too_wide_is_not_crossed_and_the_search_says_so():
    _, plan, _ = crossing(0.6, max_nodes=12)
    assert not plan.success and plan.status == "node-limit" and "12" in plan.reason and plan.nodes == 12
    assert len(plan.stances) >= 1 and plan.rejected["room"] > 0
    _, late, _ = crossing(0.6, max_time=1e-9)
    assert late.status == "time-limit"


def test_hrp2_steps_onto_a_stair_with_a_hand_on_a_rail_and_does_so_again():
    model = ts.robots.hrp2()
    points = stair.standing(model).contacts[0].points
    limbs = [Limb("l_sole", points), Limb("r_sole", points), Limb("r_palm")]
    soles = ("l_sole", "r_sole")
    surfaces = [
        Surface("floor", pose((0.0, 0.0, 0.0)), (0.3, 0.6), limbs=soles),
        Surface("stair", pose((stair.EDGE + 0.3, 0.0, stair.HEIGHT)), (0.6, 0.8), limbs=soles),
        Surface("rail", stair.on_rail(0.3).pose, (0.8, 0.01), limbs=("r_palm",)),
    ]
    goal = [stair.on_stair(model, "l"), stair.on_stair(model, "r"), stair.on_rail(0.48)]
    scene, wish = stair.around(model), stair.holding(model, 0.0, 0.0)
    plans = [
        search_stances(
            model, stair.standing(model), goal, surfaces, limbs,
            reference=wish, collision=scene, margin=0.005, load=0.6, stride=0.5,
        )
        for _ in range(2)
    ]  # fmt: skip
    check(model, plans[0])
    for stance in plans[0].stances:
        assert scene.distances(stance.q).min() > 0.005 - 1e-6
    assert [s.name for s in plans[0].stances] == [s.name for s in plans[1].stances]
    assert all((a.q == b.q).all() for a, b in zip(plans[0].stances, plans[1].stances, strict=True))


def test_a_goal_may_be_a_posture():
    model = ts.robots.hrp2()
    start = stair.standing(model)
    points = start.contacts[0].points
    goal = np.array(model.reference)
    goal[0] += 0.15
    floor = Surface("floor", pose((0.0, 0.0, 0.0)), (2.0, 2.0))
    limbs = [Limb("l_sole", points), Limb("r_sole", points)]
    plan = search_stances(model, start, goal, [floor], limbs)
    assert plan.success, plan.reason
    last = plan.stances[-1]
    np.testing.assert_allclose(model.difference(last.q, goal), 0.0, atol=1e-12)
    for contact in last.contacts:
        assert np.abs(slip(contact, ts.frame_pose(model, goal, contact.frame))).max() < 1e-6
    narrow = Surface("floor", pose((0.0, 1.0, 0.0)), (2.0, 2.0))  # below the left foot alone
    with pytest.raises(TarsusError, match="cannot rest"):
        search_stances(model, start, goal, [narrow], limbs)
    goal[2] += 0.1  # in the air
    with pytest.raises(TarsusError, match="no limb lies on a surface"):
        search_stances(model, start, goal, [floor], limbs)


def test_places_keep_a_limb_inside_of_its_surface():
    limb = Limb("l_sole", [[x, y, 0.0] for x in (-0.1, 0.12) for y in (-0.05, 0.05)], yaws=(0.0, 0.5))
    surface = Surface("table", pose((1.0, 2.0, 0.7)), (0.5, 0.4))
    found = list(places(limb, surface, 0.1))
    assert len(found) > 10
    for contact in found:
        X = np.asarray(contact.pose)
        corners = np.asarray(contact.points) @ X[:3, :3].T + X[:3, 3] - [1.0, 2.0, 0.7]
        assert (np.abs(corners) <= np.array([0.25, 0.2, 0.0]) + 1e-12).all()
    assert not list(places(limb, Surface("small", np.eye(4), (0.1, 0.1)), 0.1))
    assert not list(places(limb, replace(surface, limbs=("r_sole",)), 0.1))


@pytest.mark.parametrize("pair", [("l_sole", "r_sole"), ("l_sole", "r_palm"), ("r_knee", "r_sole"), ("head", "r_palm")])
def test_no_posture_is_beyond_reach(pair):
    model = ts.robots.hrp2()
    q = model.random(np.random.default_rng(0), 2000)
    q[:, 7:] = np.random.default_rng(1).uniform(-np.pi, np.pi, q[:, 7:].shape)
    far = np.linalg.norm(np.subtract(*(ts.frame_pose(model, q, name)[:, :3, 3] for name in pair)), axis=1).max()
    assert 0.75 * reach(model, *pair) < far <= reach(model, *pair) + 1e-12


def test_width_of_a_region_is_that_of_its_narrowest_side():
    corners = np.array([[0.0, 0.0], [0.4, 0.0], [0.4, 0.1], [0.0, 0.1]])
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    assert np.isclose(region_width(corners @ turn.T), 0.1)
    assert region_width(corners[:2]) == 0.0 and region_width(np.zeros((0, 2))) == 0.0
    model = ts.robots.hrp2()
    assert np.isclose(region_width(com_region(model, stair.standing(model).contacts[:1])), 0.08, atol=1e-3)


def test_bad_input_is_named():
    model = ts.robots.hrp2()
    start = stair.standing(model)
    floor = Surface("floor", np.eye(4), (2.0, 2.0))
    for options, word in (({"spacing": 0.0}, "spacing"), ({"room": -1.0}, "room")):
        with pytest.raises(TarsusError, match=word):
            search_stances(model, start, start.contacts, [floor], [Limb("l_sole"), Limb("r_sole")], **options)
    with pytest.raises(TarsusError, match="'r_sole'"):
        search_stances(model, start, start.contacts, [floor], [Limb("l_sole")])
    with pytest.raises(TarsusError, match="size"):
        Surface("floor", np.eye(4), (0.0, 1.0))
    with pytest.raises(TarsusError, match="'l_sloe'"):
        reach(model, "l_sloe", "r_sole")
