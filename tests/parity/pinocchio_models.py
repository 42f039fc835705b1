"""The same robot in tarsus and in Pinocchio: read from one file, or built joint by joint from a tarsus model."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

import numpy as np
import pinocchio as pin
from robot_data import robot_data_path

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.io.interop import PinocchioLayout
from tarsus.model.assembly import assemble
from tarsus.model.joint import Joint, planar_tangents

ROBOTS = {
    "a1": "a1_description/urdf/a1.urdf",
    "allegro": "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "centauro": "centauro_description/urdf/centauro.urdf",
    "double_pendulum": "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "g1": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "icub": "icub_description/robots/icub_reduced.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "romeo": "romeo_description/urdf/romeo_small.urdf",
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "solo": "solo_description/robots/solo12.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
}
"""Arms, hands, quadrupeds, humanoids, wheels; hinges with and without limits, slides."""

COUPLED_ROBOTS = {
    name: ROBOTS.get(name, path)
    for name, path in {
        "baxter": "",
        "panda": "",
        "pr2": "",
        "talos_full": "talos_data/robots/talos_full_v2.urdf",
        "tiago_pro": "tiago_pro_description/robots/tiago_pro.urdf",
    }.items()
}
"""Robots with mimic joints, which Pinocchio leaves independent."""


class Layout(Protocol):
    """What the comparison needs of a layout; `tarsus.interop.Layout` is one."""

    def q(self, q: FloatArray) -> FloatArray: ...
    def v(self, v: FloatArray) -> FloatArray: ...
    def tau(self, tau: FloatArray) -> FloatArray: ...
    def from_v(self, v: FloatArray) -> FloatArray: ...
    def from_tau(self, tau: FloatArray) -> FloatArray: ...
    def from_matrix(self, M: FloatArray) -> FloatArray: ...
    def from_jacobian(self, J: FloatArray) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class Pair:
    """One robot in both libraries."""

    model: ts.Model
    pin_model: Any
    layout: Layout


@cache
def robot_pair(path: str, base: str, couplings: str = "cut") -> Pair:
    """Robot of example-robot-data; mimic joints are independent in Pinocchio and by default here, too."""
    file = str(robot_data_path(path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ts.errors.ModelWarning)
        model = ts.load(file, base=base, couplings=couplings)
    root = [pin.JointModelFreeFlyer()] if base == "free" else []
    pin_model = pin.buildModelFromUrdf(file, *root)
    return Pair(model, pin_model, PinocchioLayout(model, pin_model))


def built_pair(model: ts.Model, split_universals: bool = False) -> Pair:
    """The Pinocchio model with the joints and inertias of a model without couplings.

    Universal joints may be two hinges with nothing between them: the rate at which the first axis of a
    `JointModelUniversal` turns is missing in Pinocchio's derivatives of Jacobians and in its Coriolis matrix. Free and
    planar joints have no armature: Pinocchio takes a dv/dt, and what their turning axes add is missing.
    """
    model = _without_sliding_armature(model)
    pin_model = pin.Model()
    pin_model.gravity.linear = np.array(model.gravity)
    home: dict[str, tuple[int, Any]] = {"world": (0, pin.SE3.Identity())}
    armature: list[float] = []
    for body, joint in zip(model.bodies.values(), model.joints.values(), strict=True):
        parent, X_MB = home[joint.parent]
        placement = X_MB * _se3(joint.pose)
        if joint.kind == "fixed":
            number, X_MB = parent, placement * _se3(joint.child_pose)
        else:
            peer, X_JA = _peer_joint(joint)
            if joint.kind == "universal" and split_universals:
                first = pin.JointModelRevoluteUnaligned(joint.axis)
                parent, placement = pin_model.addJoint(parent, first, placement, f"{joint.name}_first"), X_JA
                peer = pin.JointModelRevoluteUnaligned(joint.axis2)
            number = pin_model.addJoint(parent, peer, placement * X_JA, joint.name)
            X_MB = X_JA.inverse() * _se3(joint.child_pose)
            armature += joint.armature.tolist()
        inertia = pin.Inertia(body.inertia.mass, body.inertia.com, body.inertia.moments)
        pin_model.appendBodyToJoint(number, inertia, X_MB)
        pin_model.addFrame(pin.Frame(body.name, number, X_MB, pin.FrameType.BODY))
        home[body.name] = (number, X_MB)
    pin_model.armature = np.array(armature)
    return Pair(model, pin_model, BuiltLayout(model))


def _without_sliding_armature(model: ts.Model) -> ts.Model:
    joints = model.description.joints
    plain = (replace(joint, armature=0.0) if joint.kind in ("free", "planar") else joint for joint in joints)
    return assemble(replace(model.description, joints=tuple(plain)), couplings=model.coupling_mode)


def _se3(X: FloatArray) -> Any:
    return pin.SE3(X[:3, :3], X[:3, 3])


def _peer_joint(joint: Joint) -> tuple[Any, Any]:
    """Joint of Pinocchio and the pose X_JA of the frame in which it moves as ours does in J."""
    one = pin.SE3.Identity()
    match joint.kind:
        case "revolute":
            return pin.JointModelRevoluteUnaligned(joint.axis), one
        case "continuous":
            # Theirs turns about z of A.
            t1, t2 = planar_tangents(joint.axis)
            return pin.JointModelRUBZ(), pin.SE3(
                np.column_stack([np.cross(t2, joint.axis), t2, joint.axis]), np.zeros(3)
            )
        case "prismatic":
            return pin.JointModelPrismaticUnaligned(joint.axis), one
        case "helical":
            return pin.JointModelHelicalUnaligned(joint.axis, joint.pitch), one
        case "cylindrical":
            composite = pin.JointModelComposite(pin.JointModelPrismaticUnaligned(joint.axis))
            composite.addJoint(pin.JointModelRevoluteUnaligned(joint.axis))
            return composite, one
        case "universal":
            return pin.JointModelUniversal(joint.axis, joint.axis2), one
        case "spherical":
            return pin.JointModelSpherical(), one
        case "free":
            return pin.JointModelFreeFlyer(), one
        case "planar":
            # Theirs moves in the plane x-y of A and turns about z.
            t1, t2 = planar_tangents(joint.axis)
            return pin.JointModelPlanar(), pin.SE3(np.column_stack([t1, t2, np.cross(t1, t2)]), np.zeros(3))
    raise ValueError(joint.kind)


def _circle(angle: FloatArray) -> FloatArray:
    return np.concatenate([np.cos(angle), np.sin(angle)])


class BuiltLayout:
    """Layout of a model made by `built_pair`: the same joints in the same order.

    Velocities are the same but for the sense of rotation of a planar joint with left-handed tangents.
    """

    def __init__(self, model: ts.Model) -> None:
        self.joints = [joint for joint in model.joints.values() if joint.kind != "fixed"]
        self.sign = np.ones(model.nv)
        for joint in self.joints:
            if joint.kind == "planar":
                self.sign[joint.v_index.start + 2] = self._sense(joint)

    @staticmethod
    def _sense(joint: Joint) -> float:
        t1, t2 = planar_tangents(joint.axis)
        return float(np.sign(np.cross(t1, t2) @ joint.axis))

    def q(self, q: FloatArray) -> FloatArray:
        return np.concatenate([self._part(joint, q[joint.q_index]) for joint in self.joints])

    def _part(self, joint: Joint, q: FloatArray) -> FloatArray:
        forms: dict[str, Callable[[], FloatArray]] = {
            "continuous": lambda: _circle(q),
            "planar": lambda: np.concatenate([q[:2], _circle(self._sense(joint) * q[2:])]),
            "spherical": lambda: np.roll(q, -1),
            "free": lambda: np.concatenate([q[:3], np.roll(q[3:], -1)]),
        }
        return forms[joint.kind]() if joint.kind in forms else q

    def v(self, v: FloatArray) -> FloatArray:
        return self.sign * v

    tau = from_v = from_tau = from_jacobian = v

    def from_matrix(self, M: FloatArray) -> FloatArray:
        return self.sign[:, None] * M * self.sign
