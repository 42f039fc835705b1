"""The stages of reaching: goals, a way to one of them, a smooth path, times along it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.ik.reaching.extension import Extension
from tarsus.ik.reaching.goals import find_goals
from tarsus.ik.reaching.motion import Motion, timed
from tarsus.ik.reaching.moving_space import MovingSpace
from tarsus.ik.reaching.rates import Rates
from tarsus.ik.reaching.shortcuts import shortened
from tarsus.ik.reaching.smoothing import smoothed
from tarsus.ik.reaching.spline_path import SplinePath
from tarsus.ik.reaching.swept_clearance import SweptClearance
from tarsus.ik.reaching.task_solver import TaskSolver
from tarsus.ik.reaching.time_law import TimeLaw
from tarsus.ik.reaching.trees import connect
from tarsus.ik.velocity.inequality import positive
from tarsus.tasks import Task

THERE = 1e-8
"""Largest error of tasks that are met already [m, rad, ...]."""
STRAIGHT = 6
"""Goals to which a straight way is tried."""
ATTEMPTS = 3
"""Goals to which a smooth path is tried."""
TOLD = 2
"""Pairs that the reason of a failure names."""

Progress = Callable[[str, int, int], object]


@dataclass(frozen=True, slots=True)
class Searching:
    """How much is tried; see `tarsus.ik.reach`."""

    goals: int
    starts: int
    max_iterations: int
    max_time: float | None
    shortcuts: int
    seed: int

    def __post_init__(self) -> None:
        counts = (("goals", 1), ("starts", 1), ("max_iterations", 0), ("shortcuts", 0), ("seed", 0))
        for name, least in counts:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
                raise ArgumentError(f"{name} is {value!r}; expected a whole number of at least {least}")
        if self.max_time is not None:
            positive(self.max_time, "max_time", "s")


class Planner:
    """Finds one motion."""

    def __init__(
        self,
        space: MovingSpace,
        clearance: SweptClearance,
        keep: TaskSolver | None,
        rates: Rates,
        searching: Searching,
        progress: Progress | None,
    ) -> None:
        self.space, self.clearance, self.rates, self.searching = space, clearance, rates, searching
        self.extension = Extension(space, clearance, keep)
        self.weights = clearance.reach_of_freedoms()
        self.rng = np.random.default_rng(searching.seed)
        self._deadline = None if searching.max_time is None else time.monotonic() + searching.max_time
        self._progress = progress or (lambda *_: None)

    def motion(self, tasks: Sequence[Task], dt: float) -> Motion:
        """A motion to where the tasks are met, or one that rests where none was found."""
        start, model = self.space.q0, self.space.model
        still = np.zeros((1, model.nv))
        rest = Motion(model, "blocked", "", np.zeros(1), start[None].copy(), still, still.copy(), *self.rates)
        if TaskSolver(self.space, tasks).missed(start[None])[0] <= THERE:
            return replace(rest, status="arrived", reason="the tasks are met at the start")
        self._progress("goals", 0, self.searching.starts)
        found = find_goals(
            self.space, self.clearance, tasks, self.weights, self.rng, self.searching.goals, self.searching.starts
        )
        if len(found.q) == 0:
            return replace(rest, reason=f"blocked: {found.reason}", looked=self.clearance.looked)
        path, iterations, why = self._path(found.q)
        rest = replace(rest, goals=len(found.q), iterations=iterations, looked=self.clearance.looked)
        if path is None:
            return replace(rest, reason=why)
        law = TimeLaw(path, self.rates.v, self.rates.vdot)
        t, q, v, vdot = timed(path, law, dt)
        self._progress("path", ATTEMPTS, ATTEMPTS)
        return replace(
            rest,
            status="arrived",
            reason=f"arrived after {law.duration:.3g} s, {self._how(iterations)}",
            t=t,
            q=q,
            v=v,
            vdot=vdot,
            _path=path,
            _law=law,
        )

    def _path(self, goals: FloatArray) -> tuple[SplinePath | None, int, str]:
        """A smooth path to one of the goals, how often trees grew for it, and why there is none."""
        grown = 0
        for attempt in range(ATTEMPTS):
            way, iterations = self._way(goals)
            grown += iterations
            if way is None:
                return None, grown, self._blocked(len(goals), grown)
            self._progress("path", attempt, ATTEMPTS)
            way = shortened(self.extension, self.weights, way, self.rng, self.searching.shortcuts, self._ended)
            path = smoothed(self.extension, way, self.rates.v)
            if path is not None:
                return path, grown, ""
            goals = goals[np.abs(goals - way[-1]).max(axis=-1) > 0]
            if len(goals) == 0:
                break
        return None, grown, f"blocked: a way was found, but no smooth path along it; {self._in_the_way()}"

    def _way(self, goals: FloatArray) -> tuple[FloatArray | None, int]:
        """A way to one of the goals, and how often trees grew for it."""
        for k, goal in enumerate(goals[:STRAIGHT]):
            self._progress("straight", k, min(STRAIGHT, len(goals)))
            nodes, arrived = self.extension.towards(self.space.q0, goal)
            if arrived:
                return np.concatenate([self.space.q0[None], nodes]), 0
        count = 0

        def ended() -> bool:
            nonlocal count
            self._progress("trees", count, self.searching.max_iterations)
            count += 1
            return self._ended()

        return connect(
            self.extension, self.weights, self.space.q0, goals, self.rng, self.searching.max_iterations, ended
        )

    def _ended(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _how(self, iterations: int) -> str:
        return "straight" if iterations == 0 else f"a way that trees found in {iterations} growths"

    def _blocked(self, goals: int, iterations: int) -> str:
        why = "in the time given" if self._ended() else f"in {iterations} growths of trees"
        return f"blocked: no way to any of {goals} goals was found {why}; {self._in_the_way()}"

    def _in_the_way(self) -> str:
        common = self.clearance.met.most_common(TOLD)
        if not common:
            return "no pair was in the way, but limits or tasks to be kept were"
        return "most often in the way: " + ", ".join(f"{a!r} and {b!r}" for (a, b), _ in common)
