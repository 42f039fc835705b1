"""Motions for sensors to measure: trajectories in closed form, without a simulation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import tarsus as ts


@dataclass(frozen=True)
class Recording:
    """What sensors and signal logs need of a trajectory."""

    model: ts.Model
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    contacts: tuple[str, ...] = ()
    contact_position: Any = None
    contact_force: Any = None
    signals: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self):
        empty = np.zeros((*self.q.shape[:-1], len(self.contacts), 3))
        for name in ("contact_position", "contact_force"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, empty)


def hinge() -> ts.Model:
    """One joint about z with a frame `tip` 0.5 m out."""
    b = ts.ModelBuilder("hinge").add_link("ground").add_link("arm", ts.Inertia.of_sphere(1.0, 0.1, com=(0.2, 0, 0)))
    b.add_joint("pivot", "revolute", "ground", "arm", axis=(0.0, 0.0, 1.0))
    return b.add_frame("tip", "arm", ts.pose((0.5, 0.0, 0.0))).build()


def turning(model, angle, rate, duration, step=1e-3, batch=()):
    """The hinge with q = angle(t), v = rate(t)."""
    time = step * np.arange(round(duration / step) + 1)
    shape = (time.size, *batch, 1)
    wide = time.reshape(-1, *(1,) * (len(batch) + 1))
    return Recording(model, time, np.broadcast_to(angle(wide), shape), np.broadcast_to(rate(wide), shape))


def still(model, duration, step=1e-3, batch=()):
    """The model at its reference, at rest."""
    time = step * np.arange(round(duration / step) + 1)
    q = np.broadcast_to(model.reference, (time.size, *batch, model.nq))
    return Recording(model, time, q, np.zeros((time.size, *batch, model.nv)))
