"""Figure 5.24: the contact moment with hybrid stabilisation."""

from __future__ import annotations

import numpy as np

from benchmarks.papers import kineto_walk
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.kineto_moments import draw_moments, moment_data
from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion


def measure(run: Run) -> Outcome:
    """All gains."""
    gains = run.choose((0.0, 1e-3), kineto_walk.GAINS)
    motions = {k: kineto_walk.motion(run, "hybrid", k) for k in gains}
    fell = [k for k, found in motions.items() if found.diverged is not None]
    both = {k: _on_both_feet(found) for k, found in motions.items()}
    beyond = max(found.beyond for found in motions.values())
    claims = (
        Claim(
            "the system is stable for all values of k",
            f"diverged: {', '.join(f'{k:g}' for k in fell) or 'none'}",
            not fell,
            "none diverges",
        ),
        Claim(
            "larger values of k reduce the modifications during double support",
            f"from {both[0.0]:.1f} N m at k = 0 to {both[1e-3]:.1f} N m at 1e-3",
            run.judge(both[1e-3] < both[0.0]),
            "smaller with it",
        ),
        Claim(
            "the resulting CoP calculated by inverse dynamics will strictly stay within the support polygon",
            f"beyond it by {1e3 * beyond:.2g} mm at most",
            beyond <= 1e-9,
            "inside in every sample",
        ),
    )
    return Outcome(
        moment_data(motions),
        claims,
        lambda figure: draw_moments(figure, motions, "Hybrid stabilisation"),
        "Bands: both feet on the ground.",
        (7.0, 4.2),
    )


def _on_both_feet(found: GeneratedMotion) -> float:
    """Largest change of T_x in double support while walking [N m]."""
    start, end = kineto_walk.walking(found.known)
    own = (found.times > start) & (found.times < end) & found.known.feet.standing[: len(found.times)].all(axis=1)
    return float(np.abs(found.moment_error[own, 0]).max(initial=0.0))


FIGURE = PaperFigure("5.24", "hybrid stabilisation", measure)
