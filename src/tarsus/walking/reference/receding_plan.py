"""A plan that grows while it is walked: the next steps follow the command of the moment."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.biped.biped import Biped
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.planning.analytic import Analytic
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.pressure_path import PressurePath
from tarsus.walking.reference.foot_paths import foot_paths
from tarsus.walking.reference.ground_wrench import feed_forward, ground_wrench
from tarsus.walking.reference.plan_pieces import joined, piece
from tarsus.walking.reference.posture_path import posture_path
from tarsus.walking.reference.rest import RESTED
from tarsus.walking.reference.walk_plan import CORRECTED, DT, WalkPlan, derivatives, leads
from tarsus.walking.steps.footsteps import Footstep, StepLimits, footsteps_after, scaled_command
from tarsus.walking.steps.gait import Gait, Phase

STEPS = 4
"""Steps ahead that the pendulum sees; beyond them it takes the robot to stop, which counts by e^(-4 w T)."""
POSTURES = 6
"""Phases ahead whose postures are found: three steps, of which the first is walked before the next plan."""
PASSES = 2
"""Of the moment filter, each time: it goes on from what the last plan found."""
SHARES = (1.0, 0.5, 0.25, 0.125, 0.0625, 0.0)
"""Parts of a change of the command that are tried: as much as pressure within the soles allows."""
STOPPED = 0.1
"""Steps from which a robot that shall stop does so at once, in longest ones: halves of a change never end."""
COARSE = 2
"""Knots of the moment filter that make one of the pressure path it moves."""
ROOM = 0.6
"""Part of the soles in which planned changes keep the pressure: balance needs the rest."""
PAST = 2
"""Knots before the present one that are kept, for derivatives."""


@dataclass(frozen=True, eq=False)
class _Motion:
    """What the next plan continues, at knots: motion of the pendulum, and what the moment filter adds to both.

    Attributes
    ----------
    start : float
        Time of the first knot [s].
    pattern, shift : Pattern
        Of the pendulum, and of the filter.
    moved : ndarray, shape (n, 2)
        By which the filter moves the pressure [m].
    """

    start: float
    pattern: Pattern
    shift: Pattern
    moved: FloatArray

    def at(self, k: int) -> tuple[MassState, MassState]:
        """States of pendulum and filter at a knot; at rest beyond the end."""
        last = len(self.pattern.times) - 1
        still = 0.0 if k > last else 1.0
        k = min(k, last)
        return (
            MassState(self.pattern.position[k], still * self.pattern.velocity[k]),
            MassState(self.shift.position[k], still * self.shift.velocity[k]),
        )


class RecedingPlan:
    """Plans of the next steps, each of which continues the last one where the robot is on its clock.

    Every plan ends with feet side by side and the robot at rest: what is not extended stops. Position and velocity of
    the centre of mass are continued. What a new command changes of the divergent component now, which is less by
    e^(-w t) the later its step comes, is made good by the pressure in the next half second (`Analytic`); where that
    would leave the soles, a part of the change is walked first.

    Attributes
    ----------
    biped : Biped
    window : WalkPlan
        The plan from a little before now on. Its phases and footsteps are those of the whole walk.
    command : ndarray, shape (3,)
        That is walked now: speed forward, to the left [m/s], turning to the left [rad/s].
    """

    def __init__(self, biped: Biped, gait: Gait, clearance: float, limits: StepLimits) -> None:
        self.biped, self._clearance, self._limits = biped, clearance, limits
        a, b = gait.half_sole
        self._gait = replace(gait, half_sole=(ROOM * a, ROOM * b))
        self._pendulum = LinearInvertedPendulum(biped.height, biped.gravity)
        self.command = np.zeros(3)
        half = np.array([0.0, biped.width / 2, 0.0])
        feet = Footstep(True, half, 0.0), Footstep(False, -half, 0.0)
        self._pieces: list[WalkPlan] = []
        self._walked = 0  # first knot of the window that is in no piece
        self._motion: _Motion | None = None
        self.window = self._planned(0.0, 0, (Phase(0.0, gait.settling, feet, None),), feet, np.zeros(3))

    def possible(self, command: FloatArray) -> FloatArray:
        """As much of a command as steps within the limits can walk, shape (3,)."""
        return scaled_command(command, self._gait.step_time, self._limits)

    def extend(self, time: float, number: int, command: FloatArray) -> WalkPlan:
        """Plan from now on by a command; the new window.

        Parameters
        ----------
        time : float
            On the clock of the plan [s].
        number : int
            Of the phase now, in which both feet stand.
        command : ndarray, shape (3,)
            What it asks beyond steps that are possible is scaled down.

        Raises
        ------
        PlanningError
            Where postures of the next steps are out of reach; the window stays as it was.
        """
        old = self.window
        wanted = self.possible(command)
        k = max(0, math.ceil((time - float(old.times[0])) / DT - 1e-9))
        window = self._planned(float(old.times[0]) + k * DT, number, old.phases, old.footsteps, wanted)
        kept = min(PAST, k)
        if k > self._walked:
            self._pieces.append(piece(old, self._walked, k))
        self._walked = kept
        self.window = joined([piece(old, k - kept, k), window]) if kept else window
        return self.window

    def whole(self) -> WalkPlan:
        """The walk from its beginning to the end of the present window."""
        return joined([*self._pieces, piece(self.window, self._walked, len(self.window.times))])

    def _planned(
        self,
        now: float,
        number: int,
        phases: tuple[Phase, ...],
        footsteps: tuple[Footstep, ...],
        wanted: FloatArray,
    ) -> WalkPlan:
        """A plan from a time on, and what the next one needs to continue it."""
        stands = number == len(phases) - 1
        before = _feet_of(phases, number)
        begin, filtered, pressure, moved = self._present(now)
        command, feet, path, pattern = self._pattern(now, phases[number], stands, before, wanted, begin, pressure)
        own = self._phases(phases[number], feet, float(np.asarray(path.times)[1]))
        n = len(pattern.times)
        if cut := len(own) > POSTURES + 1:
            n = int(np.searchsorted(pattern.times, own[POSTURES].end + 1e-9))
        plan, motion = self._postures(now, number, pattern, filtered, moved, own[: POSTURES + 1] if cut else own, n)
        walked = 2 + sum(phase.swing is not None for phase in phases[:number])
        plan = replace(plan, phases=(*phases[:number], *own), footsteps=(*footsteps[:walked], *feet[2:]))
        self.command, self._motion = command, motion
        return plan

    def _present(self, now: float) -> tuple[MassState, MassState, FloatArray, FloatArray]:
        """States of pendulum and filter, the pressure, and by how much the filter moves it from now on."""
        known = self._motion
        if known is None:
            rest = MassState(np.zeros(2), np.zeros(2))
            return rest, rest, np.zeros(2), np.zeros((0, 2))
        k = round((now - known.start) / DT)
        begin, filtered = known.at(k)
        last = len(known.pattern.times) - 1
        return begin, filtered, known.pattern.pressure[min(k, last)], known.moved[k:]

    def _pattern(
        self,
        now: float,
        phase: Phase,
        stands: bool,
        before: tuple[Footstep, Footstep],
        wanted: FloatArray,
        begin: MassState,
        pressure: FloatArray,
    ) -> tuple[FloatArray, list[Footstep], PressurePath, Pattern]:
        """Command, footsteps, pressure and motion of the pendulum: as much of a change as soles allow."""
        gait, best = self._gait, None
        planner = Analytic(self._pendulum, DT)
        for share in (1.0,) if stands or self._nearly_stops(wanted) else SHARES:
            command = self.command + share * (wanted - self.command)
            feet = footsteps_after(before, command, gait.step_time, STEPS if command.any() else 0, self.biped.width,
                                   self._limits, stands=stands)  # fmt: skip
            waits = stands or len(feet) == 2
            leaves = now + gait.settling if waits else max(phase.end, now + 2 * DT)
            path = self._path(feet, now, leaves, pressure)
            pattern = planner.plan(path, begin)
            beyond = pattern.beyond(path)
            if best is None or beyond < best[0]:
                best = beyond, (command, feet, path, pattern)
            if beyond <= 0.0:
                break
        assert best is not None
        return best[1]

    def _nearly_stops(self, wanted: FloatArray) -> bool:
        """Whether the robot shall stop, and its steps are so short by now that it can."""
        most = STOPPED * np.array([self._limits.length, self._limits.side, self._limits.turn])
        return not wanted.any() and bool((np.abs(self.command) * self._gait.step_time <= most).all())

    def _path(self, feet: list[Footstep], now: float, leaves: float, pressure: FloatArray) -> PressurePath:
        """Pressure from where it is now, over footsteps of which the first is lifted at a time, to rest."""
        path = self._gait.pressure_path(feet)
        times, points = np.array(path.times) + (leaves - self._gait.settling), np.array(path.points)
        room = np.asarray(path.upper) - points
        times[0], points[0] = now, pressure
        rest = math.ceil((times[-1] + RESTED / self._pendulum.omega - now) / DT) * DT + now
        points, room = np.concatenate([points, points[-1:]]), np.concatenate([room, room[-1:]])
        return PressurePath(np.append(times, rest), points, points - room, points + room)

    def _phases(self, phase: Phase, feet: list[Footstep], leaves: float) -> list[Phase]:
        """Phases of footsteps, of which the first is lifted at a time; the present one began earlier."""
        late = leaves - self._gait.settling
        found = [own._replace(start=own.start + late, end=own.end + late) for own in self._gait.phases(feet)]
        found[0] = found[0]._replace(start=phase.start)
        return found

    def _postures(
        self,
        now: float,
        number: int,
        pattern: Pattern,
        filtered: MassState,
        moved: FloatArray,
        phases: list[Phase],
        n: int,
    ) -> tuple[WalkPlan, _Motion]:
        """Postures and torques at the first n knots of a motion of the pendulum, and its correction (Kajita 2003)."""
        biped, times, wanted = self.biped, pattern.times[:n], pattern.pressure[:n]
        feet = foot_paths(phases, times, wanted, self._clearance)
        change = np.zeros((len(pattern.times), 2))
        known = min(len(moved), len(change))
        change[:known] = moved[:known]
        most, past = CORRECTED * biped.leg, self._past(now)
        true = n if n == len(change) else n - 2 * PAST  # derivatives at a cut are none
        found: FloatArray | None = None
        for k in range(PASSES + 1):
            shift = self._shift(pattern.times, change, n, filtered)
            com = np.column_stack([(pattern.position + shift.position)[:n], np.full(n, biped.height)])
            found = q = posture_path(biped, feet, com, times, found)
            v, vdot = (values[len(past) :] for values in derivatives(biped, np.concatenate([past, q]), DT))
            wrench = ground_wrench(biped, q, v, vdot)
            error = wrench.pressure - wanted
            if k < PASSES:
                change[:true] -= np.clip(error[:true], -most, most)
        rate = (pattern.velocity + shift.velocity)[:n]
        feet = feet._replace(phase=feet.phase + number)
        omega = self._pendulum.omega
        plan = WalkPlan(biped, (), (), times, feet, com, com[:, :2] + rate / omega, wanted, error, omega,
                        leads(feet, omega, DT), q, v, feed_forward(biped, wrench, q, feet))  # fmt: skip
        return plan, _Motion(now, pattern, shift, change)

    def _shift(self, times: FloatArray, change: FloatArray, n: int, begin: MassState) -> Pattern:
        """Motion that a change of the pressure adds to the pendulum's."""
        knots = np.unique(np.concatenate([np.arange(0, n, COARSE), [n - 1, len(times) - 1]]))
        return Analytic(self._pendulum, DT).plan(PressurePath(times[knots], change[knots]), begin, np.zeros(2))

    def _past(self, now: float) -> FloatArray:
        """Configurations of the knots just before, shape (up to 2, nq)."""
        if self._motion is None:
            return np.zeros((0, self.biped.model.nq))
        window = self.window
        k = round((now - float(window.times[0])) / DT)
        rows = np.arange(max(0, k - PAST), k)
        return np.asarray(window.q[np.clip(rows, 0, len(window.q) - 1)])


def _feet_of(phases: tuple[Phase, ...], number: int) -> tuple[Footstep, Footstep]:
    """The foot that steps next in a phase in which both stand, and the other one."""
    first, second = phases[number].standing
    if number + 1 < len(phases):
        swing = phases[number + 1].swing
        assert swing is not None
        return (first, second) if first.left is swing[1].left else (second, first)
    return first, second
