"""Mechanisms with loops and gears are the same in Pinocchio, and every way to their accelerations agrees with ours."""

import re
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from benchmarks.contestants import talos
from benchmarks.driven_coil import DrivenPoint, driven_slope, measure_driven_coil
from benchmarks.fourbars import (
    COUNT,
    COUPLER,
    ROCKER,
    FourbarTranslation,
    fourbar_rivals,
    fourbar_states,
    fourbars,
)
from benchmarks.geared import geared_rivals, geared_talos
from benchmarks.loops import FOURBARS, GEARED, measure_loops
from benchmarks.methods import EQUIVALENTS, method_rival
from benchmarks.quantity import random_states
from benchmarks.result import PARITY, Row
from benchmarks.rival import best_ratio, measure_rivals
from benchmarks.timing import Effort

import tarsus as ts

SHORT = Effort(rounds=1, block=0.0, budget=0.0, fewest=1)
CLOSED = 1e-12
"""Gap of a loop [m]: rounding of a chain of 32 bars of about 1 m, with room for a factor of a hundred."""


@pytest.fixture(scope="module", name="chain")
def _chain():
    return fourbars()


@pytest.fixture(scope="module", name="geared")
def _geared():
    return geared_talos()


@pytest.fixture(scope="module", name="talos_model")
def _talos_model():
    return talos().model


def test_fourbars_have_three_joints_and_one_freedom_each(chain):
    assert sum(joint.kind == "revolute" for joint in chain.joints.values()) == 3 * COUNT
    assert chain.nv == COUNT
    assert [chain.joints[f"a{i}"].v_index.stop - chain.joints[f"a{i}"].v_index.start for i in range(COUNT)] == [
        1
    ] * COUNT


def test_loops_are_closed_in_the_tree_of_the_peer(chain):
    translation = FourbarTranslation(chain)
    tree, data = translation.tree, translation.tree.createData()
    for q, v, _ in translation.rows(fourbar_states(chain, 4)):
        pin.forwardKinematics(tree, data, q, v)
        for i in range(COUNT):
            ends = [
                data.oMi[tree.getJointId(name)].act(np.array([length, 0.0, 0.0]))
                for name, length in ((f"b{i}", COUPLER), (f"d{i}", ROCKER))
            ]
            assert np.linalg.norm(ends[0] - ends[1]) < CLOSED


def test_joints_of_the_peer_stand_depth_first(chain):
    tree = FourbarTranslation(chain).tree
    for i in range(1, tree.njoints):
        below = list(tree.subtrees[i])
        assert below == list(range(i, i + len(below)))


def test_fourbars_agree_with_both_algorithms(chain):
    states = fourbar_states(chain, 20, seed=1)
    rivals = fourbar_rivals(chain)
    assert [rival.call for rival in rivals] == ["constraintDynamics", "lcaba"]
    for rival in rivals:
        assert rival.disagreement(chain, states) <= PARITY, rival.call


def test_every_joint_of_talos_has_a_rotor(geared, talos_model):
    assert geared.nb == talos_model.nb + 32
    assert geared.nv == talos_model.nv == 38


def test_geared_talos_agrees_with_mimic_joints_and_rotors_matter(geared, talos_model):
    states = random_states(geared, 5, seed=1)
    (rival,) = geared_rivals(geared)
    assert rival.disagreement(geared, states) <= PARITY
    assert rival.disagreement(talos_model, states) > 1e-3


def test_every_documented_method_has_an_equivalent():
    documented = re.findall(r'^ *- "([a-z-]+)":', ts.forward_dynamics.__doc__, re.MULTILINE)
    assert sorted(EQUIVALENTS) == sorted(documented)


@pytest.mark.parametrize("method", EQUIVALENTS)
def test_methods_agree_with_their_equivalents(talos_model, method):
    rival = method_rival(talos_model, method)
    assert rival.disagreement(talos_model, random_states(talos_model, 5, seed=1), method) <= PARITY


def test_a_rival_that_disagrees_is_noticed_and_not_timed(talos_model):
    states = random_states(talos_model, 3, seed=2)
    right = method_rival(talos_model, "articulated-body")
    wrong = replace(right, code=right.code + " * (1.0 + 1e-7)")
    rows = measure_rivals("talos", talos_model, [wrong, right], states, 1, SHORT)
    assert rows[0].disagreement > PARITY
    assert rows[0].ratio is None
    assert rows[1].disagreement <= PARITY
    assert rows[1].ratio > 0.0


def test_the_fastest_rival_counts_and_none_without_times():
    row = Row("x", "forward_dynamics", 1, "pin", "slow", 0.0)
    assert best_ratio([row.timed(1.0, 1.0, 9.0), row.timed(1.0, 1.0, 5.0), row]) == 5.0
    assert best_ratio([row]) is None


def test_loops_and_gears_are_measured_alone_and_in_a_batch():
    found = [[(row.robot, row.states) for row in rows] for rows in measure_loops(SHORT)]
    chains = [[(FOURBARS, 1)] * 2, [(FOURBARS, 1024)] * 2]
    assert found == [*chains, [(GEARED, 1)], [(GEARED, 1024)]]


def test_driven_chains_are_compared_with_as_many_bodies():
    assert ts.robots.coil(8, drives=True).nb == ts.robots.coil(16).nb
    (point,) = measure_driven_coil(SHORT, (3,))
    assert point.n == 3
    assert point.ratio > 0.0
    assert point.ratio_batch > 0.0


def test_slope_of_driven_chains_is_that_of_the_larger_ones():
    points = [DrivenPoint(n, 1e-6 * n if n >= 32 else 1e-3, 1.0, 1.0, 1.0) for n in (8, 32, 64, 128)]
    assert driven_slope(points) == pytest.approx(1.0)
    assert driven_slope(points[:2]) is None
