"""Runs that are no verdict: ended by a person, or without what they are about."""

import dataclasses
import signal

import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.scenarios.stand import chest_push, stand


class Interrupted:
    """A controller during which somebody presses Ctrl-C."""

    def __init__(self, control):
        self._control = control

    def __getattr__(self, name):
        return getattr(self._control, name)

    def command(self, t, *state):
        if t > 0.02:
            signal.raise_signal(signal.SIGINT)
        return self._control.command(t, *state)


@pytest.fixture(name="listening")
def _listening():
    """Ctrl-C is heard, as where a person starts Python."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_a_run_that_is_interrupted_has_not_passed():
    scenario = stand(ts.robots.quadruped(), pushes=[], duration=1.0)
    outcome = ts.scenarios.run(dataclasses.replace(scenario, control=lambda: Interrupted(scenario.control())))
    assert not outcome.verdict.passed and "interrupted" in outcome.verdict.reason


@pytest.mark.parametrize(("start", "duration"), [(5.0, 4.0), (-1.0, 4.0), (0.5, 0.55)])
def test_pushes_outside_of_the_run_are_refused(start, duration):
    with pytest.raises(ArgumentError, match="is not within the run"):
        stand(ts.robots.quadruped(), pushes=[chest_push((1.0, 0.0, 0.0), start)], duration=duration)
