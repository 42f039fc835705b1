"""Numbers that robots of a batch have of their own: one each."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError


def coefficients_of_robots(name: str, value: npt.ArrayLike, batch: tuple[int, ...]) -> FloatArray:
    """Numbers of 0 or more, shape (n,), from one of each robot or one for all."""
    try:
        given = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise DtypeError(f"{name} is {value!r}; expected numbers") from None
    numbers = _each(name, given, batch)
    if not np.isfinite(numbers).all():
        raise NonFiniteError(f"{name} of robot {_first(~np.isfinite(numbers), batch)} is not finite")
    if (numbers < 0.0).any():
        robot = _first(numbers < 0.0, batch)
        raise ArgumentError(f"{name} of robot {robot} is {numbers[numbers < 0.0][0]}; expected 0 or more")
    return np.array(numbers, dtype=float)


def steps_of_robots(name: str, value: npt.ArrayLike, batch: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Whole numbers of steps, shape (n,), from one of each robot or one for all."""
    given = np.asarray(value)
    if given.dtype.kind not in "iu":
        raise DtypeError(f"{name} is {given.dtype}; expected whole numbers of steps")
    numbers = _each(name, given, batch)
    if (numbers < 0).any():
        robot = _first(numbers < 0, batch)
        raise ArgumentError(f"{name} of robot {robot} is {numbers[numbers < 0][0]}; expected 0 steps or more")
    return np.array(numbers, dtype=np.int64)


def _each(name: str, given: npt.NDArray[Any], batch: tuple[int, ...]) -> npt.NDArray[Any]:
    try:
        return np.broadcast_to(given, batch).reshape(-1)
    except ValueError:
        raise ShapeError(f"{name} has shape {given.shape}; expected {batch}") from None


def _first(bad: npt.NDArray[np.bool_], batch: tuple[int, ...]) -> list[int]:
    return [int(k) for k in np.unravel_index(int(np.argmax(bad)), batch)]
