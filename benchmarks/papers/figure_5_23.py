"""Figure 5.23: the contact moment when the centre of mass is stabilised by local feedback alone."""

from __future__ import annotations

from benchmarks.papers import kineto_walk
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.kineto_moments import draw_moments, moment_data
from tarsus.walking.kineto_dynamics.drift_feedback import DriftFeedback


def measure(run: Run) -> Outcome:
    """All gains."""
    gains = run.choose((0.0, 1e-3), kineto_walk.GAINS)
    motions = {k: kineto_walk.motion(run, "moment", k) for k in gains}
    known = kineto_walk.known(run)
    least = known.biped.gravity / known.height
    drift = DriftFeedback.at(known.dt)
    fell = [k for k, found in motions.items() if found.diverged is not None]
    below = [k for k in gains if drift.scaled(k)[0] <= least]
    claims = (
        Claim(
            "stable for K_p above (g + z'') / z, unstable without feedback (fn. 19)",
            f"diverged with k = {', '.join(f'{k:g}' for k in fell)}; (g + z'') / z = {least:.1f} 1/s^2 is "
            f"k = {least / drift.kp:.1g}",
            run.judge(fell == below),
            "those, and only those, whose K_p is below",
        ),
        Claim(
            "K_p = 26.7, K_d = 8.8 for k = 1e-3",
            "{:.1f} and {:.1f}".format(*drift.scaled(1e-3)),
            abs(drift.scaled(1e-3)[0] - 26.7) < 0.05 and abs(drift.scaled(1e-3)[1] - 8.8) < 0.05,
            "the same digits",
        ),
    )
    return Outcome(
        moment_data(motions),
        claims,
        lambda figure: draw_moments(figure, motions, "Local feedback alone"),
        "",
        (7.0, 4.2),
    )


FIGURE = PaperFigure("5.23", "stabilisation via the contact moment", measure)
