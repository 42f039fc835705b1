"""The configurations that a picture, a page or the viewer is asked to show."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import DtypeError, ShapeError
from tarsus.model.model import Model


def configurations(model: Model, q: npt.ArrayLike | None, *, several: bool = False) -> FloatArray:
    """Return an argument q as (n, nq): one configuration, the reference by default, or `several` where allowed."""
    if isinstance(q, str | os.PathLike):
        raise DtypeError(f"q is {str(q)!r}, expected numbers; a file to write is path={str(q)!r}")
    try:
        array = np.asarray(model.reference if q is None else q, dtype=float)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"q cannot be read as an array of real numbers ({error})") from None
    rows = array[None] if array.ndim == 1 else array
    if rows.ndim != 2 or rows.shape[1] != model.nq or len(rows) == 0 or (array.ndim == 2 and not several):
        expected = f"({model.nq},)" + (f" or (n, {model.nq})" if several else "")
        raise ShapeError(f"q has shape {array.shape}, expected {expected}")
    return rows
