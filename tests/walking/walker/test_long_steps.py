"""Long steps: Lola at 2.5 km/h (Buschmann 2014), by steps of 0.556 m in 0.8 s."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import PlanningError
from tarsus.scenarios.model_errors import heavier
from tarsus.walking import Walker

SPEED = 2.5 / 3.6
"""[m/s]."""


def test_lola_walks_five_metres_at_2_5_km_h_with_heels_that_rise_and_arms_that_swing():
    walker = Walker(ts.robots.lola(), step_time=0.8, clearance=0.05)
    done = walker.walk(speed=SPEED, steps=12)
    assert done.passed, done.reason
    plan = done.plan
    stride = np.linalg.norm(plan.footsteps[8].position[:2] - plan.footsteps[6].position[:2])
    assert stride == pytest.approx(2 * 0.8 * SPEED, rel=1e-9)  # two steps of 0.556 m
    assert done.trajectory.q[-1, 0] - done.trajectory.q[0, 0] > 5.0
    assert plan.feet.pitch.max() > 0.2 and plan.biped.height < walker.biped.height
    arm = plan.biped.model.joints["tafl"].q_index.start
    assert np.ptp(done.trajectory.q[:, arm]) > 0.5


def test_steps_beyond_three_quarters_of_the_leg_are_refused_with_the_share_that_is_possible():
    walker = Walker(ts.robots.lola(), step_time=0.8, clearance=0.05)
    with pytest.raises(PlanningError, match=r"at most 0\.64\d* m are possible"):
        walker.walk(speed=1.0, steps=4)


@pytest.mark.long
@pytest.mark.parametrize("error", [-0.05, 0.05])
def test_lola_walks_twenty_metres_at_2_5_km_h_with_masses_that_are_5_percent_off(error):
    walker = Walker(ts.robots.lola(), step_time=0.8, clearance=0.05)
    done = walker.walk(speed=SPEED, steps=40, simulated=heavier(walker.biped.model, error))
    assert done.passed, done.reason
    assert done.way[0] > 20.0 and abs(done.way[1]) < 0.5
