"""Things around a robot that it may collide with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.ground import HeightField
from tarsus.errors import ArgumentError
from tarsus.geometry.convex_volume import ConvexVolume
from tarsus.geometry.swept_sphere import SweptSphere

Shape = SweptSphere | Iterable[SweptSphere] | ConvexVolume | HeightField
"""What an obstacle may look like."""


@dataclass(frozen=True, slots=True, eq=False)
class Obstacle:
    """A named thing: one or several swept-sphere volumes (Buschmann 2014, (5.31)-(5.32)), a convex solid, or a terrain.

    Distances to a solid are negative inside of it, too: as deep as the shortest way out of a convex solid, and as deep
    as the deepest vertex of a volume is below a height field, the way to the nearest point of its surface. The cells of
    a height field are two triangles here, parted by the diagonal from their first to their last corner; where it ends,
    there is nothing.

    Parameters
    ----------
    name : str
        By which pairs and moving poses refer to it.
    shape : SweptSphere, several of them, ConvexVolume, or HeightField of `tarsus.contact`
        In the axes of the obstacle. More than 16 volumes are looked through by a tree of boxes.
    pose : array_like, shape (4, 4), optional
        X_WO, where it is unless a call says otherwise.

    Attributes
    ----------
    volumes : tuple of SweptSphere
        None of a solid.
    solid : ConvexVolume, HeightField, or None
    """

    name: str
    volumes: tuple[SweptSphere, ...]
    solid: ConvexVolume | HeightField | None
    pose: FloatArray

    def __init__(self, name: str, shape: Shape, pose: npt.ArrayLike | None = None) -> None:
        if not isinstance(name, str) or not name:
            raise ArgumentError(f"name of an obstacle is {name!r}; expected some text")
        solid = shape if isinstance(shape, ConvexVolume | HeightField) else None
        if not isinstance(shape, SweptSphere | ConvexVolume | HeightField | Iterable):
            raise ArgumentError(f"obstacle {name!r} has the shape {shape!r}; expected SweptSphere objects or a solid")
        given: tuple[SweptSphere, ...] = ()
        if not isinstance(shape, ConvexVolume | HeightField):
            given = (shape,) if isinstance(shape, SweptSphere) else tuple(shape)
        if not given and solid is None:
            raise ArgumentError(f"obstacle {name!r} has no volumes")
        for volume in given:
            if not isinstance(volume, SweptSphere):
                raise ArgumentError(f"obstacle {name!r} has the volume {volume!r}; expected a SweptSphere")
        object.__setattr__(self, "name", name)
        X = np.eye(4) if pose is None else pose_of(f"pose of obstacle {name!r}", pose)
        if X.shape != (4, 4):
            raise ArgumentError(f"pose of obstacle {name!r}: expected shape (4, 4), found {X.shape}")
        object.__setattr__(self, "volumes", given)
        object.__setattr__(self, "solid", solid)
        object.__setattr__(self, "pose", X)

    def pose_numbers(self, X: FloatArray) -> FloatArray:
        """Columns of the rotation, then the position, where X is its pose: 12 numbers, as the native core reads them.

        The native core has the first point of a height field at the origin.
        """
        columns = np.swapaxes(X[..., :3, :3], -1, -2).reshape(*X.shape[:-2], 9)
        x, y = self.solid.origin if isinstance(self.solid, HeightField) else (0.0, 0.0)
        return np.concatenate([columns, X[..., :3, 3] + x * X[..., :3, 0] + y * X[..., :3, 1]], axis=-1)

    def at(self, pose: npt.ArrayLike) -> Obstacle:
        """The same at another pose."""
        return Obstacle(self.name, self.volumes if self.solid is None else self.solid, pose)


def pose_of(what: str, value: npt.ArrayLike) -> FloatArray:
    """A pose or a batch of them, checked; `what` names it in errors."""
    try:
        X = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what}: expected shape (..., 4, 4), found {value!r}") from None
    if X.ndim < 2 or X.shape[-2:] != (4, 4):
        raise ArgumentError(f"{what}: expected shape (..., 4, 4), found {X.shape}")
    if not np.isfinite(X).all():
        raise ArgumentError(f"{what}: expected finite numbers, found {X[~np.isfinite(X)].flat[0]}")
    R = X[..., :3, :3]
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
    if off > 1e-6 or (np.linalg.det(R) < 0).any() or np.abs(X[..., 3, :] - [0, 0, 0, 1]).max(initial=0.0) > 1e-9:
        raise ArgumentError(f"{what} is no rigid pose (R R^T differs from the unit matrix by {off:.2g})")
    X.setflags(write=False)
    return X
