"""Laws as native code reads them: a number and parameters, by the names that the native table gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray

if TYPE_CHECKING:
    from tarsus.contact.laws import ContactLaw

_TABLE = _native.contact_laws()
MOST_PARAMETERS = 6
"""Numbers that a native surface has room for."""


def law_number(law: ContactLaw) -> int:
    """Place of the law in the native table."""
    return _TABLE[law.name][0]


def law_parameters(law: ContactLaw) -> FloatArray:
    """Parameters in the order of the native table, then zeros, shape (MOST_PARAMETERS,)."""
    numbers = [float(getattr(law, name)) for name in _TABLE[law.name][1]]
    return np.array(numbers + [0.0] * (MOST_PARAMETERS - len(numbers)))


def contact_force(law: ContactLaw, depth: npt.ArrayLike, velocity: npt.ArrayLike) -> FloatArray:
    """Force of the ground on points whose springs are not deflected.

    Parameters
    ----------
    depth : array_like, shape (...)
        Of the points below the surface [m].
    velocity : array_like, shape (..., 3)
        Of the points, in axes whose third is the normal out of the ground [m/s].

    Returns
    -------
    force : ndarray, shape (..., 3)
        In the same axes [N]; zero for laws whose force does not follow from the state.
    """
    d, v = np.ascontiguousarray(depth, dtype=float), np.ascontiguousarray(velocity, dtype=float)
    force: FloatArray = _native.contact_force(law_number(law), law_parameters(law), d, v)
    return force.reshape(*d.shape, 3)
