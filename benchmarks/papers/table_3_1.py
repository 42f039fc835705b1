"""Table 3.1: run times for 32 bodies relative to the O(n) method, base and optimised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.comparison import LINEAR
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import COIL, DILL
from benchmarks.papers.methods import BASE, Curve, look, method_curves
from benchmarks.papers.plot import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BODIES = 32
ALIKE = 1.5
"""Ratios that differ by less than this factor agree."""


@dataclass(frozen=True)
class Row:
    """A row of the table: one code on one mechanism.

    Attributes
    ----------
    method : str
        As in the curves: base codes have `BASE` before their name.
    time : float
        [s].
    to_base, to_optimised : float
        Time relative to the O(n) method of the same mechanism, as base and as optimised code.
    """

    family: str
    method: str
    time: float
    to_base: float
    to_optimised: float

    @property
    def base(self) -> bool:
        """Whether it is a straightforward code."""
        return self.method.startswith(BASE)

    @property
    def label(self) -> str:
        """Mechanism and method."""
        mechanism = next(family for family in (COIL, DILL) if family.name == self.family)
        return f"{mechanism.label(BODIES)}, {look(self.method).label}"


PRINTED = (
    Row("Coil", f"{BASE}articulated-body", 1.55e-4, 1.00, 7.00),
    Row("Coil", f"{BASE}composite-body", 3.73e-4, 2.41, 16.90),
    Row("Coil", f"{BASE}newton-euler", 5.42e-4, 3.50, 24.53),
    Row("Coil", "articulated-body", 2.21e-5, 0.14, 1.00),
    Row("Coil", "composite-body", 8.62e-5, 0.56, 3.90),
    Row("Coil", "newton-euler", 1.98e-4, 1.28, 8.95),
    Row("Dill", f"{BASE}articulated-body", 1.54e-4, 1.00, 7.01),
    Row("Dill", f"{BASE}composite-body-sparse", 2.01e-4, 1.31, 9.17),
    Row("Dill", f"{BASE}newton-euler-sparse", 5.41e-4, 3.52, 24.64),
    Row("Dill", "articulated-body", 2.20e-5, 0.14, 1.00),
    Row("Dill", "composite-body-sparse", 6.85e-5, 0.45, 3.12),
    Row("Dill", "newton-euler-sparse", 4.95e-5, 0.32, 2.26),
)


def measure(run: Run) -> Outcome:
    """Read 32 bodies off the curves of figures 3.3 to 3.6."""
    rows = found_rows({family.name: method_curves(run, family) for family in (COIL, DILL)})
    data = {
        "bodies": BODIES,
        "rows": [
            {"row": row.label, "printed": asdict(printed), "found": asdict(row)}
            for printed, row in zip(PRINTED, rows, strict=True)
        ],
    }
    note = (
        "All rows of the table. Each code is compared with the O(n) method of its own kind, base or optimised: times "
        "are those of another processor. Dill with RSC, except O(n)."
    )
    return Outcome(data, claims(rows), lambda figure: _draw(figure, rows), note, (9.5, 4.8))


def found_rows(curves: Mapping[str, Mapping[str, Curve]]) -> list[Row]:
    """The rows of the table from the curves of each mechanism."""

    def time(family: str, method: str) -> float:
        found = curves[family][method].at(BODIES)
        assert found is not None  # all methods reach 32 bodies, in quick runs, too
        return found

    rows = []
    for row in PRINTED:
        own = time(row.family, row.method)
        base, optimised = (time(row.family, method) for method in (f"{BASE}{LINEAR}", LINEAR))
        rows.append(Row(row.family, row.method, own, own / base, own / optimised))
    return rows


def claims(rows: Sequence[Row]) -> tuple[Claim, ...]:
    """Compare each row with the printed one, then their order, then what the text says about them."""
    each = tuple(_row_claim(printed, row) for printed, row in zip(PRINTED, rows, strict=True))
    return (*each, *(_order_claim(rows, family) for family in ("Coil", "Dill")), _closer_claim(rows))


def alike(found: float, printed: float) -> bool:
    """Whether two ratios agree."""
    return 1.0 / ALIKE <= found / printed <= ALIKE


def _row_claim(printed: Row, found: Row) -> Claim:
    """Compare with the O(n) method of the same kind; O(n) itself with the other kind."""
    against_base = found.base != (found.method.removeprefix(BASE) == LINEAR)
    kind = "base" if against_base else "optimised"
    expected, ratio = (row.to_base if against_base else row.to_optimised for row in (printed, found))
    return Claim(
        f"{found.label}: {expected:.2f} times O(n), {kind}; {1e6 * printed.time:.1f} µs",
        f"{ratio:.2f} times; {1e6 * found.time:.2f} µs",
        alike(ratio, expected),
        f"the same ratio within a factor of {ALIKE:g}",
        _reason(found, ratio < expected),
    )


def _reason(row: Row, below: bool) -> str:
    """Why a ratio is another one."""
    if row.method.removeprefix(BASE) == LINEAR:
        gain = row.to_optimised if row.base else 1.0 / row.to_base
        return f"optimisation gains {gain:.0f} times here"
    distance = "closer to" if below else "farther from"
    source = "" if row.base else "; the text's optimised codes are not published"
    return f"{distance} O(n) here{source}"


def _order_claim(rows: Sequence[Row], family: str) -> Claim:
    printed, found = (
        [look(row.method).label for row in sorted(table, key=lambda row: row.time) if row.family == family]
        for table in (PRINTED, rows)
    )
    return Claim(
        f"order of the codes on {family}, fastest first: {'; '.join(printed)}",
        "; ".join(found),
        printed == found,
        "in the same order",
        f"changed places: {', '.join(_swapped(printed, found))}",
    )


def _swapped(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Pairs that come in another order."""
    return [
        f"({a}) and ({b})" for i, a in enumerate(first) for b in first[i + 1 :] if second.index(a) > second.index(b)
    ]


def _closer_claim(rows: Sequence[Row]) -> Claim:
    coil, dill = (
        next(row.to_base for row in rows if row.family == family and row.method.startswith(f"{BASE}composite-body"))
        for family in ("Coil", "Dill")
    )
    return Claim(
        "naive CRBA comes closer to O(n) on a tree: 2.41 times its time on Coil(32), 1.31 with RSC on Dill(5)",
        f"{coil:.2f} and {dill:.2f}, base",
        alike(coil, 2.41) and alike(dill, 1.31) and dill < coil,
        f"less on Dill, and both the same within a factor of {ALIKE:g}",
    )


def _draw(figure: Figure, rows: Sequence[Row]) -> None:
    left, right = figure.subplots(1, 2)
    _bars(left, rows, base=True)
    _bars(right, rows, base=False)
    right.legend(frameon=False, fontsize=8, loc="lower right")


def _bars(axes: Axes, rows: Sequence[Row], base: bool) -> None:
    """Bars of the ratios to the O(n) method as base or as optimised code, printed and found."""
    y = np.arange(len(rows))[::-1].astype(float)
    for table, shift, color, label in ((PRINTED, 0.2, "#c9c9c9", "table 3.1"), (rows, -0.2, "#1d8a5b", "here")):
        ratios = [row.to_base if base else row.to_optimised for row in table]
        axes.barh(y + shift, ratios, 0.36, color=color, label=label)
        for level, row, ratio in zip(y, table, ratios, strict=True):
            text = f"{ratio:.2f}" if base else f"{ratio:.2f}  ({1e6 * row.time:.3g} µs)"
            axes.annotate(text, (ratio, level + shift), (3, 0), textcoords="offset points", va="center", fontsize=6.5)
    axes.set_yticks(y, [row.label for row in rows] if base else [""] * len(rows), fontsize=8)
    if not base:
        axes.set_xscale("log")
    axes.set_xlim(right=axes.get_xlim()[1] * (1.1 if base else 3.0))
    clean(axes, f"time relative to O(n), {'base' if base else 'optimised'} [-]", "")
    axes.grid(visible=False, axis="y")


FIGURE = PaperFigure("table-3.1", "run times for 32 bodies relative to O(n)", measure)
