"""Draws docs/pictures/eigenvalues.svg: the linearised arm of docs/derivatives.md, left alone and regulated.

python docs/pictures/make_eigenvalues.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from scipy.linalg import solve_continuous_are

import tarsus as ts

STYLE = {"svg.hashsalt": "eigenvalues", "svg.fonttype": "path", "mathtext.fontset": "cm"}
INK, GREY, RED, BLUE = "#222222", "#777777", "#c62828", "#1f4fd8"
LINEAR_PART = 1.0
"""[1/s] of the axes that is not compressed."""


def eigenvalues() -> tuple[np.ndarray, np.ndarray]:
    """Of the arm at its reference pose under constant torque, and with the regulator."""
    arm = ts.robots.crops9()
    dq, dv, dtau = ts.forward_dynamics_derivatives(
        arm, arm.reference, np.zeros(arm.nv), ts.gravity_force(arm, arm.reference)
    )
    A = np.block([[np.zeros_like(dq), np.eye(arm.nv)], [dq, dv]])
    B = np.vstack([np.zeros_like(dtau), dtau])
    Q, R = np.diag([100.0] * arm.nv + [1.0] * arm.nv), 1e-2 * np.eye(arm.nv)
    K = np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))
    return np.linalg.eigvals(A), np.linalg.eigvals(A - B @ K)


def main() -> None:
    """Draw the picture."""
    alone, regulated = eigenvalues()
    with rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        ax = figure.subplots()
        ax.axvline(0.0, color=GREY, linewidth=0.8)
        ax.axhline(0.0, color=GREY, linewidth=0.8)
        ax.axvspan(0.0, 100.0, color=RED, alpha=0.06)
        ax.plot(alone.real, alone.imag, "x", color=RED, markersize=7, label="constant torque")
        ax.plot(regulated.real, regulated.imag, "o", color=BLUE, markersize=5, label="linear-quadratic regulator")
        ax.set_xscale("symlog", linthresh=LINEAR_PART)
        ax.set_yscale("symlog", linthresh=LINEAR_PART)
        ax.set_xlim(2.0 * regulated.real.min(), 30.0)
        ax.set_xlabel("real part [1/s]: decay to the left, growth to the right")
        ax.set_ylabel("imaginary part [rad/s]")
        ax.set_title("crops9 at its reference pose, linearised", color=INK, fontsize=11)
        ax.legend(loc="lower left", frameon=False)
        figure.savefig(Path(__file__).parent / "eigenvalues.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
