"""Constraints grouped by the body at which the loops they close come together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.dynamics.constraints.constraint import EvaluatedConstraint, PairForce
from tarsus.dynamics.constraints.state_kinematics import cross, transposed
from tarsus.dynamics.multipliers.independent_rows import IndependentRows, independent_rows
from tarsus.model.model import Model
from tarsus.spatial.pose import FloatArray

IntArray = npt.NDArray[np.integer]

WORLD = -1
"""Index of the world among the bodies."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Constraints that are solved together, in independent combinations of their rows.

    Attributes
    ----------
    closing : int
        The last body of the loops: the lowest one that all bodies concerned hang on; WORLD if there is none.
    index : ndarray of int
        Their rows among all rows.
    rows : IndependentRows
    wrenches : dict of int to ndarray, shape (..., 6, k)
        Wrenches on bodies for units of the k compressed multipliers, about the reference point, world axes.
    forces : dict of int to ndarray, shape (..., nv_joint, k)
        Forces in the joints that carry the bodies.
    """

    closing: int
    index: IntArray
    rows: IndependentRows
    wrenches: dict[int, FloatArray]
    forces: dict[int, FloatArray]


def parents(model: Model) -> list[int]:
    """Index of each body's parent; WORLD for the root."""
    return [WORLD if b.parent is None else model.bodies[b.parent].index for b in model.bodies.values()]


def lowest_common(parent: list[int], bodies: Sequence[int]) -> int:
    """The last body on the ways from the world to all given ones; parents have lower numbers than children."""
    ends = set(bodies)
    while len(ends) > 1:
        last = max(ends)
        ends.remove(last)
        ends.add(parent[last])
    return ends.pop()


def _ends(model: Model, parent: list[int], part: EvaluatedConstraint) -> list[int]:
    """Bodies whose relative motion the constraint restricts."""
    if isinstance(part.force, PairForce):
        names = (part.force.body_a, part.force.body_b)
        return [WORLD if name is None else model.bodies[name].index for name in names]
    return [parent[model.joints[name].index] for name in part.force.joints]


def group_constraints(
    model: Model, parts: Sequence[EvaluatedConstraint], origin: FloatArray, tolerance: float, rank: IntArray
) -> list[Group]:
    """Groups by closing body; a single group where rows of different groups depend on each other.

    Parameters
    ----------
    origin : ndarray, shape (..., 3)
        Reference point of wrenches.
    rank : ndarray of int, shape (...)
        Of all rows together.
    """
    parent = parents(model)
    closing: dict[int, list[int]] = {}
    for number, part in enumerate(parts):
        closing.setdefault(lowest_common(parent, _ends(model, parent, part)), []).append(number)
    starts = np.concatenate([[0], np.cumsum([part.rows.size for part in parts])])
    groups = [_group(model, body, parts, numbers, starts, origin, tolerance) for body, numbers in closing.items()]
    total = np.sum([group.rows.rank for group in groups], axis=0)
    if len(groups) > 1 and np.any(total != rank):
        body = lowest_common(parent, list(closing))
        groups = [_group(model, body, parts, list(range(len(parts))), starts, origin, tolerance)]
    return groups


def _group(
    model: Model,
    closing: int,
    parts: Sequence[EvaluatedConstraint],
    numbers: list[int],
    starts: IntArray,
    origin: FloatArray,
    tolerance: float,
) -> Group:
    J = np.concatenate([parts[number].rows.jacobian for number in numbers], axis=-2)
    rows = independent_rows(J, tolerance)
    wrenches: dict[int, FloatArray] = {}
    forces: dict[int, FloatArray] = {}
    first = 0
    for number in numbers:
        part = parts[number]
        basis = rows.basis[..., first : first + part.rows.size, :]
        first += part.rows.size
        if isinstance(part.force, PairForce):
            wrench = transposed(_about(part.force, origin)) @ basis
            for name, sign in ((part.force.body_a, -1.0), (part.force.body_b, 1.0)):
                if name is not None:
                    body = model.bodies[name].index
                    wrenches[body] = wrenches.get(body, 0.0) + sign * wrench
        else:
            for name in set(part.force.joints):
                joint = model.joints[name]
                force = transposed(part.rows.jacobian[..., joint.v_index]) @ basis
                forces[joint.index] = forces.get(joint.index, 0.0) + force
    index = np.concatenate([np.arange(starts[number], starts[number + 1]) for number in numbers])
    return Group(closing, index, rows, wrenches, forces)


def _about(force: PairForce, origin: FloatArray) -> FloatArray:
    """Rows of wrenches (..., m, 6) about another point."""
    f, n = force.rows[..., :3], force.rows[..., 3:]
    return np.concatenate([f, n + cross((force.point - origin)[..., None, :], f)], axis=-1)
