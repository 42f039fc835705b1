"""Gains are those that the text prints."""

import pytest

from tarsus.errors import ArgumentError
from tarsus.walking.kineto_dynamics.drift_feedback import DriftFeedback


def test_gains_at_1_5_ms_are_the_printed_ones():
    drift = DriftFeedback.at(1.5e-3)
    assert f"{drift.kp:.1e}" == "2.7e+04" and f"{drift.kd:.1e}" == "2.8e+02"


@pytest.mark.parametrize(("k", "kp", "kd"), [(1e-3, "26.7", "8.8"), (1e-2, "266.7", "27.8")])
def test_gains_of_the_centre_of_mass_are_the_printed_ones(k, kp, kd):
    found = DriftFeedback.at(1.5e-3).scaled(k)
    assert (f"{found[0]:.1f}", f"{found[1]:.1f}") == (kp, kd)


def test_bad_numbers_are_named():
    with pytest.raises(ArgumentError, match="dt"):
        DriftFeedback.at(0.0)
    with pytest.raises(ArgumentError, match="gain k"):
        DriftFeedback.at(1e-3).scaled(-1.0)
