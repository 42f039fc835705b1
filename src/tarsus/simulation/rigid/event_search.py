"""The first event of contact within a step of an integrator: a touch, a force that leaves its cone, the end of a slip.

What stays as it is between events is read off the phase of the flow.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.rigid.modes import STICK_SPEED
from tarsus.contact.rigid.touch_points import Indices
from tarsus.simulation.rigid.flow import RigidFlow

_LOOKS = 4
"""Parts in which a step is looked through for events."""
_BISECTIONS = 48
"""Halvings of such a part at most."""
_EVENT_TIME = 1e-12
"""Bracket that remains about the time of an event [s]."""
_TOUCH_DEPTH = 1e-12
"""An open point touches when its gap falls so far below zero, or below what it was at the start of a phase [m]."""

StateAt = Callable[[float], FloatArray]
"""States within a step, by time."""


def touch_gaps(flow: RigidFlow, y: FloatArray) -> FloatArray:
    """Gaps below which open points touch in a phase that begins with the state y, shape (points,) [m]."""
    return np.minimum(flow.gaps(y), 0.0) - _TOUCH_DEPTH


def backward_slips(flow: RigidFlow, y: FloatArray) -> FloatArray:
    """Speeds up to which closed points may slip backwards: what begins to slip may first tremble, shape (k,) [m/s]."""
    touch = flow.touch(y, flow.phase.modes.index)
    return np.where(np.hypot(touch.velocity[:, 1], touch.velocity[:, 2]) <= 2.0 * STICK_SPEED, 0.1 * STICK_SPEED, 0.0)


def first_event(
    flow: RigidFlow, t_old: float, y_old: FloatArray, t: float, y: FloatArray, state_at: StateAt
) -> tuple[float, Indices] | None:
    """Time of the first event within a step from t_old to t, and points that touch then; None without one."""
    times = np.linspace(t_old, t, _LOOKS + 1)
    low = t_old
    history: list[FloatArray] = [_open_gaps(flow, y_old)]
    for k in range(1, _LOOKS + 1):
        at = float(times[k])
        state = y if k == _LOOKS else np.asarray(state_at(at))
        gap = _open_gaps(flow, state)
        history.append(gap)
        if k >= 2:  # a dip between the looks: the parabola through three of them falls below zero
            dip = _dip(history[-3:], times[k - 2 : k + 1])
            if dip is not None and np.any(_open_gaps(flow, np.asarray(state_at(dip))) < 0.0):
                return _located(flow, float(times[k - 2]), dip, state_at)
        if np.any(gap < 0.0) or _slip_ends(flow, state) or (k == _LOOKS and not flow.forces_fit(at, state)):
            # Forces are looked at at the end only: they may have left their cones anywhere before.
            return _located(flow, low if k < _LOOKS else t_old, at, state_at)
        low = at
    return None


def _dip(gaps: list[FloatArray], times: FloatArray) -> float | None:
    """Time of the deepest minimum below zero of parabolas through three equidistant gaps above zero."""
    a, b, c = (np.where(np.isfinite(gap), gap, 0.0) for gap in gaps)
    bend = a - 2 * b + c
    lowest = (bend > 0.0) & (b > 0.0) & (a > 0.0) & (c > 0.0) & (np.abs(a - c) < 2.0 * bend)
    if not lowest.any():
        return None
    depth = np.where(lowest, b - (a - c) ** 2 / (8.0 * np.where(bend > 0.0, bend, 1.0)), np.inf)
    i = int(np.argmin(depth))
    if depth[i] >= 0.0:
        return None
    return float(times[1] + 0.5 * (a[i] - c[i]) / bend[i] * (times[1] - times[0]))


def _located(flow: RigidFlow, low: float, high: float, state_at: StateAt) -> tuple[float, Indices]:
    """The moment at which something happens first, by bisection, and points that touch then."""
    for _ in range(_BISECTIONS):
        if high - low <= _EVENT_TIME:
            break
        middle = 0.5 * (low + high)
        if _happens(flow, middle, np.asarray(state_at(middle))):
            high = middle
        else:
            low = middle
    return high, np.flatnonzero(_open_gaps(flow, np.asarray(state_at(high))) < 0.0)


def _happens(flow: RigidFlow, t: float, y: FloatArray) -> bool:
    """Whether an event has happened by then."""
    return bool(np.any(_open_gaps(flow, y) < 0.0)) or _slip_ends(flow, y) or not flow.forces_fit(t, y)


def _open_gaps(flow: RigidFlow, y: FloatArray) -> FloatArray:
    """Gaps above those at which points touch [m]; infinite for closed points."""
    gap = flow.gaps(y) - flow.phase.touch_gap
    gap[flow.phase.modes.index] = np.inf
    return gap


def _slip_ends(flow: RigidFlow, y: FloatArray) -> bool:
    """Whether a point slips backwards: its slip has ended in between."""
    modes = flow.phase.modes
    if modes.stick.all():
        return False
    touch = flow.touch(y, modes.index)
    u = np.einsum("kab,ka->kb", touch.axes[:, 1:], touch.velocity[:, 1:])
    back = np.sum(u * modes.direction, axis=1) < -flow.phase.backward_slip
    return bool(np.any(back & ~modes.stick & (touch.friction > 0.0)))
