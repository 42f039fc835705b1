"""Figure 3.2: elements, non-zero elements and sparsity of the mass matrix of Dill."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import DILL, depths, mass_matrix_pattern, model_of, parents
from benchmarks.papers.plot import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDING = 1e-12


def total_elements(n: int) -> int:
    """Entries of the upper triangle with its diagonal."""
    return n * (n + 1) // 2


def nonzero_elements(level: int) -> int:
    """Entries of the upper triangle of Dill(L) that differ from zero, Buschmann 2014 (3.32).

    The sum (3.31) starts at k = 0; "i = k" is printed.
    """
    n = 1 << level
    return n + level * n // 2


def sparsity(level: int) -> float:
    """Part of the upper triangle of Dill(L) that differs from zero, Buschmann 2014 (3.33)."""
    return (2 + level) / (1 + (1 << level))


def counted_elements(level: int) -> int:
    """Entries of the upper triangle by the predecessors of all bodies of the model, Buschmann 2014 (3.30)."""
    depth = depths(parents(model_of(DILL, 2**level)))
    return int(len(depth) + depth.sum())


def measure(run: Run) -> Outcome:
    """Count on the models and compare with (3.32) and (3.33)."""
    levels = list(range(run.choose(7, 13)))
    total = [total_elements(2**level) for level in levels]
    counted = [counted_elements(level) for level in levels]
    part = [c / t for c, t in zip(counted, total, strict=True)]
    pattern = int(np.triu(mass_matrix_pattern(model_of(DILL, 32))).sum())
    data = {"levels": levels, "total": total, "nonzero": counted, "sparsity": part}
    found = claims(levels, counted, part, pattern)
    return Outcome(data, found, lambda figure: _draw(figure, levels, total, counted, part))


def claims(levels: list[int], counted: list[int], part: list[float], pattern: int) -> tuple[Claim, ...]:
    """Compare numbers counted on the models with the formulas.

    Parameters
    ----------
    pattern : int
        Entries of the upper triangle of Dill(5).
    """
    same = counted == [nonzero_elements(level) for level in levels]
    off = max(abs(p - sparsity(level)) for level, p in zip(levels, part, strict=True))
    return (
        Claim(
            "n + L n / 2 entries of the upper triangle differ from zero (3.32)",
            f"counted by (3.30) on the models up to L = {levels[-1]}: {counted[-1]} there, "
            f"{nonzero_elements(levels[-1])} by the formula; {pattern} in the pattern of Dill(5), "
            f"{nonzero_elements(5)} by the formula",
            same and pattern == nonzero_elements(5),
            "equal at every level",
        ),
        Claim(
            "the part of them falls as (2 + L) / (1 + 2^L) (3.33), exponentially",
            f"counted: largest difference {off:.0e}; {part[-1]:.2%} at L = {levels[-1]}",
            off < ROUNDING,
            f"equal within {ROUNDING:g}",
        ),
    )


def _draw(figure: Figure, levels: list[int], total: list[int], counted: list[int], part: list[float]) -> None:
    axes = figure.subplots()
    axes.semilogy(levels, total, color="#2f6db3", label="all elements of the upper triangle")
    axes.semilogy(levels, [nonzero_elements(level) for level in levels], color="#1d8a5b", label="non-zero (3.32)")
    axes.semilogy(levels, counted, "o", color="#1d8a5b", ms=5, label="non-zero, counted on the models (3.30)")
    axes.semilogy(levels, [sparsity(level) for level in levels], color="#b5442e", label="sparsity (3.33)")
    axes.semilogy(levels, part, "s", color="#b5442e", ms=4, label="sparsity, counted")
    clean(axes, "level $L$ of Dill($L$), $n_b = 2^L$ bodies", "number of elements; sparsity [-]")
    axes.set_xticks(levels)
    axes.legend(frameon=False, fontsize=8)


FIGURE = PaperFigure("3.2", "sparsity of the mass matrix of Dill", measure)
