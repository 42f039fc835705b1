"""Description of a model as a person or a file gives it, before anything is merged, ordered or checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.geometry.shapes import Shape
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.model.coupling import Coupling, Loop, Source
from tarsus.model.tendons import Tendon
from tarsus.spatial.inertia import Inertia

BaseKind = Literal["free", "planar", "fixed"]


@dataclass(frozen=True, slots=True, eq=False)
class LinkSpec:
    """A link. `virtual` marks a massless link that only separates two joints, which is nobody's mistake.

    `carried` is the part of its weight that is carried for it, `gravcomp` of MJCF: a passive force at its centre of
    mass.
    """

    name: str
    inertia: Inertia | None = None
    visuals: tuple[Shape, ...] = ()
    collisions: tuple[Shape, ...] = ()
    virtual: bool = False
    source: Source = Source()
    carried: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class JointSpec:
    """A joint from link `parent` to link `child`; see `Joint` for the meaning of the fields.

    Limits and constants are scalars (the same for every degree of freedom) or one value each.
    """

    name: str
    kind: str
    parent: str
    child: str
    pose: FloatArray = field(default_factory=lambda: np.eye(4))
    child_pose: FloatArray = field(default_factory=lambda: np.eye(4))
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    axis2: tuple[float, float, float] = (0.0, 1.0, 0.0)
    pitch: float = 0.0
    q_min: float | tuple[float, ...] = -np.inf
    q_max: float | tuple[float, ...] = np.inf
    v_max: float | tuple[float, ...] = np.inf
    tau_max: float | tuple[float, ...] = np.inf
    damping: float | tuple[float, ...] = 0.0
    friction: float | tuple[float, ...] = 0.0
    armature: float | tuple[float, ...] = 0.0
    stiffness: float | tuple[float, ...] = 0.0
    rest: float | tuple[float, ...] = 0.0
    actuated: bool = True
    source: Source = Source()


@dataclass(frozen=True, slots=True, eq=False)
class FrameSpec:
    """A named frame with pose X_LF on link `link`."""

    name: str
    link: str
    pose: FloatArray = field(default_factory=lambda: np.eye(4))
    source: Source = Source()


PoseValues = dict[str, float | tuple[float, ...]]
"""A pose: coordinates by joint, a number or as many as it has (rotations as quaternions w, x, y, z).

Of a free base "base.x", "base.y", "base.z" [m] and "base.rotation", a quaternion; of a planar one "base.x", "base.z"
and "base.pitch" [rad].
"""


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """Everything said about a model; `build` turns it into a `Model`."""

    name: str = "robot"
    links: tuple[LinkSpec, ...] = ()
    joints: tuple[JointSpec, ...] = ()
    frames: tuple[FrameSpec, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    loops: tuple[Loop, ...] = ()
    base: BaseKind = "fixed"
    rotation: str = "quaternion"
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    reference: PoseValues = field(default_factory=dict)
    """The robot's reference pose (half-sitting, home), where it has one: see `PoseValues`."""
    poses: dict[str, PoseValues] = field(default_factory=dict)
    """Poses by name (key frames, group states), of the same form."""
    collision_exclusions: tuple[tuple[str, str], ...] = ()
    """Pairs of links that are not checked for collision, each pair and all of them in alphabetical order."""
    volumes: dict[str, tuple[SweptSphere, ...]] = field(default_factory=dict)
    """What encloses the robot, for distances: swept spheres by the link, joint or frame that carries them."""
    tendons: tuple[Tendon, ...] = ()
    base_forces: dict[str, float | tuple[float, ...]] = field(default_factory=dict)
    """Passive forces on a free or planar base: "damping", "friction", "stiffness" and "rest" as in `JointSpec`."""
    source: Source = Source()
