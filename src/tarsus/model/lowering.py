"""What the native core needs to know of a model, and how its coordinates relate to the user's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.errors import ShapeError
from tarsus.model.body import Body, Frame
from tarsus.model.description import Description
from tarsus.model.joint import Joint, planar_tangents
from tarsus.model.loops.closure import closure_arrays
from tarsus.model.loops.tree_coordinates import TreeCoordinates

if TYPE_CHECKING:
    from tarsus.model.model import Model

_KIND_NUMBERS = _native.enumeration("JointKind")
_KIND_NUMBERS["continuous"] = _KIND_NUMBERS["revolute"]


class Limits(NamedTuple):
    """Limits of the independent coordinates in the user's layout."""

    q_min: FloatArray
    q_max: FloatArray
    v_max: FloatArray
    tau_max: FloatArray
    actuated: npt.NDArray[np.bool_]


def native_arrays(
    description: Description,
    bodies: Sequence[Body],
    joints: Sequence[Joint],
    frames: Mapping[str, Frame],
    coordinates: TreeCoordinates,
) -> dict[str, Any]:
    """Flat arrays from which the native core builds its own tables."""
    index = {body.name: body.index for body in bodies}
    inertias = np.array([inertia_row(body) for body in bodies])
    axis2 = [planar_tangents(j.axis)[1] if j.kind == "planar" else j.axis2 for j in joints]
    return {
        "parent": np.array([-1 if b.parent is None else index[b.parent] for b in bodies], dtype=np.int32),
        "kind": np.array([_KIND_NUMBERS[j.kind] for j in joints], dtype=np.int32),
        "pose": np.array([j.pose[:3] for j in joints]),
        "child_pose": np.array([j.child_pose[:3] for j in joints]),
        "axis": np.array([planar_tangents(j.axis)[0] if j.kind == "planar" else j.axis for j in joints]),
        "axis2": np.array(axis2),
        "pitch": np.array([j.pitch for j in joints]),
        "sign": np.array([_rotation_sign(j) for j in joints]),
        "inertia": inertias,
        "carried": np.array([body.carried for body in bodies]),
        "armature": np.concatenate([j.armature for j in joints]),
        "damping": np.concatenate([j.damping for j in joints]),
        "friction": np.concatenate([j.friction for j in joints]),
        "stiffness": np.concatenate([j.stiffness for j in joints]),
        "rest": np.concatenate([j.rest for j in joints]),
        "gravity": np.array(description.gravity, dtype=float),
        "leader_q": coordinates.leader_q.astype(np.int32),
        "ratio_q": coordinates.ratio_q,
        "offset_q": coordinates.offset_q,
        "leader_v": coordinates.leader_v.astype(np.int32),
        "ratio_v": coordinates.ratio_v,
        "independent": coordinates.independent.astype(np.int32),
        "frame_body": np.array([index[f.body] for f in frames.values()], dtype=np.int32),
        "frame_pose": np.array([f.pose[:3] for f in frames.values()]),
        "frame_names": tuple(frames),
        "joint_names": tuple(j.name for j in joints),
        **closure_arrays(coordinates.closures, coordinates.own_q, coordinates.own_v),
        "closure_names": _closure_names(joints, coordinates),
        "reference_q": coordinates.reference,
        "quaternion_base": description.base != "free" or description.rotation == "quaternion",
    }


def _closure_names(joints: Sequence[Joint], c: TreeCoordinates) -> tuple[str, ...]:
    """What messages call the closures: followers of one joint in the order of joints, then the others."""
    followers = [
        f"coupling of joint {joint.name!r}"
        for joint in joints
        if not c.independent[joint.index] and c.leader_q[c.tree_q_start[joint.index]] >= 0
    ]
    return (*followers, *(closure.name for closure in c.closures))


def _rotation_sign(joint: Joint) -> float:
    """+1, or -1 for a planar joint whose tangents and normal are left-handed (the sagittal plane)."""
    if joint.kind != "planar":
        return 1.0
    t1, t2 = planar_tangents(joint.axis)
    return 1.0 if np.dot(np.cross(t1, t2), joint.axis) > 0.0 else -1.0


def inertia_row(body: Body) -> list[float]:
    """Mass, centre of mass, and moments about it: xx, yy, zz, xy, xz, yz; body frame."""
    J = 0.5 * (body.inertia.moments + body.inertia.moments.T)
    return [body.inertia.mass, *body.inertia.com, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]


def limits(joints: Sequence[Joint], coordinates: TreeCoordinates, description: Description) -> Limits:
    """Limits of the independent coordinates; a follower's limits narrow those of its leader."""
    c = coordinates
    q_min, q_max = np.full(c.nq, -np.inf), np.full(c.nq, np.inf)
    v_max, tau_max = np.full(c.nv, np.inf), np.full(c.nv, np.inf)
    actuated = np.zeros(c.nv, dtype=bool)
    for joint in joints:
        if c.independent[joint.index]:
            q = slice(c.q_start[joint.index], c.q_start[joint.index + 1])
            v = slice(c.v_start[joint.index], c.v_start[joint.index + 1])
            q_min[q], q_max[q] = joint.q_min, joint.q_max
            v_max[v], tau_max[v], actuated[v] = joint.v_max, joint.tau_max, joint.actuated
    with np.errstate(over="ignore"):  # a tiny ratio makes a limit infinite, which is none
        _narrow_to_followers(joints, c, q_min, q_max, v_max)
    extra = _extra_rotation_entries(description)
    if extra is not None:
        q_min, q_max = (
            np.concatenate([x[:3], np.full(extra, s), x[7:]]) for x, s in ((q_min, -np.inf), (q_max, np.inf))
        )
    return Limits(q_min, q_max, v_max, tau_max, actuated)


def _narrow_to_followers(
    joints: Sequence[Joint], c: TreeCoordinates, q_min: FloatArray, q_max: FloatArray, v_max: FloatArray
) -> None:
    def narrow(joint: Joint, leader: int, rate: int, ratio: float, offset: float) -> None:
        ends = sorted(((joint.q_min[0] - offset) / ratio, (joint.q_max[0] - offset) / ratio))
        low, high = max(q_min[leader], ends[0]), min(q_max[leader], ends[1])
        if low <= high:
            q_min[leader], q_max[leader] = low, high
        v_max[rate] = min(v_max[rate], joint.v_max[0] / abs(ratio))

    for place in c.reach:
        k = c.own_q[place]
        q_min[k], q_max[k] = c.within_reach(place, q_min[k], q_max[k])
    for joint in joints:
        k = c.tree_q_start[joint.index]
        if not c.independent[joint.index] and c.leader_q[k] >= 0:
            rate = c.leader_v[c.tree_v_start[joint.index]]
            narrow(joint, int(c.leader_q[k]), int(rate), float(c.ratio_q[k]), float(c.offset_q[k]))
    for closure in c.closures:  # parallelograms; of several leaders none is narrowed
        nd = closure.dependents
        if closure.kind != "linear" or len(closure.dofs) != nd + 1:
            continue
        leader, rate = c.own_q[closure.coordinates[nd]], c.own_v[closure.dofs[nd]]
        for k in range(nd):
            joint = joints[int(np.searchsorted(c.tree_v_start, closure.dofs[k], side="right")) - 1]
            if closure.slope[k, 0] != 0.0:
                narrow(joint, leader, rate, float(closure.slope[k, 0]), float(closure.table[k]))


def _extra_rotation_entries(description: Description) -> int | None:
    """Size of the base's rotation in q, or None where it is a quaternion."""
    if description.base != "free" or description.rotation == "quaternion":
        return None
    from tarsus.spatial.parametrisations import parametrisation

    return parametrisation(description.rotation).size


def user_shift(description: Description) -> int:
    """How many entries more (or less) the base takes in the user's q than in the native one."""
    size = _extra_rotation_entries(description)
    return 0 if size is None else size - 4


def to_user(model: Model, q: FloatArray) -> FloatArray:
    """Configuration in the user's layout from one with a quaternion base; (..., nq)."""
    if model.base != "free" or model.rotation == "quaternion":
        return q
    from tarsus.spatial.parametrisations import parametrisation
    from tarsus.spatial.quaternion import rotation_matrix_from_quaternion

    p = parametrisation(model.rotation).parameters(rotation_matrix_from_quaternion(q[..., 3:7]), "minimum-norm")
    return np.concatenate([q[..., :3], p, q[..., 7:]], axis=-1)


def to_native(model: Model, q: FloatArray) -> FloatArray:
    """Configuration with a quaternion base from one in the user's layout; (..., nq)."""
    if model.base != "free" or model.rotation == "quaternion":
        return q
    from tarsus.spatial.parametrisations import parametrisation
    from tarsus.spatial.quaternion import quaternion_from_rotation_matrix

    if q.shape[-1:] != (model.nq,):
        raise ShapeError(f"q has shape {q.shape}, expected (..., {model.nq})")
    size = parametrisation(model.rotation).size
    quaternion = quaternion_from_rotation_matrix(parametrisation(model.rotation).rotation_matrix(q[..., 3 : 3 + size]))
    return np.concatenate([q[..., :3], quaternion, q[..., 3 + size :]], axis=-1)


def quaternion_starts(model: Model) -> list[int]:
    """Where the quaternions of independent joints stand in a configuration of the native layout."""
    c = model.coordinates
    joints = [j for j in model.joints.values() if c.independent[j.index]]
    return [int(c.q_start[j.index]) + j.traits.quaternion for j in joints if j.traits.quaternion is not None]


def sampling_box(model: Model) -> tuple[FloatArray, FloatArray]:
    """Bounds from which `Model.random` draws, native layout."""
    c = model.coordinates
    low, high = np.full(c.nq, -np.inf), np.full(c.nq, np.inf)
    shift = user_shift(model.description)
    low[:], high[:] = (
        np.concatenate([x[:3], [0.0] * 4, x[7 + shift :]]) if shift else x for x in (model.q_min, model.q_max)
    )
    for joint in model.joints.values():
        if not joint.traits.flat:
            start = c.q_start[joint.index]
            for k in range(start, start + joint.traits.translations):
                if np.isinf(low[k]) and np.isinf(high[k]):
                    low[k], high[k] = -1.0, 1.0
    no_low, no_high = np.isinf(low), np.isinf(high)
    low = np.where(no_low, np.where(no_high, -np.pi, high - 2.0 * np.pi), low)
    high = np.where(no_high, np.where(no_low, np.pi, low + 2.0 * np.pi), high)
    return low, high
