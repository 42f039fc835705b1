"""How run times grow with the size of a problem: slopes in the log-log plane, and where two curves cross."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def slope(sizes: npt.ArrayLike, times: npt.ArrayLike, smallest: float = 0.0) -> float:
    """Exponent p of times ~ sizes^p by least squares of the logarithms, over sizes of at least `smallest`.

    NaN where fewer than two points are left.
    """
    n, t = np.asarray(sizes, dtype=float), np.asarray(times, dtype=float)
    used = n >= smallest
    if used.sum() < 2:
        return float("nan")
    return float(np.polyfit(np.log(n[used]), np.log(t[used]), 1)[0])


def crossover(sizes: npt.ArrayLike, times: npt.ArrayLike, rival: npt.ArrayLike) -> float | None:
    """Smallest of the given sizes from which on `times` stay below those of the `rival`; None where they do not."""
    n = np.asarray(sizes, dtype=float)
    below = np.asarray(times, dtype=float) < np.asarray(rival, dtype=float)
    if not len(below) or not below[-1]:
        return None
    above = np.flatnonzero(~below)
    return float(n[above[-1] + 1] if len(above) else n[0])
