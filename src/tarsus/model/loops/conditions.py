"""Conditions under which kinematic loops are closed, evaluated on a spanning tree while a model is made.

Every loop joint comes down to conditions of two kinds between its frames A and B: the relative position has no
component along an axis, and two axes stay at right angles (Buschmann 2014, section 2.3.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.errors import LoopError
from tarsus.model.coupling import Loop

_body_poses = _native.function("body_poses")
_body_jacobians = _native.function("body_jacobians")

ConditionKind = Literal["along", "across", "relation"]

POSITION_AXES = {"spherical": 3, "fixed": 3, "revolute": 3, "continuous": 3, "universal": 3}
"""Joint kinds that hold the origin of B at that of A."""
SUPPORTED = (*POSITION_AXES, "prismatic", "cylindrical", "planar")

CLOSED = 1e-12
"""Residual [m, rad] at which a loop counts as closed while a model is made."""
FOLLOWED = 1e-6
"""Residual [m, rad] up to which a loop is followed, as in the native core: redundant conditions drift by rounding."""
NEWTON_STEPS = 60
LARGEST_STEP = 0.3
RANK_TOLERANCE = 1e-6
"""Relative singular value below which closing conditions depend on each other."""
_NEXT, _AFTER = [1, 2, 0], [2, 0, 1]
"""Axes that follow x, y and z, and those after them."""


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """One condition of a loop joint.

    "along": n_A . (p_B - p_A) = 0 and "across": a_A . b_B = 0 between points and axes fixed to bodies a and b;
    "relation": q_a - ratio q_b = offset between the joints at places a and b of the closure, with (ratio, offset) in
    the first entries of `point_a`.
    """

    kind: ConditionKind
    a: int
    b: int
    point_a: FloatArray
    point_b: FloatArray
    axis_a: FloatArray
    axis_b: FloatArray


def conditions_of(loop: Loop, body_a: int, body_b: int, X_A: FloatArray, X_B: FloatArray) -> list[Condition]:
    """Conditions of one loop joint between frames X_A on body a and X_B on body b.

    Raises
    ------
    LoopError
        For a kind of joint that has none (helical joints and gearboxes need multipliers).
    """
    if loop.kind not in SUPPORTED:
        raise LoopError(
            f"loop {loop.name!r} is closed by a joint of kind {loop.kind!r}; minimal coordinates are available for "
            f"{', '.join(SUPPORTED)}; couplings='cut' opens it"
        )
    z = np.asarray(loop.axis, dtype=float)
    z = z / np.linalg.norm(z)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    y = np.cross(z, x)

    def along(axis: FloatArray) -> Condition:
        return Condition("along", body_a, body_b, X_A[:3, 3], X_B[:3, 3], X_A[:3, :3] @ axis, np.zeros(3))

    def across(a: FloatArray, b: FloatArray) -> Condition:
        return Condition("across", body_a, body_b, X_A[:3, 3], X_B[:3, 3], X_A[:3, :3] @ a, X_B[:3, :3] @ b)

    held = [x, y, z] if loop.kind in POSITION_AXES else [z] if loop.kind == "planar" else [x, y]
    rows = [along(axis) for axis in held]
    if loop.kind in ("fixed", "prismatic"):
        rows += [across(x, y), across(y, z), across(z, x)]
    elif loop.kind in ("revolute", "continuous", "cylindrical", "planar"):
        rows += [across(x, z), across(y, z)]
    elif loop.kind == "universal":
        second = np.asarray(loop.axis2, dtype=float)
        second = second / max(float(np.linalg.norm(second)), 1e-300)
        if abs(second @ z) > RANK_TOLERANCE or not second.any():
            raise LoopError(f"the axes {loop.axis} and {loop.axis2} of loop {loop.name!r} are not perpendicular")
        rows += [across(z, second)]
    return rows


def turned_over(loop: Loop, R_AB: FloatArray) -> bool:
    """Whether frames that satisfy the conditions of a loop joint are assembled the wrong way.

    Axes at right angles leave an axis that points backwards, and for a weld half turns and exchanged axes.
    """
    if loop.kind in ("fixed", "prismatic"):
        return bool(np.trace(R_AB) < 2.0)
    if loop.kind in ("revolute", "continuous", "cylindrical", "planar"):
        z = np.asarray(loop.axis, dtype=float)
        return bool(z @ R_AB @ z < 0.0)
    return False


class ConditionSystem:
    """Closing conditions on a spanning tree, with residuals and Jacobian over all its velocities.

    Parameters
    ----------
    core : ModelCore
        The spanning tree, all joints independent.
    rows : sequence of Condition
        Of kinds "along" and "across".
    """

    def __init__(self, core: _native.ModelCore, rows: Sequence[Condition]) -> None:
        self._core = core
        self._a, self._b = np.array([row.a for row in rows]), np.array([row.b for row in rows])
        self._across = np.array([row.kind == "across" for row in rows])
        self._points = np.array([row.point_a for row in rows]), np.array([row.point_b for row in rows])
        self._axes = np.array([row.axis_a for row in rows]), np.array([row.axis_b for row in rows])

    def equations(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Residual (rows,) and Jacobian (rows, nv) at tree coordinates q.

        The rate of n_A . (p_B - p_A) is the power of the force n_A at p_B on the motion of b against a, that of
        a_A . b_B the power of the moment b_B x a_A.
        """
        X, J = _body_poses(self._core, q), _body_jacobians(self._core, q)
        X_A, X_B = X[self._a], X[self._b]
        axis_a, axis_b = _turned(X_A, self._axes[0]), _turned(X_B, self._axes[1])
        p_A, p_B = (Y[:, :3, 3] + _turned(Y, p) for Y, p in zip((X_A, X_B), self._points, strict=True))
        across = self._across[:, None]
        value = np.where(self._across, np.sum(axis_a * axis_b, axis=1), np.sum(axis_a * (p_B - p_A), axis=1))
        force = np.where(across, 0.0, axis_a)
        jacobian = np.zeros((len(value), J.shape[-1]))
        for bodies, Y, sign in ((self._b, X_B, 1.0), (self._a, X_A, -1.0)):
            moment = _cross(np.where(across, axis_b, p_B - Y[:, :3, 3]), axis_a)
            wrench = np.concatenate([force, moment], axis=1)
            jacobian += sign * np.einsum("rk,rkv->rv", wrench, J[bodies])
        return value, jacobian


def _turned(X: FloatArray, x: FloatArray) -> FloatArray:
    """Vectors (rows, 3) in the axes of poses X (rows, 4, 4), seen from the world."""
    return np.asarray(np.einsum("rij,rj->ri", X[:, :3, :3], x))


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cross products of vectors (rows, 3); for a few rows in a tenth of the time of `numpy.cross`."""
    return np.asarray(a[:, _NEXT] * b[:, _AFTER] - a[:, _AFTER] * b[:, _NEXT])


def rank(A: FloatArray) -> int:
    """Number of independent rows of closing conditions."""
    s = np.linalg.svd(A, compute_uv=False) if A.size else np.zeros(0)
    return int(np.sum(s > RANK_TOLERANCE * max(float(s[0]), 1.0))) if s.size else 0


def independent_columns(
    A: FloatArray, order: Sequence[npt.NDArray[np.integer]], expected: int
) -> list[npt.NDArray[np.integer]]:
    """Groups of columns, taken in the given order, that together span as much as all columns do.

    A group is taken whole or not at all; well-conditioned choices are preferred.
    """
    for tolerance in (1e-2, 1e-4, 1e-7):
        chosen: list[npt.NDArray[np.integer]] = []
        basis = np.zeros((A.shape[0], 0))
        for group in order:
            rest = A[:, group] - basis @ (basis.T @ A[:, group])
            u, s, _ = np.linalg.svd(rest, full_matrices=False)
            if s.size == len(group) and s[-1] > tolerance * max(1.0, float(np.linalg.norm(A[:, group]))):
                chosen.append(group)
                basis = np.concatenate([basis, u], axis=1)
            if basis.shape[1] == expected:
                return chosen
    return []
