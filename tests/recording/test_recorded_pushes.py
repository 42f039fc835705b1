"""Pushes as recordings tell them."""

from types import SimpleNamespace

import numpy as np
import pytest

import tarsus as ts
from tarsus.recording.recorded_pushes import pushes_in_words, pushes_of
from tarsus.simulation import Push


def read(*pushes):
    metadata = {"pushes": [push.described() if isinstance(push, Push) else push for push in pushes]}
    return pushes_of(SimpleNamespace(metadata=metadata, model=ts.robots.hrp2()))


@pytest.mark.parametrize(
    ("push", "told"),
    [
        (Push("BODY", (-380.0, 0.0, 0.0), 2.3, 0.1), "380 N (-380, 0, 0) at 'BODY', 2.30 to 2.40 s"),
        (Push("BODY", (0.0, 0.0, 0.0), 1.0, 0.5, (0.0, 0.0, 20.0)), "20 N m (0, 0, 20) at 'BODY', 1.00 to 1.50 s"),
        (
            Push("BODY", (3.0, -4.0, 0.0), 1.0, 0.5, (0.0, 0.25, 0.0)),
            "5 N (3, -4, 0) and 0.25 N m (0, 0.25, 0) at 'BODY', 1.00 to 1.50 s",
        ),
        (Push("BODY", (0.0, -0.0, 0.0), 1.0, 0.5), "0 N at 'BODY', 1.00 to 1.50 s"),
        (Push("BODY", (0.0, 2345.0, 0.0), 1.0, 0.5), "2345 N (0, 2345, 0) at 'BODY', 1.00 to 1.50 s"),
    ],
)
def test_pushes_tell_size_direction_frame_and_time(push, told):
    (found,) = read(push)
    assert str(found) == told
    np.testing.assert_array_equal([*found.force, *found.moment], push.wrench)


def test_recordings_without_moments_are_read_and_moments_that_are_none_are_not():
    old = {"frame": "BODY", "force": [1.0, 0.0, 0.0], "start": 0.0, "duration": 1.0}
    (found,) = read(old)
    assert not found.moment.any()
    for wrong in ([1.0], [np.nan, 0.0, 0.0], "a", None):
        assert read({**old, "moment": wrong}) == ()
    assert read("a push") == ()


def test_many_pushes_are_counted_and_those_that_came_too_late_are_told():
    pushes = read(*(Push("BODY", (1.0, 0.0, 0.0), float(k), 0.1) for k in range(9)))
    told = pushes_in_words(pushes, 4.5)
    assert len(told) == 7 and told[-1] == "and 3 more"
    assert told[4] == str(pushes[4]) and told[5] == f"{pushes[5]}, not felt: it was over"


def test_push_that_begins_with_the_last_state_of_a_run_that_failed_was_felt():
    (push,) = read(Push("BODY", (1e9, 0.0, 0.0), 1.0, 0.1))
    assert pushes_in_words((push,), 1.0, finished=False) == [str(push)]
    assert pushes_in_words((push,), 1.0) == [f"{push}, not felt: it was over"]
    assert pushes_in_words((push,), 0.99, finished=False) == [f"{push}, not felt: it was over"]
