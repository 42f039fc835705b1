"""Matrix of convective inertia of the DeNOC formulation, Shah, Saha and Dutt (18)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics.denoc.links import Links, transposed
from tarsus.dynamics.sliding_armature import sliding_matrix
from tarsus.model.model import Model
from tarsus.spatial.cross_product import skew


def convective_inertia(model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
    """Matrix of convective inertia C = N^T (M dN/dt + Omega M E N) of (15), and what armature along slides adds.

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
    links = Links(model, q, v)
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
        block = transposed(N) @ (links.M[i] @ dN + Omega @ links.M[i] @ E @ N)
        columns = np.concatenate([np.arange(model.nv)[links.joints[j].v_index] for j in path])
        C[..., columns[:, None], columns] += block
    return C + sliding_matrix(model, np.broadcast_to(np.asarray(v, dtype=float), C.shape[:-1]))
