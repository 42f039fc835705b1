"""MuJoCo: the same model there, and the calls that are compared."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from benchmarks import ours
from benchmarks.quantity import States, relative_difference
from benchmarks.timing import Statement
from tarsus.io.interop import MujocoLayout
from tarsus.model.model import Model

_POSE = "kinematics(m, d); com_pos(m, d)"
_CODE = {
    "inverse_dynamics": "inverse(m, d)",
    "forward_dynamics": "forward(m, d)",
    "mass_matrix": f"{_POSE}; crb(m, d); full(m, d, result)",
    "joint_screws": _POSE,
    "center_of_mass": _POSE,
    "jacobian": f"{_POSE}; jac(m, d, linear, angular, body)",
}
_INPUTS = {"inverse_dynamics": ("qpos", "qvel", "qacc"), "forward_dynamics": ("qpos", "qvel", "qfrc_applied")}


class MujocoPeer:
    """A model of MuJoCo beside ours.

    Contacts, limits, friction, springs and dampers are off. A single state stands in `MjData` before the clock starts;
    in batches each row is copied there first, as a user would have to.
    """

    name = "mujoco"
    calls = {
        "inverse_dynamics": "mj_inverse",
        "forward_dynamics": "mj_forward",
        "mass_matrix": "mj_kinematics, mj_comPos, mj_crb, mj_fullM",
        "joint_screws": "mj_kinematics, mj_comPos (cdof)",
        "center_of_mass": "mj_kinematics, mj_comPos (subtree_com)",
        "jacobian": "mj_kinematics, mj_comPos, mj_jacBody",
    }

    def __init__(self, model: Model, frame: str) -> None:
        self.model, self.frame = model, frame
        self.mj = to_mujoco(model)
        self.layout = MujocoLayout(model, self.mj)
        nv = self.mj.nv
        self.linear, self.angular, self.matrix = np.zeros((3, nv)), np.zeros((3, nv)), np.zeros((nv, nv))
        self.body = mujoco.mj_name2id(self.mj, mujoco.mjtObj.mjOBJ_BODY, frame)

    def single(self, quantity: str, states: States) -> Statement:
        """See `Peer`."""
        data = mujoco.MjData(self.mj)
        self._put(data, quantity, self._rows(quantity, states.first(1))[0])
        return Statement(_CODE[quantity], self._names(data))

    def batch(self, quantity: str, states: States) -> Statement:
        """See `Peer`."""
        data = mujoco.MjData(self.mj)
        fields = _INPUTS.get(quantity, ("qpos",))
        names = (
            self._names(data) | {"rows": self._rows(quantity, states)} | {f"to_{f}": getattr(data, f) for f in fields}
        )
        copies = "; ".join(f"to_{f}[:] = r_{f}" for f in fields)
        loop = f"for {', '.join(f'r_{f}' for f in fields)}, in rows:\n    {copies}; {_CODE[quantity]}"
        return Statement(loop, names, len(states))

    def disagreement(self, quantity: str, states: States) -> float:
        """See `Peer`."""
        mine = ours.evaluate(self.model, quantity, states, self.frame)
        worst = 0.0
        data = mujoco.MjData(self.mj)
        scope = self._names(data)
        for i, row in enumerate(self._rows(quantity, states)):
            self._put(data, quantity, row)
            exec(_CODE[quantity], scope)
            q, v = states.q[i], states.v[i]
            own, theirs = mine[i], self._result(quantity, data, q)
            if quantity == "forward_dynamics":
                own = self.layout.acceleration(own, q, v)
            worst = max(worst, relative_difference(np.asarray(own), theirs))
        return worst

    def _result(self, quantity: str, data: Any, q: Any) -> Any:
        match quantity:
            case "inverse_dynamics":
                return self.layout.from_tau(data.qfrc_inverse, q)
            case "forward_dynamics":
                return np.array(data.qacc)
            case "mass_matrix":
                return self.layout.from_matrix(self.matrix, q)
            case "joint_screws":
                com = data.subtree_com[1]  # MuJoCo's twists are (angular; linear) at the centre of mass of the tree
                angular = data.cdof[:, :3].T
                linear = data.cdof[:, 3:].T - np.cross(angular.T, com).T
                return self.layout.from_jacobian(np.vstack([linear, angular]), q)
            case "center_of_mass":
                return np.array(data.subtree_com[1])
            case "jacobian":
                return self.layout.from_jacobian(np.vstack([self.linear, self.angular]), q)
        raise KeyError(quantity)

    def _names(self, data: Any) -> dict[str, Any]:
        return {
            "m": self.mj,
            "d": data,
            "inverse": mujoco.mj_inverse,
            "forward": mujoco.mj_forward,
            "kinematics": mujoco.mj_kinematics,
            "com_pos": mujoco.mj_comPos,
            "crb": mujoco.mj_crb,
            "full": mujoco.mj_fullM,
            "jac": mujoco.mj_jacBody,
            "result": self.matrix,
            "linear": self.linear,
            "angular": self.angular,
            "body": self.body,
        }

    def _put(self, data: Any, quantity: str, row: tuple[Any, ...]) -> None:
        for name, value in zip(_INPUTS.get(quantity, ("qpos",)), row, strict=True):
            getattr(data, name)[:] = value

    def _rows(self, quantity: str, states: States) -> list[tuple[Any, ...]]:
        q, v, vdot, tau = states
        arrays: tuple[Any, ...] = (self.layout.q(q),)
        if quantity == "inverse_dynamics":
            arrays += (self.layout.v(v, q), self.layout.acceleration(vdot, q, v))
        elif quantity == "forward_dynamics":
            arrays += (self.layout.v(v, q), self.layout.tau(tau, q))
        return [tuple(x[i].copy() for x in arrays) for i in range(len(states))]


def to_mujoco(model: Model) -> Any:
    """Build the model in MuJoCo from our data: nothing but rigid bodies, see `mujoco_tree`."""
    compiled = mujoco_tree(model).compile()
    for flag in (
        "CONSTRAINT",
        "CONTACT",
        "LIMIT",
        "EQUALITY",
        "FRICTIONLOSS",
        "SPRING",
        "DAMPER",
        "ACTUATION",
        "SENSOR",
    ):
        compiled.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}", 0))
    return compiled


def mujoco_tree(model: Model) -> Any:
    """Specification (`MjSpec`) of the bodies of a model, with one-axis joints and a free or fixed base."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.compiler.balanceinertia = False
    spec.compiler.boundmass = spec.compiler.boundinertia = 0.0
    spec.option.gravity = np.array(model.gravity)
    made = {"world": spec.worldbody}
    for body, joint in zip(model.bodies.values(), model.joints.values(), strict=True):
        X = joint.pose @ joint.child_pose
        quaternion = mujoco_quaternion(X[:3, :3])
        b = made[joint.parent].add_body(name=mujoco_name(body.name), pos=X[:3, 3], quat=quaternion)
        _set_inertia(b, body.inertia)
        made[body.name] = b
        if joint.kind == "free":
            b.add_freejoint(name=joint.name)
        elif joint.kind != "fixed":
            X_BJ = np.linalg.inv(joint.child_pose)
            kind = mujoco.mjtJoint.mjJNT_SLIDE if joint.kind == "prismatic" else mujoco.mjtJoint.mjJNT_HINGE
            j = b.add_joint(name=joint.name, type=kind, axis=X_BJ[:3, :3] @ joint.axis, pos=X_BJ[:3, 3])
            j.armature = float(joint.armature[0])
    return spec


def mujoco_name(body: str) -> str:
    """Name of a body there, where "world" is taken: files whose robot stands on it have a body of that name here."""
    return "root" if body == "world" else body


def _set_inertia(body: Any, inertia: Any) -> None:
    moments, axes = np.linalg.eigh(inertia.moments)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    body.mass, body.ipos = inertia.mass, np.array(inertia.com)
    body.inertia, body.iquat = moments, mujoco_quaternion(axes)
    body.explicitinertial = True


def mujoco_quaternion(R: Any) -> Any:
    """Quaternion (w, x, y, z) of a rotation matrix."""
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(R).reshape(9))
    return q
