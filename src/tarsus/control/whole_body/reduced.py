"""Accelerations and contact forces alone, torques eliminated: the formulation that is made for speed."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import BoolArray
from tarsus.control.whole_body.formulation import Unknowns, force_unit, selection
from tarsus.control.whole_body.terms import Terms


def reduced(terms: Terms, driven: BoolArray) -> Unknowns:
    """Variables (vdot, y), with ``C vdot = c`` and the rows of ``M vdot + h = tau + F y`` that no drive helps.

    Torques follow from the other rows. Forces are counted in `force_unit`, so that rows have entries of like size.
    """
    nv, k, unit, free = len(terms.h), terms.F.shape[1], force_unit(terms), ~driven
    vdot, y = selection(0, nv, nv + k), unit * selection(nv, nv + k, nv + k)
    motion = terms.M @ vdot - terms.F @ y
    return Unknowns(
        vdot=(vdot, np.zeros(nv)),
        tau=(motion[driven], terms.h[driven]),
        y=(y, np.zeros(k)),
        E=np.vstack([terms.C @ vdot, motion[free]]),
        e=np.concatenate([terms.c, -terms.h[free]]),
    )
