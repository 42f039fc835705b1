"""Figure 2.15: operations for the rotational Jacobians of all bodies, by count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import COIL, DILL, Family, depths, model_of, parents
from benchmarks.papers.plot import log_log

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def dense_operations(n: int) -> int:
    """Multiplications for all bodies without using the tree, Buschmann 2014 (2.85)."""
    return 9 * n**2


def coil_operations(n: int) -> int:
    """Multiplications for Coil(n) with the columns of predecessors only, Buschmann 2014 (2.84)."""
    return 9 * n * (n - 1) // 2


def printed_dill_operations(level: int) -> int:
    """Multiplications for Dill(L) as printed, Buschmann 2014 (2.88).

    The sum counts 9 (l - 1) for a body with l predecessors. Its parent's Jacobian has l columns, not l - 1 (the parent
    has l - 1 predecessors and its own column), as (2.84) counts for Coil.
    """
    n = 1 << level
    return 9 * (1 - n) + 9 * n * level // 2


def dill_operations(level: int) -> int:
    """Multiplications for Dill(L), counted like (2.84): 9 n_b log2(n_b) / 2."""
    return 9 * (1 << level) * level // 2


def counted_operations(family: Family, n: int) -> int:
    """Nine multiplications for each predecessor of each body, from the tree of the model itself."""
    return int(9 * depths(parents(model_of(family, n))).sum())


def measure(run: Run) -> Outcome:
    """Count on the models and compare with the formulas."""
    levels = range(1, run.choose(6, 12))
    sizes = [2**level for level in levels]
    counted = {family.name: [counted_operations(family, n) for n in sizes] for family in (COIL, DILL)}
    formulas = {
        "dense (2.85)": [dense_operations(n) for n in sizes],
        "Coil (2.84)": [coil_operations(n) for n in sizes],
        "Dill (2.88) as printed": [printed_dill_operations(level) for level in levels],
        "Dill, 9/2 n log2 n": [dill_operations(level) for level in levels],
    }
    speedup = dense_operations(6) / counted_operations(COIL, 6)
    data = {"sizes": sizes, "counted": counted, "formulas": formulas}
    note = "Multiplications of A_ip J_R,p in (2.83), nine for a column; the text counts as many additions."
    found = claims(sizes, counted, formulas, speedup)
    return Outcome(data, found, lambda figure: _draw(figure, sizes, counted, formulas), note)


def claims(
    sizes: list[int], counted: dict[str, list[int]], formulas: dict[str, list[int]], speedup: float
) -> tuple[Claim, ...]:
    """Compare the numbers counted on the models with the formulas of the text."""
    printed, mended = formulas["Dill (2.88) as printed"], formulas["Dill, 9/2 n log2 n"]
    more = counted["Dill"][-1] / printed[-1] - 1.0
    return (
        Claim(
            "Coil needs 9/2 n (n - 1) multiplications (2.84)",
            f"counted on the models up to n = {sizes[-1]}: {counted['Coil'][-1]} there, {formulas['Coil (2.84)'][-1]} "
            "by the formula",
            counted["Coil"] == formulas["Coil (2.84)"],
            "equal at every size",
        ),
        Claim(
            "Dill needs 9 (1 - n + n/2 log2 n) (2.88)",
            f"counted on the models: {more:.0%} more at n = {sizes[-1]}; "
            f"{'9/2 n log2 n' if counted['Dill'] == mended else 'not 9/2 n log2 n'} at every size",
            counted["Dill"] == printed,
            "equal at every size",
            "the print takes one column too few from each parent; the growth is O(n log n) all the same",
        ),
        Claim(
            "speedup of 12/5 for a chain of 6 bodies, 2 for long ones",
            f"{speedup:g} for Coil(6)",
            speedup == 2.4,
            "equal for 6 bodies",
        ),
    )


def _draw(figure: Figure, sizes: list[int], counted: dict[str, list[int]], formulas: dict[str, list[int]]) -> None:
    axes = figure.subplots()
    axes.plot(sizes, formulas["dense (2.85)"], color="#b5442e", label="without sparsity, Coil and Dill (2.85)")
    axes.plot(sizes, formulas["Coil (2.84)"], color="#2f6db3", label="with sparsity, Coil (2.84)")
    axes.plot(sizes, formulas["Dill, 9/2 n log2 n"], color="#1d8a5b", label="with sparsity, Dill: 9/2 n log$_2$ n")
    printed = np.array(formulas["Dill (2.88) as printed"], dtype=float)
    printed[printed <= 0.0] = np.nan
    axes.plot(sizes, printed, color="#1d8a5b", ls=":", label="with sparsity, Dill as printed (2.88)")
    axes.plot(sizes, counted["Coil"], "^", color="#2f6db3", ms=5, label="counted on the models")
    axes.plot(sizes, counted["Dill"], "^", color="#1d8a5b", ms=5)
    log_log(axes, "bodies $n_b$", "multiplications", "Rotational Jacobians of all bodies", sizes)
    axes.legend(frameon=False, fontsize=8)


FIGURE = PaperFigure("2.15", "operations for the Jacobians of all bodies", measure)
