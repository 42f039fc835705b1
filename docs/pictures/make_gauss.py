"""Draws docs/pictures/gauss.svg: drift of the constraints and conditioning of M along the flight of a tumbling brick.

python docs/pictures/make_gauss.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import tarsus as ts
from tarsus.dynamics import GaussSystem

STYLE = {"svg.hashsalt": "gauss", "svg.fonttype": "path", "mathtext.fontset": "cm", "font.size": 10.0}
DT, STEPS = 2e-3, 700
REDUNDANT = {"quaternion": "#1f4fd8", "axis-angle": "#d9730d", "rotation-matrix": "#2e7d32"}
OTHERS = {"rotation-vector": "#7b1fa2", "rodrigues": "#c62828", "xyz": "#777777", "zxz": "#222222"}
SPIN = np.array([0.5, 0.2, 1.0, 0.1, 4.0, 0.05])
"""Twist at the start: about the middle axis of inertia, where the brick turns over."""


def brick() -> ts.Model:
    """A free body with three different moments of inertia."""
    inertia = ts.Inertia.of_box(2.0, (0.1, 0.2, 0.3), com=(0.01, -0.02, 0.03))
    return ts.ModelBuilder("brick", base="free").add_link("brick", inertia).build()


def step(system: GaussSystem, x: np.ndarray, xdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One step of order four in parameter coordinates."""
    tau = np.zeros(system.nv)

    def rate(y: np.ndarray) -> np.ndarray:
        return np.stack([y[1], system.forward_dynamics(y[0], y[1], tau).xddot])

    y = np.stack([x, xdot])
    k1 = rate(y)
    k2 = rate(y + 0.5 * DT * k1)
    k3 = rate(y + 0.5 * DT * k2)
    k4 = rate(y + DT * k3)
    x, xdot = y + DT / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return x, xdot


def flight(system: GaussSystem, q: np.ndarray) -> np.ndarray:
    """Parameters (STEPS + 1, nx) from configuration q on."""
    x = system.parameters(q)
    xdot = system.rates(x, SPIN)
    states = [x]
    for _ in range(STEPS):
        x, xdot = step(system, x, xdot)
        states.append(x)
    return np.array(states)


def condition(model: ts.Model, name: str, q: np.ndarray) -> np.ndarray:
    """Ratio of the largest to the least eigenvalue of M that is not zero by construction, along configurations q."""
    system = ts.gauss_system(model, name)
    values = np.linalg.eigvalsh(system.mass_matrix(system.parameters(q)))
    return np.asarray(values[..., -1] / values[..., system.nc])


def draw_drift(ax: Axes, model: ts.Model, q0: np.ndarray) -> np.ndarray:
    """Left half; returns the configurations of the flight."""
    for name, color in REDUNDANT.items():
        system = ts.gauss_system(model, name)
        x = flight(system, q0)
        ax.semilogy(
            DT * np.arange(1, STEPS + 1), np.abs(system.constraint(x)).max(axis=-1)[1:], color=color, label=name
        )
    ax.set_title("drift of the constraints, max |C|", fontsize=10)
    system = ts.gauss_system(model, "quaternion")
    return system.configuration(system.normalize(flight(system, q0)))


def main() -> None:
    """Compute and draw."""
    model = brick()
    q0 = model.neutral()
    q0[3:7] = np.array([0.9, 0.1, 0.3, -0.2]) / np.linalg.norm([0.9, 0.1, 0.3, -0.2])
    with rc_context(STYLE):
        figure = Figure(figsize=(9.0, 3.4), layout="constrained")
        left, right = figure.subplots(1, 2)
        q = draw_drift(left, model, q0)
        for name, color in (REDUNDANT | OTHERS).items():
            right.semilogy(DT * np.arange(STEPS + 1), condition(model, name, q), color=color, label=name, lw=1.3)
        right.set_title("condition of M on the tangent space", fontsize=10)
        for ax in (left, right):
            ax.set_xlabel("time [s]")
            ax.grid(alpha=0.3)
            ax.spines[["top", "right"]].set_visible(False)
        figure.legend(
            *right.get_legend_handles_labels(), loc="outside lower center", ncols=7, frameon=False, fontsize=8
        )
        target = Path(__file__).with_name("gauss.svg")
        figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main()
