"""Free bodies that touch each other, and what is kept in their runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import tarsus as ts
from tarsus.model.shapes import Geometry

Array = npt.NDArray[np.float64]
GRAVITY = 9.81


def scene(*objects: tuple[str, Geometry, float, Any], gravity: float = GRAVITY) -> ts.Model:
    """Free bodies: name, shape, mass and position or pose."""
    model = ts.ModelBuilder("scene", gravity=(0.0, 0.0, -gravity)).add_link("world").build()
    for name, geometry, mass, place in objects:
        X = np.asarray(place, dtype=float)
        model = model.with_object(geometry, mass, X if X.shape == (4, 4) else ts.pose(X), name=name)
    return model


def momenta(model: ts.Model, run: ts.recording.Trajectory) -> Array:
    """Linear momentum and angular momentum about the world's origin, shape (samples, 6)."""
    h, c = ts.momentum(model, run.q, run.v), ts.center_of_mass(model, run.q)
    return np.concatenate([h[:, :3], h[:, 3:] + np.cross(c, h[:, :3])], axis=1)


def gained(run: ts.recording.Trajectory) -> float:
    """The most that the integrator added [J]."""
    return float((run.total_energy - run.total_energy[0]).max())
