"""States of the gait of Feng et al. 2015, figures 3 and 4, and the way through them in a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from tarsus.walking.feng.contacting_foot import BALL, HEEL, SUPPORT_HEEL, TIP

Support = Literal["flat", "heel-off"]
Foot = Literal["floating", "heel", "toe", "flat"]
SUPPORTS: tuple[Support, ...] = ("flat", "heel-off")
FEET: tuple[Foot, ...] = ("floating", "heel", "toe", "flat")


class GaitState(NamedTuple):
    """What the feet do.

    Attributes
    ----------
    support : {"flat", "heel-off"}
        The supporting foot lies on the ground, figure 3 (a), 17 coordinates; or turns about its toe joint, figure 3
        (b), 18 coordinates.
    foot : {"floating", "heel", "toe", "flat"}
        The other foot touches nothing, or the ground with its heel, with ball or toes, or with both its ends, figure 4.
    """

    support: Support
    foot: Foot

    @property
    def coordinates(self) -> int:
        """Of the paper's model without the constraints of the contacting foot: 17 or 18."""
        return 17 if self.support == "flat" else 18

    @property
    def constraints(self) -> int:
        """Of the contacting foot (33): none, its height C1, or height and angle C1, C2."""
        return {"floating": 0, "heel": 1, "toe": 1, "flat": 2}[self.foot]

    def __str__(self) -> str:
        return f"{self.support} / {self.foot}"


def state_of(closed: Iterable[str]) -> GaitState:
    """State in which these contacts of `FENG_CONTACTS` are closed."""
    closed = set(closed)
    front = bool(closed & {BALL, TIP})
    foot: Foot = "floating"
    if HEEL in closed:
        foot = "flat" if front else "heel"
    elif front:
        foot = "toe"
    return GaitState("flat" if SUPPORT_HEEL in closed else "heel-off", foot)


@dataclass(frozen=True)
class Stay:
    """A stretch of time in one state.

    Attributes
    ----------
    state : GaitState
    begin, end : float
        [s], of the step.
    """

    state: GaitState
    begin: float
    end: float


def stays(closed: Iterable[str], events: Iterable[Mapping[str, Any]], end: float) -> list[Stay]:
    """States one after another, from the contacts that are closed at first and the events of a run of `Rigid`.

    Parameters
    ----------
    closed : iterable of str
        Contacts that are closed at time zero.
    events : iterable of mapping
        ``metadata["events"]`` of the run.
    end : float
        Of the run [s].

    Returns
    -------
    list of Stay
        Events of the same moment are taken together; states that last no time are left out.
    """
    held, begin = set(closed), 0.0
    found: list[Stay] = []
    for event in events:
        kind, time = event["event"], float(event["time"])
        if kind not in ("touch-down", "lift-off"):
            continue
        if time > begin:
            _add(found, Stay(state_of(held), begin, time))
            begin = time
        (held.add if kind == "touch-down" else held.discard)(str(event["contact"]))
    if end > begin:
        _add(found, Stay(state_of(held), begin, end))
    return found


def _add(found: list[Stay], stay: Stay) -> None:
    """Add a stay, or lengthen the last one, where only points of one end came or went."""
    if found and found[-1].state == stay.state:
        found[-1] = Stay(stay.state, found[-1].begin, stay.end)
    else:
        found.append(stay)
