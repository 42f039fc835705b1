"""Mechanisms with loops the other way: the opened tree with multipliers, Buschmann 2014 (3.58), in NumPy.

    | M  A^T | | vdot   |   | tau - h  |
    | A   0  | | lambda | = | -Adot v  |

with the closing conditions on acceleration level, taken from twists of bodies at the world origin.
"""

from typing import NamedTuple

import numpy as np
from dynamics.oracle import Oracle, evaluate
from numpy.polynomial import Polynomial

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.model import Loop


class Condition(NamedTuple):
    """A vdot + bias = 0."""

    A: FloatArray
    bias: FloatArray


class _End(NamedTuple):
    """One end of a loop: the body's motion, the point and the axes of the joint frame on it."""

    J: FloatArray
    V: FloatArray
    rate: FloatArray
    p: FloatArray
    R: FloatArray

    def point(self) -> Condition:
        """Acceleration of the point, (3, nv) and (3,)."""
        w = self.V[3:]
        A = self.J[:3] - np.cross(self.p, self.J[3:], axisb=0, axisc=0)
        speed = self.V[:3] + np.cross(w, self.p)
        return Condition(A, self.rate[:3] + np.cross(self.rate[3:], self.p) + np.cross(w, speed))

    def axis(self, n: FloatArray) -> Condition:
        """Second derivative of an axis that is fixed to the body, n in the joint frame."""
        a, w = self.R @ n, self.V[3:]
        A = -np.cross(a, self.J[3:], axisb=0, axisc=0)
        return Condition(A, np.cross(self.rate[3:], a) + np.cross(w, np.cross(w, a)))


def _end(state: Oracle, link: str, X_LJ: FloatArray) -> _End:
    frame = state.model.frames[link]
    i = list(state.model.bodies).index(frame.body)
    X = state.poses[i] @ frame.pose @ X_LJ
    return _End(state.jacobians[i], state.twists[i], state.biases[i], X[:3, 3], X[:3, :3])


def _difference(b: Condition, a: Condition) -> Condition:
    return Condition(b.A - a.A, b.bias - a.bias)


def _right_angle(a: _End, m: FloatArray, b: _End, n: FloatArray) -> Condition:
    """Second derivative of the product of two axes."""
    x, y = a.R @ m, b.R @ n
    ends = a.axis(m), b.axis(n)
    rates = np.cross(a.V[3:], x) @ np.cross(b.V[3:], y)
    bias = y @ ends[0].bias + x @ ends[1].bias + 2.0 * rates
    return Condition((y @ ends[0].A + x @ ends[1].A)[None], np.array([bias]))


def _loop(state: Oracle, loop: Loop) -> list[Condition]:
    if loop.kind == "polynomial":
        follower, leader = (state.model.joints[name] for name in (loop.link_a, loop.link_b))
        f, x = Polynomial(loop.coefficients), state.q[leader.q_index]
        A = np.zeros((1, state.model.nv))
        A[0, follower.v_index], A[0, leader.v_index] = 1.0, -f.deriv()(x)
        return [Condition(A, -f.deriv(2)(x) * state.v[leader.v_index] ** 2)]
    a, b = _end(state, loop.link_a, loop.pose_a), _end(state, loop.link_b, loop.pose_b)
    position = _difference(b.point(), a.point())
    if loop.kind == "prismatic":  # from the ground, along x: y and z of the point, and all axes
        axes = [_difference(b.axis(n), a.axis(n)) for n in np.eye(3)]
        return [Condition(position.A[1:], position.bias[1:]), *axes]
    if loop.kind == "universal":  # z of a stays at right angles to y of b
        return [position, _right_angle(a, np.array([0.0, 0.0, 1.0]), b, np.array([0.0, 1.0, 0.0]))]
    axes = (
        [] if loop.kind == "spherical" else [_difference(b.axis(np.asarray(loop.axis)), a.axis(np.asarray(loop.axis)))]
    )
    return [position, *axes]


def conditions(state: Oracle) -> Condition:
    """All loops and couplings of an opened model on acceleration level."""
    model = state.model
    found = [condition for loop in model.loops for condition in _loop(state, loop)]
    for coupling in model.couplings:
        A = np.zeros((1, model.nv))
        A[0, model.joints[coupling.joint].v_index] = 1.0
        for leader, ratio in coupling.terms:
            A[0, model.joints[leader].v_index] = -ratio
        found.append(Condition(A, np.zeros(1)))
    return Condition(np.concatenate([c.A for c in found]), np.concatenate([c.bias for c in found]))


class Opened:
    """A state of a model with loops, seen from its spanning tree."""

    def __init__(self, model: ts.Model, tree: ts.Model, q: FloatArray, v: FloatArray) -> None:
        self.model, self.tree = model, tree
        self.Q, self.V = model.joint_positions(q), model.joint_velocities(q, v)
        self.state = evaluate(tree, self.Q, self.V)
        self.condition = conditions(self.state)
        self.independent = np.concatenate(
            [np.arange(j.v_index.start, j.v_index.stop) for j in tree.joints.values() if _leads(model, j.name)]
        ).astype(int)
        self.G = self._solved(np.eye(model.nv), np.zeros(len(self.condition.A)))
        self.bias = self._solved(np.zeros((model.nv, 1)), self.condition.bias)[:, 0]

    def _solved(self, given: FloatArray, bias: FloatArray) -> FloatArray:
        """Tree vectors with the given independent entries that satisfy A x + bias = 0."""
        dependent = np.setdiff1d(np.arange(self.tree.nv), self.independent)
        A = self.condition.A
        x = np.zeros((self.tree.nv, given.shape[1]))
        x[self.independent] = given
        x[dependent] = -np.linalg.lstsq(A[:, dependent], A[:, self.independent] @ given + bias[:, None], rcond=1e-11)[0]
        return x

    def accelerations(self, tau: FloatArray) -> FloatArray:
        """Of all joints of the tree under independent forces tau, by multipliers; redundant ones by least squares."""
        A, bias = self.condition
        force = -self.state.bias_force
        force[self.independent] += tau
        M = self.state.mass_matrix
        free = np.linalg.solve(M, force)
        S = A @ np.linalg.solve(M, A.T)
        multipliers = np.linalg.lstsq(S, -(bias + A @ free), rcond=1e-11)[0]
        return free + np.linalg.solve(M, A.T @ multipliers)


def _leads(model: ts.Model, joint: str) -> bool:
    return model.joints[joint].v_index.stop > model.joints[joint].v_index.start
