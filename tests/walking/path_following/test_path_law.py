"""The law that follows a path and chooses its pace."""

from dataclasses import replace

import numpy as np
import pytest
from walking.path_following.walkers import BIPED, LAW, PATH, TARGET, periodic, point_mass

import tarsus as ts
from tarsus.errors import ArgumentError, SingularityError
from tarsus.walking import (
    FlatFootLimits,
    GaitPath,
    PathLaw,
    PendulumGait,
    PressureTarget,
    PressureTiming,
    SpeedMap,
    falling_step,
    pressure_of,
)

ROUNDING = 1e-10
LIGHT = 1e-6
"""Legs of 1e-9 of the mass move the pressure of the rest by about as much, at accelerations of 10 g."""


def at_pressure(biped, path, p):
    """The law with its pressure at one place."""
    return PathLaw(biped, path, PressureTiming(PressureTarget(p, p), FlatFootLimits(-1.0, 1.0, 10.0)))


def test_wrench_has_the_wanted_pressure_with_and_without_errors_of_the_joints():
    rng = np.random.default_rng(2)
    for s in (0.0, 0.3, 0.9):
        at = PATH.at(s)
        for error in (0.0, 0.02):
            theta, rates = at.theta + error * rng.normal(size=6), 2.5 * at.slope + error * rng.normal(size=6)
            law = replace(LAW, timing=PressureTiming(TARGET, FlatFootLimits(-1.0, 1.0, 10.0)))
            command = law.command(theta, rates, s, 2.5)
            assert abs(pressure_of(command.wrench) - TARGET(s, 2.5)) < ROUNDING
            assert command.limit == ""
            q = BIPED.placed(theta)
            v = BIPED.velocity(q, rates)
            driven = BIPED.driven(q, v, command.tau)
            assert np.abs(driven.wrench - command.wrench).max() < 1e-9
            wanted = (
                at.slope * command.path_acceleration
                + at.curvature * 2.5**2
                + 40.0 * (2.5 * at.slope - rates)
                + 400.0 * (at.theta - theta)
            )
            assert np.abs(driven.vdot[3:] - wanted).max() < 1e-7


@pytest.mark.parametrize("p", [-0.04, 0.0, 0.05])
def test_with_all_mass_at_the_hips_on_a_level_way_it_is_the_linear_inverted_pendulum(p):
    biped = point_mass()
    gait = PendulumGait(period=0.6, hip_drop=0.0, trunk_height=0.98)
    path = GaitPath(gait)
    law = at_pressure(biped, path, p)
    for s, rate in ((0.1, 1.0), (0.5, 2.0), (0.8, 3.0)):
        at = path.at(s)
        q = biped.placed(at.theta)
        v = biped.velocity(q, rate * at.slope)
        driven = biped.driven(q, v, law.command(at.theta, rate * at.slope, s, rate).tau)
        assert abs(driven.vdot[0] - 9.81 / 0.98 * (q[0] - p)) < LIGHT  # x'' = g/z (x - p), trunk upright
        assert abs(driven.vdot[1]) < LIGHT


def test_pendulum_gait_of_a_point_mass_goes_at_its_own_times_with_the_pressure_at_the_ankle():
    path = GaitPath(PendulumGait(period=0.6, hip_drop=0.0, trunk_height=0.98))
    law = at_pressure(point_mass(), path, 0.0)
    for s in (0.0, 0.25, 0.9):
        at = path.at(s)
        command = law.command(at.theta, at.slope / 0.6, s, 1 / 0.6)
        assert abs(command.path_acceleration) < LIGHT
        assert np.array_equal(law.on_path(s, 1 / 0.6).tau, law.command(at.theta, 1 / 0.6 * at.slope, s, 1 / 0.6).tau)


def test_with_a_hip_that_rises_and_falls_the_mass_obeys_its_balance_of_moments():
    biped = point_mass()
    path = falling_step(biped)
    law = at_pressure(biped, path, 0.02)
    for s in (0.1, 0.6, 0.9):
        at = path.at(s)
        q = biped.placed(at.theta)
        v = biped.velocity(q, 2.0 * at.slope)
        vdot = biped.driven(q, v, law.command(at.theta, 2.0 * at.slope, s, 2.0).tau).vdot
        x, _, z = ts.frame_acceleration(biped.model, q, v, vdot, "hips")[:3]
        assert abs((q[0] - 0.02) * (9.81 + z) - q[1] * x) < 10 * LIGHT


def test_pace_at_the_start_of_a_step_is_the_one_with_the_least_energy_in_the_error():
    start = PATH.at(0.0)
    rng = np.random.default_rng(4)
    rates = 2.0 * start.slope + 0.1 * rng.normal(size=6)
    q = BIPED.placed(start.theta)

    def energy(rate):
        return ts.kinetic_energy(BIPED.model, q, BIPED.velocity(q, rates - rate * start.slope))

    found = LAW.start_rate(start.theta, rates)
    assert energy(found) < min(energy(found + 1e-4), energy(found - 1e-4))
    assert LAW.start_rate(start.theta, 2.0 * start.slope) == pytest.approx(2.0, abs=1e-12)
    assert replace(LAW, timing=periodic().clock).start_rate(start.theta, rates) == periodic().rate


def test_pace_gives_way_to_friction_and_says_so():
    at = PATH.at(0.0)
    slippery = replace(LAW, timing=PressureTiming(TARGET, BIPED.limits(0.1)))
    command = slippery.command(at.theta, 2.6 * at.slope, 0.0, 2.6)
    assert command.limit == "friction"
    assert abs(command.wrench[0]) == pytest.approx(0.1 * command.wrench[1])
    assert LAW.command(at.theta, 2.6 * at.slope, 0.0, 2.6).limit == ""


def test_pressure_beyond_the_sole_ends_at_its_edge():
    at = PATH.at(0.5)
    law = replace(LAW, timing=PressureTiming(PressureTarget(0.2, 0.2), BIPED.limits()))
    command = law.command(at.theta, 2.5 * at.slope, 0.5, 2.5)
    assert command.limit == "toe"
    assert pressure_of(command.wrench) == pytest.approx(0.075, abs=1e-12)


def test_robot_that_would_fly_is_told_infeasible():
    at = PATH.at(0.5)
    command = LAW.command(at.theta, 30.0 * at.slope, 0.5, 30.0)
    assert command.limit == "infeasible"


def test_path_that_does_not_move_the_robot_is_an_error():
    still = replace(PATH, start_slope=0 * PATH.start, end_slope=0 * PATH.start, start=PATH.end, middle=PATH.end)
    with pytest.raises(SingularityError, match="no s'' changes the moment about the pressure"):
        replace(LAW, path=still).command(PATH.end, 0 * PATH.end, 0.5, 1.0)


def test_target_moves_along_the_sole_and_ahead_of_what_is_too_fast():
    target = PressureTarget(-0.02, 0.04, gain=0.1, rate=lambda s: 2.0 + s, heel=-0.05, toe=0.06)
    assert target(0.5, 2.5) == pytest.approx(0.01)
    assert target(0.5, 2.7) == pytest.approx(0.03)
    assert target(0.5, 4.0) == 0.06
    assert target(0.5, 1.0) == -0.05


def test_unfit_laws_are_refused():
    with pytest.raises(ArgumentError, match="kp of PathLaw is -1"):
        replace(LAW, kp=-1.0)
    with pytest.raises(ArgumentError, match=r"no rate\(s\) to compare with"):
        PressureTarget(0.0, 0.0, gain=0.1)
    with pytest.raises(ArgumentError, match="start of PressureTarget is nan"):
        PressureTarget(float("nan"), 0.0)
    with pytest.raises(ArgumentError, match="expected the heel behind the toe"):
        PressureTarget(0.0, 0.0, heel=0.1, toe=0.0)
    with pytest.raises(ArgumentError, match="rate is 0.0"):
        SpeedMap(LAW)(0.0)
