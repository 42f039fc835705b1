"""New models from old ones: joints locked, frames, payloads and other robots attached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ModelError, ShapeError, UnknownNameError, nearest
from tarsus.geometry.shapes import Shape
from tarsus.model.description import Description, FrameSpec, JointSpec, LinkSpec, PoseValues
from tarsus.model.joint import JOINT_TRAITS, planar_tangents
from tarsus.model.poses import BASE_PLACES, ROTATION
from tarsus.model.tendons import Tendon
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix, rotation_matrix_from_quaternion
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
    needed = {name for c in description.couplings if c.joint not in values for name, _ in c.terms} & values.keys()
    if needed:
        raise ArgumentError(
            f"joint {min(needed)!r} leads a coupling and cannot be locked; expected the joints that follow it to be "
            "locked with it"
        )
    joints = tuple(
        replace(joint, kind="fixed", pose=joint.pose @ joint_transform(joint, values[joint.name]))
        if joint.name in values
        else joint
        for joint in description.joints
    )
    couplings = tuple(c for c in description.couplings if c.joint not in values)
    tendons = tuple(left for tendon in description.tendons if (left := tendon.locked(values)) is not None)

    def free(pose: PoseValues) -> PoseValues:
        return {name: value for name, value in pose.items() if name not in values}

    poses = {name: free(pose) for name, pose in description.poses.items()}
    reference = free(description.reference)
    return replace(description, joints=joints, couplings=couplings, tendons=tendons, reference=reference, poses=poses)


def visuals_as_collisions(description: Description) -> Description:
    """The description whose links touch with what is drawn of them."""
    links = tuple(replace(link, collisions=link.visuals) for link in description.links)
    return replace(description, links=links)


def add_frame(description: Description, name: str, link: str, X_LF: FloatArray) -> Description:
    """The description with one more named frame."""
    return replace(description, frames=(*description.frames, FrameSpec(name, link, X_LF)))


def add_payload(description: Description, name: str, link: str, inertia: Inertia, X_LP: FloatArray) -> Description:
    """The description with a rigid load fixed to a link."""
    load = LinkSpec(name, inertia)
    weld = JointSpec(f"{name}_fixed", "fixed", link, name, pose=X_LP)
    return replace(description, links=(*description.links, load), joints=(*description.joints, weld))


def add_object(description: Description, shape: Shape, inertia: Inertia, X_WO: FloatArray, name: str) -> Description:
    """The description with a free body in the world, at X_WO in the reference pose.

    A free base becomes a free joint of the world, named after its root with "_base" behind it, in the same place of q.
    """
    one = _with_world(description)
    joint = f"{name}_free"
    for part in (name, joint):
        if part in _names(one):
            raise ModelError(f"the model has a part named {part!r} already; give the object another name")
    place = (*X_WO[:3, 3].tolist(), *quaternion_from_rotation_matrix(X_WO[:3, :3]).tolist())
    from tarsus.model.tree import root_links

    return replace(
        one,
        links=(*one.links, LinkSpec(name, inertia, (shape,), (shape,))),
        joints=(*one.joints, JointSpec(joint, "free", root_links(one)[0], name, actuated=False)),
        reference={**one.reference, joint: place},
    )


def _with_world(description: Description) -> Description:
    """The description with a root that does not move: a free base becomes a joint."""
    from tarsus.model.tree import root_links

    if description.base == "fixed":
        return description
    if description.base != "free" or description.rotation != "quaternion":
        raise ArgumentError(
            "objects stand beside robots with a fixed base, or a free one with a quaternion; this one has a "
            f"{description.base} base, rotation {description.rotation!r}"
        )
    root = root_links(description)[0]
    world, joint = "world", f"{root}_base"
    for name in (world, joint):
        if name in _names(description):
            raise ModelError(f"the model has a part named {name!r}, which is needed for the world beside it")
    forces: dict[str, Any] = dict(description.base_forces)
    base = JointSpec(joint, "free", world, root, actuated=False, **forces)
    return replace(
        description,
        base="fixed",
        base_forces={},
        links=(LinkSpec(world), *description.links),
        joints=(base, *description.joints),
        reference=_carried(description.reference, "", base),
        poses={name: _carried({**description.reference, **pose}, "", base) for name, pose in description.poses.items()},
    )


def _names(description: Description) -> set[str]:
    parts: tuple[tuple[LinkSpec | JointSpec | FrameSpec | Tendon, ...], ...] = (
        description.links,
        description.joints,
        description.frames,
        description.tendons,
    )
    return {spec.name for group in parts for spec in group}


def attach(one: Description, other: Description, link: str, X_LO: FloatArray, prefix: str) -> Description:
    """Both robots as one: the root of `other`, its names prefixed, fixed to a link of `one`.

    A free or planar base of `other` becomes a joint of the same kind, named after its root, which nothing drives.
    """
    from tarsus.model.tree import root_links

    taken = _names(one)
    added = {prefix + name for name in _names(other)}
    if taken & added:
        raise ModelError(f"both models have a part named {min(taken & added)!r}; give a prefix")
    root = prefix + root_links(other)[0]
    kind = other.base
    forces: dict[str, Any] = dict(other.base_forces) if kind != "fixed" else {}
    weld = JointSpec(
        f"{root}_{'fixed' if kind == 'fixed' else 'base'}",
        kind,
        link,
        root,
        pose=X_LO,
        axis=(0.0, 1.0, 0.0),
        actuated=False,
        **forces,
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
        tendons=(*one.tendons, *(x.renamed(lambda name: prefix + name, prefix + x.name) for x in other.tendons)),
        reference={**one.reference, **_carried(other.reference, prefix, weld)},
        collision_exclusions=tuple(
            sorted({*one.collision_exclusions, *((prefix + a, prefix + b) for a, b in other.collision_exclusions)})
        ),
        volumes={**one.volumes, **{prefix + name: volumes for name, volumes in other.volumes.items()}},
        poses={
            **one.poses,
            **{
                prefix + name: _carried({**other.reference, **pose}, prefix, weld) for name, pose in other.poses.items()
            },
        },
    )


def _carried(pose: PoseValues, prefix: str, base: JointSpec) -> PoseValues:
    """A pose of a robot whose base has become a joint."""
    found = {prefix + name: value for name, value in pose.items() if not name.startswith("base.")}
    if base.kind == "fixed":
        return found
    neutral = dict(zip(BASE_PLACES[base.kind], JOINT_TRAITS[base.kind].neutral, strict=False))
    places = [pose.get(f"base.{part}", value) for part, value in neutral.items()]
    turn = (pose.get(ROTATION, (1.0, 0.0, 0.0, 0.0)),) if base.kind == "free" else ()
    if any(name.startswith("base.") for name in pose):
        found[base.name] = tuple(float(x) for value in (*places, *turn) for x in np.atleast_1d(value))
    return found
