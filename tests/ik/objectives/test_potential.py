"""Potentials of a distance: the conditions of Buschmann 2014, their derivatives, and that they repel."""

import numpy as np
import pytest

from tarsus.errors import ArgumentError
from tarsus.ik.objectives import CubicPotential, PiecewisePotential, QuadraticPotential

EXACT = 1e-14
"""Rounding of the closed forms, relative to the gain."""
KINDS = [
    QuadraticPotential(0.2, 3.0),
    CubicPotential(0.2, 3.0),
    PiecewisePotential(0.2, 3.0),
    PiecewisePotential(0.1, 0.5, 0.2),
    PiecewisePotential(0.3, 2.0, 0.0),
]


def piecewise(count=50):
    rng = np.random.default_rng(4)
    for d_a, s, t in zip(
        rng.uniform(0.01, 2.0, count), rng.uniform(0.1, 5.0, count), rng.uniform(0.0, 0.95, count), strict=True
    ):
        yield PiecewisePotential(d_a, s, t)


def test_slope_at_zero_distance_is_the_gain():
    for p in piecewise():
        assert abs(p.near_slope(np.array(0.0)) + p.gain) < EXACT * p.gain  # (5.55), repelling


def test_both_branches_meet_with_equal_value_slope_and_curvature():
    for p in piecewise():
        d = np.array(p.switch * p.activation)
        assert abs(p.near_value(d) - p.far_value(d)) < EXACT * p.gain * max(1.0, p.activation)  # (5.56)
        assert abs(p.near_slope(d) - p.far_slope(d)) < EXACT * p.gain
        curvature = p.near_curvature(d)
        assert abs(curvature - p.far_curvature(d)) < EXACT * max(curvature, p.gain)


def test_value_slope_and_curvature_vanish_at_the_activating_distance():
    for p in piecewise():
        d = np.array(p.activation)
        assert p.far_value(d) == p.far_slope(d) == p.far_curvature(d) == 0.0  # (5.57)


def test_closed_form_is_the_solution_of_the_seven_conditions():
    """The coefficients a_0..a_2, b_0..b_3 of (5.53) and (5.54), from the linear equations (5.55)-(5.57)."""

    def row(d, order, degree):
        return [np.polyder(np.poly1d([1.0] + [0.0] * k), order)(d) if k >= order else 0.0 for k in range(degree + 1)]

    d_a, s, t = 0.4, 1.7, 0.3
    meet = t * d_a
    rows = [row(0.0, 1, 2) + [0.0] * 4]
    rows += [row(meet, order, 2) + [-x for x in row(meet, order, 3)] for order in range(3)]
    rows += [[0.0] * 3 + row(d_a, order, 3) for order in range(3)]
    c = np.linalg.solve(np.array(rows), np.array([-s, 0, 0, 0, 0, 0, 0]))
    d = np.linspace(-0.3, 0.5, 101)
    polynomial = np.where(d < meet, np.polyval(c[2::-1], d), np.polyval(c[:2:-1], d))
    expected = np.where(d > d_a, 0.0, polynomial)
    assert np.abs(PiecewisePotential(d_a, s, t).value(d) - expected).max() < 1e-12


@pytest.mark.parametrize("potential", KINDS, ids=repr)
def test_slope_and_curvature_are_derivatives(potential):
    d, h = np.linspace(-0.3, 0.5, 157), 1e-6
    slope = (potential.value(d + h) - potential.value(d - h)) / (2 * h)
    curvature = (potential.slope(d + h) - potential.slope(d - h)) / (2 * h)
    assert np.abs(slope - potential.slope(d)).max() < 1e-8
    bends = [potential.activation, getattr(potential, "switch", 1.0) * potential.activation]
    smooth = np.abs(d[:, None] - bends).min(axis=1) > 2 * h  # differences across them are not those of one branch
    assert np.abs(curvature - potential.curvature(d))[smooth].max() < 1e-6


@pytest.mark.parametrize("potential", KINDS, ids=repr)
def test_potential_repels_below_the_activating_distance_and_is_nothing_beyond(potential):
    near = potential.activation - np.linspace(1e-3, 1.0, 50)
    beyond = potential.activation + np.linspace(0.0, 1.0, 50)
    assert (potential.slope(near) < 0).all()
    assert (potential.value(near) > 0).all()
    assert (potential.value(beyond) == 0).all()
    assert (potential.slope(beyond) == 0).all()


@pytest.mark.parametrize(
    ("kind", "arguments", "told"),
    [
        (QuadraticPotential, (0.0,), "activation of QuadraticPotential"),
        (CubicPotential, (0.1, -1.0), "gain of CubicPotential"),
        (PiecewisePotential, (0.1, 1.0, 1.0), "switch of PiecewisePotential"),
        (PiecewisePotential, (np.nan,), "activation"),
    ],
)
def test_numbers_that_do_not_fit_are_refused_by_name(kind, arguments, told):
    with pytest.raises(ArgumentError, match=told):
        kind(*arguments)
