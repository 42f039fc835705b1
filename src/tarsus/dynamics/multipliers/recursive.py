"""Multipliers inside the articulated-body recursion, after Vereshchagin (1974) and Brandl, Johanni and Otter (1987).

Buschmann 2014 section 3.4.2: "The Lagrangian multipliers can be calculated within the recursive procedure at the point
where the last body in a loop (or connected system of loops) is encountered." Everything is written in world axes about
one point, so that nothing is transformed between bodies (C_ip is the identity), and velocity terms are in `force`, so
that the recursion starts from rest:

    I_i a_i = f_i + F_i lambda + (force from the joint),   a_i = a_p + S_i vdot_i

Backward, a joint is eliminated as in (3.54), with one column F for each multiplier that is still unknown:

    D = S^T I S + armature,   (u, U) = (tau, C) + S^T (f, F),   vdot = D^-1 (u + U lambda - S^T I a_p)

and a_p and lambda enter the constraints through F^T a_p + G lambda + g, where G and g collect U^T D^-1 U and
U^T D^-1 u. At the last body of a loop this must equal the target, which gives lambda = G^-1 (target - g - F^T a): the
loop is gone, and the body has the inertia I + F G^-1 F^T. Work is O(n) in bodies as long as no loop grows with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarsus.dynamics.constraints.state_kinematics import cross, times, transposed
from tarsus.dynamics.jacobians import joint_screws
from tarsus.dynamics.kinematics import body_poses
from tarsus.dynamics.multipliers.groups import WORLD, group_constraints, parents
from tarsus.dynamics.multipliers.independent_rows import regular
from tarsus.dynamics.multipliers.problem import ConstrainedProblem, Solution, symmetric
from tarsus.dynamics.multipliers.tree_factor import is_tree
from tarsus.errors import ArgumentError, MasslessJointError
from tarsus.model.joint import Joint
from tarsus.spatial.cross_product import skew
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import FloatArray


@dataclass(slots=True, eq=False)
class _Body:
    """What has been handed to a body: inertia I, wrench f and, for each open group, columns F."""

    I: FloatArray
    f: FloatArray
    F: dict[int, FloatArray] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Eliminated:
    """A joint after its elimination: vdot = D_inverse (u + sum U lambda - IS^T a_p)."""

    S: FloatArray
    IS: FloatArray
    D_inverse: FloatArray
    u: FloatArray
    U: dict[int, FloatArray]


@dataclass(slots=True, eq=False)
class _Closed:
    """A group after its loop was closed: lambda = g - sum G lambda_other - F^T a, all multiplied by G^-1."""

    g: FloatArray
    others: dict[int, FloatArray]
    F: FloatArray


def solve_recursive(problem: ConstrainedProblem, tolerance: float) -> Solution:
    """Sweep to the root and back once; see the head of this file."""
    if not is_tree(problem.model):
        raise ArgumentError(
            "method 'recursive' works on trees, but joints of this model follow others; couplings='cut' frees them"
        )
    recursion = _Recursion(problem, tolerance)
    recursion.backward()
    vdot = recursion.forward()
    multipliers = np.zeros(problem.target.shape)
    for number, group in enumerate(recursion.groups):
        multipliers[..., group.index] = group.rows.expand(recursion.multipliers[number])
    return Solution(vdot, problem.independent.expand(problem.independent.compress(multipliers)))


class _Recursion:
    def __init__(self, problem: ConstrainedProblem, tolerance: float) -> None:
        model = problem.model
        self.problem = problem
        self.batch = problem.v.shape[:-1]
        self.parent = parents(model)
        self.joints: list[Joint] = list(model.joints.values())
        X = body_poses(model, problem.q)
        self.origin = X[..., 0, :3, 3]
        self.S = joint_screws(model, problem.q)
        # Screws about the root instead of the world's origin, which may be far away.
        self.S[..., :3, :] += transposed(cross(transposed(self.S[..., 3:, :]), self.origin[..., None, :]))
        rank = problem.independent.rank
        self.groups = group_constraints(model, problem.parts, self.origin, tolerance, rank)
        self.bodies = [
            _Body(self._inertia(body.inertia, X[..., i, :, :]), np.zeros((*self.batch, 6)))
            for i, body in enumerate(model.bodies.values())
        ]
        self.closing = {group.closing: number for number, group in enumerate(self.groups)}
        for number, group in enumerate(self.groups):
            for body, wrench in group.wrenches.items():
                self.bodies[body].F[number] = wrench
        self.G: dict[tuple[int, int], FloatArray] = {}
        self.g = {n: np.zeros((*self.batch, group.rows.basis.shape[-1])) for n, group in enumerate(self.groups)}
        self.eliminated: dict[int, _Eliminated] = {}
        self.closed: dict[int, _Closed] = {}
        self.multipliers: dict[int, FloatArray] = {}

    def _inertia(self, inertia: Inertia, X: FloatArray) -> FloatArray:
        """6x6 inertia of a body at the pose X about the reference point, linear first."""
        R = X[..., :3, :3]
        c = skew(X[..., :3, 3] - self.origin + R @ np.asarray(inertia.com))
        I = np.zeros((*self.batch, 6, 6))
        I[..., :3, :3] = inertia.mass * np.eye(3)
        I[..., :3, 3:] = -inertia.mass * c
        I[..., 3:, :3] = inertia.mass * c
        I[..., 3:, 3:] = R @ np.asarray(inertia.moments) @ transposed(R) - inertia.mass * c @ c
        return I

    def backward(self) -> None:
        """From the leaves to the root: close loops at a body, then eliminate the joint that carries it."""
        for i in range(len(self.bodies) - 1, -1, -1):
            self._close(i, self.bodies[i])
            self._eliminate(i)
        world = _Body(np.zeros((*self.batch, 6, 6)), np.zeros((*self.batch, 6)))
        self._close(WORLD, world)

    def _eliminate(self, i: int) -> None:
        joint, body = self.joints[i], self.bodies[i]
        handed = _Body(body.I, body.f, body.F)
        if joint.nv:
            S = self.S[..., joint.v_index]
            IS = body.I @ S
            D_inverse = self._inverse(joint, transposed(S) @ IS)
            u = self.problem.force[..., joint.v_index] + times(transposed(S), body.f)
            U = {n: transposed(S) @ F for n, F in body.F.items()}
            for n, group in enumerate(self.groups):
                if i in group.forces:
                    U[n] = U.get(n, 0.0) + group.forces[i]
            K = IS @ D_inverse
            handed.I = symmetric(body.I - K @ transposed(IS))
            handed.f = body.f - times(K, u)
            handed.F = {n: body.F.get(n, 0.0) - K @ U_n for n, U_n in U.items()}
            for n, U_n in U.items():
                UD = transposed(U_n) @ D_inverse
                self.g[n] = self.g[n] + times(UD, u)
                for k, U_k in U.items():
                    self.G[n, k] = self.G.get((n, k), 0.0) + UD @ U_k
            self.eliminated[i] = _Eliminated(S, IS, D_inverse, u, U)
        if self.parent[i] != WORLD:
            parent = self.bodies[self.parent[i]]
            parent.I = parent.I + handed.I
            parent.f = parent.f + handed.f
            for n, F in handed.F.items():
                parent.F[n] = parent.F.get(n, 0.0) + F

    def _inverse(self, joint: Joint, D: FloatArray) -> FloatArray:
        D = symmetric(D) + np.diag(joint.armature)
        try:
            np.linalg.cholesky(D)
        except np.linalg.LinAlgError:
            raise MasslessJointError(f"joint {joint.name!r} moves no inertia") from None
        return symmetric(np.linalg.inv(D))

    def _close(self, i: int, body: _Body) -> None:
        """Solve the group whose last body this is, and put its forces into what is left open."""
        if i not in self.closing:
            return
        n = self.closing[i]
        group = self.groups[n]
        k = group.rows.basis.shape[-1]
        F = body.F.pop(n, np.zeros((*self.batch, 6, k)))
        G = self.G.pop((n, n), np.zeros((*self.batch, k, k)))
        inverse = np.linalg.inv(regular(symmetric(G), group.rows.kept))
        g = group.rows.compress(self.problem.target[..., group.index]) - self.g.pop(n)
        others = {m: G_nm for (a, m), G_nm in self.G.items() if a == n}
        for m in others:
            del self.G[n, m], self.G[m, n]
        self.closed[n] = _Closed(
            times(inverse, g), {m: inverse @ G_nm for m, G_nm in others.items()}, inverse @ transposed(F)
        )
        self._substitute(body, F, self.closed[n], others)

    def _substitute(self, body: _Body, F: FloatArray, closed: _Closed, others: dict[int, FloatArray]) -> None:
        body.I = symmetric(body.I + F @ closed.F)
        body.f = body.f + times(F, closed.g)
        for m, solved in closed.others.items():
            body.F[m] = body.F.get(m, 0.0) - F @ solved
            self.g[m] = self.g[m] + times(transposed(others[m]), closed.g)
            for p, G_np in others.items():
                self.G[m, p] = self.G.get((m, p), 0.0) - transposed(closed.others[m]) @ G_np

    def forward(self) -> FloatArray:
        """From the root to the leaves: multipliers where loops were closed, then accelerations."""
        vdot = np.zeros(self.problem.v.shape)
        still = np.zeros((*self.batch, 6))
        acceleration: dict[int, FloatArray] = {WORLD: still}
        self._multipliers_at(WORLD, still)
        for i, joint in enumerate(self.joints):
            a = acceleration[self.parent[i]]
            if joint.nv:
                e = self.eliminated[i]
                drive = e.u - times(transposed(e.IS), a)
                for n, U in e.U.items():
                    drive = drive + times(U, self.multipliers[n])
                x = times(e.D_inverse, drive)
                vdot[..., joint.v_index] = x
                a = a + times(e.S, x)
            acceleration[i] = a
            self._multipliers_at(i, a)
        return vdot

    def _multipliers_at(self, i: int, a: FloatArray) -> None:
        if i in self.closing:
            closed = self.closed[self.closing[i]]
            value = closed.g - times(closed.F, a)
            for m, solved in closed.others.items():
                value = value - times(solved, self.multipliers[m])
            self.multipliers[self.closing[i]] = value
