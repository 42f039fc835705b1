"""Conditions of a static posture: places of contacts, distances, balance, friction cones and torques, linearised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.control.stances.balance import balance
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.terms import slip
from tarsus.dynamics.derivatives import inverse_dynamics_derivatives
from tarsus.dynamics.inverse import gravity_force, passive_force
from tarsus.dynamics.jacobians import jacobian
from tarsus.dynamics.kinematics import body_poses, frame_pose
from tarsus.dynamics.momentum import center_of_mass, com_jacobian
from tarsus.ik.velocity.joint_limits import rate_names
from tarsus.model import Model
from tarsus.spatial.cross_product import skew

Kind = Literal["place", "distance", "balance", "friction", "torque"]
"""Kinds of conditions."""
KINDS: tuple[Kind, ...] = ("place", "distance", "balance", "friction", "torque")
"""In the order in which they are asked for, where a posture that fulfils all of them is not found."""

ROOM = 1e-5
"""By how much forces stay inside their cones, in parts of the weight: what is found is not at the edge by rounding."""
NEAR = 0.3
"""Distance beyond the margin at which a pair begins to count [m]: nothing comes nearer in one step."""
ROUGH = 10.0
"""Friction coefficient that stands for one that is high enough for anything."""


class Rows(NamedTuple):
    """lower <= A (dq, y) <= upper: conditions at a posture, linearised; forces y in parts of the weight.

    Attributes
    ----------
    A : ndarray, shape (m, nv + k)
    lower, upper : ndarray, shape (m,)
    names : list of str
    kinds : list of Kind
    """

    A: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: list[str]
    kinds: list[Kind]

    def misses(self, y: FloatArray) -> FloatArray:
        """How far each row is from holding at the posture itself with forces y, shape (m,)."""
        value = self.A[:, self.A.shape[1] - len(y) :] @ y
        found: FloatArray = np.maximum(np.maximum(self.lower - value, value - self.upper), 0.0)
        return found


class Conditions:
    """What a posture of one robot shall fulfil on given contacts.

    Contacts whose `max_force` is 0 are in place and carry nothing.
    """

    def __init__(
        self,
        model: Model,
        contacts: Sequence[Contact],
        scene: CollisionModel | None,
        margin: float,
        load: float,
        kinds: Sequence[Kind] = KINDS,
    ) -> None:
        self.model, self.contacts, self.kinds = model, tuple(contacts), tuple(kinds)
        self.scene, self.margin, self.load = scene, margin, load
        rough = "friction" not in kinds
        carrying = [replace(c, friction=max(c.friction, ROUGH)) if rough else c for c in contacts if c.max_force > 0]
        self.carrying = tuple(carrying) if "balance" in kinds else ()
        self.problem = balance(model, self.carrying)
        self.count = self.problem.A.shape[1]
        self._placed = [c for c in self.contacts if not any(_holds_more(other, c) for other in self.contacts)]
        self._driven = np.array(model.actuated) & np.isfinite(model.tau_max)
        self._drives = [
            f"torque of {name}" for name, driven in zip(rate_names(model), self._driven, strict=True) if driven
        ]
        self._cones = self._cone_rows()
        self._home = {name: frame.body for name, frame in model.frames.items()}
        self._bodies = {name: k for k, name in enumerate(model.bodies)}

    def at(self, q: FloatArray, y: FloatArray) -> Rows:
        """Rows at q; torques are linearised about forces y [weights]."""
        parts = [self._place(contact, q) for contact in self._placed]
        if self.scene is not None and "distance" in self.kinds:
            parts.append(self._distance(q))
        if "balance" in self.kinds:
            parts += [self._balance(q), self._cones]
        if "torque" in self.kinds:
            parts.append(self._torque(q, y))
        A, lower, upper = (np.concatenate([part[i] for part in parts]) for i in range(3))
        names = [name for part in parts for name in part.names]
        kinds = [kind for part in parts for kind in part.kinds]
        return Rows(A, lower, upper, names, kinds)

    def _place(self, contact: Contact, q: FloatArray) -> Rows:
        """Contacts are where they shall be."""
        J_C, X_WF = _contact_jacobian(self.model, contact, q)
        back = slip(contact, X_WF)
        C = contact.rows @ J_C
        return Rows(self._wide(C), back, back, [f"place of {contact.frame}"] * len(C), ["place"] * len(C))

    def _distance(self, q: FloatArray) -> Rows:
        """Pairs keep the margin."""
        assert self.scene is not None
        found = self.scene.distance_jacobian(q)
        near = np.flatnonzero(found.distance < self.margin + NEAR)
        names = ["distance of {} and {}".format(*self.scene.pairs[k]) for k in near]
        missing = self.margin - found.distance[near]
        kinds: list[Kind] = ["distance"] * len(near)
        return Rows(self._wide(found.jacobian[near]), missing, np.full(len(near), np.inf), names, kinds)

    def _balance(self, q: FloatArray) -> Rows:
        """Weight and forces, and their moments about the world's origin, sum to zero."""
        p = self.problem
        right = -(p.b + p.B @ center_of_mass(self.model, q))
        A = np.hstack([p.B @ com_jacobian(self.model, q), p.A])
        return Rows(A, right, right, ["balance"] * 6, ["balance"] * 6)

    def _cone_rows(self) -> Rows:
        """Forces within their cones and bounds; the same for all postures."""
        f, weight = self.problem.forces, self.problem.weight
        inner = np.where(f.upper > f.lower, ROOM, 0.0)
        low = f.lower / weight + inner
        high = np.maximum(f.upper / weight - inner, low)
        A = np.hstack([np.zeros((len(f.A), self.model.nv)), f.A])
        kinds: list[Kind] = ["friction" if name.startswith("cone") else "balance" for name in f.names]
        return Rows(A, low, high, list(f.names), kinds)

    def _torque(self, q: FloatArray, y: FloatArray) -> Rows:
        """Drives hold the posture: |h(q) - F(q) y| <= load tau_max, with its derivative at forces y."""
        model, weight, rest = self.model, self.problem.weight, np.zeros(self.model.nv)
        h = gravity_force(model, q) - passive_force(model, q, rest)
        F, D = np.zeros((model.nv, self.count)), np.zeros((model.nv, model.nv))
        external = np.zeros((len(self._bodies), 6))
        places = body_poses(model, q)[:, :3, 3]
        column = 0
        for contact in self.carrying:
            k = contact.wrench_map.shape[1]
            body = self._bodies[self._home[contact.frame]]
            J_C, X_WF = _contact_jacobian(model, contact, q)
            X_WC = contact.X_WC(X_WF)
            R, arm = X_WC[:3, :3], X_WC[:3, 3] - places[body]
            F[:, column : column + k] = J_C.T @ contact.wrench_map
            at_C = weight * contact.wrench_map @ y[column : column + k]
            force, moment = R @ at_C[:3], R @ at_C[3:]
            external[body] += np.concatenate([force, moment + skew(arm) @ force])
            # The arm turns with the body: its moment changes by (w x arm) x force.
            spin = R @ J_C[3:]
            D -= spin.T @ (skew(force) @ skew(arm)) @ spin
            column += k
        D += inverse_dynamics_derivatives(model, q, rest, rest, external, passive=True)[0]
        rows = self._driven
        most = self.load * model.tau_max[rows] / weight
        A = np.hstack([D[rows] / weight, -F[rows]])
        kinds: list[Kind] = ["torque"] * int(rows.sum())
        return Rows(A, -most - h[rows] / weight, most - h[rows] / weight, self._drives, kinds)

    def _wide(self, A: FloatArray) -> FloatArray:
        """Rows of dq as rows of (dq, y)."""
        return np.hstack([A, np.zeros((len(A), self.count))])


def _holds_more(contact: Contact, other: Contact) -> bool:
    """Whether a contact keeps the frame of another one in place, so that the other one adds nothing but forces."""
    return contact is not other and contact.frame == other.frame and contact.freedoms < other.freedoms


def _contact_jacobian(model: Model, contact: Contact, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Twist at C in its axes per velocity, shape (6, nv), and X_WF."""
    X_WF = frame_pose(model, q, contact.frame)
    X_WC = contact.X_WC(X_WF)
    R, arm = X_WC[:3, :3], X_WC[:3, 3] - X_WF[:3, 3]
    J = jacobian(model, q, contact.frame)
    return np.vstack([R.T @ (J[:3] - skew(arm) @ J[3:]), R.T @ J[3:]]), X_WF
