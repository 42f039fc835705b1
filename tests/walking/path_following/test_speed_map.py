"""The speed from step to step."""

from dataclasses import replace

import numpy as np
import pytest
from walking.path_following.walkers import BIPED, LAW, PATH, periodic, with_feedback

import tarsus as ts
from tarsus.errors import SimulationError
from tarsus.walking import GaitPath, PathLaw, PendulumGait, PressureTarget, PressureTiming, SpeedMap, falling_step

MAP = SpeedMap(LAW)
INTEGRATED = 1e-8
"""Of integrations with a relative tolerance of 1e-10."""


def at(target):
    return PressureTiming(target, BIPED.limits())


def constant_pressure(path, p):
    return SpeedMap(PathLaw(BIPED, path, at(PressureTarget(p, p))))


def angular_momentum(q, v, x):
    """About the point x of the ground, about +y."""
    com = ts.center_of_mass(BIPED.model, q)
    force_like = ts.momentum(BIPED.model, q, v)
    return force_like[4] + com[2] * force_like[0] - (com[0] - x) * force_like[2]


def test_map_is_a_line_in_the_square_of_the_speed():
    z = periodic().rate ** 2 * np.array([0.6, 0.8, 1.0, 1.3])
    after = np.array([MAP(np.sqrt(value)) ** 2 for value in z])
    slopes = np.diff(after) / np.diff(z)
    assert np.ptp(slopes) < 1e-7
    assert slopes[0] == pytest.approx(periodic().multiplier, abs=1e-7)


def test_multiplier_is_that_of_the_angular_momentum_about_the_ankle_at_the_exchange():
    # With the pressure at the ankle, d(sigma^2)/ds = 2 m g x d(sigma)/ds' does not depend on the speed: over a step
    # sigma^2 changes by a constant. At the exchange it becomes that about the new foot; the impulse acts there.
    end, q = PATH.at(1.0), BIPED.placed(PATH.at(1.0).theta)
    v = BIPED.velocity(q, end.slope)
    before, about_new = angular_momentum(q, v, 0.0), angular_momentum(q, v, 0.3)
    after = angular_momentum(q, BIPED.impact(q, v).v, 0.3)
    assert after == pytest.approx(about_new, abs=1e-12)
    found = constant_pressure(PATH, 0.0).multiplier(3.0)
    assert found == pytest.approx((after / before) ** 2, abs=1e-6)
    fall = BIPED.model.total_mass * 0.3 * (ts.com_jacobian(BIPED.model, q) @ v)[2]
    assert after == pytest.approx(before + fall, abs=1e-12)  # what a falling mass takes
    assert fall < 0.0


def test_periodic_step_comes_back():
    step = periodic()
    assert MAP(step.rate) == pytest.approx(step.rate, rel=INTEGRATED)
    assert (step.rate, step.duration, step.multiplier) == pytest.approx((2.693, 0.5019, 0.8353), abs=1e-3)
    assert step.rate_along(0.0) == pytest.approx(step.rate)
    assert MAP.impact_factor * step.rate_along(1.0) == pytest.approx(step.rate, rel=INTEGRATED)
    s = np.linspace(0.0, 1.0, 2001)
    rates = np.array([step.rate_along(value) for value in s])
    assert step.duration == pytest.approx(np.trapezoid(1.0 / rates, s), rel=1e-6)
    change = (step.rate_along(0.4 + 1e-5) ** 2 - step.rate_along(0.4 - 1e-5) ** 2) / 4e-5
    assert step.acceleration_along(0.4) == pytest.approx(change, rel=1e-4)


@pytest.mark.parametrize("off", [0.8, 0.85, 1.15, 1.2])
def test_speeds_off_by_a_fifth_come_back_from_step_to_step(off):
    step = periodic()
    rates = MAP.iterate(off * step.rate, 6) / step.rate
    errors = np.abs(rates**2 - 1.0)
    assert np.abs(errors[1:] / errors[:-1] - step.multiplier).max() < 1e-6
    assert errors[-1] < 0.35 * errors[0]


@pytest.mark.parametrize("off", [0.85, 1.15])
def test_pressure_that_depends_on_the_speed_brings_it_back_in_three_steps(off):
    step = periodic()
    rates = SpeedMap(with_feedback()).iterate(off * step.rate, 3) / step.rate
    assert abs(rates[3] - 1.0) < 1e-3
    found = SpeedMap(with_feedback()).periodic_step(step.rate)
    assert found.rate == pytest.approx(step.rate, rel=1e-6)
    assert found.multiplier == pytest.approx(0.136, abs=2e-3)


def test_falling_and_landing_make_steps_forget_their_speed():
    # The middle of the pressure's way is chosen such that 2.5/s is the periodic speed.
    for fall, landing, middle, multiplier in ((0.0, 0.0, 0.02698, 0.990), (0.2, 0.0, 0.02097, 0.908),
                                              (0.0, 0.2, 0.02295, 0.917), (0.2, 0.2, 0.01692, 0.836)):  # fmt: skip
        target = PressureTarget(middle - 0.03, middle + 0.03)
        law = replace(LAW, path=falling_step(BIPED, fall=fall, landing=landing), timing=at(target))
        found = SpeedMap(law, tolerance=1e-8)
        assert found(2.5) == pytest.approx(2.5, abs=2e-3)
        assert found.multiplier(2.5) == pytest.approx(multiplier, abs=1e-3)


def test_level_gait_without_an_impact_hardly_forgets_and_is_brought_back_by_the_pressure():
    path = GaitPath(PendulumGait(period=0.6))
    target = PressureTarget(-0.00616, 0.05384)
    law = PathLaw(BIPED, path, at(target))
    step = SpeedMap(law, tolerance=1e-8).periodic_step(1.7)
    assert SpeedMap(law).impact_factor == pytest.approx(1.0, abs=1e-12)
    assert step.multiplier == pytest.approx(0.994, abs=1e-3)
    with_gain = replace(target, gain=0.1, rate=step.rate_along, heel=-0.07, toe=0.07)
    helped = SpeedMap(replace(law, timing=at(with_gain)), tolerance=1e-8)
    assert abs(helped.multiplier(step.rate)) < 0.05


def test_step_that_is_too_slow_stalls_and_one_that_is_too_fast_leaves_the_ground():
    assert MAP(0.7 * periodic().rate) > 0.7 * periodic().rate
    with pytest.raises(SimulationError, match=r"stalls at s = 0\.35"):
        MAP(0.6 * periodic().rate)
    with pytest.raises(SimulationError, match="keeps the foot flat"):
        MAP(4.0 * periodic().rate)


def test_paths_without_a_periodic_step_are_told():
    with pytest.raises(SimulationError, match="no step ends as it began|stalls"):
        constant_pressure(PATH, 0.06).periodic_step(4.0)
