"""What is done about feet that come down."""

import numpy as np
import pytest

from tarsus.walking.stabilizer.swing.landing import MOST, SOFT, Landing


def test_legs_that_carry_nothing_are_soft_and_those_that_carry_half_are_not():
    law = Landing("gains", 500.0, 0.8)
    assert law.stiffness(0.0) == SOFT and law.stiffness(0.5) == 1.0
    assert Landing("force", 500.0, 0.8).stiffness(0.0) == Landing("none", 500.0, 0.8).stiffness(0.0) == 1.0


def test_a_foot_that_carries_too_much_gives_way_within_limits_and_comes_back_while_it_carries():
    law = Landing("force", 500.0, 0.8)
    for _ in range(2000):
        law.advance(1e-3, [True, False], np.array([500.0, 500.0]), np.zeros(2))
    assert law.way == pytest.approx([MOST * 0.8, 0.0])
    for _ in range(2000):
        law.advance(1e-3, [True, False], np.array([500.0, 0.0]), np.array([1.0, 0.0]))
    assert 0.0 < law.way[0] < 1e-3 * MOST * 0.8 * np.e**3


def test_a_foot_that_leaves_the_ground_begins_anew():
    law = Landing("force", 500.0, 0.8)
    law.advance(1e-2, [True, True], np.array([500.0, 500.0]), np.zeros(2))
    law.advance(1e-2, [False, True], np.array([0.0, 500.0]), np.zeros(2))
    assert law.way[0] == 0.0 < law.way[1]
