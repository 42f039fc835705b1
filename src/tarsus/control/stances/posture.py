"""Static postures: contacts at given places, in balance, within limits, as near to a reference as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.control.stances.balance import Balance, balance
from tarsus.control.stances.equilibrium import Equilibrium, static_equilibrium
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.terms import contact_rows, slip
from tarsus.dynamics.inverse import gravity_force, passive_force
from tarsus.dynamics.jacobians import jacobian
from tarsus.dynamics.kinematics import frame_pose
from tarsus.dynamics.momentum import center_of_mass, com_jacobian
from tarsus.errors import ArgumentError
from tarsus.ik.velocity.joint_limits import flat_coordinates, rate_names
from tarsus.model import Model
from tarsus.optimization import QP
from tarsus.tasks import Distance
from tarsus.tasks.orientation import rotation_error

STEP = 0.3
"""Largest change of a coordinate in one step of the search [rad, m]."""
ELASTIC = 1e6
"""Weight of rows that a step may miss, beside 1 for the way to the reference."""
FORCE_WEIGHT = 1e-3
"""Of contact forces over the weight of the robot, beside 1 for a radian from the reference."""
ROOM = 1e-5
"""By how much forces stay inside their cones, in parts of the weight: what is found is not at the edge by rounding."""
EXACT = 1e-10
"""Miss at which a search ends: robots on points rest where their balance is nearly exact."""
SETTLED = 1e-9
"""Change of coordinates below which a search has ended [rad, m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Posture:
    """A posture for a stance.

    Attributes
    ----------
    q : ndarray, shape (nq,)
    success : bool
    violation : float
        Largest miss of a condition at q [m, rad, parts of the weight or of a torque limit].
    reason : str
        What is missed most, where there is no success.
    equilibrium : Equilibrium
        How the robot rests at q.
    iterations, starts : int
    """

    q: FloatArray
    success: bool
    violation: float
    reason: str
    equilibrium: Equilibrium
    iterations: int
    starts: int


def static_posture(
    model: Model,
    contacts: Sequence[Contact],
    reference: npt.ArrayLike | None = None,
    *,
    collision: CollisionModel | None = None,
    margin: float = 0.0,
    load: float = 0.9,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    starts: int = 8,
    seed: int = 0,
) -> Posture:
    """A posture with contacts in place in which the robot can rest.

    By a sequence of quadratic programs over changes of q and contact forces: contacts linearised, weight and forces in
    balance (linear in the centre of mass), cones, torques within `load` of their limits, joint limits and distances.
    Steps may miss rows at a price, so that a search always goes on; what is missed in the end is told.

    Parameters
    ----------
    contacts : sequence of Contact
        With the poses at which their frames shall be.
    reference : array_like, shape (nq,), optional
        To stay near to, and where the first search starts; the model's reference by default.
    collision : CollisionModel, optional
        Whose pairs keep `margin` [m].
    load : float
        Part of torque limits that may be used, above 0 and at most 1.
    tolerance : float
        Of every condition [m, rad, parts of the weight].
    max_iterations, starts, seed : int
        Steps of a search; searches, the first from the reference, others from random postures.

    Returns
    -------
    Posture
        The nearest of the searches that succeeded, or the best of those that did not.
    """
    if not contacts:
        raise ArgumentError("contacts is empty; expected at least one contact with a pose")
    if not 0 < load <= 1:
        raise ArgumentError(f"load is {load!r}; expected a number above 0, at most 1")
    for name, value in (("max_iterations", max_iterations), ("starts", starts)):
        if not (isinstance(value, (int, np.integer)) and value >= 1):
            raise ArgumentError(f"{name} is {value!r}; expected a whole number of at least 1")
    wish = model.normalize(model.reference if reference is None else reference)
    scene = None if collision is None else Distance(collision, margin)
    search = _Search(model, tuple(contacts), balance(model, contacts), wish, scene, load)
    rng = np.random.default_rng(seed)
    best: Posture | None = None
    for number in range(starts):
        start = wish if number == 0 else search.random_start(rng)
        found = replace(search.run(start, tolerance, max_iterations), starts=number + 1)
        if best is None or (found.success, -found.violation) > (best.success, -best.violation):
            best = found
        if best.success:
            break
    assert best is not None
    return replace(best, starts=number + 1)


class _Search:
    """One stance of one robot."""

    def __init__(
        self,
        model: Model,
        contacts: tuple[Contact, ...],
        problem: Balance,
        wish: FloatArray,
        scene: Distance | None,
        load: float,
    ) -> None:
        self.model, self.contacts, self.problem = model, contacts, problem
        self.wish, self.scene, self.load = wish, scene, load
        self.flat = list(zip(*flat_coordinates(model), strict=True))

    def run(self, q: FloatArray, tolerance: float, most: int) -> Posture:
        """Steps from one start; the size of steps is halved where the worst miss does not fall."""
        q = self._inside(q)
        forces = np.zeros(self.problem.A.shape[1])
        missed, _ = self._missed(q, forces)
        radius, count = STEP, 0
        for count in range(1, most + 1):
            step, y = self._step(q, radius)
            ahead = self._inside(self.model.integrate(q, step, 1.0))
            found, _ = self._missed(ahead, y)
            if found > max(0.9999 * missed, tolerance) and radius > 1e-4 and count > 1:
                radius *= 0.5
                continue
            settled = np.abs(step).max(initial=0.0) < SETTLED
            q, forces, missed, radius = ahead, y, found, min(STEP, 1.5 * radius)
            if settled or (missed < EXACT and np.abs(step).max(initial=0.0) < 1e-4):
                break
        missed, name = self._missed(q, forces)
        success = missed <= tolerance
        reason = "contacts, balance and limits hold" if success else f"missed by {missed:.3g}: {name}"
        return Posture(q, success, missed, reason, static_equilibrium(self.model, q, self.contacts), count, 1)

    def random_start(self, rng: np.random.Generator) -> FloatArray:
        """A random posture whose first contact is in place."""
        q = np.array(self.model.random(rng))
        frame, target = self.contacts[0].frame, np.asarray(self.contacts[0].pose)
        base = self.model.joints.get("base")
        if base is not None and base.kind == "free":
            for _ in range(20):  # the base alone brings the frame to its place
                X = frame_pose(self.model, q, frame)
                back = np.append(target[:3, 3] - X[:3, 3], rotation_error(target[:3, :3], X[:3, :3]))
                v = np.zeros(self.model.nv)
                J = jacobian(self.model, q, frame)[:, base.v_index]
                v[base.v_index] = np.linalg.solve(J, back)
                q = self.model.integrate(q, v, 1.0)
        return q

    def _step(self, q: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
        """Change of coordinates and forces y (in weights) by a quadratic program with elastic rows."""
        model, p = self.model, self.problem
        nv, k = model.nv, p.A.shape[1]
        rows = self._rows(q)
        way = model.difference(q, self.wish)
        H = np.diag(np.append(np.ones(nv), np.full(k, FORCE_WEIGHT)))
        g = np.append(-way, np.zeros(k))
        low, high = self._bounds(q, radius)
        endless = np.full(k, np.inf)
        A, lower, upper = (np.concatenate([row[i] for row in rows]) for i in range(3))
        low, high = np.append(low, -endless), np.append(high, endless)
        solution = QP(H, g, A, lower, upper, x_min=low, x_max=high).solve("native")
        if not solution.success:  # too far, or impossible: as near as a step can come
            price = np.full(len(A), ELASTIC)
            solution = QP(H, g, A, lower, upper, x_min=low, x_max=high, weights=price).solve("native")
        return solution.x[:nv], solution.x[nv:]

    def _rows(self, q: FloatArray) -> list[tuple[FloatArray, FloatArray, FloatArray, list[str]]]:
        """Rows lower <= A (dq, y) <= upper with names; forces in weights."""
        model, p = self.model, self.problem
        nv, k, rest = model.nv, p.A.shape[1], np.zeros(model.nv)
        rows: list[tuple[FloatArray, FloatArray, FloatArray, list[str]]] = []
        maps = []
        for contact in self.contacts:
            C, _, F = contact_rows(model, contact, q, rest)
            back = slip(contact, frame_pose(model, q, contact.frame))
            rows.append((_wide(C, k), back, back, [f"place of {contact.frame}"] * len(C)))
            maps.append(F)
        com = center_of_mass(model, q)
        right = -(p.b + p.B @ com)
        rows.append((np.hstack([p.B @ com_jacobian(model, q), p.A]), right, right, ["balance"] * 6))
        f = p.forces
        inner = np.where(f.upper > f.lower, ROOM, 0.0)
        low, high = f.lower / p.weight + inner, np.maximum(f.upper / p.weight - inner, f.lower / p.weight + inner)
        rows.append((np.hstack([np.zeros((len(f.A), nv)), f.A]), low, high, list(f.names)))
        driven = np.array(model.actuated) & np.isfinite(model.tau_max)
        h = (gravity_force(model, q) - passive_force(model, q, rest))[driven] / p.weight
        most = self.load * model.tau_max[driven] / p.weight
        F = np.hstack(maps)[driven]
        drives = [f"torque of {name}" for name in np.array(rate_names(model), dtype=object)[driven]]
        rows.append((np.hstack([np.zeros((len(F), nv)), F]), h - most, h + most, drives))
        if self.scene is not None:
            missing, J = self.scene.error(model, q), self.scene.jacobian(model, q)
            near = missing > -2 * STEP
            pairs = [f"distance of {a} and {b}" for a, b in np.array(self.scene.scene.pairs, dtype=object)[near]]
            endless = np.full(int(near.sum()), np.inf)
            rows.append((_wide(J[near], k), missing[near], endless, pairs))
        return rows

    def _missed(self, q: FloatArray, y: FloatArray) -> tuple[float, str]:
        """The largest miss at q with forces y, and its name."""
        z = np.append(np.zeros(self.model.nv), y)
        worst, name = 0.0, ""
        for A, lower, upper, names in self._rows(q):
            by = np.maximum(lower - A @ z, A @ z - upper)
            if len(by) and by.max() > worst:
                worst, name = float(by.max()), names[int(by.argmax())]
        return worst, name

    def _bounds(self, q: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
        """Bounds of dq: the size of a step, and joint limits."""
        low, high = np.full(self.model.nv, -radius), np.full(self.model.nv, radius)
        for i, j in self.flat:
            low[j] = min(max(low[j], self.model.q_min[i] - q[i]), 0.0)
            high[j] = max(min(high[j], self.model.q_max[i] - q[i]), 0.0)
        return low, high

    def _inside(self, q: FloatArray) -> FloatArray:
        """Coordinates brought back to their limits."""
        result = np.array(q)
        for i, _ in self.flat:
            result[i] = np.clip(result[i], self.model.q_min[i], self.model.q_max[i])
        return result


def _wide(A: FloatArray, k: int) -> FloatArray:
    """Rows of dq as rows of (dq, y)."""
    return np.hstack([A, np.zeros((len(A), k))])
