"""What HRP-2 touches with where it stands on soles and hands."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.scenarios.robot import Limb
from tarsus.scenarios.stances.hrp2_contacts import PALM

SOLE = (0.115, 0.0655)
"""Half length and half width of the contact rectangle of a foot [m]."""


def soles() -> tuple[Limb, ...]:
    """Both soles, whole."""
    return tuple(Limb(f"{side}_sole", _around(*SOLE)) for side in "lr")


def palms() -> tuple[Limb, ...]:
    """Both closed hands, on their fingers."""
    return tuple(Limb(f"{side}_palm", _around(*PALM)) for side in "lr")


def knees() -> tuple[Limb, ...]:
    """Both knees: the middles of the upper edges of the shin guards."""
    return tuple(Limb(f"{side}_knee", np.zeros((1, 3)), bare=True) for side in "lr")


def _around(x: float, y: float) -> FloatArray:
    """Corners of a rectangle in order around it."""
    return np.array([[x, y, 0.0], [-x, y, 0.0], [-x, -y, 0.0], [x, -y, 0.0]])
