"""The largest push that a controlled robot recovers from, in every direction."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.analysis.sweeps.named_function import named_function
from tarsus.analysis.sweeps.outcome import Sweep
from tarsus.analysis.sweeps.sweep import sweep
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, SimulationError, SweepError
from tarsus.simulation.push import Push

PushScenario = Callable[[Push], bool]
"""Whether a robot recovers from a push; deterministic."""


@dataclass(frozen=True, slots=True, eq=False)
class PushMap:
    """Limits of pushes around a robot.

    Attributes
    ----------
    angle : ndarray, shape (n,)
        Direction of the push about +z, from the x axis of the world [rad].
    limit : ndarray, shape (n,)
        Largest impulse that was tried and recovered from [N s].
    fall : ndarray, shape (n,)
        Smallest impulse that was tried and not recovered from [N s]; infinite where the largest one was.
    """

    angle: FloatArray
    limit: FloatArray
    fall: FloatArray

    @property
    def least(self) -> float:
        """Limit in the worst direction [N s]."""
        return float(self.limit.min())

    @staticmethod
    def of(results: Sweep) -> PushMap:
        """The map of a sweep of `push_limit`, such as that of a file of results.

        Raises
        ------
        SweepError
            If a direction has no value, or the sweep is of something else.
        """
        values = results.values
        try:
            rows = [(outcome.case["angle"], v["limit"], v["fall"]) for outcome, v in zip(results, values, strict=True)]
            table = np.array(rows, dtype=float).reshape(-1, 3)
        except (KeyError, TypeError, ValueError):
            raise SweepError("these are no results of push_limit: no angle, limit and fall in each") from None
        return PushMap(*table[np.argsort(table[:, 0])].T)


def push_map(
    scenario: PushScenario,
    frame: str,
    *,
    directions: int = 12,
    duration: float = 0.1,
    start: float = 0.5,
    largest: float = 100.0,
    precision: float = 0.5,
    **options: Any,
) -> PushMap:
    """Largest horizontal impulse that a robot recovers from, in each of several directions, by bisection.

    Parameters
    ----------
    scenario : callable
        ``scenario(push)`` tells whether the robot recovers.
    frame : str
        Where it is pushed.
    directions : int
        Equally spaced, from the x axis of the world on.
    duration, start : float
        Of the constant force of a push [s].
    largest : float
        Impulse beyond which nothing is tried [N s].
    precision : float
        How far the limit may be from a push that makes the robot fall [N s].
    **options
        Engine, workers, results and more of `sweep`.
    """
    if isinstance(directions, bool) or not isinstance(directions, int) or directions < 1:
        raise ArgumentError(f"directions is {directions!r}, expected an int of at least 1")
    shared = {"frame": frame, "duration": duration, "start": start, "largest": largest, "precision": precision}
    cases = [{"angle": 2.0 * math.pi * k / directions, **shared} for k in range(directions)]
    return PushMap.of(sweep(functools.partial(push_limit, scenario=scenario), cases, **options))


def push_limit(
    angle: float,
    scenario: PushScenario | str,
    frame: str,
    duration: float = 0.1,
    start: float = 0.5,
    largest: float = 100.0,
    precision: float = 0.5,
) -> dict[str, Any]:
    """Limit in one direction; see `push_map`.

    Bisection keeps a push that was recovered from and one that was not. Where a robot recovers from a larger push than
    one that throws it, it finds one of the limits.

    Parameters
    ----------
    scenario : callable or str
        Also by its name, as for `tarsus sweep`.

    Returns
    -------
    dict
        "limit" and "fall" [N s], and "trials": impulse and verdict of every run.

    Raises
    ------
    SimulationError
        If the robot does not even recover from no push at all.
    """
    for name, value in (("duration", duration), ("largest", largest), ("precision", precision)):
        if not (math.isfinite(value) and value > 0.0):
            raise ArgumentError(f"{name} is {value!r}, expected a number above 0")
    recovers = _scenario(scenario)
    direction = np.array([math.cos(angle), math.sin(angle), 0.0])
    trials: list[list[float | bool]] = []

    def tried(impulse: float) -> bool:
        verdict = recovers(Push(frame, impulse / duration * direction, start, duration))
        if not isinstance(verdict, bool | np.bool_):
            raise ArgumentError(f"the scenario returned {verdict!r}, expected whether the robot recovered")
        trials.append([impulse, bool(verdict)])
        return bool(verdict)

    if not tried(0.0):
        raise SimulationError("the robot does not recover from no push at all")
    low, high = 0.0, largest
    if tried(largest):
        return {"limit": largest, "fall": math.inf, "trials": trials}
    while high - low > precision:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if tried(middle) else (low, middle)
    return {"limit": low, "fall": high, "trials": trials}


def _scenario(given: PushScenario | str | os.PathLike[str]) -> PushScenario:
    return given if callable(given) else named_function(str(given))
