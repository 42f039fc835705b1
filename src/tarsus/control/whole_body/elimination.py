"""Equality rows eliminated: what is left of the unknowns is a point and the nullspace of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.formulation import Affine, Unknowns

RANK = 1e-10
"""Singular values of the rows, each of length one, relative to the largest, below which rows depend on others."""
MISSED = 1e-8
"""By how much rows that depend on others may be missed, relative to the largest right side."""


class ContradictionError(ValueError):
    """Equality rows that cannot hold together; `missed` is by how much the best compromise misses each."""

    def __init__(self, missed: FloatArray) -> None:
        super().__init__("equality rows contradict each other")
        self.missed = missed


def eliminated_rows(unknowns: Unknowns) -> Unknowns:
    """The same unknowns as functions of coordinates of the nullspace of E, without equality rows.

    Rows may depend on each other, as (35) does and two patches on one body do.
    """
    size = np.linalg.norm(unknowns.E, axis=1)
    size[size == 0.0] = 1.0
    point, basis = _solved(unknowns.E / size[:, None], unknowns.e / size)

    def along(affine: Affine) -> Affine:
        return affine[0] @ basis, affine[0] @ point + affine[1]

    n = basis.shape[1]
    vdot, tau, y = (along(affine) for affine in (unknowns.vdot, unknowns.tau, unknowns.y))
    multiplier = None if unknowns.multiplier is None else along(unknowns.multiplier)
    return replace(unknowns, vdot=vdot, tau=tau, y=y, multiplier=multiplier, E=np.zeros((0, n)), e=np.zeros(0))


def _solved(rows: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The shortest solution, and an orthonormal basis of what the rows leave free."""
    left, s, vectors = np.linalg.svd(rows)
    rank = int((s > RANK * s[0]).sum()) if len(s) else 0
    point = vectors[:rank].T @ ((left[:, :rank].T @ right) / s[:rank])
    missed = rows @ point - right
    if len(missed) and np.abs(missed).max() > MISSED * max(1.0, float(np.abs(right).max())):
        raise ContradictionError(missed)
    return point, vectors[rank:].T
