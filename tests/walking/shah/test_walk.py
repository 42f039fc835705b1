"""The walk of the 7-link biped as one call, and its measures."""

from dataclasses import replace

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import UnknownNameError
from tarsus.recording.trajectory import Trajectory
from tarsus.walking import PendulumGait, measure_walk, shah_walk

ROUNDING = 1e-12
"""Of lengths and angles around one."""


def planned(duration=3.0, dt=0.01, **energy):
    """The plan itself as a trajectory, with the energies given."""
    time = dt * np.arange(round(duration / dt) + 1)
    motion = PendulumGait().motion(time)
    n = len(time)
    parts = {name: np.zeros(n) for name in ("kinetic", "potential", "actuator")} | energy
    return Trajectory(model=ts.robots.shah7(), time=time, q=motion.q, v=motion.v, tau=np.zeros((n, 9)), contacts=(),
                      contact_position=np.zeros((n, 0, 3)), contact_force=np.zeros((n, 0, 3)), energy=parts, signals={},
                      metadata={}, finished=True, reason="")  # fmt: skip


def test_plan_is_exactly_periodic_and_as_long_as_planned():
    found = measure_walk(planned())
    assert abs(found.distance - 0.6) < ROUNDING
    assert np.abs(found.step_lengths - 0.2).max() < ROUNDING
    assert found.fallen is None
    assert found.pitch == (0.0, 0.0)
    for repeats in (found.pitch_repeats, found.height_repeats, found.joint_repeats):
        assert repeats.shape == (2,)
        assert repeats.max() < ROUNDING


def test_energies_are_summed_with_their_signs():
    work = np.concatenate([np.linspace(0.0, 2.0, 151), np.linspace(2.0, 1.0, 151)[1:]])
    balanced = measure_walk(planned(kinetic=work + 5.0, actuator=work))
    assert abs(balanced.energy_exchanged - 3.0) < ROUNDING
    assert balanced.energy_drift < ROUNDING
    assert abs(measure_walk(planned(kinetic=5.0 - work, actuator=work)).energy_drift - 4.0) < ROUNDING


def test_falls_are_told_with_their_time():
    walk = planned()
    for row, column, value in ((120, 2, np.radians(31.0)), (200, 1, 0.85)):
        q = walk.q.copy()
        q[row:, column] = value
        assert measure_walk(replace(walk, q=q)).fallen == walk.time[row]


def test_start_is_the_plan_with_the_changes_asked_for():
    walk = shah_walk(0.01, feedforward="none", speed=0.5, pitch=0.1)
    plan = PendulumGait().motion(0.0)
    assert np.abs(walk.q[0] - plan.q - 0.1 * np.eye(9)[2]).max() < ROUNDING
    assert np.abs(walk.v[0, :3] - 0.5 * plan.v[:3]).max() < ROUNDING
    assert np.abs(walk.v[0, 3:] - plan.v[3:]).max() < ROUNDING
    assert walk.signals["q_desired"].shape == walk.signals["tau_feedforward"].shape == (2, 9)


def test_unknown_feedforward_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="feedforward 'rigit' not found; close: 'rigid'"):
        shah_walk(1.0, feedforward="rigit")
