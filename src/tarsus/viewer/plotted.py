"""Which curves are plotted, and how many points of them."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.viewer.playback import Curves

PLOT_POINTS = 500
"""Points of a curve that is plotted: long ones are thinned out."""
PLOT_CURVES = 8
"""Curves shown together; of more, those that vary most."""


def picked_curves(curves: Curves, words: str = "") -> list[int]:
    """Columns to plot: those whose label holds one of the words, at most `PLOT_CURVES`, the most varying ones.

    Words are separated by commas; upper and lower case are the same.
    """
    wanted = [word.strip() for word in words.lower().split(",") if word.strip()]
    columns = [k for k, label in enumerate(curves.labels) if not wanted or any(w in label.lower() for w in wanted)]
    if len(columns) > PLOT_CURVES:
        finite = np.where(np.isfinite(curves.values), curves.values, np.nan)
        span = np.nan_to_num(np.nanmax(finite, axis=0) - np.nanmin(finite, axis=0))
        columns = sorted(sorted(columns, key=lambda k: -span[k])[:PLOT_CURVES])
    return columns


def without_gaps(values: FloatArray) -> FloatArray:
    """Values (N,) with what is not finite replaced by the last finite value before it, or 0 where there is none."""
    finite = np.isfinite(values)
    last = np.maximum.accumulate(np.where(finite, np.arange(len(values)), -1))
    filled: FloatArray = np.where(last >= 0, values[last], 0.0)
    return filled
