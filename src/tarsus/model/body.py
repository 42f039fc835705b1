"""Bodies and named frames of a finished model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tarsus.arrays import FloatArray
from tarsus.geometry.shapes import Shape
from tarsus.spatial.inertia import Inertia


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """The root or a moving body, with every link that is fixed to it merged in.

    Attributes
    ----------
    name : str
    index : int
        Position in `model.bodies`, parents first; the root is 0.
    parent : str or None
        Parent body; None for the root.
    joint : str
        The joint that carries this body.
    inertia : Inertia
        Of the body with the links merged into it, in the body frame.
    carried : ndarray, shape (4,)
        Mass [kg] and first moment in the body frame [kg m] of the weight that is carried for it (`gravcomp` of
        MJCF).
    links : tuple of str
        Links of the model file that make up this body.
    visuals, collisions : tuple of Shape
        In the body frame.
    """

    name: str
    index: int
    parent: str | None
    joint: str
    inertia: Inertia
    carried: FloatArray
    links: tuple[str, ...]
    visuals: tuple[Shape, ...]
    collisions: tuple[Shape, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A named frame F fixed to a body B.

    Attributes
    ----------
    name : str
    body : str
    pose : ndarray, shape (4, 4)
        X_BF.
    kind : {"body", "link", "joint", "frame"}
        Where the name comes from.
    """

    name: str
    body: str
    pose: FloatArray
    kind: Literal["body", "link", "joint", "frame"]
