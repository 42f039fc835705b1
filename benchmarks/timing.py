"""Timing short statements against each other: interleaved blocks, the best block counts."""

from __future__ import annotations

import gc
import time
import timeit
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray


@dataclass(frozen=True)
class Statement:
    """A piece of code over prepared names; it is timed without the cost of looking names up or making arguments.

    Attributes
    ----------
    code : str
        Python, possibly several lines.
    names : mapping
        What the names in it stand for.
    evaluations : int
        States that one execution evaluates.
    """

    code: str
    names: Mapping[str, Any] = field(default_factory=dict)
    evaluations: int = 1

    def timer(self) -> timeit.Timer:
        """Timer in whose loop the names are local variables."""
        hidden = {f"_{name}": value for name, value in self.names.items()}
        setup = "; ".join(f"{name} = _{name}" for name in self.names) or "pass"
        return timeit.Timer(self.code, setup, globals=hidden)


@dataclass(frozen=True)
class Effort:
    """How long a comparison may take.

    Attributes
    ----------
    rounds : int
        Blocks of each statement.
    block : float
        Duration of one block [s], for statements that are shorter.
    budget : float
        Time for all rounds of one statement [s]; long statements get fewer rounds, but at least `fewest`.
    fewest : int
    """

    rounds: int = 25
    block: float = 0.002
    budget: float = 2.0
    fewest: int = 5


FULL = Effort()
QUICK = Effort(rounds=7, block=0.001, budget=0.3, fewest=3)


def race(statements: Sequence[Statement], effort: Effort = FULL) -> list[float]:
    """Best time of each statement per state evaluated [s].

    In every round each statement runs one block of executions, one statement after the other, so that a change of the
    machine's speed meets all of them.
    """
    timers = [statement.timer() for statement in statements]
    once = [min(timer.repeat(2, 1)) for timer in timers]
    numbers = [max(1, round(effort.block / max(t, 1e-8))) for t in once]
    longest = max(t * n for t, n in zip(once, numbers, strict=True))
    rounds = max(effort.fewest, min(effort.rounds, int(effort.budget / longest)))
    best = [float("inf")] * len(timers)
    for _ in range(rounds):
        for i, (timer, number) in enumerate(zip(timers, numbers, strict=True)):
            best[i] = min(best[i], timer.timeit(number) / number)
    return [t / s.evaluations for t, s in zip(best, statements, strict=True)]


def call_times(count: int, call: Callable[[int], object]) -> FloatArray:
    """Processor times of ``call(0)``, ``call(1)``, ..., one by one, shape (count,) [s]: each may do something else."""
    found = np.empty(count)
    gc.collect()
    gc.disable()
    try:
        for k in range(count):
            begin = time.thread_time()
            call(k)
            found[k] = time.thread_time() - begin
    finally:
        gc.enable()
    return found
