"""States of the gait from closed contacts and events."""

import pytest

from tarsus.walking.feng.gait_state import GaitState, Stay, state_of, stays


@pytest.mark.parametrize(
    ("closed", "state", "numbers"),
    [
        (["support_heel"], ("flat", "floating"), (17, 0)),
        ([], ("heel-off", "floating"), (18, 0)),
        (["support_heel", "heel"], ("flat", "heel"), (17, 1)),
        (["tip"], ("heel-off", "toe"), (18, 1)),
        (["ball"], ("heel-off", "toe"), (18, 1)),
        (["heel", "tip"], ("heel-off", "flat"), (18, 2)),
        (["support_heel", "heel", "ball", "tip"], ("flat", "flat"), (17, 2)),
    ],
)
def test_contacts_make_the_states_of_figures_3_and_4(closed, state, numbers):
    found = state_of(closed)
    assert found == state
    assert (found.coordinates, found.constraints) == numbers


def event(kind, contact, time):
    return {"event": kind, "contact": contact, "time": time}


def test_events_of_one_moment_are_one_change():
    happened = [
        event("slip", "tip", 0.05),
        event("lift-off", "tip", 0.1),
        event("impact", "heel", 0.4),
        event("lift-off", "support_heel", 0.4),
        event("touch-down", "heel", 0.4),
        event("touch-down", "tip", 0.5),
        event("touch-down", "ball", 0.6),
    ]
    assert stays(["support_heel", "tip"], happened, 0.7) == [
        Stay(GaitState("flat", "toe"), 0.0, 0.1),
        Stay(GaitState("flat", "floating"), 0.1, 0.4),
        Stay(GaitState("heel-off", "heel"), 0.4, 0.5),
        Stay(GaitState("heel-off", "flat"), 0.5, 0.7),
    ]
