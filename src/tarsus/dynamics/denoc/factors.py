"""Factors of the inertia matrix by reverse Gaussian elimination, Saha 1997; Shah, Saha and Dutt, section 3.2."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics.denoc.links import Links, transposed
from tarsus.model.model import Model


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
    links = Links(model, q)
    free = [M.copy() for M in links.M]
    U, D = links.zeros(model.nv, model.nv), links.zeros(model.nv, model.nv)
    for i in reversed(range(model.nb)):
        P, own = links.P[i], links.joints[i].v_index
        Psi_hat = free[i] @ P
        block = transposed(P) @ Psi_hat + np.diag(links.joints[i].armature)
        Psi: FloatArray = Psi_hat @ np.linalg.inv(block)
        D[..., own, own] = block
        U[..., own, own] = np.eye(P.shape[-1])
        for j in links.path(i)[1:]:
            U[..., links.joints[j].v_index, own] = transposed(links.P[j]) @ transposed(links.A(i, j)) @ Psi
        if i > 0:
            A = links.A(i, links.parent[i])
            free[links.parent[i]] += transposed(A) @ (free[i] - Psi_hat @ transposed(Psi)) @ A
    return DenocFactors(U, D)
