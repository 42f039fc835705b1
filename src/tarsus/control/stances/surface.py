"""Surfaces that limbs may touch, and places on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.control.whole_body.contact import Contact
from tarsus.errors import ArgumentError
from tarsus.spatial._arrays import as_matrix
from tarsus.spatial.pose import pose
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A rectangle that may be touched: a floor, a stair, a rail, a wall, a table.

    Attributes
    ----------
    name : str
    pose : array_like, shape (4, 4)
        X_WS of its middle; z points out of it.
    size : tuple of float
        Lengths along its x and y [m]; places keep inside of it.
    friction : float
    limbs : tuple of str
        Frames that may touch it; all of them where it is empty.
    """

    name: str
    pose: npt.ArrayLike
    size: tuple[float, float]
    friction: float = 0.7
    limbs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", read_only_copy(as_matrix(self.pose, "pose of Surface", 4, 4)))
        if not (len(self.size) == 2 and all(np.isfinite(s) and s > 0 for s in self.size)):
            raise ArgumentError(f"size of Surface {self.name!r} is {self.size!r}; expected two lengths above 0 [m]")
        if not (np.isfinite(self.friction) and self.friction > 0):
            raise ArgumentError(f"friction of Surface {self.name!r} is {self.friction!r}; expected a number above 0")


@dataclass(frozen=True, slots=True, eq=False)
class Limb:
    """A part of the robot that may touch surfaces.

    Attributes
    ----------
    frame : str
    points : array_like, shape (n, 3)
        As of `Contact`, in axes of the frame [m]; z of the frame comes to the normal of a surface.
    yaws : tuple of float
        Angles of the frame's x from that of a surface, about its normal [rad].
    """

    frame: str
    points: npt.ArrayLike = field(default_factory=lambda: np.zeros((1, 3)))
    yaws: tuple[float, ...] = (0.0,)

    def on(self, surface: Surface, x: float, y: float, yaw: float = 0.0) -> Contact:
        """The contact at a place of a surface [m, rad]."""
        X = np.asarray(surface.pose) @ pose((x, y, 0.0), rotation_matrix_from_rotation_vector([0.0, 0.0, yaw]))
        return Contact(self.frame, self.points, friction=surface.friction, pose=X)

    @property
    def radius(self) -> float:
        """Of the points about the origin of the frame [m]."""
        return float(np.linalg.norm(np.asarray(self.points), axis=1).max())


def places(limb: Limb, surface: Surface, spacing: float) -> Iterator[Contact]:
    """Contacts of a limb on a grid over a surface, all points of the limb inside of it."""
    if surface.limbs and limb.frame not in surface.limbs:
        return
    points = np.asarray(limb.points)[:, :2]
    for yaw in limb.yaws:
        turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
        outline = points @ turn.T
        for x in _grid(surface.size[0], outline[:, 0], spacing):
            for y in _grid(surface.size[1], outline[:, 1], spacing):
                yield limb.on(surface, x, y, yaw)


def _grid(length: float, outline: FloatArray, spacing: float) -> FloatArray:
    """Places along a side, symmetric about its middle, at which the outline is inside."""
    low, high = -length / 2 - outline.min(), length / 2 - outline.max()
    if high < low - 1e-12:
        return np.zeros(0)
    count = int(np.floor((high - low) / spacing + 1e-9))
    found: FloatArray = (low + high) / 2 + spacing * (np.arange(count + 1) - count / 2)
    return found
