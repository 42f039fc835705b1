"""Batches of different quantities called in turn, a new result array each time: how programs call them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.table import Table

from benchmarks import ours
from benchmarks.cells import empty_table, micro, ratio
from benchmarks.contestants import ROBOTS, Contestant
from benchmarks.quantity import QUANTITIES, States, random_states
from benchmarks.section import Options, Section
from benchmarks.timing import Effort, race

STATES = 1024
"""Of a batch."""
ROUNDS = 40
"""Calls of every quantity; the median counts, because fresh memory is to be seen, not the best case."""


@dataclass(frozen=True)
class AlternatingRow:
    """Times per state [s] of one quantity among the others.

    Attributes
    ----------
    ours : float
        Called in turn with all other quantities, with a new result.
    alone : float
        Called again and again with `out=`, the best block.
    peer_time : float
        The first peer's loop over prepared rows.
    """

    robot: str
    quantity: str
    states: int
    peer: str
    ours: float
    alone: float
    peer_time: float

    @property
    def ratio(self) -> float:
        """How much faster than the peer."""
        return self.peer_time / self.ours


def measure_alternating(contestant: Contestant, states: States, effort: Effort) -> list[AlternatingRow]:
    """Rows for a batch of all the states, against the first peer."""
    peer = contestant.peers[0]
    taken = _in_turn(contestant, states)
    rows = []
    for quantity in QUANTITIES:
        theirs = peer.batch(quantity, states)
        if theirs is None:
            continue
        into = ours.statement(contestant.model, quantity, states, contestant.frame, out=True)
        alone, peer_time = race([into, theirs], effort)
        median = sorted(taken[quantity])[ROUNDS // 2]
        rows.append(
            AlternatingRow(contestant.name, quantity, len(states), peer.name, median / len(states), alone, peer_time)
        )
    return rows


def _in_turn(contestant: Contestant, states: States) -> dict[str, list[float]]:
    """Durations of single calls [s]; the latest result of each quantity is alive while the others run."""
    taken: dict[str, list[float]] = {quantity: [] for quantity in QUANTITIES}
    latest = {}
    for _ in range(ROUNDS):
        for quantity in QUANTITIES:
            start = time.perf_counter()
            result = ours.evaluate(contestant.model, quantity, states, contestant.frame)
            taken[quantity].append(time.perf_counter() - start)
            latest[quantity] = result
    return taken


def alternating_table(rows: Iterable[AlternatingRow]) -> Table:
    """Batches of all quantities in turn, with new result arrays."""
    table = empty_table(
        "in turn with new result arrays: time per state, ratio = peer / ours",
        ("robot", "quantity", "states", "ours, us", "alone with out=, us", "peer", "peer, us", "ratio"),
        left=("robot", "quantity", "peer"),
    )
    for row in rows:
        times = micro(row.ours), micro(row.alone), row.peer, micro(row.peer_time)
        table.add_row(row.robot, row.quantity, str(row.states), *times, ratio(row.ratio))
    return table


def _measured(options: Options) -> Iterator[AlternatingRow]:
    for name in options.robots:
        contestant = ROBOTS[name]()
        yield from measure_alternating(contestant, random_states(contestant.model, STATES), options.effort)


SECTION = Section("alternating", _measured, lambda rows: [alternating_table(rows)])
