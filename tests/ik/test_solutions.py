"""The four cases of Buschmann 2014, figure 5.1, told apart."""

import numpy as np
import pytest
from planar_arm import arm, flat_position
from six_axis_arms import PUMA_560, dh_arm, in_degrees

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.tasks import FramePose, Position


def test_targets_inside_the_reach_have_two_solutions_elbow_up_and_down():
    found = ts.ik.solutions(arm(), flat_position([0.6, 0.3]))
    assert found.count == "several"
    bend = np.arccos((0.6**2 + 0.3**2 - 0.5) / 0.5)
    middle = np.arctan2(0.3, 0.6)
    assert np.allclose(found.q, [[middle - bend / 2, bend], [middle + bend / 2, -bend]], atol=1e-7)


def test_targets_on_the_edge_of_the_reach_have_one_solution():
    found = ts.ik.solutions(arm(), flat_position([0.6, 0.8]))
    assert found.count == "one"
    assert np.allclose(found.q, [[np.arctan2(0.8, 0.6), 0.0]], atol=1e-3)


def test_targets_out_of_reach_have_none():
    found = ts.ik.solutions(arm(), flat_position([0.7, 0.8]))
    assert found.count == "none"
    assert found.q.shape == (0, 2)


def test_the_shoulder_of_an_arm_that_folds_has_infinitely_many():
    assert ts.ik.solutions(arm(), flat_position([0.0, 0.0])).count == "infinite"


def test_redundant_arms_have_infinitely_many():
    model = ts.robots.crops9()
    X = ts.frame_pose(model, model.random(np.random.default_rng(0)), "tool")
    assert ts.ik.solutions(model, FramePose("tool", X)).count == "infinite"


def test_a_second_turn_is_no_second_solution():
    found = ts.ik.solutions(arm(limits=(-2 * np.pi, 2 * np.pi)), flat_position([0.6, 0.3]))
    assert found.count == "several"
    assert len(found.q) == 2


def test_batches_are_refused():
    with pytest.raises(ArgumentError, match="one target"):
        ts.ik.solutions(arm(), Position("tool", np.zeros((4, 3))))


def test_arms_of_six_hinges_have_complete_lists():
    model = dh_arm(in_degrees(PUMA_560), limits=(-2.5, 2.5))
    q = np.array([0.3, 0.4, -1.2, 0.7, 0.9, 0.2])
    X = ts.frame_pose(model, q, "tool")
    found = ts.ik.solutions(model, FramePose("tool", X))
    exact = ts.ik.branches(model, "tool", X)
    assert found.complete
    assert found.count == "several"
    assert len(found.q) == exact.count
    assert np.array_equal(found.q, np.array(sorted(exact.q.tolist())))
    searched = ts.ik.solutions(model, [FramePose("tool", X), FramePose("tool", X)])  # two tasks: from many starts
    assert not searched.complete
    assert all(np.abs(found.q - one).max(axis=-1).min() < 1e-6 for one in searched.q)
    far = ts.ik.solutions(model, FramePose("tool", ts.pose([9.0, 0, 0])))
    assert (far.count, far.complete) == ("none", True)


def test_axes_in_line_have_infinitely_many():
    model = dh_arm(in_degrees(PUMA_560))
    X = ts.frame_pose(model, [0.3, 0.4, -1.2, 0.7, 0.0, 0.2], "tool")
    found = ts.ik.solutions(model, FramePose("tool", X))
    assert (found.count, found.complete) == ("infinite", False)
