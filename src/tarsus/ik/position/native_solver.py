"""Levenberg-Marquardt of all targets in one native call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
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


def _flat(target: FloatArray, batch: tuple[int, ...], count: int) -> FloatArray:
    """Numbers of one block's targets, shape (count, numbers)."""
    numbers = target.shape[-1]
    return np.broadcast_to(target, (*batch, numbers)).reshape(count, numbers)


def solve_native(
    problem: Problem,
    blocks: Sequence[Block],
    begin: FloatArray,
    postures: FloatArray,
    tolerance: float,
    max_iterations: int,
    starts: int,
    threads: int,
) -> Outcome:
    """All starts of all targets.

    Parameters
    ----------
    begin : ndarray, shape (n, nq)
    postures : ndarray, shape (starts - 1, nq)
    """
    model, count = problem.model, len(begin)
    frames, table = task_table(blocks, problem.weights)
    targets = [_flat(block.target, problem.batch, count) for block in blocks]
    outcome = Outcome.empty(begin)
    status = np.zeros(count, dtype=np.int32)
    iterations, tried = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int32)
    run = {
        "count": count,
        "postures": len(postures),
        "kept": len(problem.kept),
        "kept_q": problem.kept.astype(np.int32),
        "bounds": len(problem.q_index),
        "starts": starts,
        "max_iterations": max_iterations,
        "tolerance": tolerance,
        "q0": np.ascontiguousarray(begin),
        "target": np.ascontiguousarray(np.concatenate(targets, axis=-1)),
        "posture": np.ascontiguousarray(postures),
        "bound_q": problem.q_index.astype(np.int32),
        "bound_v": problem.v_index.astype(np.int32),
        "lower": np.ascontiguousarray(problem.lower),
        "upper": np.ascontiguousarray(problem.upper),
        "q": outcome.q,
        "residual": outcome.residual,
        "status": status,
        "iterations": iterations,
        "tried": tried,
    }
    _native.TaskCore(model, frames, table).solve(run, threads)
    names = list(_native.enumeration("PositionStatus"))
    outcome.status[:] = np.array(names, dtype=object)[status]
    outcome.iterations[:], outcome.starts[:] = iterations, tried
    return outcome
