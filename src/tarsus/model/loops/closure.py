"""Closures: how dependent joints follow from independent ones, in the form the native core takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.model.loops.conditions import Condition

ClosureKind = Literal["linear", "polynomial", "loop", "four-bar"]

CLOSURE_NUMBERS = _native.enumeration("ClosureKind")
ROW_NUMBERS = _native.enumeration("LoopRowKind")


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A set of joints solved together: dependents from independents.

    Attributes
    ----------
    kind : {"linear", "polynomial", "loop", "four-bar"}
    name : str
        What it is called in messages, with its joints.
    dofs : tuple of int
        Velocities of the spanning tree, dependents first, then independents.
    coordinates : tuple of int
        First coordinate in the tree of the joint that each of `dofs` belongs to.
    dependents : int
        How many of `dofs` depend.
    rows : tuple of Condition
        Of loops.
    slope : ndarray, shape (dependents, independents)
        G at the reference; constant for linear closures.
    table : ndarray
        Linear: offsets. Polynomial: coefficients. Loops with one independent joint: (value, slope) of each dependent at
        equidistant knots, shape (knots, dependents, 2). Four-bars: see native/kernels/loops/four_bar.hpp.
    first, spacing : float
        Of the knots.
    periodic : bool
        The knots go once round.
    weights : ndarray, shape (kept, rows)
        Combinations of the conditions that are closed, for loops that are not exact; empty for all conditions.
    """

    kind: ClosureKind
    name: str
    dofs: tuple[int, ...]
    coordinates: tuple[int, ...]
    dependents: int
    rows: tuple[Condition, ...] = ()
    slope: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    table: FloatArray = field(default_factory=lambda: np.zeros(0))
    first: float = 0.0
    spacing: float = 1.0
    periodic: bool = False
    weights: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))


def closure_arrays(closures: Sequence[Closure], own_q: Sequence[int], own_v: Sequence[int]) -> dict[str, Any]:
    """Flat arrays of all closures.

    `own_q` and `own_v` give the place of every coordinate and velocity of the tree among the independent ones.
    """

    def joined(parts: list[Any], dtype: type) -> Any:
        return np.concatenate([np.ravel(np.asarray(p, dtype=dtype)) for p in parts] or [np.zeros(0, dtype=dtype)])

    sizes, independents = [], []
    for c in closures:
        free = [(own_q[c.coordinates[k]], own_v[c.dofs[k]]) for k in range(c.dependents, len(c.dofs))]
        independents.append(free)
        entries = len(c.table) if c.kind == "polynomial" or c.table.ndim == 3 else 0
        sizes.append(
            [c.dependents, len(free), len(c.rows), entries, int(c.periodic), len(c.weights) if c.kind == "loop" else 0]
        )
    rows = [row for c in closures for row in c.rows]
    return {
        "closure_kind": np.array([CLOSURE_NUMBERS[c.kind] for c in closures], dtype=np.int32),
        "closure_size": joined(sizes, np.int32),
        "closure_dof": joined([c.dofs for c in closures], np.int32),
        "closure_coordinate": joined([c.coordinates for c in closures], np.int32),
        "closure_independent": joined(independents, np.int32),
        "closure_row": joined([[ROW_NUMBERS[row.kind], row.a, row.b] for row in rows], np.int32),
        "closure_row_data": joined([[row.point_a, row.point_b, row.axis_a, row.axis_b] for row in rows], np.float64),
        "closure_slope": joined([c.slope for c in closures], np.float64),
        "closure_table": joined([c.table for c in closures], np.float64),
        "closure_weight": joined([c.weights for c in closures if c.kind == "loop"], np.float64),
        "closure_grid": joined([[c.first, c.spacing] for c in closures], np.float64),
    }
