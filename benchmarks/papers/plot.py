"""Axes that the pictures share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from benchmarks.papers.methods import Curve, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "#9a9a9a"


def clean(axes: Axes, x: str, y: str, title: str = "") -> None:
    """Labels with units, a light grid, no box."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if title:
        axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)


def log_log(axes: Axes, x: str, y: str, title: str = "", sizes: Sequence[int] = ()) -> None:
    """Both axes logarithmic; sizes are powers of two."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    if len(sizes):
        axes.set_xticks(sizes, [str(n) for n in sizes])
        axes.minorticks_off()
    clean(axes, x, y, title)


def draw_methods(axes: Axes, curves: Iterable[Curve], title: str) -> None:
    """Run times of methods of forward dynamics against the number of bodies."""
    drawn = [curve for curve in curves if curve.sizes]
    for curve in drawn:
        style = look(curve.method)
        axes.plot(
            curve.sizes, 1e6 * np.array(curve.times), style.line, color=style.color, marker=style.marker, ms=4,
            label=style.label,
        )  # fmt: skip
    sizes = max((curve.sizes for curve in drawn), key=len, default=[])
    log_log(axes, "bodies $n_b$", "time for one evaluation of $\\ddot q$ [µs]", title, sizes)
    axes.legend(frameon=False, fontsize=8)


def guide(axes: Axes, sizes: Sequence[int], times: npt.ArrayLike, exponent: int, *, text: str = "") -> None:
    """Thin line of the given slope through the last point, below the curve."""
    n, t = np.asarray(sizes, dtype=float), np.asarray(times, dtype=float)
    if len(n) < 3:
        return
    n = n[-3:]
    line = 0.55 * t[-1] * (n / n[-1]) ** exponent
    axes.plot(n, line, color=GREY, lw=0.9, ls=":")
    label = text or ("$n$" if exponent == 1 else f"$n^{exponent}$")
    axes.annotate(label, (n[-2], line[-2]), (3, -9), textcoords="offset points", color=GREY, fontsize=8)
