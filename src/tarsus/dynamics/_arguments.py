"""Bringing unusual array arguments into the form that the native functions read in place."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, ShapeError
from tarsus.model.lowering import to_native
from tarsus.model.model import Model

Argument = tuple[str, npt.ArrayLike, tuple[int, ...]]
"""Name, value and trailing shape in the native layout."""

MAX_ENTRIES = 2**48
"""Arguments with more entries than this (2 PB) are a mistake in a batch shape."""


def prepare(function: str, model: Model, arguments: Sequence[Argument]) -> tuple[FloatArray, ...]:
    """Arguments as C-contiguous float64 arrays that share one batch shape, or an error that says what is wrong."""
    arrays = []
    for name, value, trailing in arguments:
        array = _numbers(function, name, value)
        is_configuration = name in ("q", "q1", "q2")
        expected = (model.nq,) if is_configuration else trailing
        if array.ndim < len(expected) or array.shape[array.ndim - len(expected) :] != expected:
            shape = ", ".join(["...", *map(str, expected)])
            raise ShapeError(f"{name} of {function} has shape {array.shape}, expected ({shape})")
        if is_configuration:
            if not np.isfinite(array).all():
                where = np.argwhere(~np.isfinite(array))[0].tolist()
                from tarsus.errors import NonFiniteError

                raise NonFiniteError(f"{name} of {function} has the entry {array[tuple(where)]} at {where}")
            array = to_native(model, array)
        arrays.append(array)
    batches = [
        array.shape[: array.ndim - len(trailing)] for array, (_, _, trailing) in zip(arrays, arguments, strict=True)
    ]
    try:
        batch = np.broadcast_shapes(*batches)
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for array, (name, _, _) in zip(arrays, arguments, strict=True))
        raise ShapeError(f"batch axes of the arguments of {function} do not fit together: {shapes}") from None
    if math.prod(batch) * max(map(lambda a: math.prod(a[2]), arguments)) > MAX_ENTRIES:
        raise ArgumentError(f"a batch of shape {batch} is too large for {function}")
    return tuple(
        np.require(np.broadcast_to(array, (*batch, *trailing)), requirements=("C", "A"))
        for array, (_, _, trailing) in zip(arrays, arguments, strict=True)
    )


def _numbers(function: str, name: str, value: npt.ArrayLike) -> FloatArray:
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ShapeError(f"{name} of {function} is not a rectangular array: {error}") from None
    if array.dtype.kind not in "fiu":
        raise DtypeError(f"{name} of {function} has dtype {array.dtype}, expected real numbers")
    return np.asarray(array, dtype=np.float64)


_native.set_prepare(prepare)
