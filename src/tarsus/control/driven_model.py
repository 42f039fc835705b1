"""Robots all of whose coordinates have drives."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.model import Model


def require_drives(model: Model, law: str) -> None:
    """Refuse models with coordinates that no drive moves, by name."""
    if model.nv == 0:
        raise ArgumentError(f"model {model.name!r} has no coordinates; {law} expects a robot that moves")
    idle = [
        name
        for name, joint in model.joints.items()
        if joint.v_index.stop > joint.v_index.start and not model.actuated[joint.v_index].all()
    ]
    if idle:
        raise ArgumentError(
            f"model {model.name!r} has no drive in {', '.join(map(repr, idle))}; {law} expects drives everywhere: "
            "a robot on its feet needs the forces of the ground, too"
        )


def within_limits(model: Model, tau: FloatArray) -> FloatArray:
    """Torques of shape (..., nv) cut to `model.tau_max`."""
    return np.clip(tau, -model.tau_max, model.tau_max)
