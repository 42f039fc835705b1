"""A search for a posture that fulfils conditions: a sequence of quadratic programs from one start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.stances.conditions import Conditions, Kind, Rows
from tarsus.dynamics.jacobians import jacobian
from tarsus.dynamics.kinematics import frame_pose
from tarsus.ik.velocity.joint_limits import flat_coordinates
from tarsus.optimization import QP
from tarsus.tasks.orientation import rotation_error

STEP = 0.3
"""Largest change of a coordinate in one step [rad, m]."""
SHORTEST = 1e-5
"""Size of steps below which a search that makes no way has ended [rad, m]."""
ELASTIC = 1e8
"""Weight of rows that a step may miss, beside 1 for the way to the reference."""
FORCE_WEIGHT = 1e-3
"""Of contact forces over the weight of the robot, beside 1 for a radian from the reference."""
PRICE = 10.0
"""Least price of a miss in the merit of a step, beside 1/2 for the squared way; twice the multipliers at least."""
EXACT = 1e-10
"""Miss at which a search ends: robots on points rest where their balance is nearly exact."""
NEAREST = 1e-4
"""Step below which a posture without misses is as near to the reference as is asked [rad, m]."""
ENOUGH = 40
"""Steps after which a posture without misses is taken as it is."""
SETTLED = 1e-9
"""Change of coordinates below which a search has ended [rad, m]."""


class Found(NamedTuple):
    """Where a search ended.

    Attributes
    ----------
    q, y : ndarray, shape (nq,), (k,)
        Posture, and forces in parts of the weight.
    missed : float
        Largest miss [m, rad, parts of the weight].
    worst : mapping of Kind to (float, str)
        The largest miss of every kind of condition, and its name.
    iterations : int
    """

    q: FloatArray
    y: FloatArray
    missed: float
    worst: Mapping[Kind, tuple[float, str]]
    iterations: int


class PostureSearch:
    """Searches for postures under the same conditions, near the same reference."""

    def __init__(self, conditions: Conditions, wish: FloatArray) -> None:
        self.conditions, self.model, self.wish = conditions, conditions.model, wish
        self._flat = flat_coordinates(conditions.model)

    def run(self, q: FloatArray, tolerance: float, most: int) -> Found:
        """From one start; a step that does not lower the merit is made again with half the size."""
        q, y = self._inside(q), np.zeros(self.conditions.count)
        rows = self.conditions.at(q, y)
        radius, price, count = STEP, PRICE, 0
        for count in range(1, most + 1):
            step, ahead_y, needed = self._step(rows, q, radius)
            price = min(max(price, 2.0 * needed), ELASTIC)
            ahead = self._inside(self.model.integrate(q, step, 1.0))
            ahead_rows = self.conditions.at(ahead, ahead_y)
            size = float(np.abs(step).max(initial=0.0))
            missed = ahead_rows.misses(ahead_y)
            if (
                count > 1
                and self._merit(ahead, missed, price) > self._merit(q, rows.misses(y), price)
                and size > SETTLED
            ):
                radius = 0.4 * min(radius, size)
                if radius < SHORTEST and rows.misses(y).max(initial=0.0) > tolerance:
                    break
                if radius < SETTLED:
                    break
                continue
            q, y, rows, radius = ahead, ahead_y, ahead_rows, min(STEP, 2.0 * radius)
            exact = missed.max(initial=0.0) < EXACT
            if size < SETTLED or (exact and (size < NEAREST or count >= ENOUGH)):
                break
        return self._ended(q, y, rows, count)

    def random_start(self, rng: np.random.Generator) -> FloatArray:
        """A random posture whose first contact is in place."""
        model, contact = self.model, self.conditions.contacts[0]
        q, target = np.array(model.random(rng)), np.asarray(contact.pose)
        base = model.joints.get("base")
        if base is not None and base.kind == "free":
            for _ in range(20):  # the base alone brings the frame to its place
                X = frame_pose(model, q, contact.frame)
                back = np.append(target[:3, 3] - X[:3, 3], rotation_error(target[:3, :3], X[:3, :3]))
                v = np.zeros(model.nv)
                v[base.v_index] = np.linalg.solve(jacobian(model, q, contact.frame)[:, base.v_index], back)
                q = model.integrate(q, v, 1.0)
        return q

    def _step(self, rows: Rows, q: FloatArray, radius: float) -> tuple[FloatArray, FloatArray, float]:
        """Change of coordinates, forces, and the largest multiplier: a quadratic program.

        Variables dq, y; least 1/2 |dq - way to the reference|^2 + 1/2 FORCE_WEIGHT |y|^2 with the rows, the size of
        the step and joint limits. Where no step fulfils the rows, they are missed at a price.
        """
        nv, k = self.model.nv, self.conditions.count
        way = self.model.difference(q, self.wish)
        H = np.diag(np.append(np.ones(nv), np.full(k, FORCE_WEIGHT)))
        g = np.append(-way, np.zeros(k))
        low, high = self._bounds(q, radius)
        endless = np.full(k, np.inf)
        low, high = np.append(low, -endless), np.append(high, endless)
        solution = QP(H, g, rows.A, rows.lower, rows.upper, x_min=low, x_max=high).solve("native")
        if solution.success:
            return solution.x[:nv], solution.x[nv:], float(np.abs(solution.multipliers).max(initial=0.0))
        solution = QP(
            H / ELASTIC,
            g / ELASTIC,
            rows.A,
            rows.lower,
            rows.upper,
            x_min=low,
            x_max=high,
            weights=np.ones(len(rows.A)),
        ).solve("native")
        return solution.x[:nv], solution.x[nv:], 1e3

    def _merit(self, q: FloatArray, missed: FloatArray, price: float) -> float:
        """Half the squared way to the reference, and what is missed at a price."""
        way = self.model.difference(q, self.wish)
        return float(0.5 * way @ way + price * missed.sum())

    def _ended(self, q: FloatArray, y: FloatArray, rows: Rows, count: int) -> Found:
        missed = rows.misses(y)
        worst: dict[Kind, tuple[float, str]] = {}
        for kind, name, miss in zip(rows.kinds, rows.names, missed.tolist(), strict=True):
            if miss > worst.get(kind, (0.0, ""))[0]:
                worst[kind] = (miss, name)
        return Found(q, y, float(missed.max(initial=0.0)), worst, count)

    def _bounds(self, q: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
        """Bounds of dq: the size of a step, and joint limits."""
        model, (i, j) = self.model, self._flat
        low, high = np.full(model.nv, -radius), np.full(model.nv, radius)
        low[j] = np.minimum(np.maximum(low[j], model.q_min[i] - q[i]), 0.0)
        high[j] = np.maximum(np.minimum(high[j], model.q_max[i] - q[i]), 0.0)
        return low, high

    def _inside(self, q: FloatArray) -> FloatArray:
        """Coordinates brought back to their limits."""
        result, i = np.array(q), self._flat.q
        result[i] = np.clip(result[i], self.model.q_min[i], self.model.q_max[i])
        return result
