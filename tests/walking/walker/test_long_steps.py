"""Long steps: Lola at 2.5 and 3.5 km/h (Buschmann 2014), by steps of 0.556 m and 0.778 m in 0.8 s."""

import numpy as np
import pytest
from walking.walker.lola_walk import FAST, SLOW, lola_walk

import tarsus as ts
from tarsus.dynamics import momentum
from tarsus.errors import PlanningError
from tarsus.scenarios.model_errors import heavier
from tarsus.walking import Walker
from tarsus.walking.biped.bent_knees import LEAST, stretched_at
from tarsus.walking.walker.gait.gait_choice import demand_of


def walker(**keywords):
    return Walker(ts.robots.lola(), step_time=0.8, clearance=0.05, **keywords)


def full_stride(plan):
    """Longest way of a foot in a swing [m]."""
    return max(
        np.linalg.norm(b.position[:2] - a.position[:2])
        for a, b in zip(plan.footsteps[:-2], plan.footsteps[2:], strict=True)
    )


def test_lola_walks_five_metres_at_2_5_km_h_with_heels_that_rise_and_arms_that_swing():
    known = walker()
    done = known.walk(speed=SLOW, steps=13)
    assert done.passed, done.reason
    plan = done.plan
    assert full_stride(plan) == pytest.approx(2 * 0.8 * SLOW, rel=1e-9)  # two steps of 0.556 m
    assert done.way[0] > 5.0
    assert plan.feet.pitch.max() > 0.2 and plan.biped.height < known.biped.height
    arm = plan.biped.model.joints["tafl"].q_index.start
    assert np.ptp(done.trajectory.q[:, arm]) > 0.5


def test_lola_walks_five_metres_at_3_5_km_h_within_her_torques():
    done = walker().walk(speed=FAST, steps=10)
    assert done.passed, done.reason
    assert full_stride(done.plan) == pytest.approx(2 * 0.778, abs=1e-3)
    assert done.way[0] > 5.0
    assert demand_of(done.biped, done.plan).torque < 0.75 and done.torque[0] < 0.75
    assert np.abs(done.trajectory.signals["divergent_error"]).max() < 0.1


def test_knees_stay_bent_in_plans_of_the_longest_steps_and_the_momentum_stays_low():
    plan, _ = walker().plan(FAST, steps=7)
    biped = plan.biped
    for leg in biped.legs:
        name, angle = stretched_at(biped.model, leg, biped.q)
        bent = np.abs(plan.q[:, biped.model.joints[name].q_index.start] - angle)
        assert bent.min() > LEAST - 1e-6
    assert np.abs(momentum(biped.model, plan.q, plan.v)[:, 5]).max() < 2.0  # a leg of 15 kg at 2 m/s has 4 and more


def test_steps_beyond_95_percent_of_the_leg_are_refused_with_the_share_that_is_possible():
    with pytest.raises(PlanningError, match=r"at most 0\.81\d* m are possible"):
        walker().walk(speed=1.1, steps=4)


@pytest.mark.long
@pytest.mark.parametrize("error", [-0.05, 0.05])
def test_lola_walks_twenty_metres_at_2_5_km_h_with_masses_that_are_5_percent_off(error):
    known = walker()
    done = known.walk(speed=SLOW, steps=40, simulated=heavier(known.biped.model, error))
    assert done.passed, done.reason
    assert done.way[0] > 20.0 and abs(done.way[1]) < 0.5


@pytest.mark.long
@pytest.mark.parametrize(
    ("speed", "steps", "seed", "error"), [(SLOW, 40, 1, 0.05), (FAST, 30, 1, 0.05), (FAST, 30, 12, -0.05)]
)
def test_lola_walks_twenty_metres_on_sensors_drives_and_soft_soles_with_a_cycle_of_1_5_ms(speed, steps, seed, error):
    """Lighter than she knows she fell after 8.5 m where her feet, still fast, were next to the ground too early.

    And after 10 m where swings did not end at once, and feet waited to be unloaded.
    """
    done = lola_walk(speed, steps, seed, error)
    assert done.passed, str(done)
    assert done.way[0] > 20.0 and abs(done.way[1]) < 1.0
    assert np.abs(done.trajectory.signals["divergent_error"]).max() < 0.05
