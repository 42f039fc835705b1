"""Draws docs/pictures/shah-walk*.png, and prints the study of what the walk of the 7-link biped is sensitive to.

python -m docs.pictures.make_shah_walk            figures 5 to 10, and the robot
python -m docs.pictures.make_shah_walk study      and the study, some minutes
python -m docs.pictures.make_shah_walk steps      the steps of long walks on two grounds alone, a minute or two
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from examples.shah7_walk import FIGURES, skeletons
from matplotlib.figure import Figure

from tarsus.errors import SimulationError
from tarsus.walking import FIRM_GROUND, SHAH_GROUND, measure_walk, shah_walk

HERE = Path(__file__).parent

GOOD, WEAK, BAD = "#2e7d32", "#d9730d", "#c62828"
TOLERANCE = dict(relative=1e-6, absolute=1e-7)


@dataclass
class Case:
    """One walk of the study: what was changed and what came of it."""

    group: str
    label: str
    options: dict[str, Any]


def ground(**changed: float) -> Any:
    """The paper's ground with other numbers."""
    return replace(SHAH_GROUND, **changed)


def stiffer(factor: float) -> Any:
    """Stiffness times a factor at the same ratio to critical damping."""
    return ground(stiffness=2000.0 * factor, damping=2742.26 * factor**0.5)


def cases() -> list[Case]:
    """Everything that is tried; only what is named differs from the paper's walk."""
    found = [Case("paper", "as in the paper", {})]
    for kind in ("driven", "rigid", "none"):
        for k in (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0) if kind == "driven" else (1.0, 2.0, 4.0, 10.0):
            found.append(Case(f"gains, {kind}", f"x {k:g}", dict(kp=170.0 * k, kd=30.0 * k, feedforward=kind)))
    for k in (0.5, 0.8, 0.9, 1.1, 1.25, 2.0, 5.0):
        found.append(Case("stiffness, unknown", f"x {k:g}", dict(ground=stiffer(k), known_ground=SHAH_GROUND)))
    for k in (0.25, 0.5, 2.0, 5.0):
        found.append(Case("stiffness, known", f"x {k:g}", dict(ground=stiffer(k))))
    for k in (0.1, 0.3, 0.5, 2.0, 3.0):
        law = ground(damping=2742.26 * k)
        found.append(Case("damping, unknown", f"x {k:g}", dict(ground=law, known_ground=SHAH_GROUND)))
        found.append(Case("damping, known", f"x {k:g}", dict(ground=law)))
    for mu in (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0):
        found.append(Case("friction, unknown", f"{mu:g}", dict(ground=ground(friction=mu), known_ground=SHAH_GROUND)))
    for k in (0.5, 0.9, 0.95, 0.98, 1.02, 1.05, 1.1, 1.5):
        found.append(Case("speed at start", f"x {k:g}", dict(speed=k)))
    for angle in (-3.0, -2.0, -1.0, -0.5, 0.25, 0.5, 1.0, 3.0):
        found.append(Case("pitch at start", f"{angle:+g} deg", dict(pitch=np.radians(angle))))
    return found


def study(chosen: list[Case]) -> None:
    """Run all cases, print a table and draw it."""
    rows = []
    for case in chosen:
        try:
            walk = shah_walk(**TOLERANCE, **case.options)
        except SimulationError as error:  # a robot that fell through the ground may leave all bounds
            walk = error.trajectory
        found = measure_walk(walk)
        until = len(walk.time) if found.fallen is None else int(np.searchsorted(walk.time, found.fallen))
        way = float(walk.q[until - 1, 0] - walk.q[0, 0])
        pitch = np.degrees(walk.q[:until, 2])
        end = "walks" if found.fallen is None else f"falls at {found.fallen:.2f} s"
        print(
            f"| {case.group} | {case.label} | {end} | {way:.2f} | {pitch.min():+.1f} to {pitch.max():+.1f} |",
            flush=True,
        )
        good = found.fallen is None and way >= 0.7 and np.abs(pitch).max() <= 10.0
        rows.append((case, pitch, way, BAD if found.fallen is not None else GOOD if good else WEAK))
    figure = Figure(figsize=(8.0, 0.165 * len(rows) + 0.8), dpi=110, layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(2, 1))
    for k, (_, pitch, way, color) in enumerate(rows):
        left.plot([pitch.min(), pitch.max()], [k, k], color=color, lw=4)
        right.plot([way], [k], "o", color=color, ms=4)
    left.set_yticks(range(len(rows)), [f"{case.group}  {case.label}" for case, *_ in rows], fontsize=7)
    left.set_ylim(len(rows) - 0.5, -0.5)
    left.axvspan(-10.0, 10.0, color="0.95")
    left.set_xlabel("pitch of the trunk in 4 s [deg]; shown up to the fall")
    right.axvline(0.7, color="0.6", lw=0.8)
    right.set_xlabel("way in 4 s [m]")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(HERE / "shah-walk-sensitivity.png")


def figures() -> None:
    """Figures 5 to 10 on one page, and the robot."""
    walk = shah_walk(sample_dt=0.002)
    figure = Figure(figsize=(10.0, 9.0), dpi=110, layout="constrained")
    for axes, (number, (title, plot)) in zip(figure.subplots(3, 2).flat, FIGURES.items(), strict=True):
        plot(axes, walk)
        axes.set_title(f"Figure {number}: {title.lower()}", fontsize=10)
        axes.set_xlabel("time [s]")
        axes.set_xlim(walk.time[0], walk.time[-1])
        axes.grid(alpha=0.3)
    figure.savefig(HERE / "shah-walk.png")
    figure = Figure(figsize=(5.0, 5.6), dpi=110, layout="constrained")
    skeletons(figure.add_subplot(), walk)
    figure.savefig(HERE / "shah-walk-robot.png")


def long_walks() -> None:
    """Pitch at each exchange of legs and the change from step to step, on the ground of the paper and on a firm one."""
    figure = Figure(figsize=(9.0, 3.4), dpi=110, layout="constrained")
    left, right = figure.subplots(1, 2)
    for law, duration, color, label in (
        (SHAH_GROUND, 13.0, BAD, "2000 N/m, the paper's walk"),
        (FIRM_GROUND, 60.0, GOOD, "20000 N/m"),
    ):
        walk = shah_walk(duration, ground=law, **TOLERANCE)
        pitch = np.degrees(walk.q[::100, 2])
        left.plot(pitch, ".-", color=color, label=label)
        right.semilogy(np.arange(2, len(pitch)), np.degrees(measure_walk(walk).pitch_repeats), ".-", color=color)
    left.set_ylim(0.0, 12.0)
    left.set_xlim(0.0, 30.0)
    left.set_ylabel("pitch at the exchange of legs [deg]")
    left.legend(fontsize=8)
    right.set_ylabel("pitch, difference to the step before [deg]")
    for axes in (left, right):
        axes.set_xlabel("step")
        axes.grid(alpha=0.3)
    figure.savefig(HERE / "shah-walk-steps.png")


if __name__ == "__main__":
    if "steps" not in sys.argv[1:]:
        figures()
    if "study" in sys.argv[1:]:
        study(cases())
    if {"steps", "study"} & set(sys.argv[1:]):
        long_walks()
