"""Figure 5.31: pseudoenergy of global, local and predictive redundancy resolution of the planar arm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.predictive import COLORS, Resolutions, as_numbers, draw_energies, resolutions

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def measure(run: Run) -> Outcome:
    """Energies and peaks of the three."""
    r = resolutions(run, "planar4")
    energy = [r.energy(motion) for motion in (r.best, r.predictive, r.local)]
    peak = [r.peak(motion) for motion in (r.best, r.predictive, r.local)]
    claims = (
        Claim(
            "the predictive approach performs slightly worse than the global one, and much better than the local one",
            f"integrals {energy[0]:.3f}, {energy[1]:.3f}, {energy[2]:.3f} rad²/s (global, predictive, local)",
            energy[0] <= energy[1] <= energy[2],
            "global at most predictive at most local",
        ),
        Claim(
            "looking ahead reduces peaks of joint speed significantly",
            f"peaks {peak[0]:.2f}, {peak[1]:.2f}, {peak[2]:.2f} rad²/s²",
            peak[2] >= 2 * peak[1],
            "local peak at least twice the predictive one",
        ),
    )
    curves = {
        name: as_numbers(r.scene.pseudo_energy(motion))
        for name, motion in (("global", r.best), ("predictive", r.predictive), ("local", r.local))
    }
    note = "Weights 1.0 (velocity), 1.0 (collision), 0.6 (limits), horizon 1 s, plans every 50 ms."
    return Outcome({"dt": r.scene.dt, **curves}, claims, lambda figure: _draw(figure, r), note)


def _draw(figure: Figure, r: Resolutions) -> None:
    curves = {
        "local": (r.local, COLORS["local"]),
        "predictive, 1 s": (r.predictive, COLORS["predictive"]),
        "global": (r.best, COLORS["global"]),
    }
    draw_energies(figure.subplots(), r.scene, curves)


FIGURE = PaperFigure("5.31", "pseudoenergy of the planar arm", measure)
