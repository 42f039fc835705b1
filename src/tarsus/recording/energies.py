"""The parts of the energy audit, and the sum of them that stays constant."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from tarsus.arrays import FloatArray

ENERGY_SIGNS: MappingProxyType[str, float] = MappingProxyType(
    {
        "kinetic": 1.0,
        "potential": 1.0,
        "ground_stored": 1.0,
        "ground_dissipated": 1.0,
        "joint_stored": 1.0,
        "joint_dissipated": 1.0,
        "impact": 1.0,
        "actuator": -1.0,
        "external": -1.0,
        "constraint": -1.0,
        "integration": 0.0,
    }
)
"""Parts of the audit with their signs in the total: what flowed in from outside is subtracted. What the integrator made
of nothing, "integration", is the change of that total since the start of the run, and no part of it."""


def total_energy(energy: Mapping[str, FloatArray]) -> FloatArray:
    """Sum of all parts with their signs, constant for exact integration; what it changes by is the part "integration".

    E = T + U + E_ground + D_ground + E_joints + D_joints + D_impact - W_actuator - W_external - W_constraint

    Parameters
    ----------
    energy : mapping of str to ndarray, shape (...)
        Parts by the names of `ENERGY_SIGNS` [J]; a part that is not there counts as zero.

    Returns
    -------
    ndarray, shape (...)
        [J].
    """
    # Always added in the same order, so that the sum has the same bits whoever wrote the parts; `np.sum` adds those of
    # a single moment in another order than those of many.
    parts = [sign * energy[name] for name, sign in ENERGY_SIGNS.items() if sign != 0.0 and name in energy]
    return np.asarray(sum(parts), dtype=float)
