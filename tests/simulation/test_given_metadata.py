"""Metadata that somebody gives to a run."""

import pytest
from simulation.bodies import ball

import tarsus as ts
from tarsus.errors import ArgumentError


def test_entries_are_kept_as_the_controller_left_them_in_trajectory_and_recording(tmp_path):
    seen = []
    given = {"log": {"times": seen}, "who": "me"}

    def law(observation):
        seen.append(observation.t)
        return [0.0] * ball().nv

    path = tmp_path / "run.h5"
    run = ts.simulate(ball(), duration=0.03, controller=law, control_dt=0.01, metadata=given, record=path)
    assert run.metadata["who"] == "me"
    assert run.metadata["log"]["times"] == pytest.approx([0.0, 0.01, 0.02])
    assert ts.open_recording(path).metadata == run.metadata
    assert run.metadata["dt"] == 0.001


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"dt": 3}, "'dt'"),
        ({"ground": []}, "'ground'"),
        ({"x": object()}, "plain JSON"),
        ([1], "expected a dictionary"),
    ],
)
def test_entries_that_take_other_names_or_cannot_be_written_are_refused(given, told):
    with pytest.raises(ArgumentError, match=told):
        ts.simulate(ball(), duration=0.01, metadata=given)
