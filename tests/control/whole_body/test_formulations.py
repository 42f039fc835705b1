"""Formulations of whole-body control: the same motion by all of them (Bouyarmane and Kheddar 2012, V)."""

import numpy as np
import pytest
from tests.control.whole_body.stances import PLACES, contacts_at, random_state, standing_tasks

import tarsus as ts
from tarsus.control import Contact, WholeBody

SAME = 1e-8
"""Largest difference of accelerations, relative to the largest of them."""
MOVES = ("solved", "limits-missed")
"""Random postures may be beyond limits of joints, or too near to them."""
ZERO = 1e-12
"""Of multipliers, relative to the weight of the robot."""
WAYS = [
    ("three-parameters", "roll-pitch-yaw"),
    ("eliminated", "quaternion"),
    ("multiplier", "quaternion"),
    ("eliminated", "rotation-matrix"),
    ("multiplier", "rotation-matrix"),
]


def compare(model, count, seed, forces):
    rng = np.random.default_rng(seed)
    worst = {way: 0.0 for way in WAYS}
    solved = 0
    for _ in range(count):
        q, v = random_state(model, rng)
        names = [name for name in PLACES if rng.random() < 0.6] or ["l_sole"]
        parts = standing_tasks(model, q), contacts_at(model, q, names, forces=forces)
        reference = WholeBody(model, *parts).solve(q, v)
        moves = reference.status in MOVES
        solved += moves
        for way in WAYS:
            other = WholeBody(model, *parts, method=way[0], rotation=way[1]).solve(q, v)
            assert other.status == reference.status, (way, other.reason, reference.reason)
            if moves:
                difference = np.abs(other.vdot - reference.vdot).max() / max(1.0, np.abs(reference.vdot).max())
                worst[way] = max(worst[way], difference)
                if way[0] == "multiplier":
                    assert np.abs(other.multiplier).max() < ZERO * 9.81 * model.total_mass
    return worst, solved


@pytest.mark.parametrize("forces", ["wrench", "points"])
def test_all_formulations_give_the_same_motion(forces):
    worst, solved = compare(ts.robots.hrp2(), 12, 1, forces)
    assert solved > 6
    assert max(worst.values()) < SAME, worst


@pytest.mark.long
def test_all_formulations_give_the_same_motion_at_many_stances():
    worst, solved = compare(ts.robots.hrp2(), 300, 2, "wrench")
    assert solved > 270
    assert max(worst.values()) < SAME, worst


def test_three_parameters_end_at_pitch_90_degrees_and_the_others_pass():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    q[3:7] = ts.spatial.quaternion_from_rotation_vector([0.0, np.pi / 2, 0.0])
    parts = standing_tasks(model, q), contacts_at(model, q, ["l_hand", "r_hand"])
    v = np.zeros(model.nv)
    broken = WholeBody(model, *parts, method="three-parameters").solve(q, v)
    assert broken.status == "singular"
    assert "roll-pitch-yaw" in broken.reason
    assert np.isfinite(broken.tau).all() and (np.abs(broken.tau) <= model.tau_max).all()
    expected = WholeBody(model, *parts).solve(q, v)
    assert expected.success
    for method in ("eliminated", "multiplier"):
        found = WholeBody(model, *parts, method=method).solve(q, v)
        np.testing.assert_allclose(found.vdot, expected.vdot, atol=SAME * np.abs(expected.vdot).max())


def test_dependent_rows_of_two_patches_on_one_body_are_handled_by_all():
    model = ts.robots.hrp2()
    q, v = random_state(model, np.random.default_rng(7))
    half = [[x, y, 0.0] for x in (-0.1, 0.0) for y in (-0.06, 0.06)]
    pose = ts.frame_pose(model, q, "l_sole")
    twice = [Contact("l_sole", half, pose=pose), Contact("l_sole", np.add(half, [0.1, 0, 0]), pose=pose)]
    expected = WholeBody(model, standing_tasks(model, q), twice).solve(q, v)
    assert expected.status in MOVES
    for method, rotation in WAYS:
        found = WholeBody(model, standing_tasks(model, q), twice, method=method, rotation=rotation).solve(q, v)
        assert found.status in MOVES
        np.testing.assert_allclose(found.vdot, expected.vdot, atol=SAME * np.abs(expected.vdot).max())


def test_contacts_that_contradict_each_other_are_named():
    model = ts.robots.hrp2()
    q, v = random_state(model, np.random.default_rng(8))
    away = ts.frame_pose(model, q, "l_sole")
    away[2, 3] += 0.1
    corners = PLACES["l_sole"]
    pair = [Contact("l_sole", corners, pose=ts.frame_pose(model, q, "l_sole")), Contact("l_sole", corners, pose=away)]
    for method in ("reduced", "eliminated"):
        found = WholeBody(model, standing_tasks(model, q), pair, method=method).solve(q, v)
        assert found.status in ("contradictory", "infeasible")
        assert np.isfinite(found.tau).all() and (np.abs(found.tau) <= model.tau_max).all()
    assert "l_sole" in WholeBody(model, standing_tasks(model, q), pair).solve(q, v).reason
