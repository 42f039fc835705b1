"""Figure 5.10: a point-to-point motion of the harvesting arm with and without avoidance of self-collision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers import crops_scene
from benchmarks.papers.crops_scene import MARGIN, Motion
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.plot import GREY, clean
from tarsus.robots import crops9

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EQUAL = 2.0
"""Factor within which errors of the tool count as equal."""


def measure(run: Run) -> Outcome:
    """Move twice."""
    run.say("without avoidance")
    plain = crops_scene.move(avoiding=False)
    run.say("with avoidance")
    careful = crops_scene.move(avoiding=True)
    model = crops9()
    room = float(np.minimum(careful.q - model.q_min, model.q_max - careful.q).min())
    speed = float(np.abs(careful.v / model.v_max).max())
    errors = float(plain.error.max()), float(careful.error.max())
    claims = (
        Claim(
            "without avoidance the arm collides with itself",
            f"smallest distance {1e3 * plain.distance.min():.1f} mm",
            bool(plain.distance.min() < 0),
            "below 0",
        ),
        Claim(
            "with avoidance it does not",
            f"smallest distance {1e3 * careful.distance.min():.1f} mm",
            bool(careful.distance.min() >= MARGIN),
            f"at least {1e3 * MARGIN:g} mm",
        ),
        Claim(
            "avoidance is a motion in the nullspace of the tool's path",
            f"largest error {1e6 * errors[0]:.0f} µm without, {1e6 * errors[1]:.0f} µm with it",
            errors[1] < EQUAL * errors[0],
            f"equal within a factor of {EQUAL:g}",
        ),
        Claim(
            "limits of joints are kept by a potential beside it",
            f"{room:.2f} rad or m to the nearest limit; {100 * speed:.0f} % of the velocity limits",
            room > 0 and speed < 1,
            "within both",
        ),
    )
    data = {
        "time": plain.t.tolist(),
        "distance": {"without": plain.distance.tolist(), "with": careful.distance.tolist()},
        "error": {"without": plain.error.tolist(), "with": careful.error.tolist()},
    }
    note = (
        "Smallest distance of all pairs of segments, and the tool's error. The scene is not printed in the text: this "
        "motion, past the platform, was looked for."
    )
    return Outcome(data, claims, lambda figure: _draw(figure, plain, careful), note, (9.0, 3.8))


def _draw(figure: Figure, plain: Motion, careful: Motion) -> None:
    left, right = figure.subplots(1, 2)
    for motion, label, color in ((plain, "without avoidance", "#c0392b"), (careful, "with avoidance", "#1d8a5b")):
        left.plot(motion.t, 1e3 * motion.distance, color=color, label=label)
        right.plot(motion.t, 1e6 * motion.error, color=color, label=label)
    left.axhline(0.0, color="#333333", lw=0.8)
    left.axhline(1e3 * MARGIN, color=GREY, lw=0.8, ls=":")
    clean(left, "time [s]", "smallest distance [mm]", "Self-collision")
    clean(right, "time [s]", "error of the tool [µm]", "Task")
    left.legend(frameon=False, fontsize=8)


FIGURE = PaperFigure("5.10", "avoiding self-collision in the nullspace", measure)
