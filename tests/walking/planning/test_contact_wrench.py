"""Contact wrenches: what a centre of pressure inside the soles does not tell."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.control import Contact
from tarsus.errors import ArgumentError
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.planning.contact_wrench import contact_wrench

SOLE = [[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.05, 0.05)]


def feet(friction=0.7):
    return [Contact("foot", SOLE, friction=friction, pose=ts.pose([0.0, y, 0.0])) for y in (0.1, -0.1)]


def test_standing_is_feasible_until_the_pressure_leaves_the_soles():
    for x, possible in ((0.0, True), (0.0999, True), (0.1001, False)):
        found = contact_wrench(60.0, feet(), [x, 0.0, 0.8], [0, 0, 0])
        assert found.feasible is possible and found.pressure == pytest.approx([x, 0.0], abs=1e-12)


def test_a_pressure_inside_the_soles_needs_friction_too():
    """x'' = w^2 (x - p) with p = 0.05 m and x = 0.35 m: 3.7 m/s^2, 0.37 of the weight."""
    pendulum = LinearInvertedPendulum(0.8)
    a = float(pendulum.acceleration(0.35, 0.05))
    for friction, possible in ((0.7, True), (0.3, False)):
        found = contact_wrench(60.0, feet(friction), [0.35, 0.0, 0.8], [a, 0, 0])
        assert found.pressure == pytest.approx([0.05, 0.0], abs=1e-12)
        assert found.feasible is possible
    assert contact_wrench(60.0, feet(0.3), [0.35, 0.0, 0.8], [a, 0, 0]).miss > 0.05


def test_what_is_missed_does_not_depend_on_where_the_robot_is():
    """Moments about the world's origin made it grow with the distance: 0.14 at the origin, 1790 at 1e5 m."""
    told = []
    for place in ((0.0, 0.0), (100.0, -30.0), (-1e4, 1e4)):
        moved = [Contact("foot", SOLE, friction=0.2, pose=ts.pose([place[0], place[1] + y, 0.0])) for y in (0.1, -0.1)]
        told.append(contact_wrench(60.0, moved, [place[0] + 0.3, place[1], 0.8], [3.0, 0, 0]))
    assert not any(found.feasible for found in told) and told[0].miss > 0.05
    np.testing.assert_allclose([found.miss for found in told], told[0].miss, rtol=1e-6)


def test_a_fall_without_load_is_told_where_there_is_no_pressure_at_all():
    found = contact_wrench(60.0, feet(), [0.0, 0.0, 0.8], [0, 0, -12.0])
    assert not found.feasible and np.isnan(found.pressure).all()


def test_a_pressure_inside_the_sole_does_not_keep_a_mass_from_falling():
    """Standing still above the middle of the sole, but at 1 m/s: no pressure within the sole stops it."""
    pendulum = LinearInvertedPendulum(0.8)
    fast = MassState(np.array(0.0), np.array(1.0))
    assert contact_wrench(60.0, feet(), [0, 0, 0.8], [0, 0, 0]).feasible  # what the first instant needs
    end = pendulum.moved(fast, 1.5, 0.1)  # the best it can do: pressure at the toes
    assert end.position > 1.0 and pendulum.divergent(*fast) > 0.1


def test_no_mass_is_refused():
    with pytest.raises(ArgumentError, match="mass"):
        contact_wrench(0.0, feet(), [0, 0, 1], [0, 0, 0])
