"""Jacobian of what a walk tracks: centre of mass, pelvis, both soles."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import com_jacobian, jacobian
from tarsus.walking.biped.biped import Biped

FEET = (slice(6, 12), slice(12, 18))
"""Rows of the left and of the right sole: S_F of Buschmann 2014, (5.75)."""


def task_jacobian(biped: Biped, q: FloatArray) -> FloatArray:
    """J_w of base and legs, shape (18, nv): centre of mass, orientation of the pelvis, left and right sole.

    Parameters
    ----------
    q : ndarray, shape (nq,)
        Of `biped.lower.model`.
    """
    model = biped.lower.model
    rows = [com_jacobian(model, q), jacobian(model, q, biped.pelvis)[3:]]
    return np.concatenate([*rows, *(jacobian(model, q, leg.sole) for leg in biped.legs)])
