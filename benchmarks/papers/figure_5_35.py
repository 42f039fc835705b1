"""Figure 5.35: pseudoenergy of the 9-DoF arm in a self-collision scene, for horizons of 0.15 s and 2 s."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.predictive import COLORS, Resolutions, as_numbers, draw_energies, resolutions
from tarsus.ik.predictive import PredictiveMotion

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def measure(run: Run) -> Outcome:
    """Peaks and energies of local resolution and of both horizons."""
    r = resolutions(run, "crops9")
    short = r.scene.predictive(0.15, iterations=run.choose(1, 5))
    motions = (r.best, r.predictive, short, r.local)
    energy, peak = [r.energy(m) for m in motions], [r.peak(m) for m in motions]
    claims = (
        Claim(
            "a horizon of 0.15 s slightly reduces velocity peaks, a longer one gives significantly better results",
            f"peaks {peak[1]:.2f} (2 s), {peak[2]:.2f} (0.15 s), {peak[3]:.2f} rad²/s² (local)",
            peak[1] < peak[2] < peak[3] and peak[3] >= 2 * peak[1],
            "falling with the horizon, to half of the local one at least",
        ),
        Claim(
            "the integral cost is significantly reduced (5.7)",
            f"integrals {energy[0]:.3f}, {energy[1]:.3f}, {energy[3]:.3f} rad²/s (global, 2 s, local)",
            energy[0] <= energy[1] <= energy[3],
            "global at most predictive at most local",
        ),
        Claim(
            "a horizon of 2 s takes up to seven sampling periods of 10 ms to solve",
            "processor times are in `python -m benchmarks.predictive`",
        ),
    )
    curves = {
        name: as_numbers(r.scene.pseudo_energy(motion))
        for name, motion in zip(("global", "2 s", "0.15 s", "local"), motions, strict=True)
    }
    note = "Revolute joints; weights 1.0, 2.0, 0.6 (local) and 1.0, 5000, 80 (predictive). The motion is not printed."
    return Outcome({"dt": r.scene.dt, **curves}, claims, lambda figure: _draw(figure, r, short), note)


def _draw(figure: Figure, r: Resolutions, short: PredictiveMotion) -> None:
    curves = {
        "local": (r.local, COLORS["local"]),
        "predictive, 0.15 s": (short, COLORS["short"]),
        "predictive, 2 s": (r.predictive, COLORS["predictive"]),
        "global": (r.best, COLORS["global"]),
    }
    draw_energies(figure.subplots(), r.scene, curves)


FIGURE = PaperFigure("5.35", "pseudoenergy of the 9-DoF arm beside itself", measure)
