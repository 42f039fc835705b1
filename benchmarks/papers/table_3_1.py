"""Table 3.1: run times for 32 bodies relative to the O(n) method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import COIL, DILL, Family
from benchmarks.papers.methods import look, method_curves
from benchmarks.papers.plot import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BODIES = 32
ALIKE = 1.5
"""Ratios that differ by less than this factor agree."""


@dataclass(frozen=True)
class Row:
    """A row of the table: optimised code on one mechanism.

    Attributes
    ----------
    printed_time : float
        [s].
    printed_ratio : float
        To the optimised O(n) method of the same mechanism.
    """

    family: Family
    method: str
    printed_time: float
    printed_ratio: float

    @property
    def label(self) -> str:
        """Mechanism and method."""
        return f"{self.family.label(BODIES)}, {look(self.method).label}"


PRINTED = (
    Row(COIL, "articulated-body", 2.21e-5, 1.0),
    Row(COIL, "composite-body", 8.62e-5, 3.90),
    Row(COIL, "newton-euler", 1.98e-4, 8.95),
    Row(DILL, "articulated-body", 2.20e-5, 1.0),
    Row(DILL, "composite-body-sparse", 6.85e-5, 3.12),
    Row(DILL, "newton-euler-sparse", 4.95e-5, 2.26),
)


def measure(run: Run) -> Outcome:
    """Read 32 bodies off the curves of figures 3.5 and 3.6."""
    curves = {family.name: method_curves(run, family) for family in (COIL, DILL)}
    rows: list[dict[str, Any]] = []
    for row in PRINTED:
        fast = curves[row.family.name]["articulated-body"].at(BODIES)
        time = curves[row.family.name][row.method].at(BODIES) if row.method in curves[row.family.name] else None
        ratio = None if time is None or fast is None else time / fast
        rows.append(
            {
                "row": row.label,
                "method": row.method,
                "printed_time": row.printed_time,
                "printed_ratio": row.printed_ratio,
                "time": time,
                "ratio": ratio,
            }
        )
    claims = tuple(_claim(row) for row in rows if row["method"] != "articulated-body")
    closer = _closer(curves)
    if closer is not None:
        on_coil, on_dill = closer
        states = (
            "CRBA comes closer to O(n) on a tree: 2.41 times its time on Coil(32), 1.31 on Dill(5), unoptimised, RSC"
        )
        found = f"{on_coil:.2f} and {on_dill:.2f}, optimised"
        claims += (Claim(states, found, on_dill < on_coil),)
    note = "Optimised codes; the text timed one core of a processor of its day, so only ratios compare."
    return Outcome({"bodies": BODIES, "rows": rows}, claims, lambda figure: _draw(figure, rows), note, (8.0, 3.6))


def _claim(row: dict[str, Any]) -> Claim:
    states = f"{row['row']}: {row['printed_ratio']:.2f} times O(n), {1e6 * row['printed_time']:.1f} µs"
    if row["ratio"] is None:
        return Claim(states, f"no method {row['method']!r} in this version")
    return Claim(
        states, f"{row['ratio']:.2f} times O(n), {1e6 * row['time']:.2f} µs", _alike(row["ratio"], row["printed_ratio"])
    )


def _alike(ratio: float, printed: float) -> bool:
    return 1.0 / ALIKE <= ratio / printed <= ALIKE


def _closer(curves: dict[str, dict[str, Any]]) -> tuple[float, float] | None:
    method = "composite-body-sparse"
    if any(method not in table for table in curves.values()):
        return None
    coil, dill = (curves[name][method].at(BODIES) / curves[name]["articulated-body"].at(BODIES) for name in curves)
    return coil, dill


def _draw(figure: Figure, rows: list[dict[str, Any]]) -> None:
    axes = figure.subplots()
    y = np.arange(len(rows))[::-1].astype(float)
    axes.barh(y + 0.2, [row["printed_ratio"] for row in rows], 0.36, color="#c9c9c9", label="table 3.1")
    axes.barh(y - 0.2, [row["ratio"] or 0.0 for row in rows], 0.36, color="#1d8a5b", label="here")
    for level, row in zip(y, rows, strict=True):
        printed = f"{row['printed_ratio']:.2f}  ({1e6 * row['printed_time']:.1f} µs)"
        found = "not available" if row["ratio"] is None else f"{row['ratio']:.2f}  ({1e6 * row['time']:.2f} µs)"
        axes.annotate(printed, (row["printed_ratio"], level + 0.2), (3, 0), textcoords="offset points", va="center",
                      fontsize=7.5, color="#555555")  # fmt: skip
        axes.annotate(found, (row["ratio"] or 0.0, level - 0.2), (3, 0), textcoords="offset points", va="center",
                      fontsize=7.5)  # fmt: skip
    axes.set_yticks(y, [row["row"] for row in rows], fontsize=8)
    axes.set_xlim(right=1.2 * max(max(row["printed_ratio"], row["ratio"] or 0.0) for row in rows))
    clean(axes, "run time relative to the O(n) method of the same mechanism [-]", "")
    axes.grid(visible=False, axis="y")
    axes.legend(frameon=False, fontsize=8)


FIGURE = PaperFigure("table-3.1", "run times for 32 bodies relative to O(n)", measure)
