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


@dataclass(frozen=True, slots=True)
class JointTraits:
    """What there is to know about a kind of joint.

    Attributes
    ----------
    positions : tuple of str
        Names of its entries in q; "" for the only one.
    rates : tuple of str
        Names of its entries in v.
    slides : tuple of bool
        For each entry in v, whether it is a translation (in metres) or a rotation (in radians). Translations come
        first, in q as well.
    axes : int
        How many axes have to be given: `axis`, and `axis2` if there are two. For a planar joint it is the normal.
    flat : bool
        Whether v is the rate of q. Elsewhere velocities are in the axes of the child, and q lives on a manifold.
    quaternion : int or None
        Where among its entries in q its quaternion starts.
    comes_round : bool
        Whether an angle returns to where it was after a full turn.
    unlimited : bool
        Whether it has no limits by its nature.
    """

    positions: tuple[str, ...]
    rates: tuple[str, ...]
    slides: tuple[bool, ...]
    axes: int = 0
    flat: bool = True
    quaternion: int | None = None
    comes_round: bool = False
    unlimited: bool = False

    @property
    def nq(self) -> int:
        """Entries in q."""
        return len(self.positions)

    @property
    def nv(self) -> int:
        """Entries in v."""
        return len(self.rates)

    @property
    def one_axis(self) -> bool:
        """Whether it has one degree of freedom: one angle or one length."""
        return self.nv == 1

    @property
    def is_hinge(self) -> bool:
        """Whether it does nothing but turn about one axis."""
        return self.one_axis and self.comes_round

    @property
    def translations(self) -> int:
        """Entries in v, and in q, that are translations."""
        return sum(self.slides)

    @property
    def neutral(self) -> tuple[float, ...]:
        """Coordinates (nq,) at which the child frame coincides with the joint frame."""
        return tuple(float(k == self.quaternion) for k in range(self.nq))


_QUATERNION = ("qw", "qx", "qy", "qz")
_ANGULAR = ("wx", "wy", "wz")

JOINT_TRAITS: MappingProxyType[str, JointTraits] = MappingProxyType(
    {
        "fixed": JointTraits((), (), ()),
        "revolute": JointTraits(("",), ("",), (False,), axes=1, comes_round=True),
        "continuous": JointTraits(("",), ("",), (False,), axes=1, comes_round=True, unlimited=True),
        "prismatic": JointTraits(("",), ("",), (True,), axes=1),
        "helical": JointTraits(("",), ("",), (False,), axes=1),
        "cylindrical": JointTraits(("slide", "turn"), ("slide", "turn"), (True, False), axes=1, comes_round=True),
        "universal": JointTraits(("first", "second"), ("first", "second"), (False, False), axes=2, comes_round=True),
        "spherical": JointTraits(_QUATERNION, _ANGULAR, (False, False, False), flat=False, quaternion=0),
        "planar": JointTraits(("x", "y", "turn"), ("vx", "vy", "w"), (True, True, False), axes=1, flat=False),
        "free": JointTraits(
            ("x", "y", "z", *_QUATERNION),
            ("vx", "vy", "vz", *_ANGULAR),
            (True, True, True, False, False, False),
            flat=False,
            quaternion=3,
        ),
    }
)
assert set(JOINT_TRAITS) == set(get_args(JointKind))

JOINT_SIZES: MappingProxyType[str, JointSize] = MappingProxyType(
    {kind: JointSize(traits.nq, traits.nv) for kind, traits in JOINT_TRAITS.items()}
)
ONE_AXIS = tuple(kind for kind, traits in JOINT_TRAITS.items() if traits.one_axis)
"""Kinds of joints with one degree of freedom."""
HINGES = tuple(kind for kind, traits in JOINT_TRAITS.items() if traits.is_hinge)
"""Kinds of joints that do nothing but turn about one axis."""
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
        joint [kg m^2]. Along the slides of free and planar joints, whose velocity has the axes of the moving body,
        armature a is an inertia without weight of the joint's origin [kg], the same in all directions: its force is
        a (dv/dt + omega x v).
    stiffness, rest : ndarray, shape (nv,)
        Linear spring towards `rest`. Of spherical and free joints -k log(R_rest^T R) and, in the axes of the child,
        -k R^T (p - p_rest), where `rest` has a rotation vector, after the position of a free joint.
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
    def traits(self) -> JointTraits:
        """What all joints of this kind have in common."""
        return JOINT_TRAITS[self.kind]

    @property
    def nq(self) -> int:
        """Entries of the joint in a configuration, were it independent."""
        return self.traits.nq

    @property
    def nv(self) -> int:
        """Degrees of freedom of the joint, were it independent."""
        return self.traits.nv
