"""Levenberg-Marquardt of all targets in native calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray, IndexArray
from tarsus.ik.position.answer import SOLVED
from tarsus.ik.position.outcome import Outcome
from tarsus.ik.position.problem import Problem
from tarsus.model import Model
from tarsus.tasks import Task
from tarsus.tasks.block import Block


def native_blocks(model: Model, tasks: Sequence[Task]) -> list[Block] | None:
    """The tasks as the native core knows them; None where one of them, or the base of the model, it does not know."""
    if model.base == "free" and model.rotation != "quaternion":
        return None
    blocks: list[Block] = []
    for task in tasks:
        own = task.blocks(model)
        if own is None:
            return None
        blocks.extend(own)
    return blocks


def task_table(blocks: Sequence[Block], weights: FloatArray) -> tuple[list[str], dict[str, Any]]:
    """Frames by name, and the table of the tasks; weights of all rows, shape (rows,)."""
    kinds = _native.enumeration("TaskKind")
    frames: list[str] = []
    rows = []
    for block in blocks:
        at = [-1, -1]
        for k, name in enumerate((block.frame, block.reference)):
            if name is not None:
                at[k] = len(frames)
                frames.append(name)
        rows.append([kinds[block.kind], *at, len(block.components)])
    entries = [
        np.stack(
            [block.components, np.zeros_like(block.components) if block.coordinates is None else block.coordinates], 1
        )
        for block in blocks
    ]
    table = {
        "blocks": len(blocks),
        "rows": len(weights),
        "block": np.array(rows, dtype=np.int32).ravel(),
        "row": np.concatenate(entries).astype(np.int32).ravel(),
        "axis": np.concatenate([block.axis for block in blocks]),
        "weight": np.ascontiguousarray(weights),
    }
    return frames, table


class NativeSearch:
    """Levenberg-Marquardt of all members of a batch in native calls: what `Search` does, a member in each lane."""

    def __init__(
        self,
        problem: Problem,
        blocks: Sequence[Block],
        begin: FloatArray,
        tolerance: float,
        max_iterations: int,
        threads: int = 1,
    ) -> None:
        self.problem, self.begin = problem, begin
        self.outcome = Outcome.empty(begin)
        self._options = {"tolerance": tolerance, "max_iterations": max_iterations, **_bounds(problem)}
        self._threads = threads
        self._core = _native.TaskCore(problem.model, *task_table(blocks, problem.weights))
        targets = [_flat(block.target, problem.batch, len(begin)) for block in blocks]
        self._target = np.concatenate(targets, axis=-1)

    def run(self, postures: Callable[[int], FloatArray], starts: int) -> Outcome:
        """As many starts as are needed: that given, then postures, those with the least error first.

        Parameters
        ----------
        postures : callable
            Gives that many of them, shape (count, nq); asked only where the first start does not do for all.
        """
        everyone = np.arange(len(self.begin))
        self._starts(everyone, self.begin[:0], 0, 1)
        left = np.flatnonzero(self.outcome.status != SOLVED)
        if starts > 1 and left.size > 0:
            self._starts(left, postures(starts - 1), 1, starts)
        return self.outcome

    def _starts(self, rows: IndexArray, postures: FloatArray, first: int, starts: int) -> None:
        """Starts first .. starts - 1 of some members, which keep the best of these and of those before."""
        kept = self.problem.kept if len(postures) else self.problem.q_index[:0]
        found = self.outcome
        results: dict[str, Any] = {
            "q": found.q[rows],
            "residual": found.residual[rows],
            "status": np.array([_CODES[name] for name in found.status[rows]], dtype=np.int32),
            "iterations": found.iterations[rows].astype(np.int32),
            "tried": found.starts[rows].astype(np.int32),
            "worst": found.worst[rows].astype(np.int32),
        }
        run = {
            "count": len(rows),
            "first": first,
            "starts": starts,
            "postures": len(postures),
            "posture": np.ascontiguousarray(postures),
            "kept": len(kept),
            "kept_q": kept.astype(np.int32),
            "q0": self.begin[rows],
            "target": self._target[rows],
        }
        self._core.solve({**run, **self._options, **results}, self._threads)
        found.q[rows], found.residual[rows] = results["q"], results["residual"]
        found.status[rows] = _STATUSES[results["status"]]
        found.iterations[rows], found.starts[rows] = results["iterations"], results["tried"]
        found.worst[rows] = results["worst"]


_STATUSES = np.array(list(_native.enumeration("PositionStatus")), dtype=object)
_CODES = {name: code for code, name in enumerate(_STATUSES)}


def _bounds(problem: Problem) -> dict[str, Any]:
    """Coordinates with limits."""
    return {
        "bounds": len(problem.q_index),
        "bound_q": problem.q_index.astype(np.int32),
        "bound_v": problem.v_index.astype(np.int32),
        "lower": np.ascontiguousarray(problem.lower),
        "upper": np.ascontiguousarray(problem.upper),
    }


def _flat(target: FloatArray, batch: tuple[int, ...], count: int) -> FloatArray:
    """Numbers of one block's targets, shape (count, numbers)."""
    numbers = target.shape[-1]
    return np.broadcast_to(target, (*batch, numbers)).reshape(count, numbers)
