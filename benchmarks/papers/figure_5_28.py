"""Figure 5.28: inclination of the upper body of Lola's walk by inverse kinematics and by inverse kineto-dynamics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers import kineto_walk
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.kineto_run import inclination, walked
from benchmarks.papers.plot import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tarsus.arrays import FloatArray

COLORS = {"clik": kineto_walk.ORANGE, "ikd": kineto_walk.BLUE}
SIMILAR = 1.1
"""Inclination by inverse kineto-dynamics in that by inverse kinematics."""


def measure(run: Run) -> Outcome:
    """The same footsteps twice, on level ground; the robot is heavier than the walker knows."""
    outcomes = {method: walked(run, method) for method in COLORS}
    angles = {method: np.degrees(inclination(outcome)) for method, outcome in outcomes.items()}
    rms = {method: np.sqrt(np.mean(angle**2, axis=0)) for method, angle in angles.items()}
    claims = (
        Claim(
            "both control systems walk",
            "; ".join(f"{m}: {o.distance:.1f} m{'' if o.passed else ', fell'}" for m, o in outcomes.items()),
            all(outcome.passed for outcome in outcomes.values()),
            "to the end, upright",
        ),
        Claim(
            "IK-based and IKD-based control showed very similar performance",
            f"inclination {rms['clik'][0]:.3f}° and {rms['clik'][1]:.3f}° (lateral, sagittal, rms) by inverse "
            f"kinematics, {rms['ikd'][0]:.3f}° and {rms['ikd'][1]:.3f}° by inverse kineto-dynamics",
            run.judge(bool((rms["ikd"] < SIMILAR * rms["clik"]).all())),
            "at most a tenth more",
        ),
    )
    data = {
        method: {"time": outcomes[method].trajectory.time[::5].tolist(), "inclination_deg": angle[::5].tolist()}
        for method, angle in angles.items()
    }
    times = {method: outcome.trajectory.time for method, outcome in outcomes.items()}
    note = "Simulated, 5 % heavier than known. The text shows a machine."
    return Outcome(data, claims, lambda figure: _draw(figure, times, angles), note, (7.0, 4.2))


def _draw(figure: Figure, times: dict[str, FloatArray], angles: dict[str, FloatArray]) -> None:
    for row, axes in enumerate(figure.subplots(2, 1, sharex=True)):
        for method, angle in angles.items():
            axes.plot(times[method], angle[:, row], color=COLORS[method], lw=0.9, label=method)
        name = ("lateral, $\\Delta\\varphi_x$ [°]", "sagittal, $\\Delta\\varphi_y$ [°]")[row]
        clean(axes, "time [s]" if row else "", name, "" if row else "Inclination of the upper body")
    figure.axes[0].legend(frameon=False, fontsize=8)


FIGURE = PaperFigure("5.28", "inclination of the upper body", measure)
