"""The place of a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.model import Model
from tarsus.spatial._arrays import as_vector
from tarsus.tasks.block import Block, components
from tarsus.tasks.relative_motion import relative_bias, relative_jacobian, relative_pose
from tarsus.tasks.task import Task


@dataclass(frozen=True, eq=False)
class Position(Task):
    """The origin of a frame is at a point: e = target - p_RF, in axes of R.

    Attributes
    ----------
    frame : str
    target : array_like, shape (..., 3)
        p_RF that is wanted [m]. Batch axes broadcast against those of q.
    reference : str, optional
        The frame R in which the target is given; the world by default.
    """

    target_axes: ClassVar[Mapping[str, int]] = {"target": 1}

    frame: str
    target: npt.ArrayLike
    reference: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", read_only_copy(as_vector(self.target, "target of Position", 3)))

    def full_rows(self, model: Model) -> int:
        """Three."""
        return 3

    def full_error(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """What is missing to the target [m]."""
        return np.asarray(self.target) - relative_pose(model, q, self.frame, self.reference)[..., :3, 3]

    def full_jacobian(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Of p_RF."""
        return relative_jacobian(model, q, self.frame, self.reference)[..., :3, :]

    def full_bias(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Of p_RF [m/s^2]."""
        return relative_bias(model, q, v, self.frame, self.reference)[..., :3]

    def blocks(self, model: Model) -> tuple[Block, ...]:
        """One of positions."""
        return (Block("position", components(self.chosen(model)), np.asarray(self.target), self.frame, self.reference),)
