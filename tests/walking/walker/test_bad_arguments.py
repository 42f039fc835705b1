"""Arguments that are none: every one is refused by its name, with what was given and what was expected."""

import re

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.simulation import Push
from tarsus.walking import Footstep, Stairs, Walker
from tarsus.walking.walker.terrain import flight, kerbs, ramp

THINGS = (None, "x", b"x", 1j, object(), (None,), {}, np.zeros((2, 2)))
"""No numbers, no lists of numbers, no models."""
NUMBERS = (np.nan, np.inf, -1, 0.5, 0)
LISTS = ([], [1, 2, 3, 4, 5])
ANY = (*THINGS, *NUMBERS, *LISTS)
NO_NUMBER = (*THINGS, *LISTS, np.nan, np.inf)
NOT_ABOVE_0 = (*NO_NUMBER, -1, 0)


def pairs(**bad):
    """Names of arguments, each with all values that are wrong; None where it may be left out is none of them."""
    return [pytest.param(name, value, id=f"{name}={value!r:.20}") for name, values in bad.items() for value in values]


def given(values):
    return [value for value in values if value is not None]


@pytest.fixture(name="walker", scope="module")
def _walker():
    return Walker(ts.robots.hrp2())


@pytest.fixture(name="planned", scope="module")
def _planned(walker):
    return walker.plan(0.2, steps=0)


def refused(name, call):
    with pytest.raises(ArgumentError, match=name) as caught:
        call()
    assert "expected" in str(caught.value) or "not found" in str(caught.value), caught.value


@pytest.mark.parametrize(
    ("name", "value"),
    pairs(model=ANY, feet=given(ANY), forward=given([*NO_NUMBER, -1, 0]), step_time=given(NOT_ABOVE_0),
          clearance=given(NOT_ABOVE_0), control_dt=given([*NOT_ABOVE_0, 0.5]), method=ANY, control=ANY),
)  # fmt: skip
def test_what_is_given_to_a_walker(name, value):
    refused(name, lambda: Walker(**{"model": ts.robots.hrp2(), name: value}))


@pytest.mark.parametrize(("name", "value"), pairs(command=(*NO_NUMBER, -1, 0, [np.nan, 0.0, 0.0])))
def test_command_of_a_choice(walker, name, value):
    refused(name, lambda: walker.choose(value))


STAND = {"speed": 0.2, "steps": 0}


@pytest.mark.parametrize(
    ("name", "value"),
    pairs(speed=NO_NUMBER, side=NO_NUMBER, turn=NO_NUMBER, steps=given([*NO_NUMBER, -1, 0.5]),
          duration=given(NOT_ABOVE_0), command=given([*THINGS, *NUMBERS, *LISTS]), footsteps=given(ANY)),
)  # fmt: skip
def test_what_a_walk_is_asked_for(walker, name, value):
    options = {} if name in ("steps", "duration", "command") else STAND
    refused(name, lambda: walker.walk(**{**options, name: value}))


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda w: w.plan(0.3, steps=10**6), "a plan of 1000000 steps is asked for; expected 1000 at most"),
        (lambda w: w.plan(0.3, steps=1001), "`walk` walks further"),
        (lambda w: w.plan(duration=1e300), "e+300 steps is asked for; expected 1000 at most"),
        (lambda w: w.plan(steps=10**400), "steps is above"),
        (lambda w: w.walk(steps=10**400), "steps is above"),
        (lambda w: w.walk(0.0, steps=10**400), "steps is above"),
        (lambda w: w.walk(duration=10**400), "expected a number above 0 [s]"),
        (lambda w: w.walk(steps=True), "steps is True; expected a whole number of at least 0"),
        (lambda w: w.walk(duration=True), "duration is True; expected a number above 0 [s]"),
        (lambda w: w.walk(True), "speed is True; expected a finite number [m/s]"),
        (lambda w: w.walk(**STAND, seed=True), "seed is True; expected a whole number of at least 0"),
    ],
)
def test_extents_that_no_walk_has_are_refused_at_once(walker, ask, words):
    refused(re.escape(words), lambda: ask(walker))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "foo"}, "method 'foo' of Walker not found; there are ('clik', 'ikd', "),
        ({"control": "x"}, "control 'x' of Walker not found; there are ('position', 'force', 'torque')"),
        ({"control_dt": True}, "control_dt of Walker is True; expected a number above 0"),
    ],
)
def test_names_that_are_none_are_told_with_those_there_are(options, words):
    refused(re.escape(words), lambda: Walker(ts.robots.hrp2(), **options))


def test_landings_that_are_none_are_told_with_those_there_are(walker):
    words = "landing 'x' not found; there are ('gains', 'force', 'none')"
    refused(re.escape(words), lambda: walker.walk(**STAND, landing="x"))


FEET = [Footstep(True, np.array([0.0, 0.1, 0.0]), 0.0), Footstep(False, np.array([0.0, -0.1, 0.0]), 0.0)]


@pytest.mark.parametrize(
    ("name", "value"), pairs(left=given([*THINGS, *LISTS, 0, 1]), position=[*NO_NUMBER, 0], yaw=NO_NUMBER)
)
def test_what_footsteps_are(walker, name, value):
    refused(rf"{name} of footsteps\[0\]", lambda: walker.plan(footsteps=[FEET[0]._replace(**{name: value}), FEET[1]]))


def test_footsteps_are_of_alternating_feet(walker):
    for feet in ([FEET[0]], [FEET[0], FEET[0]]):
        refused("footsteps", lambda feet=feet: walker.plan(footsteps=feet))


FLAG = (*THINGS, np.nan, -1, 0.5, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    pairs(plan=ANY, choice=ANY, commanded=given(ANY), lasts=given(NOT_ABOVE_0), goal=given(ANY), swings=given(ANY),
          ground=given(ANY), pushes=[*THINGS, *NUMBERS, [1, 2]], adapt=FLAG, hips=(*FLAG, []), sensed=(*FLAG, [3], []),
          simulated=given(ANY), drives=given(ANY), landing=given(ANY), seed=(*NO_NUMBER, -1, 0.5),
          record=(1j, object(), {}, -1, 0.5, ""), progress=given([*THINGS, *NUMBERS])),
)  # fmt: skip
def test_how_a_plan_is_walked(walker, planned, name, value):
    plan, choice = planned
    refused(name, lambda: walker.follow(**{"plan": plan, "choice": choice, name: value}))


@pytest.mark.parametrize(
    ("name", "value"), pairs(count=(*NO_NUMBER, -1, 0, 0.5), rise=(*NO_NUMBER, 0), run=NOT_ABOVE_0, start=NO_NUMBER)
)
def test_what_stairs_are(name, value):
    refused(f"{name} of Stairs", lambda: Stairs(**{"count": 1, "rise": 0.06, "run": 0.3, name: value}))


@pytest.mark.parametrize(("name", "value"), pairs(walker=ANY, stairs=ANY))
def test_who_climbs_what(walker, name, value):
    stairs = Stairs(1, 0.06, 0.3)
    refused(name, lambda: ts.walking.climb(**{"walker": walker, "stairs": stairs, name: value}))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ground", "ground is given to climb; expected none, it is made of the stairs"),
        ("goal", "goal is given to climb; expected none, it is made of the stairs"),
        ("speed", "option 'speed' of climb not found"),
        ("landng", "option 'landng' of climb not found; close: 'landing'; there are ['swings', "),
    ],
)
def test_what_a_climb_is_told_beside_the_stairs(walker, name, words):
    refused(re.escape(words), lambda: ts.walking.climb(walker, Stairs(1, 0.06, 0.3), **{name: None}))


@pytest.mark.parametrize("value", ANY)
def test_what_a_flight_has(value):
    refused("stairs", lambda: flight(value))


@pytest.mark.parametrize(("name", "value"), pairs(angle=(*NO_NUMBER, 1.0, -1), start=NO_NUMBER))
def test_what_a_ramp_is(name, value):
    refused(f"{name} of ramp", lambda: ramp(**{"angle": 0.1, name: value}))


@pytest.mark.parametrize(
    ("name", "value"), pairs(height=NO_NUMBER, start=NO_NUMBER, every=NOT_ABOVE_0, count=(*NO_NUMBER, -1, 0, 0.5))
)
def test_what_kerbs_are(name, value):
    refused(f"{name} of kerbs", lambda: kerbs(**{"height": 0.03, name: value}))


@pytest.mark.parametrize("value", given([*THINGS, *LISTS, 0, 0.5]))
@pytest.mark.parametrize("ground", [lambda law: ramp(0.1, law=law), lambda law: kerbs(0.1, law=law)])
def test_law_of_a_ground(ground, value):
    refused("law", lambda: ground(value))


@pytest.mark.parametrize(
    ("name", "value"),
    pairs(frame=[None, b"x", 3, object(), {}, "", []],
          force=(*NO_NUMBER, 0, [np.nan, 0, 0]), moment=(*NO_NUMBER, 0), start=NO_NUMBER, duration=NOT_ABOVE_0),
)  # fmt: skip
def test_what_a_push_is(name, value):
    refused(f"{name} of Push", lambda: Push(**{"frame": "pelvis", "force": (0.0, 1.0, 0.0), name: value}))
