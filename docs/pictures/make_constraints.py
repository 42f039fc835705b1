"""Draws docs/pictures/constraint-drift.svg and constraint-cost.svg: Buschmann 2014 figures 3.10 and 3.11.

python docs/pictures/make_constraints.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

import tarsus as ts

STYLE = {"svg.hashsalt": "constraints", "svg.fonttype": "path", "mathtext.fontset": "cm", "font.size": 11}
BLUE, ORANGE, GREY = "#1f4fd8", "#d9730d", "#999999"
TOLERANCE = 1e-6
DRIFT_SECONDS, COST_SECONDS = 100.0, 10.0
"""Figure 3.10 is drawn for the 100 s of the book, the sweep of figure 3.11 for 10 s."""


def pendulum() -> tuple[ts.Model, list[ts.constraints.Constraint]]:
    """Point mass of 1 kg in the plane x-z on a rod of 1 m."""
    builder = ts.ModelBuilder("pendulum").add_link("ground").add_link("slide", virtual=True)
    builder.add_link("mass", ts.Inertia.of_sphere(1.0, 1e-3))
    builder.add_joint("x", "prismatic", "ground", "slide", axis=(1, 0, 0))
    builder.add_joint("z", "prismatic", "slide", "mass", axis=(0, 0, 1))
    return builder.build(), [ts.constraints.Rod("world", "mass", length=1.0)]


def run(alpha: float, duration: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Times, constraint violations and number of function calls."""
    model, constraints = pendulum()
    zero = np.zeros(2)

    def f(t: float, x: np.ndarray) -> np.ndarray:
        motion = ts.constrained_dynamics(model, x[:2], x[2:], zero, constraints, alpha=alpha, method="dense")
        return np.concatenate([x[2:], motion.vdot])

    result = solve_ivp(f, (0.0, duration), [1.0, 0.0, 0.0, 0.0], method="RK45", rtol=TOLERANCE, atol=TOLERANCE)
    return result.t, np.abs(np.hypot(*result.y[:2]) - 1.0), result.nfev


def draw_drift(path: Path) -> None:
    """Violation over time, with and without stabilisation."""
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    ax = figure.add_subplot()
    for alpha, color in ((0.0, ORANGE), (1.0, BLUE)):
        t, violation, _ = run(alpha, DRIFT_SECONDS)
        ax.loglog(t[1:], np.maximum(violation[1:], 1e-12), color=color, lw=1.0, label=rf"$\alpha = {alpha:g}$")
    t = np.array([3.0, DRIFT_SECONDS])
    ax.loglog(t, 5e-7 * t**2, "--", color=GREY, lw=1.2, label="slope 2")
    ax.set(xlabel="time [s]", ylabel="constraint violation [m]", xlim=(0.3, DRIFT_SECONDS), ylim=(1e-9, 1e-2))
    ax.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def draw_cost(path: Path) -> None:
    """Largest violation and number of function calls over alpha."""
    alphas = np.geomspace(0.1, 200.0, 10)
    runs = [run(float(alpha), COST_SECONDS) for alpha in alphas]
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    ax = figure.add_subplot()
    ax.loglog(alphas, [violation.max() for _, violation, _ in runs], "o-", color=BLUE, ms=4)
    ax.axhline(TOLERANCE, color=GREY, ls="--", lw=1.2)
    ax.text(2.0, 1.15 * TOLERANCE, "tolerance of the integrator", color=GREY, fontsize=9)
    ax.set(xlabel=r"$\alpha$ [1/s]", ylabel="largest constraint violation [m]", ylim=(3e-9, 3e-5))
    ax.yaxis.label.set_color(BLUE)
    other = ax.twinx()
    other.loglog(alphas, [calls for _, _, calls in runs], "s-", color=ORANGE, ms=4)
    other.set_ylabel("function calls")
    other.yaxis.label.set_color(ORANGE)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Draw both pictures beside this file."""
    here = Path(__file__).parent
    with rc_context(STYLE):
        draw_drift(here / "constraint-drift.svg")
        draw_cost(here / "constraint-cost.svg")


if __name__ == "__main__":
    main()
