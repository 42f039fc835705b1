"""Planar four-bars in series, each carried by the coupler of the one before, here and in Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

import tarsus as ts
from benchmarks.quantity import States
from benchmarks.rival import Rival
from tarsus.arrays import FloatArray
from tarsus.model.coupling import Loop
from tarsus.model.model import Model
from tarsus.spatial.pose import pose

COUNT = 16
GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.4, 0.9, 0.7
"""Lengths [m]; the crank turns fully."""
MOUNT = (0.3, 0.2, 0.1)
"""Where the next four-bar stands on a coupler [m]."""
START = {"a": 1.0, "b": -0.5, "d": 1.5}
"""Angles [rad] near which a four-bar is closed: crank, coupler and rocker; they choose the branch."""
SETTINGS = {"constraintDynamics": (1e-6, 1e-8, 30), "lcaba": (1e-9, 1e-4, 30)}
"""Accuracy, mu and iterations of the proximal solvers: of accuracies from 1e-12 to 1e-6 and mu from 1e-8 to 1e-2, by
powers of ten, the fastest at which the results are right to `PARITY`. The penalty 1 / mu costs lcaba digits: at
mu = 1e-10 it takes a fifth less time and is wrong by 7e-5."""


def fourbars(count: int = COUNT) -> Model:
    """Return 3 `count` joints and as many loops as four-bars; the cranks are independent."""
    builder = ts.ModelBuilder("fourbars").add_link("ground")
    carrier = "ground"
    for i in range(count):
        a, b, d, crank, coupler, rocker = (f"{part}{i}" for part in ("a", "b", "d", "crank", "coupler", "rocker"))
        for link, length in ((crank, CRANK), (coupler, COUPLER), (rocker, ROCKER)):
            builder.add_link(link, _bar(length))
        builder.add_joint(a, "revolute", carrier, crank, axis=(0.0, 0.0, 1.0), position=_foot(i))
        builder.add_joint(b, "revolute", crank, coupler, axis=(0.0, 0.0, 1.0), position=(CRANK, 0.0, 0.0))
        builder.add_joint(d, "revolute", carrier, rocker, axis=(0.0, 0.0, 1.0), position=_foot(i, GROUND))
        end_a, end_b = (pose((length, 0.0, 0.0), np.eye(3)) for length in (COUPLER, ROCKER))
        builder.add_loop(Loop(f"loop{i}", "revolute", coupler, rocker, end_a, end_b))
        builder.reference |= {a: START["a"], b: START["b"], d: START["d"]}
        carrier = coupler
    return builder.build()


def fourbar_states(model: Model, count: int, seed: int = 0) -> States:
    """Random states under random moments of about 1 N m.

    Moments that give accelerations of about 1 rad/s^2 are hundreds of times larger; most of them cancels, and the
    proximal solvers would need more iterations for the same number of digits.
    """
    rng = np.random.default_rng(seed)
    q = model.random(rng, count)
    v, tau = rng.normal(size=(2, count, model.nv))
    return States(q, v, ts.forward_dynamics(model, q, v, tau), tau)


class FourbarTranslation:
    """The same mechanism in Pinocchio: a tree, inserted depth-first as its constrained dynamics needs, and constraints.

    Positions and velocities of all joints come from ours.
    """

    def __init__(self, model: Model, count: int = COUNT) -> None:
        self.model = model
        self.tree = pin.Model()
        self.tree.gravity.linear = np.array(model.gravity)
        self.constraints = pin.StdVec_RigidConstraintModel()
        self._add(0, 0, count)
        here = [name for name, joint in model.joints.items() if joint.kind == "revolute"]
        there = list(self.tree.names)[1:]
        self.order = np.array([here.index(name) for name in there])
        self.cranks = np.array([there.index(f"a{i}") for i in range(count)])
        self.own = np.array([model.joints[f"a{i}"].v_index.start for i in range(count)])

    def rows(self, states: States) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
        """States (q, v, tau) of the tree."""
        q = self.model.joint_positions(states.q)[:, self.order]
        v = self.model.joint_velocities(states.q, states.v)[:, self.order]
        tau = np.zeros_like(v)
        tau[:, self.cranks] = states.tau[:, self.own]
        return [(q[i].copy(), v[i].copy(), tau[i].copy()) for i in range(len(states))]

    def back(self, a: FloatArray) -> FloatArray:
        """Accelerations of the cranks."""
        found = np.empty(len(self.own))
        found[self.own] = a[self.cranks]
        return found

    def rival(self, function: str) -> Rival:
        """Return `constraintDynamics` or `lcaba`, with data of their own."""
        data = self.tree.createData()
        details = pin.StdVec_RigidConstraintData()
        for constraint in self.constraints:
            details.append(constraint.createData())
        if function == "lcaba":
            pin.computeJointMinimalOrdering(self.tree, data, self.constraints)
        else:
            pin.initConstraintDynamics(self.tree, data, self.constraints, details)
        names = {"f": getattr(pin, function), "m": self.tree, "d": data, "c": self.constraints, "e": details}
        names["s"] = pin.ProximalSettings(*SETTINGS[function])
        return Rival(function, "a = f(m, d, q, v, tau, c, e, s)", names, self.rows, self.back)

    def _add(self, carrier: int, i: int, count: int) -> None:
        crank = self._joint(carrier, f"a{i}", _foot(i), CRANK)
        coupler = self._joint(crank, f"b{i}", (CRANK, 0.0, 0.0), COUPLER)
        if i + 1 < count:
            self._add(coupler, i + 1, count)
        rocker = self._joint(carrier, f"d{i}", _foot(i, GROUND), ROCKER)
        ends = [pin.SE3(np.eye(3), np.array([length, 0.0, 0.0])) for length in (COUPLER, ROCKER)]
        kind = pin.ContactType.CONTACT_3D
        self.constraints.append(pin.RigidConstraintModel(kind, self.tree, coupler, ends[0], rocker, ends[1], pin.LOCAL))

    def _joint(self, parent: int, name: str, position: tuple[float, float, float], length: float) -> int:
        made: int = self.tree.addJoint(parent, pin.JointModelRZ(), pin.SE3(np.eye(3), np.array(position)), name)
        bar = _bar(length)
        inertia: Any = pin.Inertia(bar.mass, np.array(bar.com), np.array(bar.moments))
        self.tree.appendBodyToJoint(made, inertia, pin.SE3.Identity())
        return made


def fourbar_rivals(model: Model, count: int = COUNT) -> list[Rival]:
    """Both algorithms of Pinocchio for constrained trees."""
    translation = FourbarTranslation(model, count)
    return [translation.rival(function) for function in SETTINGS]


def _bar(length: float) -> ts.Inertia:
    return ts.Inertia.of_box(length, (length, 0.05, 0.05), com=(length / 2.0, 0.0, 0.0))


def _foot(i: int, along: float = 0.0) -> tuple[float, float, float]:
    x, y, z = MOUNT if i else (0.0, 0.0, 0.0)
    return x + along, y, z
