"""Dill(L), Featherstone's branched benchmark."""

from __future__ import annotations

from functools import cache

import numpy as np

from tarsus.errors import ArgumentError
from tarsus.model.builder import ModelBuilder
from tarsus.model.model import Model
from tarsus.robots._primitives import GREEN, SAND, LinkShapes, both, cylinder
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import FloatArray, pose

_SPREAD = 0.6


def dill(level: int) -> Model:
    """Tree of 2^level cylinders with revolute joints, branched like a dill plant.

    Dill(L) is one body of size s = max(L, 1) that carries Dill(0) to Dill(L - 1); Dill(i - 1) sits at the
    Denavit-Hartenberg parameters theta = d = 0, a = 0.1 i, alpha = i pi / 3, modified convention: shift by a along x,
    then turn by alpha about x. The first body coincides with the world at the zero configuration. Every joint axis is
    z. Bodies are uniform cylinders along x of length 0.1 s, radius 0.01 s and mass 0.1 s^3 that start at their frame.
    The root ``ground`` is fixed and has no mass; ``body1`` to ``body<2^L>`` are numbered depth first and carried by
    ``joint1`` to ``joint<2^L>``. The zero configuration is straight; the reference pose spreads the branches.

    Parameters
    ----------
    level : int
        L >= 0.

    Notes
    -----
    REAL: Featherstone 1999, as used by Buschmann 2014 for run times. DERIVED: the text of Buschmann 2014 shifts all
    subtrees by 0.1 n_b; 2^L bodies result only with L subtrees Dill(i - 1) at 0.1 i, i = 1 ... L.
    ESTIMATE: the reference pose.
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
