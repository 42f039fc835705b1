"""Bipeds at the top speed that their joints allow."""

import numpy as np
import pytest
from walking.walker.test_walker import robot

from tarsus.walking import Walker


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.parametrize("name", ["hrp2", "g1", "talos", "romeo", "icub"])
def test_biped_walks_on_sensors_at_its_top_speed_within_the_limits_of_its_joints(name):
    walker = Walker(robot(name))
    speed = walker.top_speed
    done = walker.walk(speed, steps=8, sensed=True, seed=3)
    assert done.passed, str(done)
    np.testing.assert_allclose(done.way, done.plan.com[-1, :2] - done.plan.com[0, :2], atol=0.06)
    feet = done.plan.footsteps
    stride = np.linalg.norm(feet[6].position[:2] - feet[4].position[:2])
    assert stride == pytest.approx(2 * speed * (done.plan.phases[4].end - done.plan.phases[3].start), rel=1e-6)
    assert done.torque[0] <= 1.0 + 1e-9 and done.joint_speed[0] <= 1.0
