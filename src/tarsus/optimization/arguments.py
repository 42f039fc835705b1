"""Arrays of optimisation problems as they are given: brought into shape, or refused by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError


def read_array(name: str, value: npt.ArrayLike, shape: Sequence[int | None]) -> FloatArray:
    """A plain array of that shape; None stands for any length, and single numbers fill vectors of known length.

    Raises
    ------
    DtypeError
        Entries are not real numbers.
    ShapeError
        It has another shape.
    """
    try:
        given = np.asarray(value)
        if given.dtype.kind == "c" or given.dtype.kind not in "fiub":
            raise TypeError(f"dtype {given.dtype}")
        array = np.ascontiguousarray(given, dtype=np.float64).reshape(given.shape)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"{name}: found {type(value).__name__} ({error}), expected real numbers") from error
    if array.ndim == 0 and len(shape) == 1 and shape[0] is not None:
        return np.full(shape[0], float(array))
    lengths: list[tuple[int | None, int]] = list(zip(shape, array.shape, strict=False))
    fits = array.ndim == len(shape) and all(want is None or want == have for want, have in lengths)
    if not fits:
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise ShapeError(f"{name}: found shape {array.shape}, expected ({wanted}{',' if len(shape) == 1 else ''})")
    return array


def refuse_non_finite(name: str, array: FloatArray) -> None:
    """Raise a `NonFiniteError` that names the first entry which is not a number of reasonable size."""
    good = np.abs(array) <= 1e100
    if not good.all():
        where = tuple(int(i) for i in np.argwhere(~good)[0])
        raise NonFiniteError(f"{name}: found {array[where]} at {list(where)}, expected finite numbers")


def refuse_bad_bounds(name: str, lower: FloatArray, upper: FloatArray) -> None:
    """Raise where a bound is NaN, infinite on the wrong side, or above its counterpart."""
    for which, array, wrong in ((f"lower bound of {name}", lower, np.inf), (f"upper bound of {name}", upper, -np.inf)):
        bad = np.isnan(array) | (array == wrong)
        if bad.any():
            i = int(np.argmax(bad))
            raise NonFiniteError(f"{which}: found {array[i]} at [{i}], expected a number or {-wrong}")
    if (lower > upper).any():
        i = int(np.argmax(lower > upper))
        raise ArgumentError(f"{name} [{i}]: found lower = {lower[i]} above upper = {upper[i]}, expected lower <= upper")


def refuse_non_convex(name: str, H: FloatArray) -> None:
    """Raise where H is not symmetric, or has a negative eigenvalue beyond rounding."""
    difference = np.abs(H - H.T)
    if difference.max() > 1e-9 * np.abs(H).max():
        i, j = np.unravel_index(int(np.argmax(difference)), H.shape)
        raise ArgumentError(
            f"{name} is not symmetric: found {H[i, j]} at [{i}, {j}] and {H[j, i]} at [{j}, {i}]; "
            "expected the same number"
        )
    least = float(np.linalg.eigvalsh(H)[0])
    raise ArgumentError(
        f"{name} is not positive semi-definite: found the eigenvalue {least:.3e}, expected none below 0"
    )


def read_names(name: str, names: Sequence[str] | None, count: int) -> tuple[str, ...] | None:
    """Names of rows, or None."""
    if names is None:
        return None
    if isinstance(names, str) or len(names) != count:
        raise ShapeError(f"{name}: found {len(names)} names, expected {count}")
    return tuple(str(one) for one in names)
