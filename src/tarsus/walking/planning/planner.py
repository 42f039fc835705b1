"""What all planners share: a pendulum, a step of time, and one question."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.spatial._arrays import as_vector
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.pressure_path import PressurePath

Start = MassState | npt.ArrayLike | None
"""Position and velocity of the mass; its position alone, shape (2,); or above the first pressure."""


@dataclass(frozen=True)
class Planner(ABC):
    """From where the pressure shall be to how the mass moves.

    Attributes
    ----------
    pendulum : LinearInvertedPendulum
    dt : float
        Between samples of the pattern [s].
    """

    pendulum: LinearInvertedPendulum
    dt: float = 0.005

    def __post_init__(self) -> None:
        if not isinstance(self.pendulum, LinearInvertedPendulum):
            raise ArgumentError(f"pendulum of {type(self).__name__} is {self.pendulum!r}; expected a pendulum")
        self._expect(("dt",), above=True)

    def _expect(self, names: tuple[str, ...], *, above: bool) -> None:
        """Refuse options that are not finite numbers above 0, or of at least 0."""
        for name in names:
            value = getattr(self, name)
            fits = isinstance(value, int | float) and math.isfinite(value) and (value > 0 if above else value >= 0)
            if not fits:
                expected = "above 0" if above else "of at least 0"
                raise ArgumentError(f"{name} of {type(self).__name__} is {value!r}; expected a number {expected}")

    @abstractmethod
    def plan(self, reference: PressurePath, start: Start = None, divergent_end: npt.ArrayLike | None = None) -> Pattern:
        """Motion of the mass above a pressure path.

        Parameters
        ----------
        reference : PressurePath
        start : MassState or array_like, shape (2,), optional
            Position and velocity of the mass, or its position alone, whose velocity then follows; by default it starts
            above the first pressure. Planners that cannot take a velocity say so; those that need one take rest.
        divergent_end : array_like, shape (2,), optional
            Divergent component at the end; by default the last pressure, above which the mass then comes to rest.
        """


def pattern_times(reference: PressurePath, dt: float) -> FloatArray:
    """Samples from the start to the end of a path, at most dt apart and evenly, shape (n,)."""
    span = reference.end - reference.start
    return np.asarray(np.linspace(reference.start, reference.end, max(FEWEST, math.ceil(span / dt - 1e-9) + 1)))


FEWEST = 9
"""Samples of a pattern, however long dt is."""
SHAPED = 1.0
"""How long pressure is changed from the start on where nothing is said [s]."""


def changed_span(reference: PressurePath, between: tuple[float, float] | None) -> tuple[float, float]:
    """Between which times the pressure is changed [s]: the first second of the path where nothing is said."""
    first, last = between or (reference.start, min(reference.end, reference.start + SHAPED))
    if not reference.start <= first < last <= reference.end:
        raise ArgumentError(f"the pressure is to be changed between {between!r}; expected two times within the path")
    return first, last


def trapezoid(reference: PressurePath, between: tuple[float, float] | None, edge: float, t: FloatArray) -> FloatArray:
    """A shape of changes of the pressure at times, shape (n,): 0 outside, 1 inside, and straight edges.

    Parameters
    ----------
    between : tuple of float, optional
        Its times [s]; the first second of the path by default: what is off at the start is mended soon, or shifts all.
    edge : float
        Part of that time in which it rises, and in which it falls.
    """
    first, last = changed_span(reference, between)
    return np.clip(np.minimum(t - first, last - t) / (edge * (last - first)), 0.0, 1.0)


def start_position(reference: PressurePath, start: Start) -> FloatArray:
    """Where the mass starts, shape (2,)."""
    if start is None:
        return reference.at(reference.start)
    return as_vector(start.position if isinstance(start, MassState) else start, "start", 2)


def start_state(reference: PressurePath, start: Start) -> MassState:
    """Where the mass starts and how fast: at rest where nothing is said."""
    velocity = as_vector(start.velocity, "start", 2) if isinstance(start, MassState) else np.zeros(2)
    return MassState(start_position(reference, start), velocity)


def end_component(reference: PressurePath, divergent_end: npt.ArrayLike | None) -> FloatArray:
    """Divergent component at the end, shape (2,): the last pressure where nothing is said."""
    if divergent_end is None:
        last: FloatArray = np.asarray(reference.points)[-1]
        return last
    return as_vector(divergent_end, "divergent_end", 2)
