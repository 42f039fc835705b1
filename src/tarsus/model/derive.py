"""New models from old ones: joints locked, frames, payloads and other robots attached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ModelError, ShapeError, UnknownNameError, nearest
from tarsus.model.description import Description, FrameSpec, JointSpec, LinkSpec
from tarsus.model.joint import JOINT_TRAITS, planar_tangents
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose
from tarsus.spatial.quaternion import rotation_matrix_from_quaternion
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector


def joint_transform(joint: JointSpec, q: npt.ArrayLike) -> FloatArray:
    """Pose X_JM of the moving side of a joint at the coordinates q (nq,), shape (4, 4)."""
    q = np.asarray(q, dtype=float).reshape(-1)
    traits = JOINT_TRAITS[joint.kind]
    if q.shape != (traits.nq,):
        raise ShapeError(f"joint {joint.name!r} takes {traits.nq} coordinates, not {q.size}")
    n = np.asarray(joint.axis, dtype=float)
    n = n / np.linalg.norm(n) if traits.axes else n
    match joint.kind:
        case "fixed":
            return np.eye(4)
        case "revolute" | "continuous":
            return pose(rotation=rotation_matrix_from_rotation_vector(n * q[0]))
        case "prismatic":
            return pose(n * q[0])
        case "helical":
            return pose(n * joint.pitch * q[0], rotation_matrix_from_rotation_vector(n * q[0]))
        case "cylindrical":
            return pose(n * q[0], rotation_matrix_from_rotation_vector(n * q[1]))
        case "universal":
            n2 = np.asarray(joint.axis2, dtype=float)
            second = rotation_matrix_from_rotation_vector(n2 / np.linalg.norm(n2) * q[1])
            return pose(rotation=rotation_matrix_from_rotation_vector(n * q[0]) @ second)
        case "spherical":
            return pose(rotation=rotation_matrix_from_quaternion(q))
        case "planar":
            t1, t2 = planar_tangents(n)
            return pose(t1 * q[0] + t2 * q[1], rotation_matrix_from_rotation_vector(n * q[2]))
        case _:
            return pose(q[:3], rotation_matrix_from_quaternion(q[3:]))


def lock_joints(description: Description, values: Mapping[str, Sequence[float]]) -> Description:
    """The description with the named joints fixed at the given coordinates."""
    known = {joint.name for joint in description.joints}
    for name in values:
        if name not in known:
            raise UnknownNameError(f"joint {name!r} not found{nearest(name, known)}")
    needed = {name for c in description.couplings for name, _ in c.terms} & values.keys()
    if needed:
        raise ArgumentError(f"joint {min(needed)!r} leads a coupling and cannot be locked")
    joints = tuple(
        replace(joint, kind="fixed", pose=joint.pose @ joint_transform(joint, values[joint.name]))
        if joint.name in values
        else joint
        for joint in description.joints
    )
    couplings = tuple(c for c in description.couplings if c.joint not in values)
    reference = {k: v for k, v in description.reference.items() if k not in values}
    return replace(description, joints=joints, couplings=couplings, reference=reference)


def add_frame(description: Description, name: str, link: str, X_LF: FloatArray) -> Description:
    """The description with one more named frame."""
    return replace(description, frames=(*description.frames, FrameSpec(name, link, X_LF)))


def add_payload(description: Description, name: str, link: str, inertia: Inertia, X_LP: FloatArray) -> Description:
    """The description with a rigid load fixed to a link."""
    load = LinkSpec(name, inertia)
    weld = JointSpec(f"{name}_fixed", "fixed", link, name, pose=X_LP)
    return replace(description, links=(*description.links, load), joints=(*description.joints, weld))


def _names(description: Description) -> set[str]:
    parts: tuple[tuple[LinkSpec | JointSpec | FrameSpec, ...], ...] = (
        description.links,
        description.joints,
        description.frames,
    )
    return {spec.name for group in parts for spec in group}


def attach(one: Description, other: Description, link: str, X_LO: FloatArray, prefix: str) -> Description:
    """Both robots as one: the root of `other`, its names prefixed, fixed to a link of `one`.

    A free or planar base of `other` becomes a joint of the same kind, named after its root.
    """
    from tarsus.model.tree import root_links

    taken = _names(one)
    added = {prefix + name for name in _names(other)}
    if taken & added:
        raise ModelError(f"both models have a part named {min(taken & added)!r}; give a prefix")
    root = prefix + root_links(other)[0]
    kind = other.base
    weld = JointSpec(
        f"{root}_{'fixed' if kind == 'fixed' else 'base'}", kind, link, root, pose=X_LO, axis=(0.0, 1.0, 0.0)
    )
    return replace(
        one,
        links=(*one.links, *(replace(x, name=prefix + x.name) for x in other.links)),
        joints=(
            *one.joints,
            weld,
            *(replace(x, name=prefix + x.name, parent=prefix + x.parent, child=prefix + x.child) for x in other.joints),
        ),
        frames=(*one.frames, *(replace(x, name=prefix + x.name, link=prefix + x.link) for x in other.frames)),
        couplings=(
            *one.couplings,
            *(x.renamed(lambda name: prefix + name) for x in other.couplings),
        ),
        loops=(
            *one.loops,
            *(
                replace(x, name=prefix + x.name, link_a=prefix + x.link_a, link_b=prefix + x.link_b)
                for x in other.loops
            ),
        ),
        reference={**one.reference, **{prefix + k: v for k, v in other.reference.items() if "." not in k}},
    )
