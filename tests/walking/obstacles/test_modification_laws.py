"""Laws (5.67), (5.74), (5.78), (5.80) against the problems that they solve."""

import numpy as np
import pytest
from walking.obstacles.scenes import planned

from tarsus.walking.obstacles import modification_laws
from tarsus.walking.obstacles.law_comparison import compare_laws
from tarsus.walking.obstacles.modification_laws import LAWS

FOOT = slice(3, 9)
EXACT = 1e-9
"""Of two ways to solve small systems."""


@pytest.fixture
def problem(monkeypatch):
    monkeypatch.setattr(modification_laws, "DAMPING", 0.0)
    rng = np.random.default_rng(3)
    return rng.normal(size=(9, 14)), rng.normal(size=14), rng.uniform(0.5, 3.0, 14)


def weighted_inverse(J, W):
    return np.diag(1 / W) @ J.T @ np.linalg.inv(J @ np.diag(1 / W) @ J.T)


def test_whole_task_space_minimises_squares_of_w_and_the_change_of_the_potential(problem):
    J, g, W = problem
    P = weighted_inverse(J, W)
    w = LAWS["whole-task-space"](J, g, W, FOOT)
    # Phi = w^T w / 2 + g^T P w, (5.68): its gradient vanishes.
    np.testing.assert_allclose(w + P.T @ g, 0.0, atol=EXACT)


def test_joint_velocities_minimises_squares_of_them_and_falls(problem):
    J, g, W = problem
    w = LAWS["joint-velocities"](J, g, W, FOOT)
    P = weighted_inverse(J, W)
    # Phi = qdot^T W qdot / 2 + g^T qdot with qdot = P w, (5.71).
    np.testing.assert_allclose(P.T @ np.diag(W) @ P @ w + P.T @ g, 0.0, atol=EXACT)
    assert g @ P @ w < 0.0  # the printed sign would raise the potential


def test_selected_foot_is_the_part_of_the_whole_law(problem):
    J, g, W = problem
    w = LAWS["selected-foot"](J, g, W, FOOT)
    np.testing.assert_allclose(w[FOOT], LAWS["whole-task-space"](J, g, W, FOOT)[FOOT], atol=EXACT)
    assert not np.delete(w, np.r_[FOOT]).any()


def test_foot_alone_minimises_for_velocities_of_the_foot(problem):
    J, g, W = problem
    w = LAWS["foot-alone"](J, g, W, FOOT)
    P = weighted_inverse(J[FOOT], W)
    np.testing.assert_allclose(w[FOOT] + P.T @ g, 0.0, atol=EXACT)
    assert not np.delete(w, np.r_[FOOT]).any()


@pytest.mark.parametrize("name", list(LAWS))
def test_several_potentials_at_once_are_each_alone(problem, name):
    J, g, W = problem
    both = np.stack([g, g[::-1]], axis=-1)
    found = LAWS[name](J, both, W, FOOT)
    for k in (0, 1):
        np.testing.assert_allclose(found[:, k], LAWS[name](J, np.ascontiguousarray(both[:, k]), W, FOOT), atol=EXACT)


def test_damping_bounds_what_a_stretched_leg_is_told():
    J = np.eye(6, 8)
    J[2] *= 1e-9  # a direction that no joint moves the foot in
    w = LAWS["foot-alone"](J, np.ones(8), np.ones(8), slice(0, 6))
    assert np.abs(w).max() <= 1.0 + 1e-3


def test_on_the_beam_all_laws_lower_the_potential_and_those_of_the_foot_move_nothing_else():
    found = compare_laws(planned("beam"))
    assert list(found) == list(LAWS)
    assert all(law.fall > 0.0 for law in found.values())
    # For its length no w' lowers H more than (5.67) but for the weights of joints; (5.74) is the least (5.4.2).
    assert found["joint-velocities"].fall < min(law.fall for n, law in found.items() if n != "joint-velocities")
    for name in ("selected-foot", "foot-alone"):
        assert found[name].com == 0.0
        assert found[name].stance == 0.0
    assert found["whole-task-space"].com > 0.0
