"""Draws docs/pictures/dead-points.svg: the double rocker of docs/loops.md turns through the dead points of its crank.

python docs/pictures/make_dead_points.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

import tarsus as ts
from tarsus.model import Loop

STYLE = {"svg.hashsalt": "dead-points", "svg.fonttype": "path", "mathtext.fontset": "cm"}
INK, GREY, RED, BLUE = "#222222", "#777777", "#c62828", "#1f4fd8"


def double_rocker() -> ts.Model:
    """Crank 0.8 m, coupler 0.5 m, rocker 0.9 m on a ground of 1 m, without weight."""
    b = ts.ModelBuilder("double rocker", gravity=(0, 0, 0)).add_link("ground")
    for name, length in (("crank", 0.8), ("coupler", 0.5), ("rocker", 0.9)):
        b.add_link(name, ts.Inertia.of_box(1.0, (length, 0.05, 0.05), com=(length / 2, 0, 0)))
    b.add_joint("a", "revolute", "ground", "crank")
    b.add_joint("b", "revolute", "crank", "coupler", position=(0.8, 0, 0))
    b.add_joint("d", "revolute", "ground", "rocker", position=(1.0, 0, 0))
    b.add_loop(Loop("knee", "revolute", "coupler", "rocker", ts.pose((0.5, 0, 0)), ts.pose((0.9, 0, 0))))
    b.reference = {"a": 1.0, "b": -0.5, "d": 1.5}
    return b.build()


def main() -> None:
    """Draw the picture."""
    model = double_rocker()
    run = ts.simulate(model, v0=[6.0], duration=2.6, integrator="runge-kutta-4", sample_dt=2e-3)
    a, _, d = model.joint_positions(run.q).T
    va, vb, vd = (model.coupling_matrix(run.q) @ run.v[..., None])[..., 0].T
    dead = np.flatnonzero(np.diff(np.sign(va)))
    with rc_context(STYLE):
        figure = Figure(figsize=(6.4, 4.4), layout="constrained")
        angles, slopes = figure.subplots(2, 1, sharex=True)
        angles.plot(run.time, a, color=RED, label="crank")
        angles.plot(run.time, d, color=BLUE, label="rocker")
        angles.set_ylabel("angle [rad]")
        by_crank = np.maximum(np.abs(vb), np.abs(vd)) / np.abs(va)
        by_coupler = np.maximum(np.abs(va), np.abs(vd)) / np.abs(vb)
        slopes.semilogy(run.time, by_crank, color=RED, label="led by the crank")
        slopes.semilogy(run.time, by_coupler, color=INK, label="led by the coupler")
        slopes.set_ylim(0.1, 200.0)
        slopes.set_ylabel("largest slope |G|")
        slopes.set_xlabel("time [s]; lines: dead points of the crank")
        for ax in (angles, slopes):
            for k in dead:
                ax.axvline(run.time[k], color=GREY, linewidth=0.8, linestyle=":")
            ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
            ax.spines[["top", "right"]].set_visible(False)
        figure.savefig(Path(__file__).with_name("dead-points.svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
