"""Kinds of arguments: numbers, flags, lists and instances; every error names what was given and what was expected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError


def check_number(name: str, value: Any, expected: str) -> None:
    """Raise where it is no real number; NaN and infinity are numbers, True and False are not."""
    scalar = isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind in "iuf"
    if isinstance(value, bool) or not (isinstance(value, Real) or scalar):
        raise DtypeError(f"{name} is {value!r}; expected {expected}")


def check_finite(name: str, value: Any, expected: str = "a finite number") -> None:
    """Raise where it is no finite number."""
    check_number(name, value, expected)
    try:
        finite = math.isfinite(value)
    except OverflowError:  # a whole number that is larger than any float
        finite = False
    if not finite:
        raise ArgumentError(f"{name} is {value!r}; expected {expected}")


def check_positive(name: str, value: Any, expected: str = "a number above 0") -> None:
    """Raise where it is no finite number above 0."""
    check_finite(name, value, expected)
    if not value > 0:
        raise ArgumentError(f"{name} is {value!r}; expected {expected}")


def check_not_negative(name: str, value: Any, expected: str = "a number of at least 0") -> None:
    """Raise where it is no finite number of at least 0."""
    check_finite(name, value, expected)
    if value < 0:
        raise ArgumentError(f"{name} is {value!r}; expected {expected}")


def check_whole(name: str, value: Any, least: int = 0) -> None:
    """Raise where it is no whole number of at least so much; True and False are none."""
    if isinstance(value, bool) or not (isinstance(value, int | np.integer) and value >= least):
        raise ArgumentError(f"{name} is {value!r}; expected a whole number of at least {least}")


def check_flag(name: str, value: Any) -> None:
    """Raise where it is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise DtypeError(f"{name} is {value!r}; expected True or False")


def check_kind(name: str, value: Any, kind: Any, expected: str) -> None:
    """Raise where it is neither None nor an instance of a class."""
    if value is not None and not isinstance(value, kind):
        raise DtypeError(f"{name} is {value!r}; expected {expected}")


def check_list(name: str, value: Any, expected: str, *, kind: Any = Sequence) -> None:
    """Raise where it is no sequence, or text, which is one of letters."""
    if not isinstance(value, kind) or isinstance(value, str | bytes):
        raise DtypeError(f"{name} is {value!r}; expected a list of {expected}")


def real_numbers(name: str, value: Any, expected: str) -> FloatArray:
    """The value as an array of floats; complex numbers are refused, whose imaginary parts would get lost, and text."""
    try:
        raw = np.asarray(value)
        if raw.dtype.kind in "cSU":
            raise TypeError
        return np.asarray(raw, dtype=float)
    except (TypeError, ValueError):
        kind = f"{np.asarray(value).dtype} numbers" if isinstance(value, np.ndarray) else type(value).__name__
        raise DtypeError(f"{name} is {kind}; expected {expected}") from None


def finite_vector(name: str, value: Any, size: int, expected: str) -> FloatArray:
    """The value as an array of so many finite numbers."""
    array = real_numbers(name, value, expected)
    if array.shape != (size,):
        raise ShapeError(f"{name} is {value!r}; expected {expected}")
    if not np.isfinite(array).all():
        raise NonFiniteError(f"{name} is {value!r}; expected {expected}")
    return array
