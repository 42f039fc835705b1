"""Supports under load keep the ways between them; those that do not are told."""

import numpy as np
import pytest

from tarsus.control.estimation.agreement import LASTING, LIMIT, Agreement
from tarsus.control.estimation.load_switch import LoadSwitch

PLACE = 1e-3
"""Standard deviation of the place of a support [m]."""
LOADED = 100.0


def watching(count):
    found = Agreement(LoadSwitch(count, 10.0, 5.0, 0.0), PLACE)
    seen = np.arange(3.0 * count).reshape(count, 3)
    found.update(1e-3, np.full(count, LOADED), seen, np.zeros(3))
    return found, seen


def moved(watch, seen, support, way, speed, loads=None, unit=(0.0, 0.0, 0.0)):
    """A support goes along x while the unit moves with a velocity; steps until something is told."""
    seen, told = seen.copy(), None
    loads = np.full(len(seen), LOADED) if loads is None else loads
    for k in range(round(way / speed / 1e-3)):
        seen[support, 0] += speed * 1e-3
        watch.update(1e-3, loads, seen, (k + 1) * 1e-3 * np.asarray(unit))
        if told is None and (watch.sliding or watch.doubtful):
            told = k
    return seen, told


def test_a_change_is_told_when_it_has_lasted_beyond_the_limit():
    watch, seen = watching(2)
    _, told = moved(watch, seen, 1, 0.02, 0.1)
    assert watch.sliding == {1} and not watch.doubtful
    assert told == pytest.approx(1e3 * (LIMIT * PLACE / 0.1 + LASTING), abs=2)


def test_the_unit_tells_which_one_of_two_has_moved():
    """Relative to the unit one support rests; the unit moves, so that it is the one that slides."""
    watch, seen = watching(2)
    moved(watch, seen, 1, 0.02, 0.1, unit=(-0.1, 0.0, 0.0))
    assert watch.sliding == {0}


def test_two_that_have_gone_as_far_are_both_doubtful():
    watch, seen = watching(2)
    moved(watch, seen, 1, 0.006, 0.1, unit=(-0.05, 0.0, 0.0))
    assert watch.doubtful == {0, 1} and not watch.sliding


def test_others_tell_which_one_moves_whatever_the_unit_says():
    watch, seen = watching(3)
    moved(watch, seen, 2, 0.02, 0.1, unit=(-0.1, 0.0, 0.0))
    assert watch.sliding == {2}


def test_supports_without_load_may_go_where_they_like():
    watch, seen = watching(2)
    moved(watch, seen, 1, 0.1, 0.5, loads=np.array([LOADED, 0.0]))
    assert not watch.sliding and not watch.doubtful


def test_a_slip_of_a_moment_within_the_limit_is_not_told():
    watch, seen = watching(2)
    there, told = moved(watch, seen, 1, 0.9 * LIMIT * PLACE, 0.5)
    for _ in range(200):
        watch.update(1e-3, np.full(2, LOADED), there, np.zeros(3))
    assert told is None and not watch.sliding and not watch.doubtful
