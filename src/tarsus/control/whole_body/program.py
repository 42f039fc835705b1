"""The quadratic program of whole-body control over the unknowns of any formulation.

variables    z: what the formulation leaves open of accelerations vdot, torques tau and force variables y
objective    sum of weight^2 |J vdot - a|^2 + acceleration_weight^2 |vdot|^2 + force_weight^2 |y / unit|^2
equalities   none: equations of motion and contacts that stay where they are were eliminated
rows         cones of the contacts, normal forces, torque limits, limits of accelerations
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.contact_forces import force_rows
from tarsus.control.whole_body.formulation import Unknowns, force_unit
from tarsus.control.whole_body.terms import Terms
from tarsus.optimization import QP
from tarsus.optimization.hierarchy import Level


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """Rows lower <= A vdot <= upper on accelerations, and limits of the torques of driven coordinates.

    Attributes
    ----------
    A : ndarray, shape (m, nv)
    lower, upper : ndarray, shape (m,)
    names : tuple of str
    tau : ndarray, shape (driven,)
        Largest size of the torques; infinite where there is no limit.
    drives : tuple of str
        Names of the driven coordinates.
    """

    A: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]
    tau: FloatArray
    drives: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Inequality rows lower <= A z <= upper with names."""

    A: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]


def inequality_rows(unknowns: Unknowns, contacts: Sequence[Contact], bounds: Bounds, unit: float) -> Rows:
    """Cones, normal forces, torques and accelerations as rows on the variables; forces in `unit`."""
    forces = force_rows(contacts)
    Y, y = unknowns.y[0] / unit, unknowns.y[1] / unit
    shift = forces.A @ y
    parts: list[tuple[FloatArray, FloatArray, FloatArray, Sequence[str]]] = [
        (forces.A @ Y, forces.lower / unit - shift, forces.upper / unit - shift, forces.names)
    ]
    T, t = unknowns.tau
    parts.append(
        (T / unit, (-bounds.tau - t) / unit, (bounds.tau - t) / unit, [f"torque of {d}" for d in bounds.drives])
    )
    V, v = unknowns.vdot
    shift = bounds.A @ v
    parts.append((bounds.A @ V, bounds.lower - shift, bounds.upper - shift, bounds.names))
    A, lower, upper = (np.concatenate([part[i] for part in parts]) for i in range(3))
    names = [name for part in parts for name in part[3]]
    told = np.isfinite(lower) | np.isfinite(upper)
    return Rows(A[told], lower[told], upper[told], tuple(n for n, kept in zip(names, told, strict=True) if kept))


def regularisation(
    unknowns: Unknowns, unit: float, acceleration_weight: float, force_weight: float
) -> tuple[FloatArray, FloatArray]:
    """Rows R z = r of small accelerations and forces."""
    V, v = unknowns.vdot
    Y, y = unknowns.y
    rows = np.vstack([acceleration_weight * V, force_weight / unit * Y])
    return rows, -np.concatenate([acceleration_weight * v, force_weight / unit * y])


def weighted_program(
    terms: Terms, unknowns: Unknowns, rows: Rows, acceleration_weight: float, force_weight: float
) -> QP:
    """All tasks in one objective."""
    V, v = unknowns.vdot
    small = regularisation(unknowns, force_unit(terms), acceleration_weight, force_weight)
    L = np.vstack([terms.weights[:, None] * (terms.J @ V), small[0]])
    r = np.concatenate([terms.weights * (terms.a - terms.J @ v), small[1]])
    return QP(L.T @ L, -L.T @ r, rows.A, rows.lower, rows.upper, names=rows.names)


def strict_levels(
    terms: Terms, unknowns: Unknowns, rows: Rows, sizes: Sequence[int], small: tuple[FloatArray, FloatArray]
) -> list[Level]:
    """Inequalities first, then the tasks level by level (so many rows each), then small motions."""
    V, v = unknowns.vdot
    levels = [Level(rows.A, lower=rows.lower, upper=rows.upper)]
    J, a = terms.weights[:, None] * (terms.J @ V), terms.weights * (terms.a - terms.J @ v)
    ends = np.cumsum(sizes)
    for end, size in zip(ends, sizes, strict=True):
        levels.append(Level(J[end - size : end], a[end - size : end]))
    return [*levels, Level(*small)]
