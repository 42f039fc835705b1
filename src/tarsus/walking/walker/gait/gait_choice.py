"""Step time, length and height of any biped, from the length of its legs and the limits of its joints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, PlanningError
from tarsus.walking.biped.biped import Biped
from tarsus.walking.biped.standing_pose import BENT
from tarsus.walking.kineto_dynamics.kineto_walk_plan import kineto_walk_plan
from tarsus.walking.reference.plan_pieces import piece
from tarsus.walking.reference.receding_plan import RecedingPlan
from tarsus.walking.reference.task_space import TaskSpace
from tarsus.walking.reference.walk_plan import DT, WalkPlan, walk_plan
from tarsus.walking.steps.footsteps import Footstep, StepLimits, footsteps
from tarsus.walking.steps.gait import Gait

CLIK = "clik"
"""Joints by inverse kinematics."""
STEP_TIME = 2.6
"""Of a step, in sqrt(leg / g): about half of the period of a pendulum of the length of the leg."""
SHORTEST = 1.5
"""The same of the shortest step."""
SLOWEST = 12.0
"""The same of the longest one that may be told, twice that of the slowest climb: a fall grows 10^4-fold within it. Who
steps more rarely stands in between."""
DOUBLE_SUPPORT = 0.2
"""Part of a step in which both feet stand."""
LENGTH = 0.4
"""Longest step, in lengths of the leg: the legs of a pelvis at constant height reach no further."""
LONGEST = 0.95
"""The same where heels rise, the pelvis is lower and the whole body swings: a given step time may ask for it."""
BRIEF_SUPPORT = 0.15
"""Part of a long step in which both feet stand, at most: the body is nearer to the foot that lands. Also of
others where joints are too slow to raise feet in the rest of a step: swings last longer."""
LOWER = 0.12
"""How much lower the pelvis is for each length of the leg that a step is longer than `LENGTH`."""
LOWER_LEVEL = 0.24
"""The same where the centre of mass keeps its height between swings."""
RAMP = 3
"""Steps to and from the speed of long steps."""
SIDE = 0.35
"""The same sideways, for the whole way of the foot that leads."""
TURN = 0.5
"""Largest turn of a foot in a step [rad]."""
CLEARANCES = (0.06, 0.045, 0.03)
"""Heights of the swing, in lengths of the leg; the next one where joints are too slow, also in longer swings."""
OTHER_TIMES = (0.75, SHORTEST / STEP_TIME, 1.3, 1.7)
"""Step times that are tried where joints are too slow or weak, or legs too short, for that of the rule, in that one:
brief steps sway less; long ones ask less of robots whose drives are heavy beside their legs."""
PROBE = 2 * RAMP + 2
"""Steps of a trial: long ones reach their speed in the middle, and others walk as they go on to."""
RESERVE = 0.05
"""Part of the limits of joints that a walk leaves to balance, where there is one that does."""


@dataclass(frozen=True)
class GaitChoice:
    """How a robot walks.

    Attributes
    ----------
    step_time : float
        [s].
    double_support : float
        Part of it.
    clearance : float
        Of swinging feet above the ground [m].
    """

    step_time: float
    double_support: float
    clearance: float

    def gait(self, biped: Biped) -> Gait:
        """Its timing."""
        half = tuple(float(x) for x in biped.legs[0].half)
        return Gait(self.step_time, self.double_support, (half[0], half[1]), settling=self.step_time)


@dataclass(frozen=True)
class GaitHints:
    """What a walk is told of its gait.

    Attributes
    ----------
    step_time : float, optional
        [s]; left to be chosen where it is None, as the next one.
    clearance : float, optional
        Of swinging feet above the ground [m].
    """

    step_time: float | None = None
    clearance: float | None = None

    def choice(self, biped: Biped, command: FloatArray) -> GaitChoice | None:
        """How to walk, where anything was told; else None: it is left to `choose_gait`."""
        return None if self.step_time is None and self.clearance is None else self.usual(biped, command)

    def usual(self, biped: Biped, command: FloatArray) -> GaitChoice:
        """How to walk as told, by the rules where nothing was."""
        if self.step_time is not None:
            check_step_time(biped, self.step_time)
        return GaitChoice(self.step_time or step_time_of(biped, command), DOUBLE_SUPPORT,
                          self.clearance or CLEARANCES[0] * biped.leg)  # fmt: skip


def check_step_time(biped: Biped, step_time: float) -> None:
    """Refuse steps that take so long [s] that the robot would rather stand."""
    most = SLOWEST * math.sqrt(biped.leg / biped.gravity)
    if step_time > most:
        raise ArgumentError(
            f"step_time of Walker is {step_time!r}; expected at most {most:.3g} s, {SLOWEST:g} sqrt(leg / g), beyond "
            f"which {biped.model.name!r} would stand, and not walk"
        )


def step_limits(biped: Biped, longest: float = LENGTH) -> StepLimits:
    """What one step may be; `longest` is in lengths of the leg."""
    return StepLimits(longest * biped.leg, SIDE * biped.leg, TURN)


def step_time_of(biped: Biped, command: FloatArray) -> float:
    """2.6 sqrt(leg / g), shorter where the command would need longer steps, down to 1.5 sqrt(leg / g) [s]."""
    pace = math.sqrt(biped.leg / biped.gravity)
    return float(_whole(max(SHORTEST * pace, min(STEP_TIME * pace, _longest_time(biped, command)))))


def _longest_time(biped: Biped, command: FloatArray) -> float:
    """Time of steps that are as long as they may be [s]."""
    limits = step_limits(biped)
    ways = (limits.length, limits.side / 2, limits.turn / 2)  # aside and in turns one foot takes the way of two steps
    return min(way / abs(x) if x else math.inf for way, x in zip(ways, command, strict=True))


def _whole(time: float) -> float:
    """A step time with whole knots in single and double support, not longer [s]."""
    unit = 10 * DT
    return unit * max(1, math.floor(time / unit + 1e-9)) if time > 4 * unit else DT * math.floor(time / DT)


def brief_support(step_time: float) -> float:
    """Part of a step in which both feet stand briefly: `BRIEF_SUPPORT` or less, in whole knots."""
    return float(DT * max(1, math.floor(BRIEF_SUPPORT * step_time / DT + 1e-9)) / step_time)


@dataclass(frozen=True)
class Demand:
    """What a plan asks of the joints, in their limits.

    Attributes
    ----------
    speed, torque : float
        Largest speed over `v_max`, and torque over `tau_max`; 0 where there are no limits.
    fastest, strongest : str
        Joints of these.
    lacking : float
        Largest integral of the part of its torque that a joint lacks, as long as it lacks some [s].
    weakest : str
        Joint of that.
    """

    speed: float
    torque: float
    fastest: str
    strongest: str
    lacking: float
    weakest: str

    @property
    def worst(self) -> float:
        """The larger one."""
        return max(self.speed, self.torque)

    @property
    def beyond(self) -> str:
        """Which joints would need more than their limits, in words; empty where none would."""
        needs = (self.fastest, self.speed, "speed"), (self.strongest, self.torque, "torque")
        return ", ".join(f"{joint!r} would need {share:.0%} of its {what}" for joint, share, what in needs if share > 1)


def demand_of(biped: Biped, plan: WalkPlan) -> Demand:
    """What a plan asks of the joints."""
    model = biped.model
    names = [joint.name for joint in model.joints.values() for _ in range(joint.v_index.stop - joint.v_index.start)]
    shares = [
        np.abs(values[:, 6:]) / np.where(limits[6:] > 0, limits[6:], np.inf)
        for values, limits in ((plan.v, biped.v_max), (plan.tau, model.tau_max))
    ]
    k, j = (int(share.max(axis=0).argmax()) for share in shares)
    lacking = _lacking(shares[1], plan.dt)
    i = int(lacking.argmax())
    return Demand(float(shares[0][:, k].max()), float(shares[1][:, j].max()), names[6 + k], names[6 + j],
                  float(lacking[i]), names[6 + i])  # fmt: skip


def _lacking(shares: FloatArray, dt: float) -> FloatArray:
    """Largest integrals of what is beyond 1 as long as it is, of torques in their limits, shape (k,) [s]."""
    most = now = np.zeros(shares.shape[1])
    for share in shares:
        now = np.where(share > 1.0, now + dt * (share - 1.0), 0.0)
        most = np.maximum(most, now)
    return np.asarray(most)


def choose_gait(biped: Biped, command: FloatArray, given: GaitChoice | None = None) -> tuple[GaitChoice, Demand]:
    """The first choice whose joints stay within 95 % of their limits, in a trial of a few steps.

    Else the first one within all of them, else that which asks the least, with the usual double support.

    Raises
    ------
    PlanningError
        Where no choice leads to a plan: steps beyond the limits, or out of reach.
    """
    choice, demand, _ = tried_gait(biped, command, given)
    return choice, demand


def tried_gait(
    biped: Biped, command: FloatArray, given: GaitChoice | None = None
) -> tuple[GaitChoice, Demand, WalkPlan]:
    """As `choose_gait`, with the plan of the trial."""
    found: list[tuple[GaitChoice, Demand, WalkPlan]] = []
    told: PlanningError | None = None
    for choice in _choices(biped, command) if given is None else (given,):
        try:
            plan = planned(biped, command, PROBE, choice)
        except PlanningError as error:
            told = told or error
            continue
        demand = demand_of(biped, plan)
        if demand.worst <= 1.0 - RESERVE:
            return choice, demand, plan
        if given is not None or choice.double_support == DOUBLE_SUPPORT:  # brief ones leave a reserve, or are none
            found.append((choice, demand, plan))
    if not found:
        assert told is not None
        raise told
    within = [one for one in found if one[1].worst <= 1.0]
    return within[0] if within else min(found, key=lambda one: one[1].worst)


def planned(
    biped: Biped,
    command: FloatArray,
    steps: int,
    choice: GaitChoice,
    method: str = CLIK,
    feet: Sequence[Footstep] | None = None,
) -> WalkPlan:
    """The plan of a walk.

    Parameters
    ----------
    method : str
        "clik", or one of `tarsus.walking.kineto_dynamics.kineto_walk_plan.METHODS`.
    feet : sequence of Footstep, optional
        In place of command and steps.
    """
    length = abs(float(command[0])) * choice.step_time if feet is None else longest_step(feet)
    beyond = length / biped.leg - LENGTH
    long = beyond > 1e-9
    if feet is None:
        limits, ramp = (step_limits(biped, LONGEST), RAMP) if long else (step_limits(biped), 0)
        feet = footsteps(command, choice.step_time, steps, biped.width, limits, ramp=ramp)
    low = _lowered(biped, BENT + LOWER * beyond) if long else biped
    if long:
        choice = replace(choice, double_support=min(choice.double_support, BRIEF_SUPPORT))
    gait = choice.gait(low)
    if method != CLIK:
        return kineto_walk_plan(low, feet, gait, choice.clearance, method, swinging=long)
    if not long:
        return walk_plan(low, feet, gait, choice.clearance)
    return walk_plan(low, feet, gait, choice.clearance, postures=TaskSpace.of(low).path)


def _lowered(biped: Biped, bend: float) -> Biped:
    """The robot as low as long steps need it; that it cannot bend so far is what limits them."""
    try:
        return biped.bent(bend)
    except ArgumentError as error:
        raise PlanningError(str(error)) from None


def grown(biped: Biped, command: FloatArray, steps: int, choice: GaitChoice) -> WalkPlan:
    """The beginning of a walk of steps of up to `LENGTH` that is planned step by step, as long ones are."""
    plan = RecedingPlan(biped, choice.gait(biped), choice.clearance, step_limits(biped))
    for k in range(0, 2 * steps + 1, 2):
        plan.extend(plan.window.phases[k].start, k, command)
    whole = plan.whole()
    walked = int(np.searchsorted(whole.times, whole.phases[2 * steps].start - 1e-9))  # what is ahead is cut somewhere
    return piece(whole, 0, walked)


def longest_step(feet: Sequence[Footstep]) -> float:
    """Half of the longest way of a foot: a step [m]."""
    ways = [b.position[:2] - a.position[:2] for a, b in zip(feet, feet[2:], strict=False)]
    return 0.5 * max((float(np.linalg.norm(way)) for way in ways), default=0.0)


def _choices(biped: Biped, command: FloatArray) -> Iterator[GaitChoice]:
    first = GaitChoice(step_time_of(biped, command), DOUBLE_SUPPORT, CLEARANCES[0] * biped.leg)
    brief = brief_support(first.step_time)
    for clearance in CLEARANCES[:-1]:  # higher feet, which step over more, rather than longer on both
        yield replace(first, clearance=clearance * biped.leg)
        yield replace(first, clearance=clearance * biped.leg, double_support=brief)
    yield replace(first, clearance=CLEARANCES[-1] * biped.leg)
    least, most = SHORTEST * math.sqrt(biped.leg / biped.gravity), _longest_time(biped, command)
    tried = {first.step_time}
    for factor in OTHER_TIMES:
        time = _whole(max(least, factor * first.step_time))
        if time not in tried and time <= most * (1 + 1e-9):
            tried.add(time)
            for clearance in CLEARANCES[1:]:
                yield GaitChoice(time, DOUBLE_SUPPORT, clearance * biped.leg)
