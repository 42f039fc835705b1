"""The laws of contact side by side: docs/pictures/contact.png.

python docs/pictures/make_contact.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

import tarsus as ts
from tarsus.contact import (
    Compliant,
    ContactLaw,
    ContactPoint,
    LeastConstraint,
    PseudoCoulomb,
    ViscoElasticSole,
    flat,
    slope,
)

G, MASS = 9.81, 10.0
STIFFNESS, DAMPING = 1.0e4, 1.0e3
"""Of the ground in the first panel [N/m, N s/m]."""
FRICTION = 0.5
STAND = np.arctan(0.3)
"""Slope of the last panel [rad]."""
COLORS = {
    "Compliant": "#1f4fd8",
    "PseudoCoulomb": "#d9730d",
    "ViscoElasticSole": "#2e7d32",
    "LeastConstraint": "#7b1fa2",
}
HALF = (0.2, 0.15, 0.1)


def block() -> ts.Model:
    """10 kg, 0.4 m x 0.3 m x 0.2 m."""
    inertia = ts.Inertia.of_box(MASS, 2.0 * np.array(HALF))
    return ts.ModelBuilder("block", base="free").add_link("block", inertia).build()


FEET = [ContactPoint(f"{x}{y}", "block", (x * HALF[0], y * HALF[1], -HALF[2])) for x in (-1, 1) for y in (-1, 1)]


def draw_force(axes: Axes) -> None:
    """A mass at rest is thrown up for a moment and lands again: force over depth."""
    laws: dict[str, ContactLaw] = {
        "Compliant": Compliant(stiffness=STIFFNESS, damping=DAMPING),
        "ViscoElasticSole": ViscoElasticSole(stiffness=STIFFNESS, damping=DAMPING),
    }
    for name, law in laws.items():
        run = ts.simulate(
            block(),
            [0, 0, -MASS * G / STIFFNESS, 1, 0, 0, 0],
            duration=0.4,
            dt=1e-4,
            sample_dt=1e-4,
            ground=flat(law),
            contacts=[ContactPoint("point", "block")],
            pushes=[ts.simulation.Push("block", (0.0, 0.0, 200.0), start=0.01, duration=0.04)],
        )
        style = "-" if name == "Compliant" else (0, (4, 2))
        axes.plot(-1e3 * run.q[:, 2], run.contact_force[:, 0, 2], color=COLORS[name], ls=style, lw=1.8, label=name)
    axes.axvline(0.0, color=COLORS["LeastConstraint"], lw=2.0, label="LeastConstraint, Rigid")
    axes.plot([1e3 * MASS * G / STIFFNESS], [MASS * G], "o", color="black", ms=5, label="start")
    axes.set_xlim(-4.0, 26.0)
    axes.set_xlabel("depth [mm]")
    axes.set_ylabel("normal force [N]")
    axes.set_title("a mass is thrown up and lands again", loc="left", fontsize=10)
    axes.legend(frameon=False, fontsize=8)


def slid(law: ContactLaw, angle: float, duration: float) -> ts.Trajectory:
    """A block set down on a slope."""
    turn = [np.cos(angle / 2.0), 0.0, -np.sin(angle / 2.0), 0.0]
    depth = 0.0 if isinstance(law, LeastConstraint) else MASS * G * np.cos(angle) / (4.0 * law.stiffness)
    height = HALF[2] - depth
    q = [-height * np.sin(angle), 0.0, height * np.cos(angle), *turn]
    return ts.simulate(block(), q, duration=duration, ground=slope(angle, law), contacts=FEET)


def draw_slope(axes: Axes) -> None:
    """Way down the slope in one second, over its steepness, beside the closed form."""
    ratios = np.linspace(0.5, 1.5, 11)
    laws: tuple[tuple[ContactLaw, str], ...] = (
        (Compliant(friction=FRICTION), "o"),
        (PseudoCoulomb(friction=FRICTION), "s"),
        (LeastConstraint(friction=FRICTION), "x"),
    )
    fine = np.linspace(0.5, 1.5, 200)
    angle = np.arctan(FRICTION * fine)
    exact = 0.5 * G * np.maximum(np.sin(angle) - FRICTION * np.cos(angle), 0.0)
    axes.plot(fine, exact, color="black", lw=1.0, label="closed form")
    for law, mark in laws:
        name = type(law).__name__
        way = []
        for ratio in ratios:
            q = slid(law, float(np.arctan(FRICTION * ratio)), 1.0).q
            way.append(float(np.linalg.norm(q[-1, :3] - q[0, :3])))
        axes.plot(ratios, way, mark, color=COLORS[name], ms=6, mfc="none", label=name)
    axes.set_xlabel("slope / coefficient of friction")
    axes.set_ylabel("way in 1 s [m]")
    axes.set_title("stick and slip on a slope", loc="left", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="upper left")


def draw_creep(axes: Axes) -> None:
    """A block that should stand: pseudo-Coulomb friction creeps, a stick spring holds."""
    for law in (PseudoCoulomb(), Compliant(), LeastConstraint()):
        name = type(law).__name__
        run = slid(law, float(STAND), 2.0)
        way = 1e3 * np.linalg.norm(run.q[:, :3] - run.q[0, :3], axis=1)
        axes.plot(run.time, way, color=COLORS[name], lw=1.8, ls="--" if name == "LeastConstraint" else "-", label=name)
    creep = MASS * G * np.sin(STAND) / (4.0 * PseudoCoulomb().viscosity)
    axes.plot(run.time, 1e3 * creep * run.time, color="black", lw=1.0, ls=":", label="load / viscosity")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("way down the slope [mm]")
    axes.set_title("a block at rest inside the cone", loc="left", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="upper left")


def main() -> None:
    """Draw the three panels."""
    figure, (force, friction, creep) = plt.subplots(1, 3, figsize=(11.0, 3.6), layout="constrained")
    draw_force(force)
    draw_slope(friction)
    draw_creep(creep)
    for axes in (force, friction, creep):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
    figure.savefig(Path(__file__).parent / "contact.png", dpi=110)


if __name__ == "__main__":
    main()
