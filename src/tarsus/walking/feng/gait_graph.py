"""The gait as a graph: states of figures 3 and 4 of Feng et al. 2015, and how often a walk went from which to which."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise

from tarsus.walking.feng.gait_state import FEET, SUPPORTS, Foot, GaitState, Support
from tarsus.walking.feng.walk import FengWalk

Edge = tuple[GaitState, GaitState]

_FOOT_CHANGES: tuple[tuple[Foot, Foot], ...] = (
    ("floating", "heel"),
    ("floating", "toe"),
    ("heel", "flat"),
    ("toe", "flat"),
)


def single_changes() -> tuple[Edge, ...]:
    """Edges on which one foot changes in one way, both directions: 24 between the 8 states.

    The figures show the states; the edges follow from the text: the heel of the supporting foot goes off and comes
    down, the other foot touches with heel or toe, becomes flat, and leaves the ground again over either end.
    """
    edges: list[Edge] = []
    for support in SUPPORTS:
        for a, b in _FOOT_CHANGES:
            edges += [(GaitState(support, a), GaitState(support, b)), (GaitState(support, b), GaitState(support, a))]
    ends: tuple[tuple[Support, Support], ...] = (("flat", "heel-off"), ("heel-off", "flat"))
    edges += [(GaitState(a, foot), GaitState(b, foot)) for foot in FEET for a, b in ends]
    return tuple(edges)


@dataclass(frozen=True)
class GaitGraph:
    """States and changes of a walk.

    Attributes
    ----------
    time : dict of GaitState to float
        How long the walk was in a state, in all [s].
    edges : dict of tuple of 2 GaitState to int
        How often it went from one to another within a step; changes of both feet at one moment are one edge.
    exchanges : dict of tuple of 2 GaitState to int
        The same across exchanges of supports: from the last state of a step to the first of the next one.
    """

    time: dict[GaitState, float]
    edges: dict[Edge, int]
    exchanges: dict[Edge, int]

    @property
    def missing(self) -> tuple[Edge, ...]:
        """Single changes that were never taken."""
        return tuple(edge for edge in single_changes() if edge not in self.edges)

    def __str__(self) -> str:
        whole = sum(self.time.values())
        lines = [f"{100 * self.time[state] / whole:6.2f} % {state}" for state in sorted(self.time)]
        for title, found in (("", self.edges), ("exchange: ", self.exchanges)):
            ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
            lines += [f"{count:6d} x {title}{a} -> {b}" for (a, b), count in ordered]
        lines += [f"never    {a} -> {b}" for a, b in self.missing]
        return "\n".join(lines)


def gait_graph(walk: FengWalk) -> GaitGraph:
    """The graph of a walk."""
    time: defaultdict[GaitState, float] = defaultdict(float)
    edges: Counter[Edge] = Counter()
    exchanges: Counter[Edge] = Counter()
    last: GaitState | None = None
    for step in walk.steps:
        found = step.stays
        if not found:
            continue
        if last is not None:
            exchanges[last, found[0].state] += 1
        for stay in found:
            time[stay.state] += stay.end - stay.begin
        edges.update((a.state, b.state) for a, b in pairwise(found))
        last = found[-1].state
    return GaitGraph(dict(time), dict(edges), dict(exchanges))
