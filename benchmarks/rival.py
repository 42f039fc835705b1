"""Forward dynamics against compositions of another library's calls, where several ways lead to the same result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks import ours
from benchmarks.cells import difference, empty_table, micro, ratio
from benchmarks.quantity import States, relative_difference
from benchmarks.result import PARITY, Row
from benchmarks.timing import Effort, Statement, race
from tarsus.arrays import FloatArray
from tarsus.io.layout import Layout
from tarsus.model.model import Model

CHECKED_STATES = 64
"""States at which results are compared before anything is timed."""


@dataclass(frozen=True)
class Rival:
    """One way to accelerations in Pinocchio.

    Attributes
    ----------
    call : str
        What is called, in words.
    code : str
        Python over `names` and the state `q`, `v`, `tau` there; leaves the accelerations in `a`.
    names : mapping
        What the names in it stand for.
    rows : callable
        States here to a list of (q, v, tau) there.
    back : callable
        Accelerations there to accelerations here.
    """

    call: str
    code: str
    names: Mapping[str, Any]
    rows: Callable[[States], list[tuple[FloatArray, FloatArray, FloatArray]]]
    back: Callable[[FloatArray], FloatArray]

    def statement(self, states: States) -> Statement:
        """Write the evaluation at the first state, with everything prepared."""
        return Statement(self.code, {**self.names, **self._state(self.rows(states.first(1))[0])})

    def accelerations(self, states: States) -> FloatArray:
        """Accelerations in our layout, (n, nv), by the code that is timed."""
        found = []
        for row in self.rows(states):
            scope: dict[str, Any] = {**self.names, **self._state(row)}
            exec(self.code, scope)
            found.append(self.back(np.array(scope["a"])))
        return np.array(found)

    def disagreement(self, model: Model, states: States, method: str | None = None) -> float:
        """Largest relative difference from tarsus."""
        mine = ours.evaluate(model, "forward_dynamics", states, "", method)
        pairs = zip(mine, self.accelerations(states), strict=True)
        return max(relative_difference(own, theirs) for own, theirs in pairs)

    @staticmethod
    def _state(row: tuple[FloatArray, FloatArray, FloatArray]) -> dict[str, FloatArray]:
        return dict(zip(("q", "v", "tau"), row, strict=True))


def rows_through(layout: Layout, states: States) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
    """States (q, v, tau) in another layout, each array on its own."""
    arrays = layout.q(states.q), layout.v(states.v), layout.tau(states.tau)
    return [(q.copy(), v.copy(), tau.copy()) for q, v, tau in zip(*arrays, strict=True)]


def measure_rivals(
    robot: str,
    model: Model,
    rivals: Sequence[Rival],
    states: States,
    count: int,
    effort: Effort,
    *,
    method: str | None = None,
) -> list[Row]:
    """One row for each rival: ours for the first `count` states in one call, theirs for the first one, alternating.

    Before, results are compared at up to `CHECKED_STATES` of all the states; a rival that disagrees is not timed.
    """
    quantity = "forward_dynamics" if method is None else method
    checked = states.first(CHECKED_STATES)
    rows = [
        Row(robot, quantity, count, "pin", rival.call, rival.disagreement(model, checked, method)) for rival in rivals
    ]
    agreeing = [i for i, row in enumerate(rows) if row.disagreement <= PARITY]
    mine = [
        ours.statement(model, "forward_dynamics", states.first(count), "", single=count == 1, out=out, method=method)
        for out in (False, True)
    ]
    plain, into, *theirs = race([*mine, *(rivals[i].statement(states) for i in agreeing)], effort)
    for i, time in zip(agreeing, theirs, strict=True):
        rows[i] = rows[i].timed(plain, into, time)
    return rows


def best_ratio(rows: Sequence[Row]) -> float | None:
    """Time of the fastest rival / ours; None where nothing was timed."""
    return min((row.ratio for row in rows if row.ratio is not None), default=None)


def rival_table(title: str, rows: Iterable[Row]) -> Table:
    """Ways of forward dynamics, ours per state of the batch against one call of theirs."""
    table = empty_table(
        f"{title}: time per state, ratio = pin / ours",
        ("ours", "states", "ours, us", "out=, us", "pin", "pin, us", "ratio", "ratio out=", "difference"),
        left=("ours", "pin"),
    )
    for row in rows:
        table.add_row(
            row.robot if row.quantity == "forward_dynamics" else row.quantity,
            str(row.states),
            micro(row.ours),
            micro(row.ours_out),
            row.call,
            micro(row.peer_time),
            ratio(row.ratio),
            ratio(row.ratio_out),
            difference(row.disagreement),
        )
    return table
