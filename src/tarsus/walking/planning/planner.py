"""What all planners share: a pendulum, a step of time, and one question."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError
from tarsus.simulation.argument_kinds import check_not_negative, check_positive, finite_vector
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState, check_pendulum
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
        check_pendulum(f"pendulum of {type(self).__name__}", self.pendulum)
        self._expect(("dt",), above=True)

    def _expect(self, names: tuple[str, ...], *, above: bool) -> None:
        """Refuse options that are not finite numbers above 0, or of at least 0."""
        for name in names:
            value = getattr(self, name)
            (check_positive if above else check_not_negative)(f"{name} of {type(self).__name__}", value)
            object.__setattr__(self, name, float(value))  # of NumPy's short floats, whose results would be short, too

    def _expect_span(self, name: str) -> None:
        """Refuse an option that is neither None nor two times."""
        value = getattr(self, name)
        if value is not None:
            finite_vector(f"{name} of {type(self).__name__}", value, 2, "two times in order [s]")

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

        Raises
        ------
        ArgumentError
            Where `reference` is no path, or `start` or `divergent_end` no finite numbers of these shapes.
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
    if between is None:
        return reference.start, min(reference.end, reference.start + SHAPED)
    first, last = between
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
    """Where the mass starts, shape (2,); refuses what is no path and no start."""
    if not isinstance(reference, PressurePath):
        raise DtypeError(f"reference is {reference!r}; expected a PressurePath")
    if start is None:
        return reference.at(reference.start)
    if isinstance(start, MassState):
        return checked_state("start", start).position
    return finite_vector("start", start, 2, "a MassState, or two finite numbers [m]")


def start_state(reference: PressurePath, start: Start) -> MassState:
    """Where the mass starts and how fast: at rest where nothing is said."""
    position = start_position(reference, start)
    return checked_state("start", start) if isinstance(start, MassState) else MassState(position, np.zeros(2))


def checked_state(name: str, state: Any) -> MassState:
    """A state of both directions, of arrays of shape (2,)."""
    if not isinstance(state, MassState):
        raise DtypeError(f"{name} is {state!r}; expected a MassState")
    return MassState(
        finite_vector(f"position of {name}", state.position, 2, "two finite numbers [m]"),
        finite_vector(f"velocity of {name}", state.velocity, 2, "two finite numbers [m/s]"),
    )


def end_component(reference: PressurePath, divergent_end: npt.ArrayLike | None) -> FloatArray:
    """Divergent component at the end, shape (2,): the last pressure where nothing is said."""
    if divergent_end is None:
        last: FloatArray = np.asarray(reference.points)[-1]
        return last
    return finite_vector("divergent_end", divergent_end, 2, "two finite numbers [m]")
