"""Pinocchio: the same model there, and the calls that are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

import tarsus as ts
from benchmarks import ours
from benchmarks.quantity import States, relative_difference
from benchmarks.timing import Statement
from tarsus.io.interop import PinocchioLayout
from tarsus.model.model import Model


class PinocchioPeer:
    """A model of Pinocchio beside ours; batches are a Python loop over prepared rows."""

    name = "pin"
    calls = {
        "inverse_dynamics": "rnea",
        "forward_dynamics": "aba",
        "mass_matrix": "crba (upper triangle only)",
        "joint_screws": "computeJointJacobians",
        "center_of_mass": "centerOfMass",
        "jacobian": "computeFrameJacobian",
    }

    def __init__(self, model: Model, pin_model: Any, frame: str) -> None:
        self.model, self.pin_model, self.frame = model, pin_model, frame
        self.data = pin_model.createData()
        self.layout = PinocchioLayout(model, pin_model)
        joint = next(joint.name for joint in model.joints.values() if joint.child == frame)
        self.frame_id = pin_model.getFrameId(joint, pin.FrameType.JOINT)

    def single(self, quantity: str, states: States) -> Statement:
        """See `Peer`."""
        function, extra = self._call(quantity)
        row = self._rows(quantity, states.first(1))[0]
        names = {"f": function, "model": self.pin_model, "data": self.data}
        names |= {f"x{i}": x for i, x in enumerate((*row, *extra))}
        return Statement(f"f(model, data, {', '.join(f'x{i}' for i in range(len(row) + len(extra)))})", names)

    def batch(self, quantity: str, states: States) -> Statement:
        """See `Peer`."""
        function, extra = self._call(quantity)
        rows = self._rows(quantity, states)
        words = [f"r{i}" for i in range(len(rows[0]))]
        names = {"f": function, "model": self.pin_model, "data": self.data, "rows": rows}
        names |= {f"x{i}": x for i, x in enumerate(extra)}
        arguments = ", ".join([*words, *(f"x{i}" for i in range(len(extra)))])
        return Statement(f"for {', '.join(words)}, in rows:\n    f(model, data, {arguments})", names, len(states))

    def disagreement(self, quantity: str, states: States) -> float:
        """See `Peer`."""
        function, extra = self._call(quantity)
        mine = ours.evaluate(self.model, quantity, states, self.frame)
        worst = 0.0
        for row, own in zip(self._rows(quantity, states), mine, strict=True):
            theirs = np.array(function(self.pin_model, self.data, *row, *extra))
            match quantity:
                case "inverse_dynamics":
                    theirs = self.layout.from_tau(theirs)
                case "forward_dynamics":
                    theirs = self.layout.from_v(theirs)
                case "mass_matrix":
                    theirs = self.layout.from_matrix(np.triu(theirs) + np.triu(theirs, 1).T)
                case "joint_screws" | "jacobian":
                    theirs = self.layout.from_jacobian(theirs)
            worst = max(worst, relative_difference(own, theirs))
        return worst

    def _call(self, quantity: str) -> tuple[Any, tuple[Any, ...]]:
        match quantity:
            case "inverse_dynamics":
                return pin.rnea, ()
            case "forward_dynamics":
                return pin.aba, ()
            case "mass_matrix":
                return pin.crba, ()
            case "joint_screws":
                return pin.computeJointJacobians, ()
            case "center_of_mass":
                return pin.centerOfMass, ()
            case "jacobian":
                return pin.computeFrameJacobian, (self.frame_id, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        raise KeyError(quantity)

    def _rows(self, quantity: str, states: States) -> list[tuple[Any, ...]]:
        q = self.layout.q(states.q)
        arrays: tuple[Any, ...]
        match quantity:
            case "inverse_dynamics":
                arrays = (q, self.layout.v(states.v), self.layout.v(states.vdot))
            case "forward_dynamics":
                arrays = (q, self.layout.v(states.v), self.layout.tau(states.tau))
            case _:
                arrays = (q,)
        return [tuple(x[i].copy() for x in arrays) for i in range(len(states))]


_JOINTS = {"revolute": "R", "continuous": "R", "prismatic": "P"}


def to_pinocchio(model: Model) -> Any:
    """Build the model in Pinocchio from our data: one-axis joints and a free or fixed base."""
    made = pin.Model()
    made.name = model.name
    made.gravity.linear = np.array(model.gravity)
    index = {"world": 0}
    for body, joint in zip(model.bodies.values(), model.joints.values(), strict=True):
        if joint.kind == "fixed":
            index[body.name] = 0
            continue
        if not np.allclose(joint.child_pose, np.eye(4)):
            raise ValueError(f"body {body.name!r} is not at its joint")
        i = made.addJoint(
            index[joint.parent], _pin_joint(joint.kind, joint.axis), pin.SE3(np.array(joint.pose)), joint.name
        )
        inertia = body.inertia
        made.appendBodyToJoint(
            i, pin.Inertia(inertia.mass, np.array(inertia.com), np.array(inertia.moments)), pin.SE3.Identity()
        )
        made.addJointFrame(i)
        if joint.kind != "free":
            made.armature[made.joints[i].idx_v] = joint.armature[0]
        index[body.name] = i
    return made


def _pin_joint(kind: str, axis: Any) -> Any:
    if kind == "free":
        return pin.JointModelFreeFlyer()
    letter = _JOINTS[kind]
    for name, unit in zip("XYZ", np.eye(3), strict=True):
        if np.allclose(axis, unit, atol=1e-12):
            return getattr(pin, f"JointModel{letter}{name}")()
    unaligned = pin.JointModelRevoluteUnaligned if letter == "R" else pin.JointModelPrismaticUnaligned
    return unaligned(np.array(axis))


def from_pinocchio(pin_model: Any) -> Model:
    """Build a model of ours from a Pinocchio model with a free base and hinges along coordinate axes."""
    builder = ts.ModelBuilder(pin_model.name, base="free", gravity=pin_model.gravity.linear)
    axes = {f"JointModelR{name}": tuple(row) for name, row in zip("XYZ", np.eye(3).tolist(), strict=True)}
    for i in range(1, pin_model.njoints):
        inertia = pin_model.inertias[i]
        name = f"body_of_{pin_model.names[i]}"
        builder.add_link(name, ts.Inertia(inertia.mass, inertia.lever, inertia.inertia))
        if i == 1:
            continue
        kind = pin_model.joints[i].shortname()
        parent = f"body_of_{pin_model.names[pin_model.parents[i]]}"
        X = pin_model.jointPlacements[i].homogeneous
        builder.add_joint(pin_model.names[i], "revolute", parent, name, pose=X, axis=axes[kind])
    return builder.build()
