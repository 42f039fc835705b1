"""Parts of a report, and what they draw with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.plots.figure_file import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HUGE = 1e100
"""Numbers beyond this are no quantity of a robot, and no axis can show them."""
MOST_LINES = 8
"""Lines of a panel that have a colour and a name."""
COLORS = ("#1f4fd8", "#d9730d", "#2e7d32", "#c62828", "#7b1fa2", "#00838f", "#6d4c41", "#616161")


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a report.

    Attributes
    ----------
    title : str
    note : str
        What it shows and what stands out, in words.
    figure : Figure or None
    header, rows : sequence of str, sequence of sequences of str
        A table.
    warning : bool
        Whether the note tells of something that is not as it should be.
    """

    title: str
    note: str
    figure: Figure | None = None
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """A part that the recording has no data for."""

    title: str
    reason: str


def drawable(values: npt.ArrayLike) -> FloatArray:
    """Values that axes can show: NaN instead of what is not finite or beyond all measure."""
    array = np.array(values, dtype=float)
    array[~(np.abs(array) < _HUGE)] = np.nan
    return array


def most(values: npt.ArrayLike, axis: int | None = None) -> npt.NDArray[np.float64]:
    """Largest of the values that are numbers; zero where there is none."""
    array = drawable(values)
    return np.asarray(np.max(np.where(np.isnan(array), -np.inf, array), axis=axis, initial=0.0))


def panels(count: int, height: float = 2.3) -> tuple[Figure, list[Axes]]:
    """A figure with panels one above the other, over the same time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 0.5 + height * count), layout="constrained")
    found = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    return figure, list(found)


def lines(axes: Axes, time: FloatArray, named: dict[str, FloatArray], unit: str, title: str = "") -> None:
    """Curves over time, the largest with names, others grey."""
    largest = sorted(named, key=lambda name: -float(most(np.abs(drawable(named[name])))))
    for name in reversed(largest[MOST_LINES:]):
        axes.plot(time, drawable(named[name]), color="#b8b8b8", lw=0.6)
    for color, name in zip(COLORS, largest, strict=False):
        axes.plot(time, drawable(named[name]), color=color, lw=1.1, label=name)
    clean(axes, "", unit, title)
    if named:
        axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
