"""Configurations, velocities, forces and matrices in the layouts of Pinocchio, MuJoCo and Drake, and back.

==============  ====================================  =====================================================
library         configuration of a free base          velocity of a free base
==============  ====================================  =====================================================
tarsus          position, quaternion (w, x, y, z)     linear, angular; both in axes of the base
Pinocchio       position, quaternion (x, y, z, w)     linear, angular; both in axes of the base
MuJoCo          position, quaternion (w, x, y, z)     linear in axes of the world, angular in axes of the base
Drake           quaternion (w, x, y, z), position     angular, linear; both in axes of the world
==============  ====================================  =====================================================

Joints are matched by name, so that their order does not matter. Pinocchio writes continuous and planar joints with
cosine and sine, and spherical joints with the scalar last; Drake writes ball joints as roll, pitch and yaw. Where the
tarsus model has eliminated dependent joints (mimic, gears) and the other one has not, they get their dependent values.

The accelerations of a free base differ by more than axes: d/dt (R v) = R (vdot + omega x v), see `Layout.acceleration`.
None of the libraries is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.io import joint_forms
from tarsus.io.joint_forms import JointForm
from tarsus.io.layout import Layout, PeerJoint, checked
from tarsus.model.joint import HINGES, Joint, planar_tangents

if TYPE_CHECKING:
    from tarsus.model.model import Model

__all__ = [
    "DrakeLayout",
    "Layout",
    "MujocoLayout",
    "PinocchioLayout",
    "from_drake",
    "from_mujoco",
    "from_pinocchio",
    "to_drake",
    "to_mujoco",
    "to_pinocchio",
    "wrench_from_drake",
    "wrench_to_drake",
]

BASE = "base"


def _match(
    model: Model, peers: Mapping[str, Any], base: str | None, names: Mapping[str, str] | None, library: str
) -> dict[str, str]:
    """Name of the other library's joint for each of ours that moves; nothing may be left over on either side."""
    tendons = {tendon.name for tendon in model.tendons}  # whose lengths are no joints there
    ours = [joint.name for joint in model.joints.values() if joint.nv > 0 and joint.name not in tendons]
    given = dict(names or {})
    pairs = {}
    for name in ours:
        other = given.get(name, base if name == BASE and BASE not in peers else name)
        if other is None or other not in peers:
            hint = nearest(str(other), peers)
            raise UnknownNameError(f"the {library} model has no joint {other!r} for joint {name!r}{hint}")
        pairs[name] = other
    left = [name for name in peers if name not in set(pairs.values())]
    if left:
        shown = ", ".join(left[:8])
        raise UnknownNameError(f"the {library} model has joints that are not in the tarsus model: {shown}")
    return pairs


def _require_kind(joint: Joint, kinds: Sequence[str], what: str) -> None:
    if joint.kind not in kinds:
        raise ArgumentError(f"joint {joint.name!r} is {joint.kind} in the tarsus model, but {what} in the other one")


def _require_xy_plane(joint: Joint) -> None:
    """Other libraries have planar joints in the plane x-y only."""
    t1, t2 = planar_tangents(joint.axis)
    if not (np.allclose(t1, (1.0, 0.0, 0.0)) and np.allclose(t2, (0.0, 1.0, 0.0))):
        raise ArgumentError(f"planar joint {joint.name!r} does not move in the plane x-y of its frame")


class PinocchioLayout(Layout):
    """Layout of a `pinocchio.Model`.

    Parameters
    ----------
    model : Model
    pin_model : pinocchio.Model
    names : mapping of str to str, optional
        Joint names there for joint names here, where they differ. Our "base" is found by itself: it is the first joint
        there that has no counterpart.

    Examples
    --------
    >>> layout = PinocchioLayout(model, pin_model)                                  # doctest: +SKIP
    >>> pin.crba(pin_model, data, layout.q(q)) - layout.matrix(ts.mass_matrix(model, q))  # doctest: +SKIP
    """

    def __init__(self, model: Model, pin_model: Any, *, names: Mapping[str, str] | None = None) -> None:
        peers = {}
        for i in range(1, pin_model.njoints):
            joint = pin_model.joints[i]
            peers[pin_model.names[i]] = (int(joint.idx_q), int(joint.idx_v), int(joint.nq), int(joint.nv))
        base = next((name for name in peers if name not in model.joints), None)
        matches = {}
        for name, other in _match(model, peers, base, names, "Pinocchio").items():
            q_start, v_start, nq, nv = peers[other]
            matches[name] = PeerJoint(other, q_start, v_start, _pinocchio_form(model.joints[name], nq, nv))
        super().__init__(model, matches, int(pin_model.nq), int(pin_model.nv))


def _pinocchio_form(joint: Joint, nq: int, nv: int) -> JointForm:
    match nq, nv:
        case (7, 6):
            _require_kind(joint, ("free",), "free")
            return joint_forms.FREE_SCALAR_LAST
        case (4, 3) if joint.kind == "planar":
            _require_xy_plane(joint)
            return joint_forms.PLANE_ON_CIRCLE
        case (4, 3):
            _require_kind(joint, ("spherical",), "spherical")
            return joint_forms.SPHERICAL_SCALAR_LAST
        case (2, 1):
            _require_kind(joint, HINGES, "an unbounded hinge")
            return joint_forms.ANGLE_ON_CIRCLE
        case sizes if sizes == (joint.nq, joint.nv) and joint.traits.flat:
            return joint_forms.same(nq, nv)
    raise ArgumentError(f"joint {joint.name!r} is {joint.kind} here and has nq = {nq}, nv = {nv} in Pinocchio")


class MujocoLayout(Layout):
    """Layout of a `mujoco.MjModel`.

    Joints are matched by name, the free joint of a free base by being the only one without a counterpart, and by their
    order if there are joints without names: both count depth-first in the order of the file.

    Parameters
    ----------
    model : Model
    mj_model : mujoco.MjModel
    names : mapping of str to str, optional
        Joint names there for joint names here, where they differ.
    """

    def __init__(self, model: Model, mj_model: Any, *, names: Mapping[str, str] | None = None) -> None:
        labels = [mj_model.joint(i).name for i in range(mj_model.njnt)]
        if names is None and not all(labels):
            labels = self._by_order(model, len(labels))
        peers = {}
        for i, label in enumerate(labels):
            entry = (int(mj_model.jnt_type[i]), int(mj_model.jnt_qposadr[i]), int(mj_model.jnt_dofadr[i]))
            peers[label] = entry
        base = next((name for name in peers if name not in model.joints), None)
        matches = {}
        for name, other in _match(model, peers, base, names, "MuJoCo").items():
            kind, q_start, v_start = peers[other]
            matches[name] = PeerJoint(other, q_start, v_start, _mujoco_form(model.joints[name], kind))
        super().__init__(model, matches, int(mj_model.nq), int(mj_model.nv))

    @staticmethod
    def _by_order(model: Model, count: int) -> list[str]:
        ours = [joint.name for joint in model.joints.values() if joint.nv > 0]
        if len(ours) != count:
            message = f"the MuJoCo model has unnamed joints and {count} joints, the tarsus model has {len(ours)}"
            raise UnknownNameError(message)
        return ours


def _mujoco_form(joint: Joint, kind: int) -> JointForm:
    """Form of a joint by the value of mjtJoint: free, ball, slide, hinge."""
    match kind:
        case 0:
            _require_kind(joint, ("free",), "free")
            return joint_forms.FREE_WORLD_LINEAR
        case 1:
            _require_kind(joint, ("spherical",), "a ball joint")
            return joint_forms.same(4, 3)
        case 2:
            _require_kind(joint, ("prismatic",), "a slide")
        case _:
            _require_kind(joint, HINGES, "a hinge")
    return joint_forms.same(1, 1)


class DrakeLayout(Layout):
    """Layout of a Drake `MultibodyPlant`, which is given by the names of its joints in the order of its positions.

    Drake orders positions and velocities alike, so that the names are enough:
    ``[plant.get_joint(i).name() for i in plant.GetJointIndices()]`` sorted by ``position_start()`` and without welds.
    Ball joints are ball-rpy joints, planar joints planar joints there.

    Parameters
    ----------
    model : Model
    joints : sequence of str
        Joint names there; a free base may be called by any name that is no other joint's.
    names : mapping of str to str, optional
        Joint names there for joint names here, where they differ.
    """

    def __init__(self, model: Model, joints: Sequence[str], *, names: Mapping[str, str] | None = None) -> None:
        base = next((name for name in joints if name not in model.joints), None)
        pairs = _match(model, dict.fromkeys(joints), base, names, "Drake")
        ours = {other: model.joints[name] for name, other in pairs.items()}
        matches = {}
        q_start = v_start = 0
        for other in joints:
            joint = ours[other]
            form = _drake_form(joint)
            matches[joint.name] = PeerJoint(other, q_start, v_start, form)
            q_start, v_start = q_start + form.nq, v_start + joint.nv
        super().__init__(model, matches, q_start, v_start)


def _drake_form(joint: Joint) -> JointForm:
    match joint.kind:
        case "free":
            return joint_forms.FREE_WORLD_ANGULAR_FIRST
        case "spherical":
            return joint_forms.SPHERICAL_ROLL_PITCH_YAW
        case "planar":
            _require_xy_plane(joint)
            return joint_forms.PLANE_PARENT_AXES
        case "cylindrical":
            raise ArgumentError(f"joint {joint.name!r} is cylindrical, which Drake does not have")
        case _:
            return joint_forms.same(joint.nq, joint.nv)


State = tuple[FloatArray, FloatArray]


def to_pinocchio(model: Model, q: npt.ArrayLike, v: npt.ArrayLike, pin_model: Any) -> State:
    """Our state (q, v) in the layout of a `pinocchio.Model`; see `PinocchioLayout` for more."""
    layout = PinocchioLayout(model, pin_model)
    return layout.q(q), layout.v(v)


def from_pinocchio(model: Model, q: npt.ArrayLike, v: npt.ArrayLike, pin_model: Any) -> State:
    """Return a state of a `pinocchio.Model` in our layout."""
    layout = PinocchioLayout(model, pin_model)
    return layout.from_q(q), layout.from_v(v)


def to_mujoco(model: Model, q: npt.ArrayLike, v: npt.ArrayLike, mj_model: Any) -> State:
    """Our state as (qpos, qvel) of a `mujoco.MjModel`; see `MujocoLayout` for more."""
    layout = MujocoLayout(model, mj_model)
    return layout.q(q), layout.v(v, q)


def from_mujoco(model: Model, qpos: npt.ArrayLike, qvel: npt.ArrayLike, mj_model: Any) -> State:
    """(qpos, qvel) of a `mujoco.MjModel` in our layout."""
    layout = MujocoLayout(model, mj_model)
    q = layout.from_q(qpos)
    return q, layout.from_v(qvel, q)


def to_drake(model: Model, q: npt.ArrayLike, v: npt.ArrayLike, joints: Sequence[str]) -> State:
    """Our state in the layout of Drake, whose joints are given in their order; see `DrakeLayout` for more."""
    layout = DrakeLayout(model, joints)
    return layout.q(q), layout.v(v, q)


def from_drake(model: Model, q: npt.ArrayLike, v: npt.ArrayLike, joints: Sequence[str]) -> State:
    """Return a state in the layout of Drake in ours."""
    layout = DrakeLayout(model, joints)
    ours = layout.from_q(q)
    return ours, layout.from_v(v, ours)


def wrench_to_drake(wrench: npt.ArrayLike) -> FloatArray:
    """Wrenches or twists (..., 6) with the angular half first; the same point and axes."""
    array = checked(wrench, "wrench", 6)
    return np.concatenate([array[..., 3:], array[..., :3]], axis=-1)


wrench_from_drake = wrench_to_drake
