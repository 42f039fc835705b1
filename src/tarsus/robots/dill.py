"""Dill(L), Featherstone's branched benchmark."""

from __future__ import annotations

from functools import cache

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.model.builder import ModelBuilder
from tarsus.model.model import Model
from tarsus.robots._primitives import GRAPHITE, GREEN, SAND, LinkShapes, both, cylinder
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose

_SPREAD = 0.6
_GEAR = 100.0
_ROTOR_SHARE = 0.1
_ROTOR_RADIUS = 0.004
_ROTOR_LENGTH = 0.024


def dill(level: int, drives: bool = False) -> Model:
    """Tree of 2^level cylinders with revolute joints, branched like a dill plant.

    Dill(L) is one body of size s = max(L, 1) that carries Dill(0) to Dill(L - 1); Dill(i - 1) sits at the
    Denavit-Hartenberg parameters theta = d = 0, a = 0.1 i, alpha = i pi / 3, modified convention: shift by a along x,
    then turn by alpha about x. The first body coincides with the world at the zero configuration. Every joint axis is
    z. Bodies are uniform cylinders along x of length 0.1 s, radius 0.01 s and mass 0.1 s^3 that start at their frame.
    The root ``ground`` is fixed and has no mass; ``body1`` to ``body<2^L>`` are numbered depth first and carried by
    ``joint1`` to ``joint<2^L>``. The zero configuration is straight; the reference pose spreads the branches.

    With drives every joint has a motor between its two segments (Buschmann 2014, section 3.4.2): bodies ``rotor1`` to
    ``rotor<2^L>``, each on the segment before its joint (the first one on the ground), turning about the axis of that
    joint by ``motor1`` to ``motor<2^L>``, which follow the joints 100 times as fast: twice the bodies, the same degrees
    of freedom and the same q.

    Parameters
    ----------
    level : int
        L >= 0.
    drives : bool
        Add a drive body for every joint.

    Notes
    -----
    REAL: Featherstone 1999, as used by Buschmann 2014 for run times. DERIVED: the text of Buschmann 2014 shifts all
    subtrees by 0.1 n_b; 2^L bodies result only with L subtrees Dill(i - 1) at 0.1 i, i = 1 ... L.
    ESTIMATE: the reference pose; the drives, of which nothing is published: gear ratio 100, rotors with a tenth of the
    mass of their segment, solid cylinders of radius 0.004 s and length 0.024 s.
    """
    if level < 0:
        raise ArgumentError(f"level = {level} found, expected at least 0")
    builder = ModelBuilder("dill")
    builder.add_link("ground", virtual=True)
    waiting: list[tuple[int, str, FloatArray]] = [(level, "ground", _shift_and_turn(0))]
    count = 0
    while waiting:
        order, parent, X_PJ = waiting.pop()
        count += 1
        body, size = f"body{count}", max(order, 1)
        builder.add_link(body, _inertia(size), **_shapes(size, order == 0))
        builder.add_joint(f"joint{count}", "revolute", parent, body, pose=X_PJ)
        if drives:
            builder.add_link(f"rotor{count}", _rotor(size), **_rotor_shapes(size))
            builder.add_joint(f"motor{count}", "continuous", parent, f"rotor{count}", pose=X_PJ)
            builder.add_coupling(f"motor{count}", f"joint{count}", _GEAR)
        builder.reference[f"joint{count}"] = 0.0 if parent == "ground" else _SPREAD
        # The last one pushed is the next one popped: the smallest subtree comes first.
        waiting.extend((i - 1, body, _shift_and_turn(i)) for i in range(order, 0, -1))
    return builder.build()


@cache
def _shift_and_turn(i: int) -> FloatArray:
    """Pose of the i-th subtree in its parent, shared by all bodies."""
    c, s = np.cos(i * np.pi / 3.0), np.sin(i * np.pi / 3.0)
    X_PJ = pose((0.1 * i, 0.0, 0.0), [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    X_PJ.flags.writeable = False
    return X_PJ


@cache
def _inertia(size: int) -> Inertia:
    return Inertia.of_cylinder(0.1 * size**3, 0.01 * size, 0.1 * size, axis=0, com=(0.05 * size, 0.0, 0.0))


@cache
def _shapes(size: int, leaf: bool) -> LinkShapes:
    color = GREEN if leaf else SAND
    return both((cylinder(0.01 * size, (0.0, 0.0, 0.0), (0.1 * size, 0.0, 0.0), color),))


@cache
def _rotor(size: int) -> Inertia:
    return Inertia.of_cylinder(_ROTOR_SHARE * 0.1 * size**3, _ROTOR_RADIUS * size, _ROTOR_LENGTH * size, axis=2)


@cache
def _rotor_shapes(size: int) -> LinkShapes:
    end = 0.5 * _ROTOR_LENGTH * size
    return both((cylinder(_ROTOR_RADIUS * size, (0.0, 0.0, -end), (0.0, 0.0, end), GRAPHITE),))
