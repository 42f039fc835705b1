"""Types of arrays, and views that cannot be written to."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.integer[Any]]
IndexArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]
ByteArray = npt.NDArray[np.uint8]
AnyArray = npt.NDArray[Any]


def read_only(array: AnyArray) -> AnyArray:
    """A view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def read_only_copy(array: AnyArray) -> AnyArray:
    """A copy that cannot be written to, and that nothing else changes."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy
