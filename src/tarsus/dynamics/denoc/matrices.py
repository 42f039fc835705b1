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

from tarsus.arrays import FloatArray
from tarsus.dynamics.denoc.links import Links, transposed
from tarsus.model.model import Model


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
    links = Links(model, q)
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
    links = Links(model, q)
    composite = [M.copy() for M in links.M]
    inertia = links.zeros(model.nv, model.nv)
    for i in reversed(range(model.nb)):
        rows = links.joints[i].v_index
        for j in links.path(i):
            columns = links.joints[j].v_index
            block = transposed(links.P[i]) @ composite[i] @ links.A(i, j) @ links.P[j]
            inertia[..., rows, columns] = block
            inertia[..., columns, rows] = transposed(block)
        inertia[..., rows, rows] += np.diag(links.joints[i].armature)
        if i > 0:
            A = links.A(i, links.parent[i])
            composite[links.parent[i]] += transposed(A) @ composite[i] @ A
    return inertia
