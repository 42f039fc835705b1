"""What robots stand on and bump into: planes, blocks, stairs, height fields and meshes, each with its contact law.

Planes and blocks stay where they are, but their skin may move: a belt with a velocity, a disc that turns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.laws import LAWS, Compliant, ContactLaw
from tarsus.contact.triangle_mesh import TriangleMesh
from tarsus.errors import ArgumentError, ShapeError
from tarsus.geometry import shapes
from tarsus.geometry.triangles import Triangles


def _vector(value: npt.ArrayLike, name: str) -> FloatArray:
    array = np.array(value, dtype=float)
    if array.shape != (3,):
        raise ShapeError(f"{name} has shape {array.shape}; expected (3,)")
    if not np.all(np.isfinite(array)):
        raise ArgumentError(f"{name} is {array}; expected finite numbers")
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """Everything on one side of a plane is solid.

    Attributes
    ----------
    law : contact law
    point : ndarray, shape (3,)
        A point of the plane, world [m].
    normal : ndarray, shape (3,)
        Out of the ground, world axes; normalised.
    name : str
    velocity : ndarray, shape (3,)
        Of the surface within the plane, world axes [m/s]: a conveyor belt.
    spin : float
        Of the surface about the normal through `point` [rad/s]: a turntable.
    """

    law: ContactLaw = field(default_factory=Compliant)
    point: npt.ArrayLike = (0.0, 0.0, 0.0)
    normal: npt.ArrayLike = (0.0, 0.0, 1.0)
    name: str = "plane"
    velocity: npt.ArrayLike = (0.0, 0.0, 0.0)
    spin: float = 0.0

    def __post_init__(self) -> None:
        normal = _vector(self.normal, "normal of Plane")
        length = float(np.linalg.norm(normal))
        if length < 1e-12:
            raise ArgumentError("normal of Plane is zero; expected a direction out of the ground")
        object.__setattr__(self, "normal", normal / length)
        object.__setattr__(self, "point", _vector(self.point, "point of Plane"))
        velocity = _motion(self)
        off = float(velocity @ normal / length)
        if abs(off) > 1e-9 * float(np.linalg.norm(velocity)):
            raise ArgumentError(
                f"velocity of Plane {self.name!r} leaves the plane by {off:g} m/s; expected a velocity within it"
            )

    @property
    def pose(self) -> FloatArray:
        """X_WS with z along the normal, shape (4, 4)."""
        z = np.asarray(self.normal)
        helper = np.eye(3)[int(np.argmin(np.abs(z)))]
        x = np.cross(np.cross(z, helper), z) if abs(z[2]) < 0.9 else np.array([1.0, 0.0, 0.0]) - z[0] * z
        x = x / np.linalg.norm(x)
        pose = np.eye(4)
        pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = x, np.cross(z, x), z, np.asarray(self.point)
        return pose


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A solid box.

    Attributes
    ----------
    size : tuple of 3 floats
        Edge lengths [m].
    pose : ndarray, shape (4, 4)
        X_WS of its centre.
    law : contact law
    name : str
    velocity : ndarray, shape (3,)
        Of its surface, world axes [m/s]: a conveyor belt. On each face the part along that face counts.
    spin : float
        Of its surface about its z axis through the centre [rad/s]: a turntable; likewise.
    """

    size: tuple[float, float, float]
    pose: npt.ArrayLike = field(default_factory=lambda: np.eye(4))
    law: ContactLaw = field(default_factory=Compliant)
    name: str = "block"
    velocity: npt.ArrayLike = (0.0, 0.0, 0.0)
    spin: float = 0.0

    def __post_init__(self) -> None:
        size = _vector(self.size, "size of Block")
        if not np.all(size > 0):
            raise ArgumentError(f"size of Block is {tuple(size)}; expected three edge lengths above 0 [m]")
        object.__setattr__(self, "size", tuple(float(s) for s in size))
        pose = np.array(self.pose, dtype=float)
        if pose.shape != (4, 4):
            raise ShapeError(f"pose of Block has shape {pose.shape}; expected (4, 4)")
        if not np.all(np.isfinite(pose)) or np.abs(pose[:3, :3].T @ pose[:3, :3] - np.eye(3)).max() > 1e-6:
            raise ArgumentError("pose of Block is not a pose; expected a rotation and a position")
        object.__setattr__(self, "pose", pose)
        _motion(self)


def _motion(surface: Plane | Block) -> FloatArray:
    """Velocity of a surface as an array, which it keeps; its spin is a number."""
    kind = type(surface).__name__
    velocity = _vector(surface.velocity, f"velocity of {kind}")
    if not math.isfinite(surface.spin):
        raise ArgumentError(f"spin of {kind} is {surface.spin!r}; expected a finite number [rad/s]")
    object.__setattr__(surface, "velocity", velocity)
    return velocity


@dataclass(frozen=True, slots=True, eq=False)
class HeightField:
    """Uneven ground: heights at the points of a grid, bilinear between them.

    Attributes
    ----------
    heights : ndarray, shape (ny, nx)
        z of the surface [m]; row j is at y = origin y + j spacing.
    spacing : float
        Between neighbouring points of the grid [m].
    origin : tuple of 2 floats
        x and y of `heights[0, 0]` [m]; the ground outside the grid continues with the height of its edge.
    law : contact law
    name : str
    """

    heights: npt.ArrayLike
    spacing: float
    origin: tuple[float, float] = (0.0, 0.0)
    law: ContactLaw = field(default_factory=Compliant)
    name: str = "height field"

    def __post_init__(self) -> None:
        heights = np.array(self.heights, dtype=float)
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise ShapeError(f"heights has shape {heights.shape}; expected (ny, nx) with at least two points each way")
        if not np.all(np.isfinite(heights)):
            raise ArgumentError("heights has entries that are not finite")
        if not (math.isfinite(self.spacing) and self.spacing > 0):
            raise ArgumentError(f"spacing of HeightField is {self.spacing!r}; expected a length above 0 [m]")
        heights.flags.writeable = False
        object.__setattr__(self, "heights", heights)


Surface = Plane | Block | HeightField | TriangleMesh


def is_moving(surface: Surface) -> bool:
    """Whether the skin of a surface moves."""
    return isinstance(surface, Plane | Block) and (surface.spin != 0.0 or bool(np.any(surface.velocity)))


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """All surfaces that a robot may touch; where solids overlap, a point touches the one that it is deepest in.

    Attributes
    ----------
    surfaces : tuple of Plane, Block, HeightField, TriangleMesh
    """

    surfaces: tuple[Surface, ...]

    def __init__(self, *surfaces: Surface | Iterable[Surface]) -> None:
        found: list[Surface] = []
        for surface in surfaces:
            found.extend(surface if isinstance(surface, Iterable) else [surface])
        for surface in found:
            if not isinstance(surface, Surface):
                kind = type(surface)
                raise ArgumentError(
                    "a ground is made of Plane, Block, HeightField and TriangleMesh of tarsus.contact, not "
                    f"{'' if kind.__module__ == 'builtins' else kind.__module__ + '.'}{kind.__name__}"
                )
            if not isinstance(surface.law, ContactLaw):
                *names, last = (law.__name__ for law in LAWS)
                raise ArgumentError(
                    f"law of {surface.name!r} is {surface.law!r}; expected {', '.join(names)} or {last}"
                )
        if not found:
            raise ArgumentError("a ground needs at least one surface; leave `ground` out for none")
        object.__setattr__(self, "surfaces", tuple(found))

    @property
    def visuals(self) -> tuple[shapes.Shape, ...]:
        """What is seen of the surfaces: shapes with their poses in the world, for the viewer.

        Planes are unbounded, blocks are boxes, height fields are meshes with two triangles in every cell, meshes are
        themselves.
        """
        return tuple(_visual(surface) for surface in self.surfaces)


def _visual(surface: Surface) -> shapes.Shape:
    if isinstance(surface, Plane):
        return shapes.Shape(shapes.Plane(), surface.pose, name=surface.name)
    if isinstance(surface, Block):
        return shapes.Shape(shapes.Box(surface.size), np.asarray(surface.pose), name=surface.name)
    if isinstance(surface, TriangleMesh):
        triangles = Triangles(np.asarray(surface.vertices), np.asarray(surface.faces))
        return shapes.Shape(shapes.Mesh(surface.name, content=triangles), name=surface.name)
    heights = np.asarray(surface.heights)
    rows, columns = heights.shape
    j, i = np.indices(heights.shape)
    x, y = (corner + surface.spacing * k for corner, k in zip(surface.origin, (i, j), strict=True))
    corner = (j * columns + i)[: rows - 1, : columns - 1].ravel()
    right, above = corner + 1, corner + columns
    faces = np.concatenate([np.stack([corner, right, above + 1], 1), np.stack([corner, above + 1, above], 1)])
    content = Triangles(np.stack([x, y, heights], -1).reshape(-1, 3), faces.astype(np.intp))
    return shapes.Shape(shapes.Mesh(surface.name, content=content), name=surface.name)


def flat(law: ContactLaw | None = None, height: float = 0.0) -> Ground:
    """Level ground at z = `height` [m]."""
    return Ground(Plane(law or Compliant(), point=(0.0, 0.0, height), name="ground"))


def slope(angle: float, law: ContactLaw | None = None) -> Ground:
    """Plane through the origin that rises along +x by `angle` [rad]."""
    normal = (-math.sin(angle), 0.0, math.cos(angle))
    return Ground(Plane(law or Compliant(), normal=normal, name="slope"))


def stairs(
    steps: int, rise: float, run: float, *, width: float = 2.0, start: float = 0.5, law: ContactLaw | None = None
) -> Ground:
    """Level ground with `steps` stairs along +x that begin at x = `start`, each `rise` high and `run` deep [m].

    The last step ends after `run`, too. Every step is a block from below the ground up to its tread that reaches to the
    end of the stairs, so that no face of a block lies inside the stairs.
    """
    if steps < 1 or rise <= 0 or run <= 0 or width <= 0:
        raise ArgumentError(f"stairs need steps >= 1 and rise, run, width > 0, not {steps}, {rise}, {run}, {width}")
    law = law or Compliant()
    blocks: list[Surface] = [Plane(law, name="ground")]
    for i in range(steps):
        top, below = (i + 1) * rise, 0.5
        pose, length = np.eye(4), (steps - i) * run
        pose[:3, 3] = (start + i * run + 0.5 * length, 0.0, 0.5 * (top - below))
        blocks.append(Block((length, width, top + below), pose, law, name=f"step {i + 1}"))
    return Ground(blocks)
