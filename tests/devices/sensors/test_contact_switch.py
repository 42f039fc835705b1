"""Contact switches."""

import numpy as np
import pytest
from devices.sensors.motions import Recording, hinge

from tarsus.devices.sensors import ContactSwitch, ErrorModel
from tarsus.errors import ArgumentError, UnknownNameError

LOAD = np.array([0.0, 8.0, 12.0, 8.0, 6.0, 4.0, 8.0, 11.0])
"""[N], one sample each."""


def pressed(batch=()):
    time = 1e-3 * np.arange(LOAD.size)
    shape = (LOAD.size, *batch)
    force = np.zeros((*shape, 2, 3))
    force[..., 0, 2] = (0.5 * LOAD).reshape(-1, *(1,) * len(batch))
    force[..., 1, 2] = (0.5 * LOAD).reshape(-1, *(1,) * len(batch))
    q = np.zeros((*shape, 1))
    return Recording(hinge(), time, q, q, ("arm/a", "tip"), np.zeros(force.shape), force)


def test_switch_closes_above_and_opens_below_its_thresholds():
    value = ContactSwitch(body="arm", closes=10.0, opens=5.0).measure(pressed()).value
    np.testing.assert_array_equal(value[:, 0], [0, 0, 1, 1, 1, 0, 0, 1])


def test_forces_on_other_bodies_do_not_count():
    value = ContactSwitch(body="ground").measure(pressed()).value
    np.testing.assert_array_equal(value, 0.0)


def test_batches_and_noise():
    sensor = ContactSwitch(body="arm", closes=10.0, opens=10.0, errors=ErrorModel(noise=5.0))
    value = sensor.measure(pressed(batch=(2000,)), seed=1).value[1, :, 0]  # 8 N: closed where noise exceeds 2 N
    assert value.mean() == pytest.approx(0.3446, abs=4.0 * np.sqrt(0.3446 * 0.6554 / 2000))  # P(N(0,1) > 0.4)


def test_bad_input_is_named():
    with pytest.raises(ArgumentError, match="opens at 20 N and closes at 10 N"):
        ContactSwitch(body="arm", opens=20, closes=10)
    with pytest.raises(UnknownNameError, match="arm"):
        ContactSwitch(body="arms").measure(pressed())
