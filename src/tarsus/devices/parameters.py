"""Parameters of devices: one number for all joints, or one for each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError


def parameter(
    owner: str,
    name: str,
    value: npt.ArrayLike,
    *,
    positive: bool = False,
    unlimited: bool = False,
    signed: bool = False,
) -> FloatArray:
    """A device parameter as a read-only array, zero-dimensional or with one entry a joint.

    Parameters
    ----------
    owner, name : str
        Names of the device and of the parameter, for messages.
    value : array_like, shape () or (n,)
    positive : bool
        Zero is refused, too; negative values are, unless `signed`.
    unlimited : bool
        Infinity is allowed.
    signed : bool
        Negative values are allowed.
    """
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise DtypeError(f"{name} of {owner} is {value!r}, expected a number or one number a joint") from None
    if array.ndim > 1:
        raise ArgumentError(f"{name} of {owner} has shape {array.shape}, expected () or (joints,)")
    if np.isnan(array).any() or not (unlimited or np.isfinite(array).all()):
        raise NonFiniteError(f"{name} of {owner} is {value!r}, expected finite numbers")
    if (not signed and (array < 0.0).any()) or (positive and (array == 0.0).any()):
        expected = "no negative" if not positive else "nonzero" if signed else "positive"
        raise ArgumentError(f"{name} of {owner} is {value!r}, expected {expected} numbers")
    array.flags.writeable = False
    return array
