"""Two threads against one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table

from benchmarks import ours
from benchmarks.cells import empty_table, micro, ratio
from benchmarks.contestants import Contestant, talos
from benchmarks.quantity import States, random_states
from benchmarks.section import Options, Section
from benchmarks.target import Target
from benchmarks.timing import Effort, race

QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "joint_screws")
BATCHES = (1024, 16384)


@dataclass(frozen=True)
class ThreadRow:
    """Times per state [s] on one and on two threads, results into a prepared array."""

    robot: str
    quantity: str
    states: int
    one: float
    two: float

    @property
    def ratio(self) -> float:
        """How much faster two threads are."""
        return self.one / self.two


def measure_threads(contestant: Contestant, states: States, effort: Effort) -> Iterator[ThreadRow]:
    """Rows for a batch of all the states."""
    for quantity in QUANTITIES:
        pair = [
            ours.statement(contestant.model, quantity, states, contestant.frame, out=True, threads=n) for n in (1, 2)
        ]
        yield ThreadRow(contestant.name, quantity, len(states), *race(pair, effort))


def thread_table(rows: Iterable[ThreadRow]) -> Table:
    """Two threads against one."""
    table = empty_table(
        "two threads against one",
        ("robot", "quantity", "states", "one, us", "two, us", "ratio"),
        left=("robot", "quantity"),
    )
    for row in rows:
        table.add_row(row.robot, row.quantity, str(row.states), micro(row.one), micro(row.two), ratio(row.ratio))
    return table


def judge_threads(rows: Sequence[ThreadRow]) -> list[Target]:
    """Two threads on Talos."""
    return [
        Target(f"{row.quantity}, {row.states} states: one thread / two threads", 1.7, None, row.ratio)
        for row in rows
        if row.robot == "talos"
    ]


def _measured(options: Options) -> Iterator[ThreadRow]:
    if "talos" in options.robots:
        contestant = talos()
        states = random_states(contestant.model, max(BATCHES))
        for count in BATCHES[:1] if options.quick else BATCHES:
            yield from measure_threads(contestant, states.first(count), options.effort)


SECTION = Section("threads", _measured, lambda rows: [thread_table(rows)], judge_threads)
