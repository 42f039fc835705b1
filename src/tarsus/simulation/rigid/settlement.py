"""What happens at one moment on rigid ground: impacts, and the modes that follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.rigid.impact import PLASTIC_SPEED, ImpactLoads, solve_impact, stop_slips
from tarsus.contact.rigid.modes import Choice, choose_modes
from tarsus.contact.rigid.touch_points import Indices, Touch
from tarsus.simulation.rigid.event_log import EventLog
from tarsus.simulation.rigid.flow import RigidFlow
from tarsus.simulation.runs.step_failure import StepFailure

_ON_GROUND = 1e-9
"""Points with a gap up to this can close [m]."""
_APPROACH = 1e-10
"""Points on the ground that approach it faster than this need an impact [m/s]."""
_SOLVED = 1e-7
"""Residual of complementarity above which a run fails, relative to the largest force or impulse."""
_REPEATS = 8
"""Times that impacts are solved, and modes chosen, at one event at most."""


@final
class Settlement:
    """One moment, at which velocities may jump and contacts change.

    Parameters
    ----------
    flow : RigidFlow
        Its phase gets the new modes.
    log : EventLog
    time : float
        [s].
    touched : ndarray of int, or None
        Points that were found to touch.
    before_jump : callable
        ``before_jump(y)`` is called with the state before the first jump that is an event.

    Attributes
    ----------
    jumped : bool
        Whether velocities jumped by an impact that is an event.
    """

    def __init__(
        self,
        flow: RigidFlow,
        log: EventLog,
        time: float,
        touched: Indices | None,
        before_jump: Callable[[FloatArray], None],
    ) -> None:
        self._flow, self._log, self._time, self._touched = flow, log, time, touched
        self._before_jump = before_jump
        self.jumped = False

    def settle(self, y: FloatArray) -> tuple[FloatArray, bool]:
        """The state after the moment, and whether its forces fit their cones; else they cannot be shared so."""
        flow, phase = self._flow, self._flow.phase
        before, phase.unshared_until = phase.modes, -np.inf
        fits = False
        for _ in range(_REPEATS):
            y, choice = self._chosen(y)
            phase.modes, phase.load = choice.modes, choice.load
            flow.project(y)  # which may turn slow slips, and the forces with them
            fits = flow.forces_fit(self._time, y)
            if fits:
                break
        self._log.add_changes(self._time, before, phase.modes)
        return y, fits

    def _chosen(self, y: FloatArray) -> tuple[FloatArray, Choice]:
        """The state after impacts, and the modes that follow from it."""
        for _ in range(_REPEATS):
            touch = self._candidates(y)
            if not np.any(touch.velocity[:, 0] < -_APPROACH):
                break
            y = self._after_impact(y, touch)
        choice, Y, A = self._modes_of(y, touch)
        if len(choice.painleve) and (choice.residual > _SOLVED or np.any(choice.solution.loaded[choice.painleve])):
            y = self._after_stop(y, touch, Y, A, choice.painleve)
            choice, Y, A = self._modes_of(y, self._candidates(y))
        if choice.residual > _SOLVED:
            raise StepFailure(f"no contact forces were found (residual {choice.residual:.1e})", 0, self._time)
        return y, choice

    def _modes_of(self, y: FloatArray, touch: Touch) -> tuple[Choice, FloatArray, FloatArray]:
        Y, A = touch.response(self._flow.model, self._flow.configuration(y))
        return choose_modes(touch, A, self._flow.free_acceleration(self._time, y)), Y, A

    def _candidates(self, y: FloatArray) -> Touch:
        """Points on the ground that do not leave it, or slower than `PLASTIC_SPEED`: rocking ends like bouncing."""
        near = self._flow.gaps(y) <= _ON_GROUND
        near[self._flow.phase.modes.index] = True
        if self._touched is not None:
            near[self._touched] = True
        touch = self._flow.touch(y, np.flatnonzero(near))
        stays = touch.velocity[:, 0] <= PLASTIC_SPEED
        return touch if stays.all() else self._flow.touch(y, touch.index[stays])

    def _after_impact(self, y: FloatArray, touch: Touch) -> FloatArray:
        Y, A = touch.response(self._flow.model, self._flow.configuration(y))
        loads = solve_impact(touch, A)
        if loads.residual > _SOLVED:
            message = f"no impulses of an impact were found (residual {loads.residual:.1e})"
            raise StepFailure(message, 0, self._time)
        hits = np.flatnonzero((touch.velocity[:, 0] < -PLASTIC_SPEED) & (loads.impulse[:, 0] > 0.0))
        return self._after_jump(y, touch, Y, loads, "impact", hits)

    def _after_stop(self, y: FloatArray, touch: Touch, Y: FloatArray, A: FloatArray, where: Indices) -> FloatArray:
        """The state after an impact without collision, Painleve's case: some slips end at once."""
        stop = np.zeros(touch.count, dtype=bool)
        stop[where] = True
        loads = stop_slips(touch, A, stop)
        if loads is None:
            names = ", ".join(self._flow.points.names[touch.index[i]] for i in where)
            message = f"Painleve's paradox at {names}: no force and no impulse obeys the friction law"
            raise StepFailure(message, 0, self._time)
        return self._after_jump(y, touch, Y, loads, "painleve", where)

    def _after_jump(
        self, y: FloatArray, touch: Touch, Y: FloatArray, loads: ImpactLoads, kind: str, where: Indices
    ) -> FloatArray:
        """The state after impulses; those of the points `where` are events of a kind."""
        if len(where) and not self.jumped:
            self._before_jump(y)
        self.jumped = self.jumped or len(where) > 0
        for i in where:
            self._log.add_impulse(kind, self._time, touch, int(i), loads.impulse)
        return self._flow.after_impulse(y, Y @ loads.impulse.ravel(), loads.loss)
