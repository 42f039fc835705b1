"""Joints: the kinds there are, and the joints of a finished model."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

import numpy as np

from tarsus.arrays import FloatArray

JointKind = Literal[
    "fixed",
    "revolute",
    "continuous",
    "prismatic",
    "helical",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "free",
]


class JointSize(NamedTuple):
    """Number of entries of a joint in q and in v."""

    nq: int
    nv: int


JOINT_SIZES: MappingProxyType[str, JointSize] = MappingProxyType(
    {
        "fixed": JointSize(0, 0),
        "revolute": JointSize(1, 1),
        "continuous": JointSize(1, 1),
        "prismatic": JointSize(1, 1),
        "helical": JointSize(1, 1),
        "cylindrical": JointSize(2, 2),
        "universal": JointSize(2, 2),
        "spherical": JointSize(4, 3),
        "planar": JointSize(3, 3),
        "free": JointSize(7, 6),
    }
)
assert set(JOINT_SIZES) == set(get_args(JointKind))

TURNING = ("revolute", "continuous", "universal", "cylindrical")
"""Kinds of joints that may come round."""
BASE_KINDS: MappingProxyType[str, JointKind] = MappingProxyType({"free": "free", "planar": "planar", "fixed": "fixed"})
SAGITTAL_AXIS = (0.0, 1.0, 0.0)
"""Normal of the plane of a planar base: it moves in x-z and pitches about +y."""


def planar_tangents(axis: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Directions t1, t2 of the two translations of a planar joint with the given normal.

    t1 is the x axis of the joint frame projected into the plane (the y axis where the normal is along x) and
    t2 = normal x t1: an axis along z gives (x, y), one along x gives (y, z). An axis along +y gives (x, z), the
    sagittal plane of a planar base, where t1 x t2 = -normal.
    """
    n = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    if np.array_equal(n, SAGITTAL_AXIS):
        return np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    t1 = np.array([0.0, 1.0, 0.0]) if abs(n[0]) > 1.0 - 1e-9 else np.array([1.0, 0.0, 0.0])
    t1 = t1 - n * np.dot(n, t1)
    t1 /= np.linalg.norm(t1)
    return t1, np.cross(n, t1)


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint of a model; it carries the body with the same index.

    Frame J is fixed to the parent body P; the child frame coincides with J (up to `child_pose`) at the zero
    configuration.

    Attributes
    ----------
    name : str
    kind : str
        One of `JOINT_SIZES`.
    index : int
        Position in `model.joints`; also the index of the child body.
    parent : str
        Parent body, ``"world"`` for the base joint.
    child : str
    pose : ndarray, shape (4, 4)
        X_PJ.
    child_pose : ndarray, shape (4, 4)
        X_JB of the child body at the zero configuration.
    axis, axis2 : ndarray, shape (3,)
        Unit axes in J; `axis2` is the second axis of a universal joint.
    pitch : float
        Advance of a helical joint per angle [m/rad].
    q_index, v_index : slice
        Where the joint stands in q and v; empty for a joint that depends on another one.
    q_min, q_max : ndarray, shape (nq,)
        Position limits [rad or m].
    v_max, tau_max, damping, friction, armature : ndarray, shape (nv,)
        Limits of rate and effort; viscous [N m s/rad] and Coulomb [N m] friction; rotor inertia seen at the
        joint [kg m^2].
    stiffness, rest : ndarray, shape (nv,)
        Linear spring towards `rest`, for one-axis joints.
    actuated : bool
    """

    name: str
    kind: JointKind
    index: int
    parent: str
    child: str
    pose: FloatArray
    child_pose: FloatArray
    axis: FloatArray
    axis2: FloatArray
    pitch: float
    q_index: slice
    v_index: slice
    q_min: FloatArray
    q_max: FloatArray
    v_max: FloatArray
    tau_max: FloatArray
    damping: FloatArray
    friction: FloatArray
    armature: FloatArray
    stiffness: FloatArray
    rest: FloatArray
    actuated: bool

    @property
    def nq(self) -> int:
        """Entries of the joint in a configuration, were it independent."""
        return JOINT_SIZES[self.kind].nq

    @property
    def nv(self) -> int:
        """Degrees of freedom of the joint, were it independent."""
        return JOINT_SIZES[self.kind].nv
