"""Locks of one robot: which are engaged, and the impacts with which they engage."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints.evaluation import rows_of
from tarsus.dynamics.constraints.lock import DirectedSwitch, Lock, Switch
from tarsus.dynamics.constraints.projection import project_velocity
from tarsus.dynamics.mass_matrix import mass_matrix
from tarsus.dynamics.momentum import kinetic_energy
from tarsus.simulation.audit import WORK_IMPACT
from tarsus.simulation.constraints import START_VIOLATION
from tarsus.simulation.runs.flow import Flow
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.step_failure import StepFailure

_ROUNDING = 1e-11
"""Switches count as zero below this: a lock that was released does not engage again by the rounding of its position."""


def lock_switches(robots: Robots) -> tuple[Switch, ...]:
    """Functions whose changes of sign matter: two of each lock of a robot, that engage and release it."""
    places = () if robots.constraints is None else robots.constraints.locks
    return tuple(_switch(robots, place, engages) for place in places for engages in (True, False))


def _switch(robots: Robots, place: int, engages: bool) -> Switch:
    """A lock's function where it would change something: only what is off engages, only what is on is released."""
    assert robots.constraints is not None
    lock = robots.constraints.table.constraints[place]
    assert isinstance(lock, Lock)
    given = lock.engage if engages else lock.release

    def value(t: float, q: FloatArray, v: FloatArray) -> float:
        if given is None or robots.is_engaged(place) == engages:
            return 1.0
        number = float(given(t, q, v))
        return 0.0 if abs(number) < _ROUNDING else number

    return DirectedSwitch(value, getattr(given, "direction", 0))


def require_closed(robots: Robots, place: int, q: FloatArray, v: FloatArray, time: float) -> None:
    """Raise a StepFailure where positions do not allow a constraint that engages."""
    held = robots.constraints
    assert held is not None
    rows = rows_of(robots.model, q, v, held.table, np.asarray(time))
    begin, end = held.table.first[place], held.table.first[place + 1]
    open_by = np.abs(np.where(rows.holonomic, rows.violation, 0.0)[begin:end]).max(initial=0.0)
    if open_by > START_VIOLATION:
        label = held.table.constraints[place].label
        raise StepFailure(f"{label} engages while it is open by {open_by:.3g} m or rad", 0, time)


@final
class Locks:
    """Switches of all locks among a robot's constraints, and what they do.

    Attributes
    ----------
    switches : tuple of callable
        Functions whose changes of sign matter: two of each lock, one that engages and one that releases it.
    """

    def __init__(self, robots: Robots, flow: Flow) -> None:
        self._robots, self._flow = robots, flow
        held = robots.constraints
        self._places = () if held is None else held.locks
        self.switches = lock_switches(robots)

    def turn(self, switch: int, time: float, y: FloatArray) -> tuple[FloatArray, dict[str, Any]]:
        """The state after a switch turned, and what happened as plain JSON values.

        Raises
        ------
        StepFailure
            Where the positions do not allow the constraint that engages.
        """
        robots, place = self._robots, self._places[switch // 2]
        held = robots.constraints
        assert held is not None
        label = held.table.constraints[place].label
        if switch % 2 == 1:
            robots.set_engaged(place, False)
            return y, {"event": "release", "constraint": label, "time": time}
        robots.set_engaged(place, True)
        model, flow = robots.model, self._flow
        q, v = flow.configuration(y), np.array(flow.velocity(y))
        require_closed(robots, place, q, v, time)
        rows = rows_of(model, q, v, held.table, np.asarray(time))
        begin, end = held.table.first[place], held.table.first[place + 1]
        after = project_velocity(model, q, v, held.acting(robots.engaged), time)
        loss = float(kinetic_energy(model, q, v) - kinetic_energy(model, q, after))
        active = np.flatnonzero(robots.engaged[0])
        impulse = np.zeros(held.rows)
        change = mass_matrix(model, q) @ (after - v)
        impulse[active] = np.linalg.lstsq(rows.jacobian[active].T, change, rcond=None)[0]
        y = np.array(y)
        y[flow.v] = after
        y[flow.work.start + WORK_IMPACT] += loss
        happened = {"event": "engage", "constraint": label, "time": time, "loss": loss}
        return y, {**happened, "impulse": [float(x) for x in impulse[begin:end]]}
