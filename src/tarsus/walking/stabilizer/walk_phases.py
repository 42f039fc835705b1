"""Phases of a walk by events: contact, not time alone, says which feet stand."""

from __future__ import annotations

from tarsus.arrays import FloatArray
from tarsus.walking.reference.foot_paths import LEFT, RIGHT
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.steps.gait import Phase

TOUCHING = 0.05
"""Load of a foot that has landed, in weights of the robot."""
EARLIEST = 0.5
"""Part of a swing after which contact is a landing; before it the foot has just left the ground."""
AHEAD = 0.3
"""Part of the load that a foot may carry more than planned before the clock of the plan catches up."""
CATCHING_UP = 4.0
"""Rate of the clock then."""
BOUNCED = 0.02
"""How long a foot that has not been seated must be without load, where the walk is over or the foot caught the robot,
before it counts as lifted off again [s]: feet that come together rattle for some milliseconds, and legs that switch
with them keep them rattling."""
WAITING = 0.4
"""How long a plan waits for a foot that finds no ground, in times of a step."""
LIFTED = 0.3
"""Part of the load below which a foot is lifted."""
UNLOADING = 0.05
"""How long a plan waits for that, in times of a step."""


class WalkPhases:
    """The clock of a plan, and which feet have landed.

    A foot that touches early stands from then on. One that finds no ground where the plan expects it goes on
    downwards; before the other one may be lifted, the clock of the plan waits for it.

    Single support begins when the foot that leaves carries less than three tenths of the load. The clock waits for that
    only while the robot is late, its divergent component being behind the plan on its way to the other foot: one that
    is ahead gets further ahead with every moment of waiting, and falls.

    Attributes
    ----------
    time : float
        On the clock of the plan [s].
    rate : float
        Of that clock, 1 where nothing is hurried.
    landed : list of bool
        Of the left and the right foot.
    missing : list of float
        How long each foot has been looked for by the plan without having landed [s].
    seated : list of bool
        Whether each foot has carried load since it landed; one that has not, and bounces off, is looked for again.
    adapted : bool
        Whether the last step landed elsewhere than planned, to catch the robot: then a foot that carries more than
        planned makes the clock catch up.
    number : int
        Of the phase of the plan.
    swinging : int or None
        Foot that the plan swings.
    lifted, touched : int or None
        Foot that has left the ground, or come down, in the last cycle.
    """

    def __init__(self, plan: WalkPlan, weight: float, lost: float = 0.0) -> None:
        self._lost = lost
        self.number, self._lifts = 0, 0
        self.follow(plan)
        self._threshold = TOUCHING * weight
        self.time, self.rate = 0.0, 1.0
        self.landed, self.seated, self.missing = [True, True], [True, True], [0.0, 0.0]
        self._unloaded, self._waited = [0.0, 0.0], 0.0
        self.adapted = False
        self.lifted: int | None = None
        self.touched: int | None = None

    def follow(self, plan: WalkPlan) -> None:
        """Go on by another plan, whose phases up to the present one are the same."""
        self._phases = plan.phases
        self._step_time = plan.phases[1].end - plan.phases[1].start if len(plan.phases) > 1 else 1.0
        self._enter(self.number)

    def _enter(self, number: int) -> None:
        """A phase begins, or goes on."""
        self.number, self.swinging = number, _swung(self._phases[number])

    @property
    def phase(self) -> Phase:
        """Of the plan."""
        return self._phases[self.number]

    @property
    def rests(self) -> bool:
        """Whether the plan stands on both feet before the first or after the last step."""
        return self.number in (0, len(self._phases) - 1)

    @property
    def leaving(self) -> int | None:
        """Foot that the plan lifts next, while it stands on both."""
        following = self._phases[min(self.number + 1, len(self._phases) - 1)]
        return _swung(following) if self.swinging is None else None

    @property
    def steps(self) -> int:
        """Feet that have come down and carried load."""
        return self._lifts - (not all(self.seated))

    @property
    def part(self) -> float:
        """Part of the phase that is over."""
        phase = self.phase
        return min(1.0, (self.time - phase.start) / (phase.end - phase.start))

    def advance(self, dt: float, loads: FloatArray, late: bool = False) -> None:
        """Go on by a cycle.

        Parameters
        ----------
        loads : ndarray, shape (2,)
            Vertical forces on the feet [N].
        late : bool
            Whether the divergent component is behind the plan on its way to the foot that stays.
        """
        self.lifted = self.touched = None
        time = self.time + (CATCHING_UP if self.adapted and self._behind(loads) else self.rate) * dt
        if time >= self.phase.end - 1e-9 and self.number + 1 < len(self._phases):
            time = self._next(time, dt, loads, late)
        self.time = time
        self._touch(dt, loads)

    def _behind(self, loads: FloatArray) -> bool:
        """Whether the foot that came down last carries much more than it should by now."""
        swinging, total = self.swinging, float(loads.sum())
        if not total > 0.0 or not 0 < self.number < len(self._phases) - 1:
            return False
        if swinging is not None:
            return self.landed[swinging] and loads[swinging] > AHEAD * total
        foot = _swung(self._phases[self.number - 1])
        return foot is not None and self.landed[foot] and bool(loads[foot] > (AHEAD + self.part) * total)

    def _next(self, time: float, dt: float, loads: FloatArray, late: bool) -> float:
        """The next phase, unless it lifts a foot that still carries, or while the other one is in the air."""
        foot = _swung(self._phases[self.number + 1])
        if foot is None:
            self._enter(self.number + 1)
            return time
        if not self.landed[1 - foot] and self.missing[1 - foot] < WAITING * self._step_time:
            return self.phase.end
        calm = late and not self.adapted and self.rate <= 1.0
        if calm and loads[foot] > LIFTED * loads.sum() and self._waited < UNLOADING * self._step_time - 1e-9:
            self._waited += dt
            return self.phase.end
        self._enter(self.number + 1)
        self._waited = 0.0
        self.lifted = foot
        self.adapted = False
        self._lifts += 1
        self.landed[foot], self.seated[foot], self.missing[foot] = False, False, 0.0
        self.landed[1 - foot] = self.seated[1 - foot] = True
        return time

    def _touch(self, dt: float, loads: FloatArray) -> None:
        swinging = self.swinging
        for foot in (LEFT, RIGHT):
            if self.landed[foot]:
                self._unloaded[foot] = 0.0 if loads[foot] > 0.0 else self._unloaded[foot] + dt
                # On the way a foot that bounces off is looked for at once, but for one that catches the robot, and
                # unless the law follows the ground itself.
                lasts = max(BOUNCED - 1e-9, self._lost) if self.rests or self.adapted else self._lost
                if not self.seated[foot] and self._unloaded[foot] > lasts:
                    self.landed[foot] = False
                continue
            if (foot != swinging or self.part > EARLIEST) and loads[foot] > self._threshold:
                self.landed[foot], self._unloaded[foot] = True, 0.0
                self.touched = foot
            elif foot != swinging:
                self.missing[foot] += dt


def _swung(phase: Phase) -> int | None:
    """Foot that a phase swings."""
    return None if phase.swing is None else (LEFT if phase.swing[1].left else RIGHT)
