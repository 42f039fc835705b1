"""The list of what happened at the contacts of a rigid ground."""

from __future__ import annotations

from typing import Any, final

from tarsus.arrays import FloatArray
from tarsus.contact.rigid.modes import Modes
from tarsus.contact.rigid.touch_points import Touch


@final
class EventLog:
    """Events as plain JSON values, in the order in which they happened.

    Parameters
    ----------
    names : tuple of str
        Names of all points.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._events: list[dict[str, Any]] = []

    def take(self) -> list[dict[str, Any]]:
        """Events since the last call."""
        events, self._events = self._events, []
        return events

    def add_impulse(self, kind: str, time: float, touch: Touch, i: int, impulses: FloatArray) -> None:
        """Note the impulse on one of the points that touch.

        Parameters
        ----------
        kind : {"impact", "painleve"}
        i : int
            Number among those points.
        impulses : ndarray, shape (k, 3)
            Impulses of all of them in contact axes [N s].
        """
        self._add(kind, touch.index[i], time)
        self._events[-1] |= {"speed": float(-touch.velocity[i, 0]), "impulse": touch.world(impulses)[i].tolist()}

    def add_changes(self, time: float, before: Modes, after: Modes) -> None:
        """Note touch-downs, lift-offs, slips and sticks that follow from a change of modes."""
        old = {i: k for k, i in enumerate(before.index.tolist())}
        new = {i: k for k, i in enumerate(after.index.tolist())}
        for i in sorted(old.keys() | new.keys()):
            if i not in old:
                self._add("touch-down", i, time)
            elif i not in new:
                self._add("lift-off", i, time)
            else:
                sticks, stuck = after.stick[new[i]], before.stick[old[i]]
                turns = float(before.direction[old[i]] @ after.direction[new[i]]) < 0.0  # a slip may turn back at once
                if sticks != stuck or turns:
                    self._add("stick" if sticks else "slip", i, time)

    def _add(self, kind: str, point: int, time: float) -> None:
        self._events.append({"event": kind, "contact": self._names[point], "time": time})
