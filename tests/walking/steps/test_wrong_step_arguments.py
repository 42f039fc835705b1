"""Arguments of footsteps, gaits, swings and stairs that cannot be meant are refused by name."""

import re

import numpy as np
import pytest

from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, PlanningError, ShapeError
from tarsus.walking import Footstep, FootSwing, Gait, SmoothReturn, Stairs, StepLimits, footsteps
from tarsus.walking.steps.foot_swing import BACK, late_share
from tarsus.walking.steps.footsteps import MOST_STEPS

NAN = float("nan")
LIMITS = StepLimits(0.4, 0.25, 0.4)


def table(*rows):
    """Rows of a call, an error and its words, named by the words."""
    return pytest.mark.parametrize(("call", "error", "words"), rows, ids=[row[2] for row in rows])


def assert_refused(call, error, words):
    with pytest.raises(error, match=re.escape(words)):
        call()


def stepped(command=(0.1, 0, 0), step_time=0.8, count=2, width=0.2, limits=LIMITS, **options):
    return footsteps(command, step_time, count, width, limits, **options)


@table(
    (lambda: StepLimits("a", 1, 1), DtypeError, "length of StepLimits is 'a'; expected a number of at least 0"),
    (lambda: StepLimits(1, None, 1), DtypeError, "side of StepLimits is None; expected a number of at least 0"),
    (lambda: stepped("abc"), DtypeError, "command is str; expected three finite numbers"),
    (lambda: stepped([NAN, 0, 0]), NonFiniteError, "command is [nan, 0, 0]; expected three finite numbers"),
    (lambda: stepped(start=[0, 0]), ShapeError, "start is [0, 0]; expected three finite numbers"),
    (lambda: stepped(step_time="x"), DtypeError, "step_time is 'x'; expected a finite number above 0 [s]"),
    (lambda: stepped(step_time=None), DtypeError, "step_time is None; expected a finite number above 0 [s]"),
    (lambda: stepped(width=[0.2]), DtypeError, "width is [0.2]; expected a finite number above 0 [m]"),
    (lambda: stepped(count=True), ArgumentError, "count is True; expected a whole number of at least 0"),
    (lambda: stepped(count=10**7), ArgumentError, "count is 10000000; expected at most 1000 steps, as many as are"),
    (lambda: stepped(ramp=True), ArgumentError, "ramp is True; expected a whole number of at least 0"),
    (lambda: stepped(terrain=3.0), DtypeError, "terrain is 3.0; expected a function of x and y"),
    (lambda: stepped(terrain=lambda x, y: None), DtypeError, "terrain at (0, 0.1) is None; expected a finite height"),
    (lambda: stepped(terrain=lambda x, y: NAN), ArgumentError, "terrain at (0, 0.1) is nan; expected a finite height"),
)  # fmt: skip
def test_footsteps_refuse_what_is_none_by_name(call, error, words):
    assert_refused(call, error, words)


SOLES = "expected two numbers above 0 [m], both finite or both infinite"


@table(
    (lambda: Gait(None), DtypeError, "step_time of Gait is None; expected a finite number above 0 [s]"),
    (lambda: Gait("a"), DtypeError, "step_time of Gait is 'a'; expected a finite number above 0 [s]"),
    (lambda: Gait(np.inf), ArgumentError, "step_time of Gait is inf; expected a finite number above 0 [s]"),
    (lambda: Gait(0.8, settling=np.inf), ArgumentError, "settling of Gait is inf; expected a finite number above 0"),
    (lambda: Gait(0.8, "a"), DtypeError, "double_support of Gait is 'a'; expected a part of a step between 0 and 1"),
    *((lambda half=half: Gait(0.8, half_sole=half), ArgumentError, f"half_sole of Gait is {half!r}; {SOLES}")
      for half in ((0.1, -0.05), (0.1, 0), (0.1, np.inf), (-np.inf, -np.inf), (0.1, NAN), (0.1,))),
    (lambda: Gait(0.8, half_sole=("a", "b")), DtypeError, f"half_sole of Gait is tuple; {SOLES}"),
)  # fmt: skip
def test_gaits_refuse_what_is_none_when_they_are_made(call, error, words):
    assert_refused(call, error, words)


@pytest.mark.parametrize("ask", [Gait(0.8).phases, Gait(0.8).pressure_path])
@pytest.mark.parametrize(
    ("feet", "words"),
    [
        ([], "feet are of no feet; expected two or more, of alternating feet"),
        (None, "feet is None; expected a list of Footstep"),
        ("ab", "feet is 'ab'; expected a list of Footstep"),
        (np.zeros((3, 3)), "expected a list of Footstep"),
        ([None, None], "feet[0] is None; expected a Footstep"),
        ([Footstep(True, [0, NAN, 0], 0.0)] * 2, "position of feet[0] is [0, nan, 0]; expected three finite numbers"),
    ],
)
def test_gaits_refuse_feet_that_are_none(ask, feet, words):
    assert_refused(lambda: ask(feet), ArgumentError, words)


HERE, THERE = Footstep(True, np.array([0.0, 0.1, 0.0]), 0.0), Footstep(True, np.array([0.3, 0.1, 0.05]), 0.2)


def swing(start=HERE, end=THERE, duration=1.0, clearance=0.05, **options):
    return FootSwing(start, end, duration, clearance, **options)


@table(
    (lambda: swing(start=None), DtypeError, "start of FootSwing is None; expected a Footstep"),
    (lambda: swing(end=HERE._replace(position=[0.3])), ShapeError, "position of end of FootSwing is [0.3]; expected"),
    (lambda: swing(duration="a"), DtypeError, "duration of FootSwing is 'a'; expected a finite number above 0 [s]"),
    (lambda: swing(clearance=NAN), ArgumentError, "clearance of FootSwing is nan; expected a finite number of at"),
    (lambda: swing(apex=1.0), ArgumentError, "apex of FootSwing is 1.0; expected a part of the duration"),
    (lambda: swing(landing="a"), DtypeError, "landing of FootSwing is 'a'; expected a finite number [m/s]"),
    *((lambda late=late: swing(late=late), ArgumentError,
       f"late of FootSwing is {late!r}; expected a number from 0 to below 20") for late in (NAN, -1.0, 20.0, 100, "a")),
    (lambda: swing(along=(0.5,)), ShapeError, "along of FootSwing is (0.5,); expected two parts of the duration"),
    (lambda: swing(along="ab"), DtypeError, "along of FootSwing is str; expected two parts of the duration"),
    (lambda: swing().at(np.array([0.1, 0.2])), DtypeError, "t is array([0.1, 0.2]); expected a finite time [s]"),
    (lambda: swing().at(NAN), ArgumentError, "t is nan; expected a finite time [s]"),
)  # fmt: skip
def test_swings_refuse_what_is_none_by_name(call, error, words):
    assert_refused(call, error, words)


def test_feet_never_go_back_where_swings_may_be_late():
    u = np.linspace(0.0, 1.0, 1001)
    assert min(late_share(x, BACK)[1] for x in u) > -1e-12
    assert min(late_share(x, BACK + 1.0)[1] for x in u) < -1e-4


@table(
    (lambda: SmoothReturn(0, 0, 0, "a"), DtypeError, "duration of SmoothReturn is 'a'; expected a number above 0"),
    (lambda: SmoothReturn([0, 1], [0, 1, 2], 0, 1), ShapeError, "do not broadcast: e (2,), rate (3,), acceleration ()"),
    (lambda: SmoothReturn([0.1, 0.2], [1, -9], 0, 1).at(np.linspace(0, 1, 5)), DtypeError, "expected a time [s]"),
)  # fmt: skip
def test_returns_refuse_what_is_none_by_name(call, error, words):
    assert_refused(call, error, words)


def up(width=0.2, sole=(0.1, 0.05), limits=LIMITS, **options):
    return Stairs(2, 0.1, 0.3, **options).footsteps(width, sole, limits)


@table(
    (lambda: up("a"), DtypeError, "width is 'a'; expected a finite number above 0 [m]"),
    (lambda: up(-0.2), ArgumentError, "width is -0.2; expected a finite number above 0 [m]"),
    (lambda: up(sole="a"), DtypeError, "sole is str; expected two finite numbers of at least 0 [m]"),
    (lambda: up(sole=0.1), ShapeError, "sole is 0.1; expected two finite numbers of at least 0 [m]"),
    (lambda: up(sole=[NAN, 0.05]), NonFiniteError, "sole is [nan, 0.05]; expected two finite numbers"),
    (lambda: up(sole=[-0.1, 0.05]), ArgumentError, "sole is [-0.1, 0.05]; expected two finite numbers"),
    (lambda: up(limits=None), DtypeError, "limits is None; expected StepLimits"),
    (lambda: up(limits=StepLimits(0, 0, 0)), PlanningError, "0.37 m ahead, more than 1000 steps of 0 m"),
    (lambda: up(limits=StepLimits(1e-9, 0, 0)), PlanningError, "0.37 m ahead, more than 1000 steps of 1e-09 m"),
    (lambda: up(limits=StepLimits(1e-320, 0, 0)), PlanningError, "0.37 m ahead, more than 1000 steps of 1e-320 m"),
    (lambda: Stairs(10**9, 0.1, 0.3).footsteps(0.2, (0.1, 0.05), LIMITS), PlanningError,
     "stairs have 1000000000 treads; at most 1000 are planned at once"),
    (lambda: Stairs(2, 0.1, 0.3).tread(0), ArgumentError, "number of a tread is 0; expected a whole number of at"),
    (lambda: Stairs(2, 0.1, 0.3).tread(99), ArgumentError, "number of a tread is 99; expected 1 to 2"),
)  # fmt: skip
def test_stairs_refuse_what_is_none_by_name(call, error, words):
    assert_refused(call, error, words)


def test_stairs_as_far_away_as_is_planned_at_once_are_walked_to():
    feet = up(start=100.13, limits=StepLimits(0.1, 0.2, 0.5))
    assert len(feet) == 2 * (1 + MOST_STEPS + 2)
