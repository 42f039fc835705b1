"""Decoupled natural orthogonal complement (DeNOC) of a tree, after Shah, Saha and Dutt, section 2 and 3.1.

Twists of the links are t = N_l N_d v (11), where N_l carries them from link to link and N_d holds what each joint adds.
Twists and wrenches are taken at the origins of the bodies in world axes, linear half first (the paper stacks angular
first). A joint may have several degrees of freedom: p_i of the paper is then a matrix P_i with a column for each.

Deviations from the paper: (17) prints M~_ji = M~_ij, where the transpose is meant; phi of (20) contains C v of all
coordinates, those of the base included; rotors (armature) are added to the diagonal of the inertia matrix.

The recursions themselves, without these matrices, are `forward_dynamics(..., method="denoc")`,
`inverse_dynamics(..., method="denoc")` and `floating_inverse_dynamics`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.dynamics._arguments import prepare
from tarsus.dynamics.jacobians import joint_screws
from tarsus.dynamics.kinematics import body_poses
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.model.joint import Joint
from tarsus.model.model import Model
from tarsus.spatial.cross_product import skew
from tarsus.spatial.pose import FloatArray


class DenocMatrices(NamedTuple):
    """The DeNOC matrices and the extended mass matrix of a robot.

    Attributes
    ----------
    N_l : ndarray, shape (..., 6 nb, 6 nb)
        Lower block triangular (12): block (i, j) is A_ij where body i is body j or behind it, else zero.
    N_d : ndarray, shape (..., 6 nb, nv)
        Block diagonal (10): the columns of joint i are P_i, the twist of body i in its parent per unit rate.
    M : ndarray, shape (..., 6 nb, 6 nb)
        Block diagonal (3): mass, first and second moments of each body about its origin.
    """

    N_l: FloatArray
    N_d: FloatArray
    M: FloatArray


class DenocFactors(NamedTuple):
    """Factors of the generalised inertia matrix, I = U D U^T.

    Attributes
    ----------
    U : ndarray, shape (..., nv, nv)
        Upper triangular with ones on its diagonal; zero between unrelated branches.
    D : ndarray, shape (..., nv, nv)
        Block diagonal, one block for each joint.
    """

    U: FloatArray
    D: FloatArray


def denoc_matrices(model: Model, q: npt.ArrayLike) -> DenocMatrices:
    """DeNOC matrices N_l (12) and N_d (10), and the extended mass matrix M (3).

    The twists of all bodies are ``N_l @ N_d @ v`` (11), and the generalised forces of wrenches w on them
    ``N_d.T @ N_l.T @ w`` (13).

    Parameters
    ----------
    model : Model
        A tree: without coupled joints (`couplings="cut"` at loading).
    q : array_like, shape (..., nq)

    Returns
    -------
    DenocMatrices
        (N_l, N_d, M), bodies in the order of `model.bodies`.
    """
    links = _Links(model, q)
    size = 6 * model.nb
    N_l, N_d, M = links.zeros(size, size), links.zeros(size, model.nv), links.zeros(size, size)
    for i, joint in enumerate(links.joints):
        rows = slice(6 * i, 6 * i + 6)
        for j in links.path(i):
            N_l[..., rows, 6 * j : 6 * j + 6] = links.A(i, j)
        N_d[..., rows, joint.v_index] = links.P[i]
        M[..., rows, rows] = links.M[i]
    return DenocMatrices(N_l, N_d, M)


def denoc_mass_matrix(model: Model, q: npt.ArrayLike) -> FloatArray:
    """Generalised inertia matrix from the analytical expressions (17)-(19).

    Composite bodies M~_i from the leaves to the root (18), then I_ij = P_i^T M~_i A_ij P_j for body i behind j (19).

    Parameters
    ----------
    model : Model
        A tree: without coupled joints.
    q : array_like, shape (..., nq)

    Returns
    -------
    I : ndarray, shape (..., nv, nv)
        The same matrix as `mass_matrix`, by another route.
    """
    links = _Links(model, q)
    composite = [M.copy() for M in links.M]
    inertia = links.zeros(model.nv, model.nv)
    for i in reversed(range(model.nb)):
        rows = links.joints[i].v_index
        for j in links.path(i):
            columns = links.joints[j].v_index
            block = _t(links.P[i]) @ composite[i] @ links.A(i, j) @ links.P[j]
            inertia[..., rows, columns] = block
            inertia[..., columns, rows] = _t(block)
        inertia[..., rows, rows] += np.diag(links.joints[i].armature)
        if i > 0:
            A = links.A(i, links.parent[i])
            composite[links.parent[i]] += _t(A) @ composite[i] @ A
    return inertia


def denoc_factors(model: Model, q: npt.ArrayLike) -> DenocFactors:
    """Factors of I = U D U^T by reverse Gaussian elimination, analytically (Saha 1997; the paper's section 3.2).

    From the leaves to the root, with M^_i the inertia behind joint i while the joints behind it are free:
    D_i = P_i^T M^_i P_i, Psi_i = M^_i P_i D_i^-1, U_ji = P_j^T A_ij^T Psi_i for every joint j before i, and
    A^T (M^_i - M^_i P_i Psi_i^T) A added to the parent's.

    Parameters
    ----------
    model : Model
        A tree: without coupled joints.
    q : array_like, shape (..., nq)

    Returns
    -------
    DenocFactors
        (U, D).
    """
    links = _Links(model, q)
    free = [M.copy() for M in links.M]
    U, D = links.zeros(model.nv, model.nv), links.zeros(model.nv, model.nv)
    for i in reversed(range(model.nb)):
        P, own = links.P[i], links.joints[i].v_index
        Psi_hat = free[i] @ P
        block = _t(P) @ Psi_hat + np.diag(links.joints[i].armature)
        Psi: FloatArray = Psi_hat @ np.linalg.inv(block)
        D[..., own, own] = block
        U[..., own, own] = np.eye(P.shape[-1])
        for j in links.path(i)[1:]:
            U[..., links.joints[j].v_index, own] = _t(links.P[j]) @ _t(links.A(i, j)) @ Psi
        if i > 0:
            A = links.A(i, links.parent[i])
            free[links.parent[i]] += _t(A) @ (free[i] - Psi_hat @ _t(Psi)) @ A
    return DenocFactors(U, D)


def convective_inertia(model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
    """Matrix of convective inertia C = N^T (M dN/dt + Omega M E N) of (15).

    It fulfils I vdot + C v = tau + tau^G + tau^F (14), so that ``bias_force = C v + gravity_force``. Other than for
    `coriolis_matrix`, dI/dt - 2 C is not skew-symmetric in general; v^T (dI/dt - 2 C) v = 0 holds all the same.

    Parameters
    ----------
    model : Model
        A tree: without coupled joints.
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)

    Returns
    -------
    C : ndarray, shape (..., nv, nv)
    """
    links = _Links(model, q, v)
    C = links.zeros(model.nv, model.nv)
    for i in range(model.nb):
        path = [j for j in links.path(i) if links.P[j].shape[-1]]
        if not path:
            continue
        N = np.concatenate([links.A(i, j) @ links.P[j] for j in path], axis=-1)
        dN = np.concatenate([links.dA(i, j) @ links.P[j] + links.A(i, j) @ links.dP[j] for j in path], axis=-1)
        Omega = links.zeros(6, 6)
        Omega[..., :3, :3] = Omega[..., 3:, 3:] = skew(links.twist[i][..., 3:])
        E = np.diag([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
        block = _t(N) @ (links.M[i] @ dN + Omega @ links.M[i] @ E @ N)
        columns = np.concatenate([np.arange(model.nv)[links.joints[j].v_index] for j in path])
        C[..., columns[:, None], columns] += block
    return C


class _Links:
    """What the matrices at a configuration are made of: arms a_ij, joints P_i, masses M_i; rates where v is given."""

    def __init__(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike | None = None) -> None:
        self.joints: list[Joint] = list(model.joints.values())
        if any(joint.nv > 0 and joint.v_index.stop == joint.v_index.start for joint in self.joints):
            raise ArgumentError(
                f"model {model.name!r} has coupled joints, but DeNOC matrices are those of a tree: "
                "load it with couplings='cut'"
            )
        self.parent = [-1] + [model.bodies[joint.parent].index for joint in self.joints[1:]]
        X_WB, screws = body_poses(model, q), joint_screws(model, q)
        if v is not None:
            (rates,) = prepare("convective_inertia", model, [("v", v, (model.nv,))])
            if not np.isfinite(rates).all():
                raise NonFiniteError("v of convective_inertia has entries that are not finite")
            try:
                batch = np.broadcast_shapes(X_WB.shape[:-3], rates.shape[:-1])
            except ValueError:
                shapes = f"q {X_WB.shape[:-3]}, v {rates.shape[:-1]}"
                raise ShapeError(f"batch axes of convective_inertia do not fit together: {shapes}") from None
            X_WB = np.broadcast_to(X_WB, (*batch, *X_WB.shape[-3:]))
            screws = np.broadcast_to(screws, (*batch, *screws.shape[-2:]))
        self.batch = X_WB.shape[:-3]
        self.p = [X_WB[..., i, :3, 3] for i in range(model.nb)]
        self.P = [_moved(screws[..., joint.v_index], p) for joint, p in zip(self.joints, self.p, strict=True)]
        self.M = [
            _extended_mass(body.inertia.mass, body.inertia.com, body.inertia.moments_about_origin, X_WB[..., i, :3, :3])
            for i, body in enumerate(model.bodies.values())
        ]
        if v is not None:
            self._set_rates(rates)

    def zeros(self, *shape: int) -> FloatArray:
        return np.zeros((*self.batch, *shape))

    def path(self, i: int) -> list[int]:
        """Body i and the bodies before it, up to the root: all j with i in gamma_j of (12)."""
        path = [i]
        while self.parent[path[-1]] >= 0:
            path.append(self.parent[path[-1]])
        return path

    def A(self, i: int, j: int) -> FloatArray:
        """Twist propagation from body j to body i behind it (7b)."""
        A = self.zeros(6, 6) + np.eye(6)
        A[..., :3, 3:] = -skew(self.p[i] - self.p[j])
        return A

    def dA(self, i: int, j: int) -> FloatArray:
        """Time derivative of A_ij."""
        dA = self.zeros(6, 6)
        dA[..., :3, 3:] = -skew(self.twist[i][..., :3] - self.twist[j][..., :3])
        return dA

    def _set_rates(self, v: FloatArray) -> None:
        """Twists t_i (7a) and dP_i/dt: P_i is fixed in body i, but a universal joint's first axis in the parent."""
        self.twist: list[FloatArray] = []
        self.dP: list[FloatArray] = []
        for i, joint in enumerate(self.joints):
            twist = (self.P[i] @ v[..., joint.v_index, None])[..., 0]
            carried = self.zeros(6)
            if i > 0:
                carried = (self.A(i, self.parent[i]) @ self.twist[self.parent[i]][..., None])[..., 0]
            twist = carried + twist
            self.twist.append(twist)
            dP = np.zeros_like(self.P[i])
            turned = skew(twist[..., 3:])
            dP[..., :3, :], dP[..., 3:, :] = turned @ self.P[i][..., :3, :], turned @ self.P[i][..., 3:, :]
            if joint.kind == "universal":
                first, turned = self.P[i][..., :, 0], skew(carried[..., 3:])
                slip = twist[..., :3] - carried[..., :3]  # of the origin of body i against its parent
                dP[..., :3, 0] = (turned @ first[..., :3, None])[..., 0] + np.cross(first[..., 3:], slip)
                dP[..., 3:, 0] = (turned @ first[..., 3:, None])[..., 0]
            self.dP.append(dP)


def _moved(screws: FloatArray, p: FloatArray) -> FloatArray:
    """Columns of twists at the world origin, taken at point p."""
    moved = np.array(screws)
    moved[..., :3, :] += -skew(p) @ screws[..., 3:, :]
    return moved


def _extended_mass(mass: float, com: FloatArray, moments: FloatArray, R: FloatArray) -> FloatArray:
    """M_i of (1b) about the body's origin in world axes, linear half first."""
    M = np.zeros((*R.shape[:-2], 6, 6))
    md = skew(mass * (R @ com))
    M[..., :3, :3] = mass * np.eye(3)
    M[..., :3, 3:], M[..., 3:, :3] = -md, md
    M[..., 3:, 3:] = R @ moments @ _t(R)
    return M


def _t(X: FloatArray) -> FloatArray:
    return np.swapaxes(X, -1, -2)
