"""The quadratic program of whole-body control over the unknowns of any formulation.

variables    z: what the formulation leaves open of accelerations vdot, torques tau and force variables y
objective    sum of weight^2 |J vdot - a|^2 + acceleration_weight^2 |vdot|^2 + force_weight^2 |y / unit|^2
equalities   none: equations of motion and contacts that stay where they are were eliminated
rows         cones of the contacts, normal forces, torque limits: always hard;
             limits of joints and distances, lower <= A vdot <= upper: hard, or soft where not everything can hold
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray
from tarsus.control.whole_body.contact_forces import ForceRows
from tarsus.control.whole_body.formulation import Unknowns, force_unit
from tarsus.control.whole_body.limits import LimitRows
from tarsus.control.whole_body.terms import Terms
from tarsus.optimization import QP
from tarsus.optimization.hierarchy import Level

SOFT = 1e2
"""Weight of limits that cannot all hold, over the largest weight of a task and over 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Inequality rows lower <= A z <= upper with names.

    Attributes
    ----------
    A : ndarray, shape (m, n)
    lower, upper : ndarray, shape (m,)
    names : tuple of str
    yielding : ndarray of bool, shape (m,)
        Limits of accelerations, which give way where not everything can hold; cones and torques never do.
    joint : ndarray of int, shape (m,)
        Coordinate of velocity whose acceleration alone a row limits, -1 of other rows.
    """

    A: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]
    yielding: BoolArray
    joint: npt.NDArray[np.intp]

    def tightest(self) -> Rows:
        """With one row for all limits of an acceleration, the tightest on each side; two where these cross."""
        joints = np.unique(self.joint[self.joint >= 0])
        same = [np.flatnonzero(self.joint == joint) for joint in joints]
        low = np.array([self.lower[rows].max() for rows in same])
        high = np.array([self.upper[rows].min() for rows in same])
        cross = low > high
        rows = np.concatenate(
            [np.flatnonzero(self.joint < 0), *([r[0]] for r in same), *([same[k][0]] for k in np.flatnonzero(cross))]
        ).astype(int)
        kept = self.joint < 0
        return Rows(
            self.A[rows],
            np.concatenate([self.lower[kept], low, np.full(int(cross.sum()), -np.inf)]),
            np.concatenate([self.upper[kept], np.where(cross, np.inf, high), high[cross]]),
            tuple(self.names[k] for k in rows),
            self.yielding[rows],
            self.joint[rows],
        )

    def missed(self, z: FloatArray) -> FloatArray:
        """By how much rows are missed, shape (m,); negative where they hold."""
        value = self.A @ z
        return np.asarray(np.maximum(self.lower - value, value - self.upper))


class TorqueLimits(NamedTuple):
    """Of driven coordinates.

    Attributes
    ----------
    size : ndarray, shape (driven,)
        Largest size of the torques; infinite where there is no limit.
    names : tuple of str
    """

    size: FloatArray
    names: tuple[str, ...]


def inequality_rows(
    unknowns: Unknowns, forces: ForceRows, torques: TorqueLimits, limits: LimitRows, unit: float
) -> Rows:
    """Cones, normal forces, torques and limits of accelerations as rows on the variables; forces in `unit`."""
    Y, y = unknowns.y[0] / unit, unknowns.y[1] / unit
    T, t = unknowns.tau
    V, v = unknowns.vdot
    pressed, bent = forces.A @ y, limits.A @ v
    A = np.concatenate([forces.A @ Y, T / unit, limits.A @ V])
    lower = np.concatenate([forces.lower / unit - pressed, (-torques.size - t) / unit, limits.lower - bent])
    upper = np.concatenate([forces.upper / unit - pressed, (torques.size - t) / unit, limits.upper - bent])
    names = [*forces.names, *(f"torque of {name}" for name in torques.names), *limits.names]
    yielding = np.arange(len(A)) >= len(A) - len(limits.names)
    alone = (np.count_nonzero(limits.A, axis=1) == 1) & (limits.A == 1.0).any(axis=1)
    joint = np.full(len(A), -1)
    joint[yielding] = np.where(alone, np.argmax(limits.A, axis=1), -1)
    told = np.isfinite(lower) | np.isfinite(upper)
    kept = tuple(name for name, on in zip(names, told, strict=True) if on)
    return Rows(A[told], lower[told], upper[told], kept, yielding[told], joint[told])


def regularisation(
    unknowns: Unknowns, unit: float, acceleration_weight: float, force_weight: float
) -> tuple[FloatArray, FloatArray]:
    """Rows R z = r of small accelerations and forces."""
    V, v = unknowns.vdot
    Y, y = unknowns.y
    rows = np.vstack([acceleration_weight * V, force_weight / unit * Y])
    return rows, -np.concatenate([acceleration_weight * v, force_weight / unit * y])


def weighted_program(
    terms: Terms, unknowns: Unknowns, rows: Rows, acceleration_weight: float, force_weight: float, soft: bool = False
) -> QP:
    """All tasks in one objective.

    Where limits are `soft`, the tightest one on each side of an acceleration may be missed by s, which costs
    ``1/2 (SOFT w)^2 s^2`` with w the largest weight of a task, at least 1; the tasks cost
    ``1/2 weight^2 |J vdot - a|^2``.
    """
    if soft:
        rows = rows.tightest()
    V, v = unknowns.vdot
    small = regularisation(unknowns, force_unit(terms), acceleration_weight, force_weight)
    L = np.vstack([terms.weights[:, None] * (terms.J @ V), small[0]])
    r = np.concatenate([terms.weights * (terms.a - terms.J @ v), small[1]])
    weight = (SOFT * max(1.0, float(terms.weights.max(initial=0.0)))) ** 2
    weights = np.where(rows.yielding, weight, np.inf) if soft else None
    return QP(L.T @ L, -L.T @ r, rows.A, rows.lower, rows.upper, weights=weights, names=rows.names)


def strict_levels(
    terms: Terms, unknowns: Unknowns, rows: Rows, sizes: Sequence[int], small: tuple[FloatArray, FloatArray]
) -> list[Level]:
    """Cones and torques first, then limits, then the tasks level by level (so many rows each), then small motions."""
    V, v = unknowns.vdot
    rows = rows.tightest()
    levels = [Level(rows.A[k], lower=rows.lower[k], upper=rows.upper[k]) for k in (~rows.yielding, rows.yielding)]
    J, a = terms.weights[:, None] * (terms.J @ V), terms.weights * (terms.a - terms.J @ v)
    ends = np.cumsum(sizes)
    for end, size in zip(ends, sizes, strict=True):
        levels.append(Level(J[end - size : end], a[end - size : end]))
    return [*levels, Level(*small)]
