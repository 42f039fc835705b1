"""Place and orientation of a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.model import Model
from tarsus.spatial._arrays import as_matrix
from tarsus.tasks.block import Block, components
from tarsus.tasks.orientation import rotation, rotation_error
from tarsus.tasks.relative_motion import relative_bias, relative_jacobian, relative_pose
from tarsus.tasks.task import Task


@dataclass(frozen=True, eq=False)
class FramePose(Task):
    """A frame has a given pose: the errors of `Position` and `Orientation` one after the other.

    Attributes
    ----------
    frame : str
    pose : array_like, shape (..., 4, 4)
        X_RF that is wanted. Batch axes broadcast against those of q.
    reference : str, optional
        The frame R in which the pose is given, for relative tasks such as two hands at an object; the world by default.
    """

    target_axes: ClassVar[Mapping[str, int]] = {"pose": 2}

    frame: str
    pose: npt.ArrayLike
    reference: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        X = read_only_copy(as_matrix(self.pose, "pose of FramePose", 4, 4))
        rotation(X[..., :3, :3], "pose of FramePose")
        object.__setattr__(self, "pose", X)

    def full_rows(self, model: Model) -> int:
        """Six."""
        return 6

    def full_error(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Way [m] and rotation vector [rad] to the target, in axes of R."""
        X, target = relative_pose(model, q, self.frame, self.reference), np.asarray(self.pose)
        linear = target[..., :3, 3] - X[..., :3, 3]
        return np.concatenate([linear, rotation_error(target[..., :3, :3], X[..., :3, :3])], axis=-1)

    def full_jacobian(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Of the twist of F in R."""
        return relative_jacobian(model, q, self.frame, self.reference)

    def full_bias(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Of the twist of F in R."""
        return relative_bias(model, q, v, self.frame, self.reference)

    def blocks(self, model: Model) -> tuple[Block, ...]:
        """One of positions and one of orientations, where they have rows."""
        X, chosen = np.asarray(self.pose), self.chosen(model)
        parts = (
            ("position", chosen[:3], X[..., :3, 3]),
            ("orientation", chosen[3:], X[..., :3, :3].reshape(*X.shape[:-2], 9)),
        )
        return tuple(
            Block(kind, components(own), target, self.frame, self.reference) for kind, own, target in parts if own.any()
        )
