"""Motions of the scenes of section 5.6, which several figures share."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.figure import Run
from benchmarks.papers.plot import clean
from tarsus.arrays import FloatArray
from tarsus.ik.predictive import Motion, Plan, PredictiveMotion
from tarsus.ik.predictive.scenes import Scene, scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = {"local": "#222222", "predictive": "#d95f02", "global": "#1f78b4", "short": "#7b9e3a"}


@dataclass(frozen=True)
class Resolutions:
    """One scene with redundancy resolved in all ways."""

    scene: Scene
    local: Plan
    predictive: PredictiveMotion
    augmented: PredictiveMotion
    best: Plan

    def energy(self, motion: Motion) -> float:
        """Integral of the pseudoenergy."""
        return float(self.scene.dt * self.scene.pseudo_energy(motion).sum())

    def peak(self, motion: Motion) -> float:
        """Largest pseudoenergy."""
        return float(self.scene.pseudo_energy(motion).max())


def resolutions(run: Run, name: str) -> Resolutions:
    """Motions of a scene, made once a run."""

    def make() -> Resolutions:
        run.say(f"redundancy of {name} resolved locally, ahead and globally")
        s, count = scene(name), run.choose(1, 5)
        ahead = s.predictive(iterations=count, cycle=5 * s.dt, keep=True)
        smooth = s.predictive(iterations=count, cycle=5 * s.dt, level="acceleration", keep=True)
        return Resolutions(s, s.local(), ahead, smooth, s.whole(ahead.u))

    return run.once(("predictive", name), make)


def largest_jump(motion: PredictiveMotion, steps: int = 5) -> float:
    """Between the end of a cycle and the start of the next one [rad/s]."""
    plans = motion.plans
    return max(float(np.abs(b.v[0] - a.v[steps]).max()) for a, b in pairwise(plans) if len(a.v) > steps)


def draw_energies(axes: Axes, s: Scene, curves: dict[str, tuple[Motion, str]]) -> None:
    """Pseudoenergies over time."""
    for label, (motion, color) in curves.items():
        axes.plot(motion.t[:-1], s.pseudo_energy(motion), color=color, label=label)
    clean(axes, "time [s]", "pseudoenergy $\\dot q^T \\dot q$ [rad²/s²]")
    axes.legend(frameon=False, fontsize=9)


def draw_joint(axes: Axes, r: Resolutions, motion: PredictiveMotion, joint: int) -> None:
    """One joint velocity, with the solutions of single horizons."""
    for plan in motion.plans[:: max(1, len(motion.plans) // 12)]:
        axes.plot(plan.t[:-1], plan.v[:, joint], color="#bbbbbb", lw=0.8)
    curves: tuple[tuple[str, Motion, str], ...] = (
        ("local", r.local, "local"),
        ("global", r.best, "global"),
        ("predictive", motion, "predictive"),
    )
    for label, own, color in curves:
        axes.plot(own.t[:-1], own.v[:, joint], color=COLORS[color], label=label)
    axes.plot([], [], color="#bbbbbb", lw=0.8, label="single horizons")
    clean(axes, "time [s]", f"velocity of joint {joint + 1} [rad/s]")
    axes.legend(frameon=False, fontsize=9)


def as_numbers(x: FloatArray) -> list[float]:
    """For JSON."""
    return [round(float(value), 9) for value in x]
