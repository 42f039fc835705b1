"""Coil(n), Featherstone's unbranched benchmark."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.model.builder import ModelBuilder
from tarsus.model.model import Model
from tarsus.robots._primitives import BLUE, GRAPHITE, ORANGE, both, cylinder
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose

_RADIUS = 0.01
_TURNS = 3.0
_GEAR = 100.0
_ROTOR_SHARE = 0.1
_ROTOR_RADIUS = 0.004
_ROTOR_LENGTH = 0.024


def coil(n: int, drives: bool = False) -> Model:
    """Chain of `n` cylinders with revolute joints, 1 kg and 1 m in total.

    Every joint axis is z; the frame of a body follows from its parent's (the first one's from the world) by the
    Denavit-Hartenberg parameters theta = d = 0, a = 1/n, alpha = 5 pi / n, modified convention: shift by a along x,
    then turn by alpha about x. Bodies are uniform cylinders along x of length 1/n, radius 0.01 m and mass 1/n that
    start at their frame. The root ``ground`` is fixed and has no mass; ``body1`` to ``body<n>`` are carried by
    ``joint1`` to ``joint<n>``. Frame ``tool``: the end of the chain.

    The zero configuration is straight; the reference pose winds up.

    With drives every joint has a motor between its two segments (Buschmann 2014, section 3.4.2 and figure 3.12):
    bodies ``rotor1`` to ``rotor<n>``, each on the segment before its joint (the first one on the ground), turning
    about the axis of that joint by ``motor1`` to ``motor<n>``, which follow the joints 100 times as fast: 2 n bodies,
    n degrees of freedom, 1.1 kg. A rigid gear closes a loop between rotor and segment; it is eliminated, and q is
    that of the plain chain.

    Parameters
    ----------
    n : int
        Number of segments and of degrees of freedom, at least 1.
    drives : bool
        Add a drive body for every joint.

    Notes
    -----
    REAL: Featherstone 1999, as used by Buschmann 2014 for run times; that drives are one additional body a joint.
    ESTIMATE: the reference pose; the drives, of which nothing is published: gear ratio 100, rotors with a tenth of the
    mass of a segment, solid cylinders of radius 0.004 m and length 0.024 m.
    """
    if n < 1:
        raise ArgumentError(f"n = {n} found, expected at least 1")
    length, alpha = 1.0 / n, 5.0 * np.pi / n
    # All bodies are alike, so they share their (immutable) parts.
    inertia = Inertia.of_cylinder(1.0 / n, _RADIUS, length, axis=0, com=(length / 2.0, 0.0, 0.0))
    X_PJ = pose((length, 0.0, 0.0), _turn_x(alpha))
    X_PJ.flags.writeable = False
    shapes = [both((cylinder(_RADIUS, (0.0, 0.0, 0.0), (length, 0.0, 0.0), color),)) for color in (BLUE, ORANGE)]
    rotor = Inertia.of_cylinder(_ROTOR_SHARE / n, _ROTOR_RADIUS, _ROTOR_LENGTH, axis=2)
    ends = (0.0, 0.0, -_ROTOR_LENGTH / 2.0), (0.0, 0.0, _ROTOR_LENGTH / 2.0)
    rotor_shapes = both((cylinder(_ROTOR_RADIUS, *ends, GRAPHITE),))
    builder = ModelBuilder("coil")
    builder.add_link("ground", virtual=True)
    parent = "ground"
    for i in range(1, n + 1):
        body = f"body{i}"
        builder.add_link(body, inertia, **shapes[i % 2])
        builder.add_joint(f"joint{i}", "revolute", parent, body, pose=X_PJ)
        if drives:
            builder.add_link(f"rotor{i}", rotor, **rotor_shapes)
            builder.add_joint(f"motor{i}", "continuous", parent, f"rotor{i}", pose=X_PJ)
            builder.add_coupling(f"motor{i}", f"joint{i}", _GEAR)
        parent = body
    builder.add_frame("tool", parent, pose((length, 0.0, 0.0)))
    builder.reference = dict.fromkeys((f"joint{i}" for i in range(1, n + 1)), 2.0 * np.pi * _TURNS / n)
    return builder.build()


def _turn_x(angle: float) -> FloatArray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
