"""Manipulability: how far a frame is from singularities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.dynamics import jacobian, jacobian_derivative
from tarsus.errors import ArgumentError
from tarsus.ik.objectives.objective import Objective
from tarsus.model import Model
from tarsus.tasks import Posture

TRANSLATION = (True, True, True, False, False, False)


@dataclass(frozen=True, eq=False)
class Manipulability(Objective):
    """H = -sqrt(det(J J^T)), which falls as the frame gets away from singularities (Yoshikawa 1985).

    Attributes
    ----------
    frame : str
    axes : sequence of bool
        Rows of the Jacobian, linear then angular, world axes; the linear ones by default. Linear and angular ones
        together mix units.
    joints : iterable of str, optional
        Columns of the Jacobian; all but those of the base and of free joints by default.
    """

    frame: str
    axes: Sequence[bool] = TRANSLATION
    joints: Iterable[str] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        mask = np.asarray(self.axes)
        if mask.shape != (6,) or mask.dtype != bool or not mask.any():
            raise ArgumentError(
                f"axes of Manipulability is {self.axes!r}; expected 6 booleans, one of them True at least"
            )
        object.__setattr__(self, "axes", tuple(bool(axis) for axis in mask))
        object.__setattr__(self, "joints", Posture(joints=self.joints).joints)

    def measure(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """W = sqrt(det(J J^T)), shape (...): the product of the singular values of J."""
        rows, columns = self._chosen(model)
        J = jacobian(model, q, self.frame)[..., rows, :][..., columns]
        return np.asarray(np.linalg.svd(J, compute_uv=False).prod(axis=-1))

    def plain_value(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """-w."""
        return -self.measure(model, q)

    def plain_gradient(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """-dw/dq_j = -sum_i (product of the other singular values) u_i^T (dJ/dq_j) x_i, with J = sum s_i u_i x_i^T.

        This is the derivative of the determinant without an inverse. At a singularity, where w has a kink like |x|, it
        is one of the two ways out.
        """
        rows, columns = self._chosen(model)
        J = jacobian(model, q, self.frame)[..., rows, :][..., columns]
        H = jacobian_derivative(model, q, self.frame)[..., rows, :, :][..., columns, :]
        U, s, Xt = np.linalg.svd(J, full_matrices=False)
        others = np.stack([np.delete(s, i, axis=-1).prod(axis=-1) for i in range(s.shape[-1])], axis=-1)
        cofactors = (U * others[..., None, :]) @ Xt
        return np.asarray(-np.einsum("...mi,...mij->...j", cofactors, H))

    def _chosen(self, model: Model) -> tuple[BoolArray, IndexArray]:
        rows, columns = np.asarray(self.axes, dtype=bool), Posture(joints=self.joints).columns(model)
        if len(columns) < np.count_nonzero(rows):
            raise ArgumentError(
                f"Manipulability of frame {self.frame!r} has {np.count_nonzero(rows)} rows and {len(columns)} joint "
                "coordinates, and is zero everywhere; expected at least as many coordinates as rows"
            )
        return rows, columns
