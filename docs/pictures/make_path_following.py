"""Path following on a planar biped, and the same motion by a clock: docs/pictures/path-following.png.

python -m docs.pictures.make_path_following
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import tarsus as ts
from tarsus.walking import (
    PathLaw,
    PeriodicStep,
    PlanarBiped,
    PressureTarget,
    PressureTiming,
    SpeedMap,
    falling_step,
    walk_path,
)

HERE = Path(__file__).parent
PATH, HELPED, CLOCK = "C0", "C2", "C3"


def draw_robot(axes: Axes, law: PathLaw) -> None:
    """The robot at seven points of the path."""
    joints = {"r": "C0", "l": "C1"}
    for s in np.linspace(0.0, 1.0, 7):
        q = law.biped.placed(law.path.at(s).theta)
        shade = 0.25 + 0.75 * s
        for side, color in joints.items():
            names = [f"{side}_{part}" for part in ("thigh", "shank", "heel", "toe")]
            hip, knee, heel, toe = (ts.frame_pose(law.biped.model, q, name)[[0, 2], 3] for name in names)
            line = np.stack([hip, knee, (heel + toe) / 2.0])
            axes.plot(*line.T, color=color, alpha=shade, linewidth=1.6)
            axes.plot(*np.stack([heel, toe]).T, color=color, alpha=shade, linewidth=3)
        axes.plot(*np.stack([hip, 2.0 * q[:2] - hip]).T, color="0.3", alpha=shade, linewidth=1.6)
    axes.axhline(0.0, color="0.6", linewidth=0.8)
    axes.set(xlabel="x [m]", ylabel="z [m]", title="the path, s = 0 to 1", aspect="equal")


def draw_map(axes: Axes, law: PathLaw, helped: PathLaw, step: PeriodicStep) -> None:
    """The next speed over the speed."""
    rates = step.rate * np.linspace(0.66, 1.35, 15)
    axes.plot(rates**2, rates**2, color="0.7", linewidth=0.8)
    for one, color, label in ((law, PATH, "pressure of s"), (helped, HELPED, "pressure of s and s'")):
        axes.plot(rates**2, [SpeedMap(one, 1e-7)(rate) ** 2 for rate in rates], color=color, label=label)
    axes.plot(step.rate**2, step.rate**2, "ko", markersize=4)
    axes.set(xlabel="s'² at the start of a step [1/s²]", ylabel="of the next", title="from step to step")
    axes.legend(fontsize=8)


def draw_speeds(axes: Axes, law: PathLaw, helped: PathLaw, step: PeriodicStep) -> None:
    """Speeds of walks that start 15 and 20 % off."""
    for off in (0.8, 0.85, 1.15, 1.2):
        for one, color in ((law, PATH), (helped, HELPED)):
            rates = [entry["rate"] for entry in walk_path(one, off * step.rate, steps=10).metadata["steps"]]
            axes.plot(np.array(rates) / step.rate, ".-", color=color, linewidth=1, markersize=5)
    axes.axhline(1.0, color="0.6", linewidth=0.8)
    axes.set(xlabel="step", ylabel="s' by that of the periodic step", title="walks that start too slow and too fast")


def draw_pressure(axes: Axes, law: PathLaw, helped: PathLaw, step: PeriodicStep) -> None:
    """Pressure under the foot, started 15 % too fast."""
    heel, toe = law.biped.sole
    axes.axhspan(100 * heel, 100 * toe, color="0.9")
    clock = replace(law, timing=step.clock)
    for one, color, label in ((law, PATH, "pressure of s"), (helped, HELPED, "pressure of s and s'"),
                              (clock, CLOCK, "by the clock, foot glued")):  # fmt: skip
        run = walk_path(one, 1.15 * step.rate, steps=3, stop_at_limits=one is not clock, sample_dt=1e-3)
        axes.plot(run.time, 100 * run.signals["pressure"], color=color, linewidth=1.2, label=label)
    axes.text(0.9, 100 * heel + 0.5, "sole", color="0.4", fontsize=8)
    axes.set(xlabel="t [s]", ylabel="pressure from the ankle [cm]", title="15 % too fast: pressure under the foot")
    axes.legend(fontsize=8)


def main() -> None:
    """Write the picture."""
    biped = PlanarBiped(ts.robots.shah7())
    target = PressureTarget(-0.015, 0.045)
    law = PathLaw(biped, falling_step(biped), PressureTiming(target, biped.limits()))
    step = SpeedMap(law).periodic_step(2.5)
    answering = replace(target, gain=0.1, rate=step.rate_along, heel=-0.065, toe=0.065)
    helped = replace(law, timing=PressureTiming(answering, biped.limits()))
    figure, ((robot, mapped), (speeds, pressure)) = plt.subplots(2, 2, figsize=(11, 8))
    draw_robot(robot, law)
    draw_map(mapped, law, helped, step)
    draw_speeds(speeds, law, helped, step)
    draw_pressure(pressure, law, helped, step)
    figure.tight_layout()
    figure.savefig(HERE / "path-following.png", dpi=100)


if __name__ == "__main__":
    main()
