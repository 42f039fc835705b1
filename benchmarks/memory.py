"""Speed of the machine's memory."""

from __future__ import annotations

import timeit

import numpy as np


def copy_bandwidth(kilobytes: int, repeats: int = 5, seconds: float = 0.0) -> float:
    """Bytes read and written per second when one array is copied to another, `kilobytes` each.

    Small arrays are copied again and again for `seconds` in each of the `repeats`; the best one counts.
    """
    source = np.ones(kilobytes * 128)
    target = np.zeros_like(source)
    timer = timeit.Timer(lambda: np.copyto(target, source))
    number = max(1, int(seconds / max(timer.timeit(1), 1e-7)))
    return 2.0 * source.nbytes * number / min(timer.repeat(repeats, number))
