"""How the contact wrench of a robot that stands on both feet is shared between them (Buschmann 2014, fn. 17)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.spatial._arrays import as_vector


def force_distribution(load: npt.ArrayLike, feet: npt.ArrayLike, point: npt.ArrayLike) -> FloatArray:
    """Wrenches on the feet as a linear function of the total one.

    Forces are shared by the load, and so is the moment that they leave over: f_i = s_i F and
    n_i = s_i (T - sum_j s_j (r_j - r_F) x F). A foot whose centre of the load is where the pressure is takes no moment.

    Parameters
    ----------
    load : array_like, shape (k,)
        s_i of each foot, from 0 on, 1 together.
    feet : array_like, shape (k, 3)
        Places of the feet r_i [m].
    point : array_like, shape (3,)
        r_F about which the total moment is told [m].

    Returns
    -------
    D : ndarray, shape (6 k, 6)
        Force, then moment about r_i, of each foot, from (F; T).
    """
    s, r, p = np.asarray(load, dtype=float), np.asarray(feet, dtype=float), as_vector(point, "point", 3)
    if s.ndim != 1 or (s < 0).any() or abs(s.sum() - 1.0) > 1e-9:
        raise ArgumentError(f"load is {s.tolist()}; expected numbers from 0 on that are 1 together")
    if r.shape != (len(s), 3):
        raise ArgumentError(f"feet: found shape {r.shape}, expected {(len(s), 3)}")
    arm = _cross_matrix(s @ (r - p))
    D = np.zeros((6 * len(s), 6))
    for k, share in enumerate(s):
        D[6 * k : 6 * k + 3, :3] = share * np.eye(3)
        D[6 * k + 3 : 6 * k + 6, :3] = -share * arm
        D[6 * k + 3 : 6 * k + 6, 3:] = share * np.eye(3)
    return D


def _cross_matrix(a: FloatArray) -> FloatArray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
