"""Coil(n), Featherstone's unbranched benchmark."""

from __future__ import annotations

import numpy as np

from tarsus.errors import ArgumentError
from tarsus.model.builder import ModelBuilder
from tarsus.model.model import Model
from tarsus.robots._primitives import BLUE, ORANGE, both, cylinder
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import FloatArray, pose

_RADIUS = 0.01
_TURNS = 3.0


def coil(n: int) -> Model:
    """Chain of `n` cylinders with revolute joints, 1 kg and 1 m in total.

    Every joint axis is z; the frame of a body follows from its parent's (the first one's from the world) by the
    Denavit-Hartenberg parameters theta = d = 0, a = 1/n, alpha = 5 pi / n, modified convention: shift by a along x,
    then turn by alpha about x. Bodies are uniform cylinders along x of length 1/n, radius 0.01 m and mass 1/n that
    start at their frame. The root ``ground`` is fixed and has no mass; ``body1`` to ``body<n>`` are carried by
    ``joint1`` to ``joint<n>``. Frame ``tool``: the end of the chain.

    The zero configuration is straight; the reference pose winds up.

    Parameters
    ----------
    n : int
        Number of bodies and of degrees of freedom, at least 1.

    Notes
    -----
    REAL: Featherstone 1999, as used by Buschmann 2014 for run times. ESTIMATE: the reference pose.
    """
    if n < 1:
        raise ArgumentError(f"n = {n} found, expected at least 1")
    length, alpha = 1.0 / n, 5.0 * np.pi / n
    # All bodies are alike, so they share their (immutable) parts.
    inertia = Inertia.of_cylinder(1.0 / n, _RADIUS, length, axis=0, com=(length / 2.0, 0.0, 0.0))
    X_PJ = pose((length, 0.0, 0.0), _turn_x(alpha))
    X_PJ.flags.writeable = False
    shapes = [both((cylinder(_RADIUS, (0.0, 0.0, 0.0), (length, 0.0, 0.0), color),)) for color in (BLUE, ORANGE)]
    builder = ModelBuilder("coil")
    builder.add_link("ground", virtual=True)
    parent = "ground"
    for i in range(1, n + 1):
        body = f"body{i}"
        builder.add_link(body, inertia, **shapes[i % 2])
        builder.add_joint(f"joint{i}", "revolute", parent, body, pose=X_PJ)
        parent = body
    builder.add_frame("tool", parent, pose((length, 0.0, 0.0)))
    builder.reference = dict.fromkeys((f"joint{i}" for i in range(1, n + 1)), 2.0 * np.pi * _TURNS / n)
    return builder.build()


def _turn_x(angle: float) -> FloatArray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
