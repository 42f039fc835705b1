"""Figure 3.1: sparsity patterns of mass matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import mass_matrix_pattern
from tarsus.arrays import BoolArray
from tarsus.dynamics.mass_matrix import mass_matrix
from tarsus.model.model import Model
from tarsus.robots.coil import coil
from tarsus.robots.dill import dill
from tarsus.robots.lola import lola

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDING = 1e-13
"""Entries below this part of the largest of their row and column are zero."""


def numerical_pattern(model: Model, seed: int = 1) -> BoolArray:
    """Entries of the mass matrix at a random state that differ from zero by more than rounding."""
    M = mass_matrix(model, model.random(np.random.default_rng(seed)))
    scale = np.sqrt(np.diag(M))
    found: BoolArray = np.abs(M) > ROUNDING * np.outer(scale, scale)
    return found


def measure(run: Run) -> Outcome:
    """Patterns of Lola, Dill(5) and Coil(32), at a random state and from the tree."""
    models = {"Lola": lola(), "Dill(5)": dill(5), "Coil(32)": coil(32)}
    found = {name: numerical_pattern(model) for name, model in models.items()}
    implied = {name: mass_matrix_pattern(model) for name, model in models.items()}
    data = {
        name: {
            "nv": models[name].nv,
            "nonzero": int(found[name].sum()),
            "nonzero_upper": int(np.triu(implied[name]).sum()),
            "filled": float(found[name].mean()),
            "rows": ["".join("#" if entry else "." for entry in row) for row in found[name]],
        }
        for name in models
    }
    note = (
        "Coordinates in depth-first order; the base of Lola has the first six. Light: zero at this state, though the "
        "tree would let it differ from zero (axes that meet, symmetric bodies)."
    )
    return Outcome(data, claims(found, implied), lambda figure: _draw(figure, found, implied), note, (9.0, 3.4))


def claims(found: dict[str, BoolArray], implied: dict[str, BoolArray]) -> tuple[Claim, ...]:
    """Compare the patterns of random states with those of the trees."""
    extra = sum(int((found[name] & ~implied[name]).sum()) for name in found)
    zeros = sum(int((implied[name] & ~found[name]).sum()) for name in found)
    filled = {name: float(pattern.mean()) for name, pattern in found.items()}
    return (
        Claim(
            "entries differ from zero only where one body precedes the other (3.29)",
            f"{extra} entries beyond the pattern of the tree; {zeros} within it are zero at a random state",
            extra == 0,
            "without entries beyond the pattern",
        ),
        Claim(
            "the only tree without systematic sparsity is a chain",
            ", ".join(f"{name} {part:.0%} filled" for name, part in filled.items()),
            filled["Coil(32)"] == 1.0 and all(part < 1.0 for name, part in filled.items() if name != "Coil(32)"),
            "full for Coil alone",
        ),
    )


def _draw(figure: Figure, patterns: dict[str, BoolArray], implied: dict[str, BoolArray]) -> None:
    for axes, (name, pattern) in zip(figure.subplots(1, 3), patterns.items(), strict=True):
        shade = np.where(pattern, 0.15, np.where(implied[name], 0.75, 1.0))
        axes.imshow(shade, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        n = len(pattern)
        for k in np.arange(0.5, n - 1):
            axes.axhline(k, color="white", lw=0.4)
            axes.axvline(k, color="white", lw=0.4)
        axes.set_title(f"{name}: {pattern.sum()} of {n * n}", fontsize=10)
        axes.set_xlabel("column")
        axes.set_ylabel("row")
        ticks = [0, n // 2 - 1, n - 1]
        axes.set_xticks(ticks, [str(k + 1) for k in ticks])
        axes.set_yticks(ticks, [str(k + 1) for k in ticks])


FIGURE = PaperFigure("3.1", "entries of the mass matrix that differ from zero", measure)
