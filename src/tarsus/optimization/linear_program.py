"""Linear programs, by HiGHS."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray


def linear_minimum(
    cost: FloatArray,
    A: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    x_min: FloatArray | float = -np.inf,
    x_max: FloatArray | float = np.inf,
) -> FloatArray | None:
    """The x of least cost . x with lower <= A x <= upper and x_min <= x <= x_max.

    Parameters
    ----------
    cost : ndarray, shape (n,)
    A : ndarray, shape (m, n)
    lower, upper : ndarray, shape (m,)
        Infinite where there is none, equal for equalities.

    Returns
    -------
    x : ndarray, shape (n,), or None
        None where no x fulfils the rows, or the cost falls for ever.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    x_min, x_max = (np.broadcast_to(np.asarray(bound, dtype=float), cost.shape) for bound in (x_min, x_max))
    found = milp(cost, constraints=LinearConstraint(A, lower, upper), bounds=Bounds(x_min, x_max))
    return np.asarray(found.x, dtype=float) if found.status == 0 and found.x is not None else None
