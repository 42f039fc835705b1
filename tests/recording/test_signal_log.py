"""Signals on the time axis of a trajectory."""

import numpy as np
import pytest

from tarsus.errors import ArgumentError
from tarsus.recording.signal_log import SignalLog


def test_values_are_held_until_the_next_one():
    log = SignalLog()
    for t, value in ((0.1, 1.0), (0.2, 2.0), (0.35, 3.0)):
        log.add("x", t, [value, -value])
    found = log.on([0.0, 0.1, 0.15, 0.2, 0.34, 0.5])["x"]
    np.testing.assert_array_equal(found[:, 0], [np.nan, 1.0, 1.0, 2.0, 2.0, 3.0])
    np.testing.assert_array_equal(found[:, 1], -found[:, 0])


def test_rounding_of_clocks_does_not_shift_a_sample():
    log = SignalLog()
    log.add("x", 0.3, 1.0)
    np.testing.assert_array_equal(log.held("x", [0.1 + 0.2, 0.3 - 1e-12]), 1.0)


def test_what_was_added_is_a_copy():
    log, value = SignalLog(), np.array([1.0])
    log.add("x", 0.0, value)
    value[0] = 5.0
    np.testing.assert_array_equal(log.recorded("x")[1], [[1.0]])


def test_time_that_falls_is_refused():
    log = SignalLog()
    log.add("x", 1.0, 0.0)
    with pytest.raises(ArgumentError, match="'x' at 0.5 s comes after one at 1.0 s"):
        log.add("x", 0.5, 0.0)


def test_log_that_does_not_record_stays_empty():
    log = SignalLog(record=False)
    log.add("x", 0.0, 1.0)
    assert log.names == ()
    assert log.on([0.0]) == {}
