"""When samples are taken."""

import numpy as np
import pytest
from simulation.bodies import point_pendulum

import tarsus as ts


@pytest.mark.parametrize(("dt", "duration"), [(1e-3, 0.2), (3e-4, 0.3), (1e-3, 0.203), (0.02, 0.1), (2.5e-3, 1.0)])
def test_default_samples_end_with_the_run(dt, duration):
    run = ts.simulate(point_pendulum(), duration=duration, dt=dt)
    spacing = np.diff(run.time)
    assert run.time[0] == 0.0
    assert run.time[-1] == pytest.approx(duration, abs=1e-12)
    assert spacing == pytest.approx(spacing[0], abs=1e-12)
    assert max(0.5 * 0.01, dt) <= spacing[0] + 1e-12 <= max(0.011, dt + 2e-12)


def test_given_samples_are_kept_as_they_are():
    run = ts.simulate(point_pendulum(), duration=0.1, dt=1e-3, sample_dt=0.03)
    assert run.time == pytest.approx([0.0, 0.03, 0.06, 0.09])
