"""Array plumbing of the rotation functions: checked inputs, components in, components out.

Batched arithmetic is done component by component: `components` copies the trailing axis to the front, so
that every component of a batch is contiguous, and `vector` and `matrix` assemble results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import DtypeError, NonFiniteError, ShapeError


def as_numbers(value: npt.ArrayLike, name: str) -> FloatArray:
    """Array of float64 of any shape; `name` is the argument an error talks about."""
    try:
        raw = np.asarray(value)
        if np.iscomplexobj(raw):
            raise DtypeError(f"{name}: found complex numbers, expected real ones")
        return raw.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        if isinstance(error, DtypeError):
            raise
        raise DtypeError(f"{name}: cannot be read as an array of real numbers ({error})") from None


def shaped(value: npt.ArrayLike, name: str, trailing: tuple[int, ...]) -> FloatArray:
    """Array of float64 of shape (..., *trailing), finite or not."""
    array = as_numbers(value, name)
    if array.shape[-len(trailing) :] != trailing:
        expected = ", ".join(["...", *map(str, trailing)])
        raise ShapeError(f"{name}: found shape {array.shape}, expected ({expected})")
    return array


def as_array(value: npt.ArrayLike, name: str) -> FloatArray:
    """Finite float64 array of any shape; `name` is the argument an error talks about."""
    array = as_numbers(value, name)
    finite = np.isfinite(array)
    if not finite.all():
        index = first_index(~finite)
        raise NonFiniteError(f"{name}: found {array[index]} at index {index}, expected finite numbers")
    return array


def as_vector(value: npt.ArrayLike, name: str, size: int) -> FloatArray:
    """Finite float64 array of shape (..., size)."""
    array = as_array(value, name)
    if array.ndim < 1 or array.shape[-1] != size:
        raise ShapeError(f"{name}: found shape {array.shape}, expected (..., {size})")
    return array


def as_matrix(value: npt.ArrayLike, name: str, rows: int = 3, columns: int = 3) -> FloatArray:
    """Finite float64 array of shape (..., rows, columns)."""
    array = as_array(value, name)
    if array.ndim < 2 or array.shape[-2:] != (rows, columns):
        raise ShapeError(f"{name}: found shape {array.shape}, expected (..., {rows}, {columns})")
    return array


def batch_shape(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Batch shape common to several arguments, given the batch shape of each by name."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        found = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ShapeError(f"batch shapes do not broadcast: {found}") from None


def first_index(mask: npt.ArrayLike) -> tuple[int, ...]:
    """Index of the first true entry; () for a single true value."""
    found = np.argwhere(np.asarray(mask))
    return tuple(int(i) for i in found[0])


def components(array: FloatArray) -> FloatArray:
    """Components of the last axis moved to the front, each contiguous: shape (n, ...)."""
    return np.ascontiguousarray(np.moveaxis(array, -1, 0))


def entries(array: FloatArray) -> FloatArray:
    """Entries of matrices (..., n, m) moved to the front, each contiguous: shape (n, m, ...)."""
    return np.ascontiguousarray(array if array.ndim == 2 else np.moveaxis(array, (-2, -1), (0, 1)))


def vector(*parts: Any) -> FloatArray:
    """Vectors (..., n) from n components, which broadcast."""
    if all(isinstance(part, float) for part in parts):
        return np.array(parts)
    result = np.empty((*np.broadcast_shapes(*(np.shape(part) for part in parts)), len(parts)))
    for i, part in enumerate(parts):
        result[..., i] = part
    return result


def matrix(rows: Sequence[Sequence[Any]]) -> FloatArray:
    """Matrices (..., n, m) from nested rows of entries, which broadcast."""
    if all(isinstance(part, float) for row in rows for part in row):  # one matrix, in a tenth of the time
        return np.array(rows)
    shape = np.broadcast_shapes(*(np.shape(part) for row in rows for part in row))
    result = np.empty((*shape, len(rows), len(rows[0])))
    for i, row in enumerate(rows):
        for j, part in enumerate(row):
            result[..., i, j] = part
    return result


def cross(a: Sequence[Any] | FloatArray, b: Sequence[Any] | FloatArray) -> tuple[Any, Any, Any]:
    """Components of the cross product of two vectors given by components."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(parts: FloatArray, name: str) -> FloatArray:
    """Euclidean norm of vectors given by components (n, ...); overflow is an error, never inf."""
    with np.errstate(over="ignore"):
        norm = np.sqrt((parts * parts).sum(axis=0))
    if not np.isfinite(norm).all():
        index = first_index(~np.isfinite(norm))
        raise NonFiniteError(f"{name}: the norm of the vector at batch index {index} overflows")
    return np.asarray(norm)
