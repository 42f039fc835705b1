"""The orientation of a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.spatial import rotation_vector_from_rotation_matrix
from tarsus.spatial._arrays import as_matrix
from tarsus.tasks.block import Block, components
from tarsus.tasks.relative_motion import relative_bias, relative_jacobian, relative_pose
from tarsus.tasks.task import Task

ORTHONORMAL = 1e-6
"""How far R R^T of a target may be from the identity."""


def rotation(value: npt.ArrayLike, name: str) -> FloatArray:
    """Rotation matrices of shape (..., 3, 3) that have been checked to be some."""
    R = as_matrix(value, name)
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
    if off > ORTHONORMAL or (np.linalg.det(R) < 0).any():
        raise ArgumentError(f"{name} is no rotation matrix: R R^T differs from the identity by {off:.3g}")
    return R


def rotation_error(R_target: FloatArray, R: FloatArray) -> FloatArray:
    """Rotation vector, shape (..., 3), that turns R into the target: log(R_target R^T), of length at most pi [rad]."""
    return rotation_vector_from_rotation_matrix(R_target @ np.swapaxes(R, -1, -2))


@dataclass(frozen=True, eq=False)
class Orientation(Task):
    """A frame has given axes: e = log(target R_RF^T), in axes of R.

    Attributes
    ----------
    frame : str
    target : array_like, shape (..., 3, 3)
        R_RF that is wanted. Batch axes broadcast against those of q.
    reference : str, optional
        The frame R in which the target is given; the world by default.
    """

    target_axes: ClassVar[Mapping[str, int]] = {"target": 2}

    frame: str
    target: npt.ArrayLike
    reference: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", read_only_copy(rotation(self.target, "target of Orientation")))

    def full_rows(self, model: Model) -> int:
        """Three."""
        return 3

    def full_error(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Rotation vector from the frame to the target [rad]."""
        X_RF = relative_pose(model, q, self.frame, self.reference)
        return rotation_error(np.asarray(self.target), X_RF[..., :3, :3])

    def full_jacobian(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Of the angular velocity of F in R."""
        return relative_jacobian(model, q, self.frame, self.reference)[..., 3:, :]

    def full_bias(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Of the angular velocity of F in R [rad/s^2]."""
        return relative_bias(model, q, v, self.frame, self.reference)[..., 3:]

    def blocks(self, model: Model) -> tuple[Block, ...]:
        """One of orientations."""
        target = np.asarray(self.target)
        rows = target.reshape(*target.shape[:-2], 9)
        return (Block("orientation", components(self.chosen(model)), rows, self.frame, self.reference),)
