"""Stances of HRP-2's demonstrations: contacts, balance, limits and distances hold, at the stances and between them."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.control import static_equilibrium, transfers
from tarsus.control.whole_body.terms import slip
from tarsus.scenarios.stances import handstand, kneeling, stair
from tarsus.scenarios.stances.hrp2_contacts import floor, scene

TOLERANCE = 1e-6
DEEP = 1e-4
"""How far a corner of a foot, hand or knee may be inside of the ground along a way [m]."""
CORNERS = {
    "sole": [[x, y, 0.0] for x in (-0.115, 0.115) for y in (-0.065, 0.065)],
    "palm": [[x, y, 0.0] for x in (-0.022, 0.022) for y in (-0.015, 0.015)],
    "knee": [[0.0, 0.0, 0.0], [-0.18, 0.0, 0.0]],
}
"""Of soles, fingers and shins, in their frames [m]."""
MOST = {"handstand": 0.56, "kneeling": 0.36, "stair": 0.54}
"""Largest parts of torque limits along the ways."""


@pytest.fixture(scope="module")
def model():
    return ts.robots.hrp2()


@pytest.fixture(scope="module")
def sequences(model):
    made = {"handstand": handstand.handstand, "kneeling": kneeling.kneeling, "stair": stair.stair}
    return {name: make(model) for name, make in made.items()}


def around(model, name):
    return stair.around(model) if name == "stair" else scene(model, [floor()])


def ground(name, x):
    return np.where((x > stair.EDGE) & (x < stair.EDGE + 0.6), stair.HEIGHT, 0.0) if name == "stair" else 0.0 * x


def deepest(model, name, q):
    """The lowest corner above the ground below it [m]."""
    low = np.inf
    for side in "lr":
        for part, corners in CORNERS.items():
            X = ts.frame_pose(model, q, f"{side}_{part}")
            points = np.array(corners) @ X[:3, :3].T + X[:3, 3]
            low = min(low, float((points[:, 2] - ground(name, points[:, 0])).min()))
    return low


@pytest.mark.parametrize("name", MOST)
def test_every_stance_holds_with_and_without_the_contact_that_changes(model, sequences, name):
    found, apart = sequences[name], around(model, name)
    assert found.success, found.reason
    joints = slice(7, None)
    for before, after in zip(found.stances, found.stances[1:], strict=False):
        q = after.q
        both = {id(c): c for c in (*before.contacts, *after.contacts)}
        for contact in both.values():
            assert np.abs(slip(contact, ts.frame_pose(model, q, contact.frame))).max() < TOLERANCE, after.name
        assert static_equilibrium(model, q, before.contacts).load < 0.6 + TOLERANCE
        assert static_equilibrium(model, q, after.contacts).load < 0.6 + TOLERANCE
        assert (q[joints] >= model.q_min[joints]).all() and (q[joints] <= model.q_max[joints]).all()
        assert apart.distances(q).min() > 0.005 - TOLERANCE
        assert deepest(model, name, q) > -TOLERANCE, after.name


def test_the_handstand_goes_from_feet_to_two_hands_to_one_and_back(model, sequences):
    stances = {stance.name: stance for stance in sequences["handstand"].stances}
    frames = {name: {contact.frame for contact in stance.contacts} for name, stance in stances.items()}
    soles, palms = {"l_sole", "r_sole"}, {"l_palm", "r_palm"}
    assert frames["standing"] == frames["standing again"] == soles
    assert frames["two hands"] == frames["two hands again"] == palms and frames["one hand"] == {"r_palm"}
    assert stances["two hands"].equilibrium.load < 0.02 + TOLERANCE
    assert stances["one hand"].equilibrium.load < 0.1 + TOLERANCE
    for name in ("two hands", "one hand"):  # upside down
        q = stances[name].q
        assert ts.frame_pose(model, q, "BODY")[2, 2] < -0.8
        assert ts.frame_pose(model, q, "l_sole")[2, 3] > 1.5
    assert ts.frame_pose(model, stances["one hand"].q, "l_palm")[2, 3] > 0.1


def test_it_rises_from_knees_and_hands_to_its_feet(sequences):
    stances = sequences["kneeling"].stances
    frames = [{contact.frame for contact in stance.contacts} for stance in (stances[0], stances[-1])]
    assert frames == [{f"{s}_{part}" for s in "lr" for part in ("knee", "palm")}, {"l_sole", "r_sole"}]
    sizes = [contact.freedoms for stance in stances for contact in stance.contacts if contact.frame == "l_sole"]
    assert sizes == sorted(sizes, reverse=True) and set(sizes) == {1, 0}  # toes first, then the sole


def test_it_stands_15_cm_higher_in_the_end(model, sequences):
    first, last = sequences["stair"].stances[0].q, sequences["stair"].stances[-1].q
    assert np.isclose(ts.center_of_mass(model, last)[2] - ts.center_of_mass(model, first)[2], 0.15, atol=1e-3)
    assert any(stance.contact("r_palm") for stance in sequences["stair"].stances)


def check_ways(model, name, stances, points):
    for way in transfers(model, stances, points=points, collision=around(model, name)):
        assert way.success, way.reason
        assert way.load < MOST[name] and way.distance > -TOLERANCE, (way.name, way.load, way.distance)
        assert all(deepest(model, name, q) > -DEEP for q in way.q), way.name


def test_feet_unload_and_the_robot_turns_over_without_losing_balance(model, sequences):
    stances = sequences["handstand"].stances
    names = [stance.name for stance in stances]
    check_ways(model, "handstand", stances[names.index("lean") : names.index("two hands") + 1], points=8)


@pytest.mark.long
@pytest.mark.parametrize("name", MOST)
def test_ways_between_stances_hold(model, sequences, name):
    check_ways(model, name, sequences[name].stances, points=40)
