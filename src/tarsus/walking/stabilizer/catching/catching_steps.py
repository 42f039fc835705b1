"""Steps of a plan as they are taken: moved and hurried where that catches the robot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import UnknownNameError, nearest
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.foot_paths import LEFT, RIGHT
from tarsus.walking.reference.moment import Moment
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.stabilizer.catching.periodic_replanning import PeriodicReplanning
from tarsus.walking.stabilizer.catching.reach import Reach
from tarsus.walking.stabilizer.catching.step_adaptation import (
    LATEST,
    ComingStep,
    PlannedNow,
    StepAdaptation,
    StepRule,
)
from tarsus.walking.stabilizer.footing import Footing
from tarsus.walking.stabilizer.walk_phases import WalkPhases

Adapting = bool | Literal["capture", "periodic"]
"""How steps are adapted: `StepAdaptation`, which True is, too, `PeriodicReplanning`, or not at all."""
RULES: dict[str, type[StepAdaptation] | type[PeriodicReplanning]] = {
    "capture": StepAdaptation,
    "periodic": PeriodicReplanning,
}

ALONG, WIDER, NARROWER = 0.65, 0.4, 0.25
"""Where steps that catch the robot land, seen from the foot that stands: to front and back and, beside the width of the
stance, outward in lengths of the leg, inward in widths of the stance."""
LEVEL = 0.4
"""To front and back where they are landed on without lowering the base, in lengths of the leg: the longest step of a
walk at constant height. Plans of longer steps, which are walked lower, have their own."""
SWUNG = 1.5
"""Speed of a swinging foot, at most, in sqrt(g leg)."""
ADAPTED = 0.1
"""Shift of a landing from which on a step is one that catches the robot, in lengths of the leg."""
TREAD = 0.02
"""How far landings on stairs are moved along the way, in lengths of the leg: soles stay on their treads."""
PACE, SUDDEN = 3.0, 20.0
"""How fast a landing may be moved, in lengths of the leg a second, and in a step that is hurried: feet that go on to
where they were to land come down late."""
HURRYING = 30.0
"""How fast the rate of the clock changes [1/s]."""


class CatchingSteps:
    """The step that is under way: where it lands beside the plan, and how the divergent component gets there.

    Feet that catch a robot take its load at once, since it comes down upon them faster than planned; the double
    support of the plan is passed over. So xi is then to be, relative to the new foot, where the plan has it at the next
    lift-off and not at touch-down.

    Attributes
    ----------
    shift : ndarray, shape (2,)
        Of the landing, world axes [m].
    caught : float
        How much the step is one that catches the robot: the largest shift so far, from 0 to 1.
    """

    def __init__(
        self, biped: Biped, plan: WalkPlan, phases: WalkPhases, footing: Footing, dt: float, *, adapt: Adapting
    ) -> None:
        self._phases, self._footing, self._dt, self._leg = phases, footing, dt, biped.leg
        reach = Reach(ALONG * biped.leg, (1.0 - NARROWER) * biped.width, biped.width + WIDER * biped.leg,
                      SWUNG * math.sqrt(biped.gravity * biped.leg), max(LEVEL * biped.leg, _longest(plan)))  # fmt: skip
        half = (biped.legs[0].half, biped.legs[1].half)
        rule = adapting(adapt)
        self._adaptation: StepRule | None = None if rule is None else RULES[rule](plan.omega, half, reach)
        self._move(np.zeros(2))
        self.caught, self._together = 0.0, False
        self.follow(plan)

    def follow(self, plan: WalkPlan) -> None:
        """Go on by another plan, which continues the one until now."""
        self._plan, self._climbs = plan, plan.climbs
        ends = np.searchsorted(plan.times, np.array([phase.end for phase in plan.phases]) - 1e-9)
        self._ends = np.minimum(ends, len(plan.times) - 1)

    @property
    def active(self) -> bool:
        """Whether steps are adapted at all."""
        return self._adaptation is not None

    @property
    def firmness(self) -> float:
        """How much the leg that swings must follow its path, from 0 to 1, rather than be soft to the ground."""
        return min(1.0, max(self._moved, 2.0 * (self._phases.rate - 1.0)))

    @property
    def catching(self) -> float:
        """How much the robot is being caught, from 0 to 1: by the step under way or the foot that has landed."""
        if self._adaptation is None:
            return 0.0
        return 1.0 if self._phases.adapted else self.firmness

    @property
    def next_step_time(self) -> float:
        """From the touch-down that comes next to the one after it, as planned [s]."""
        number = self._phases.number + (self._phases.swinging is None)
        return float(sum(phase.end - phase.start for phase in self._plan.phases[number + 1 : number + 3]))

    def lift(self) -> None:
        """A foot has been lifted: a new step."""
        self.caught, self._together = 0.0, False

    def adapt(self, xi: FloatArray, com: FloatArray, moment: Moment, places: Sequence[FloatArray]) -> None:
        """Change place and time of the step that is under way, or the time of the one that comes next.

        Parameters
        ----------
        xi, com : ndarray, shape (2,)
            Divergent component and centre of mass, seen from above [m].
        moment : Moment
            Of the plan.
        places : sequence of two ndarrays, shape (2,)
            Where the left and the right foot are by now, seen from above [m].
        """
        phases, foot = self._phases, self._phases.swinging
        if foot is None:
            self._move(np.zeros(2))
        elif phases.landed[foot] or phases.part > LATEST:
            return
        step = self._coming(com, moment, places)
        if self._adaptation is None or step is None:
            phases.rate = 1.0
            return
        found = self._adaptation.adapt(xi, step)
        self._together = self._together or found.together
        most = HURRYING * self._dt
        phases.rate += min(max(found.rate - phases.rate, -most), most)
        if foot is not None:
            way = (self._on_tread(found.shift, step.yaw) if self._climbs else found.shift) - self.shift
            pace = SUDDEN if found.rate > 1.0 else PACE
            self._move(self.shift + way * min(1.0, pace * self._leg * self._dt / max(1e-9, math.hypot(*way))))
            self.caught = max(self.caught, min(1.0, self._moved))
            phases.adapted = self.caught >= 1.0

    def _on_tread(self, shift: FloatArray, yaw: float) -> FloatArray:
        """As much of a shift, world axes [m], as leaves a sole on its tread."""
        ahead, most = np.array([math.cos(yaw), math.sin(yaw)]), TREAD * self._leg
        along = float(ahead @ shift)
        return np.asarray(shift + (min(max(along, -most), most) - along) * ahead)

    def _move(self, shift: FloatArray) -> None:
        """Land elsewhere; how far is asked for several times a cycle."""
        self.shift, self._moved = shift, math.hypot(*shift.tolist()) / (ADAPTED * self._leg)

    def moved(self, pressure: FloatArray) -> FloatArray:
        """From the planned xi to that which leads to the step as it is taken, shape (2,) [m].

        Both lead to touch-down above the same pressure p: xi = p + (xi_end - p) e^(-w t), t being the time left.
        """
        phases, foot = self._phases, self._phases.swinging
        if foot is None or not (phases.rate > 1.0 or self.shift.any()):
            return np.zeros(2)
        left_over, w = phases.phase.end - phases.time, self._plan.omega
        planned, lead = self._end(phases.number, foot)
        taken = self._footing.point(planned) + lead * self.shift - pressure
        as_planned = self._footing.point(self._plan.divergent[self._ends[phases.number]]) - pressure
        return np.asarray(taken * math.exp(-w * left_over / phases.rate) - as_planned * math.exp(-w * left_over))

    def _coming(self, com: FloatArray, moment: Moment, places: Sequence[FloatArray]) -> ComingStep | None:
        """The step that is under way or comes next; none before the first one, after the last one and from rest."""
        phases, footing, plan = self._phases, self._footing, self._plan
        number = phases.number + (phases.swinging is None)
        if not 1 < number < len(plan.phases) - 1 or self._begins(number):
            return None
        phase = plan.phases[number]
        assert phase.swing is not None
        foot = LEFT if phase.swing[1].left else RIGHT
        planned, lead = self._end(number, foot)
        planned_now = PlannedNow(
            footing.point(moment.com[:2]), footing.divergent(moment.divergent), footing.point(moment.pressure)
        )
        return ComingStep(
            foot, places[foot], footing.point(phase.swing[1].position[:2]), footing.X[1 - foot][:2, 3],
            footing.yaw[1 - foot], footing.point(planned), lead, phase.end - phases.time,
            self.next_step_time,
            com, planned_now, self._together,
        )  # fmt: skip

    def _begins(self, number: int) -> bool:
        """Whether a robot that has stopped on both feet shall begin to walk, by the step of a phase.

        Its pressure has time to go to the foot that will stand. Counted on from where it is, it would never get there.
        """
        stands, step = self._phases.phase, self._plan.phases[number]
        return self._phases.swinging is None and stands.end - stands.start > step.end - step.start

    def _end(self, number: int, foot: int) -> tuple[FloatArray, float]:
        """Divergent component at touch-down, and by how much of a shift of the landing it moves."""
        end = self._ends[number]
        planned, lead = self._plan.divergent[end], self._plan.lead[end]
        c = self.caught if number == self._phases.number else 0.0
        lift_off = self._plan.divergent[self._ends[min(number + 1, len(self._ends) - 1)]]
        return planned + c * (lift_off - planned), float(lead[foot] + c * (1.0 - lead[foot]))


def _longest(plan: WalkPlan) -> float:
    """How far to the front or to the back of the foot that stands the other one lands, at most [m]."""
    steps = [(phase.standing[0], phase.swing[1]) for phase in plan.phases if phase.swing is not None]
    ways = [(stands, np.asarray(lands.position) - stands.position) for stands, lands in steps]
    return max((abs(math.cos(f.yaw) * way[0] + math.sin(f.yaw) * way[1]) for f, way in ways), default=0.0)


def adapting(adapt: Adapting) -> str | None:
    """The name of a rule of `RULES`, or None where steps stay as planned; True is "capture"."""
    if isinstance(adapt, bool):
        return "capture" if adapt else None
    if adapt not in RULES:
        raise UnknownNameError(
            f"adapt {adapt!r} not found{nearest(str(adapt), tuple(RULES))}; True and False are possible, too"
        )
    return adapt
