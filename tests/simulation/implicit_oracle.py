"""The equation of the semi-implicit step of a model with dependent joints, written from the spanning tree in NumPy.

With G the velocities of the tree's joints for unit velocities of the independent ones, gamma = G' v_m and bias at the
mean v_m of the velocities v at the start and w at the end of the step, and all of mass matrix, positions and Jacobians
at its start, w solves

    G^T M G (w - v) / dt + G^T (M gamma + bias)
        = tau(q + dt w, w) + G^T p(x + dt G w, G w) + sum (J G)^T f(d + dt d', J G w + dt / 2 (J G)' v)

tau: joint control within its limits; p: damping, springs and stops of all joints of the tree; f: contacts. Dampers of
stops and contacts act on their deformation, from its value at the start of the step to that at its end. Nothing here
knows of regimes, clusters or articulated bodies: laws are evaluated as they are, and the residual of a step must
vanish.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tarsus as ts
from tarsus.contact import Compliant
from tarsus.model.assembly import assemble
from tarsus.simulation.runs.joint_tables import STOP_DAMPING, STOP_STIFFNESS
from tarsus.spatial import rotation_matrix_from_quaternion, rotation_matrix_from_rotation_vector

MEAN, SHARE = 2e-3, 4e-6
"""Velocity terms follow the mean velocity until accelerations change by less than 1e-3 rad/s^2 (times two for both
factors), or the kinetic energy of a step by less than this share of it: accelerations by SHARE v / dt."""

Array = Any
Closure = Callable[[Array, Array], tuple[Array, Array]]
"""(q of the tree, v): G and gamma."""


def gears(model: ts.Model) -> Closure:
    """G of a model whose dependent joints all follow independent ones by constant ratios."""
    tree = cut(model)
    G = np.zeros((tree.nv, model.nv))
    for name, joint in model.joints.items():
        G[tree.joints[name].v_index, joint.v_index] = np.eye(tree.joints[name].nv)[:, : len(G[0, joint.v_index])]
    for coupling in model.couplings:
        row = tree.joints[coupling.joint].v_index.start
        for leader, ratio in ((coupling.leader, coupling.ratio), *coupling.further):
            G[row, model.joints[leader].v_index] = ratio
    return lambda x, v: (G, np.zeros(tree.nv))


def four_bar_closure(lengths: tuple[float, float, float, float]) -> Closure:
    """G of crank a, coupler b and rocker d, from crank e^(ia) + coupler e^(i(a + b)) = ground + rocker e^(id)."""
    _, crank, coupler, rocker = lengths

    def close(x: Array, v: Array) -> tuple[Array, Array]:
        a, b, d = (np.array([np.cos(angle), np.sin(angle)]) for angle in (x[0], x[0] + x[1], x[2]))
        turned = np.array([[0.0, -1.0], [1.0, 0.0]])
        A = np.stack([coupler * turned @ b, -rocker * turned @ d], axis=1)
        slopes = np.linalg.solve(A, -turned @ (crank * a + coupler * b))
        G = np.array([[1.0], [slopes[0]], [slopes[1]]])
        rates = G @ v
        second = crank * a * rates[0] ** 2 + coupler * b * (rates[0] + rates[1]) ** 2 - rocker * d * rates[2] ** 2
        return G, np.concatenate([[0.0], np.linalg.solve(A, second)])

    return close


def cut(model: ts.Model) -> ts.Model:
    """The spanning tree of a model, all of its joints independent."""
    return assemble(model.description, couplings="cut")


@dataclass
class Law:
    """Joint control, its gains for every independent velocity, and the ground."""

    kp: Array
    kd: Array
    q: Array
    ground: Compliant
    height: float = 0.0
    up: int = 2
    """Axis of the world that points out of the ground."""


@dataclass
class Step:
    """State at the start: configuration, velocity and deflections of the contacts; velocity at the end."""

    q: Array
    v: Array
    z: Array
    end: Array


class StepEquation:
    """Residual and forces of single steps.

    Attributes
    ----------
    heaviest : float
        Largest entry of the mass matrix of the last step: what an error of an acceleration is multiplied by.

    Parameters
    ----------
    frames : sequence of str
        Contact points at the origins of these frames.
    """

    def __init__(self, model: ts.Model, closure: Closure, law: Law, frames: tuple[str, ...], dt: float) -> None:
        self.model, self.tree, self.closure, self.law, self.frames, self.dt = (
            model,
            cut(model),
            closure,
            law,
            frames,
            dt,
        )
        self.heaviest = 0.0

    def residual(self, step: Step) -> tuple[Array, float, Array, Array]:
        """Residual, the equation's largest term [N m, N], contact forces and deflections (n, 3) at the end."""
        model, tree, dt = self.model, self.tree, self.dt
        x = np.asarray(model.joint_positions(step.q))
        end = self._start_axes(step)
        mean = 0.5 * (step.v + end)
        G, gamma = self.closure(x, mean)
        M, bias = ts.mass_matrix(tree, x), ts.bias_force(tree, x, G @ mean)
        inertial = G.T @ (M @ (G @ ((end - step.v) / dt - self._turning(mean)) + gamma) + bias)
        terms = [self._control(step.q, end), G.T @ self._passive(x, G @ end)]
        forces, states = np.zeros((len(self.frames), 3)), np.zeros((len(self.frames), 3))
        turning = self.closure(x, step.v)[1] - G @ self._turning(step.v)
        for i, frame in enumerate(self.frames):
            tree_J = ts.jacobian(tree, x, frame)[:3]
            J = tree_J @ G
            swing = ts.jacobian_dot_v(tree, x, G @ step.v, frame)[:3] + tree_J @ turning
            depth = self.law.height - ts.frame_pose(tree, x, frame)[self.law.up, 3]
            forces[i], states[i] = self._contact(depth, J @ end + 0.5 * dt * swing, step.z[i])
            terms.append(J.T @ forces[i])
        scale = max(float(np.abs(term).max()) for term in (*terms, inertial))
        self.heaviest = float(np.abs(G.T @ M @ G).max())
        return inertial - sum(terms), scale, forces, states

    def next_configuration(self, step: Step) -> Array:
        """q at the end: the origin of the base moves straight, everything else by dt times its velocity."""
        end = self._start_axes(step)
        if self.model.base == "fixed":
            return step.q + self.dt * end
        q = np.array(step.q)
        q[:3] += self.dt * rotation_matrix_from_quaternion(step.q[3:7]) @ end[:3]
        turned = self.model.integrate(step.q, np.concatenate([np.zeros(3), end[3:]]), self.dt)
        q[3:] = turned[3:]
        return q

    def _start_axes(self, step: Step) -> Array:
        """The velocity at the end, in the axes that the base has at the start."""
        end = np.array(step.end)
        if self.model.base == "free":
            end[:3] = rotation_matrix_from_rotation_vector(self.dt * end[3:6]) @ end[:3]
        return end

    def _turning(self, v: Array) -> Array:
        """Axes that turn make v' + omega x v of a rate of components v'."""
        turning = np.zeros(len(v))
        if self.model.base == "free":
            turning[:3] = np.cross(v[3:6], v[:3])
        return turning

    def _control(self, q: Array, end: Array) -> Array:
        model, law = self.model, self.law
        tau = -law.kd * end
        for joint in model.joints.values():
            if joint.kind in ("fixed", "free"):
                continue
            j, k = joint.q_index, joint.v_index
            tau[k] += law.kp[k] * (law.q[j] - q[j] - self.dt * end[k])
        return np.clip(tau, -model.tau_max, model.tau_max)

    def _passive(self, x: Array, rates: Array) -> Array:
        """Damping, springs and stops of every joint of the tree at the end of the step."""
        force = np.zeros(self.tree.nv)
        for name, joint in self.tree.joints.items():
            if joint.kind in ("fixed", "free"):
                continue
            k, known = joint.v_index.start, self.model.joints[name]
            before, rate = x[joint.q_index.start], rates[k]
            place = before + self.dt * rate
            force[k] = -joint.damping[0] * rate - joint.stiffness[0] * (place - joint.rest[0])
            for limit, side in ((known.q_min[0], 1.0), (known.q_max[0], -1.0)):
                inside, start = side * (limit - place), max(0.0, side * (limit - before))
                if np.isfinite(limit):
                    damping = STOP_DAMPING * (inside - start) / self.dt
                    force[k] += side * max(0.0, STOP_STIFFNESS * inside + damping)
        return force

    def _contact(self, depth: float, u: Array, z: Array) -> tuple[Array, Array]:
        """Force and deflection at the end of the step of a point that moves with u."""
        law, dt, n = self.law.ground, self.dt, np.eye(3)[self.law.up]
        approach = -u @ n
        deep = depth + dt * approach
        normal = max(0.0, law.stiffness * deep + law.damping * (deep - max(0.0, depth)) / dt)
        across, xi, gain = u + approach * n, z - (z @ n) * n, law.tangential_damping + dt * law.tangential_stiffness
        friction = law.tangential_stiffness * xi + gain * across
        size = float(np.linalg.norm(friction))
        if size > law.friction * normal:
            friction = friction * (law.friction * normal / size)
        return normal * n - friction, xi + dt / gain * (friction - law.tangential_stiffness * xi)
