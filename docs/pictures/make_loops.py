"""Draw docs/pictures/loops.png: three four-bars in series at several crank angles."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tarsus as ts
from tarsus.model import Loop

GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.4, 0.9, 0.7
COLOURS = ("#30638e", "#d1495b", "#66a182")


def chain(count: int) -> ts.Model:
    """Four-bars in series, each on the coupler of the one before."""
    b = ts.ModelBuilder("chain").add_link("ground")
    carrier, place = "ground", np.zeros(3)
    for i in range(count):
        for name, length in (("crank", CRANK), ("coupler", COUPLER), ("rocker", ROCKER)):
            b.add_link(f"{name}{i}", ts.Inertia.of_box(length, (length, 0.05, 0.05), com=(length / 2, 0, 0)))
        b.add_joint(f"a{i}", "revolute", carrier, f"crank{i}", position=place)
        b.add_joint(f"b{i}", "revolute", f"crank{i}", f"coupler{i}", position=(CRANK, 0, 0))
        b.add_joint(f"d{i}", "revolute", carrier, f"rocker{i}", position=place + np.array([GROUND, 0, 0]))
        ends = ts.pose((COUPLER, 0, 0)), ts.pose((ROCKER, 0, 0))
        b.add_loop(Loop(f"knee{i}", "revolute", f"coupler{i}", f"rocker{i}", *ends))
        b.reference |= {f"a{i}": 1.0, f"b{i}": -0.5, f"d{i}": 1.5}
        carrier, place = f"coupler{i}", np.array([0.0, 0.25, 0.0])
    return b.build()


def main() -> None:
    """Draw the chain in three configurations."""
    model = chain(3)
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True)
    for axis, crank in zip(axes, (1.0, 1.6, 2.2), strict=True):
        q = np.full(3, crank)
        for i, colour in enumerate(COLOURS):
            for name, length in (("crank", CRANK), ("coupler", COUPLER), ("rocker", ROCKER)):
                X = ts.frame_pose(model, q, f"{name}{i}")
                ends = np.array([X[:2, 3], X[:2, 3] + length * X[:2, 0]]).T
                axis.plot(*ends, "-o", color=colour, lw=3, ms=5)
        for i, colour in enumerate(COLOURS[:-1]):  # the plate on a coupler that carries the next four-bar
            X = ts.frame_pose(model, q, f"coupler{i}")
            corners = np.array([(0, 0), (COUPLER, 0), (GROUND, 0.25), (0, 0.25)])
            axis.fill(*(X[:2, 3:] + X[:2, :2] @ corners.T), color=colour, alpha=0.25)
        axis.set(xlim=(-1.3, 1.2), title=f"q = ({crank:g}, {crank:g}, {crank:g})", aspect="equal", xlabel="x [m]")
    axes[0].set_ylabel("y [m]")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("loops.png"), dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main()
