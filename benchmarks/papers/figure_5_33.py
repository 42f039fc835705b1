"""Figure 5.33: velocity-level plans jump from cycle to cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.predictive import Resolutions, as_numbers, draw_joint, largest_jump, resolutions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

JOINT = 1  # the second one


def measure(run: Run) -> Outcome:
    """Velocities of the second joint."""
    r = resolutions(run, "planar4")
    jump = largest_jump(r.predictive)
    claims = (
        Claim(
            "velocities at the first step can change from one period to the next: a trajectory that is not smooth",
            f"largest jump from cycle to cycle {jump:.2g} rad/s",
            jump > 1e-3,
            "a jump above 1e-3 rad/s",
        ),
    )
    curves = {
        name: as_numbers(motion.v[:, JOINT])
        for name, motion in (("global", r.best), ("predictive", r.predictive), ("local", r.local))
    }
    note = "Plans of 1 s every 50 ms; single plans in grey."
    return Outcome({"jump": jump, **curves}, claims, lambda figure: _draw(figure, r), note)


def _draw(figure: Figure, r: Resolutions) -> None:
    draw_joint(figure.subplots(), r, r.predictive, JOINT)


FIGURE = PaperFigure("5.33", "velocity-level plans of the planar arm", measure)
