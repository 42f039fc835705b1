"""Draws docs/pictures/constrained-motion.svg: a rolling disc and a knee that locks.

python docs/pictures/make_constrained_motion.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

import tarsus as ts

STYLE = {"svg.hashsalt": "constrained-motion", "svg.fonttype": "path", "mathtext.fontset": "cm", "font.size": 10}
BLUE, ORANGE, GREY, GREEN = "#1f4fd8", "#d9730d", "#999999", "#2e7d32"
MASS, RADIUS = 2.0, 0.3


def rolling(tilt: float, turn: float, nudge: float) -> ts.simulation.Trajectory:
    """A disc whose axis is tilted against the vertical [rad] and turns about it [rad/s], nudged off that motion."""
    model = ts.ModelBuilder("disc", base="free").add_link("disc", ts.Inertia.of_cylinder(MASS, RADIUS, 1e-3)).build()
    transverse, _, axial = np.diag(model.bodies["disc"].inertia.moments)
    s, c = np.sin(tilt), np.cos(tilt)
    spin = (transverse * turn**2 * s * c - MASS * 9.81 * RADIUS * c) / ((axial + MASS * RADIUS**2) * turn * s)
    q = model.neutral()
    q[:3] = 0.0, 0.0, RADIUS * s
    q[3:7] = ts.spatial.quaternion_from_rotation_matrix([[-c, 0.0, s], [0.0, -1.0, 0.0], [s, 0.0, c]])
    v = [0.0, RADIUS * spin, 0.0, turn * s + nudge, 0.0, spin]
    wheel = ts.constraints.RollingWheel("world", "disc", radius=RADIUS, axis=(0.0, 0.0, 1.0))
    return ts.simulate(model, q, v, duration=4.0, constraints=[wheel], integrator="dormand-prince")


def locking() -> ts.simulation.Trajectory:
    """A leg whose knee swings to its straight position and locks there."""
    b = ts.ModelBuilder("leg").add_link("pelvis")
    for name, mass in (("thigh", 3.0), ("shank", 2.0)):
        b.add_link(name, ts.Inertia.of_box(mass, (0.05, 0.05, 0.5), com=(0, 0, -0.25)))
    b.add_joint("hip", "revolute", "pelvis", "thigh", axis=(0, 1, 0))
    b.add_joint("knee", "revolute", "thigh", "shank", axis=(0, 1, 0), position=(0, 0, -0.5))
    leg = b.build()
    lock = ts.constraints.Lock.of_joint(leg, "knee", 0.0, direction=-1)
    return ts.simulate(leg, [-0.4, 0.8], [1.0, 0.0], duration=1.2, constraints=[lock], integrator="dormand-prince")


def main() -> None:
    """Simulate and draw."""
    with rc_context(STYLE):
        figure = Figure(figsize=(9.6, 3.4), layout="constrained")
        path, angles, energy = figure.subplots(1, 3)
        for nudge, color, label in ((0.0, BLUE, "steady"), (0.5, ORANGE, "nudged")):
            run = rolling(1.2, 1.5, nudge)
            path.plot(run.q[:, 0], run.q[:, 1], color=color, label=label)
        path.set(xlabel="x [m]", ylabel="y [m]", title="centre of a rolling disc", aspect="equal")
        path.legend()
        run = locking()
        for k, (name, color) in enumerate((("hip", BLUE), ("knee", ORANGE))):
            angles.plot(run.time, run.q[:, k], color=color, label=name)
        angles.axvline(run.metadata["events"][0]["time"], color=GREY, linestyle=":")
        angles.set(xlabel="time [s]", ylabel="angle [rad]", title="a knee that locks")
        angles.legend()
        parts = (("kinetic", BLUE), ("potential", GREEN), ("impact", ORANGE))
        for name, color in parts:
            energy.plot(run.time, run.energy[name] - run.energy[name][0], color=color, label=name)
        total = sum(run.energy[name] - run.energy[name][0] for name, _ in parts)
        energy.plot(run.time, total, color="black", linestyle=":", label="sum")
        energy.set(xlabel="time [s]", ylabel="change of energy [J]", title="its energies")
        energy.set_ylim(top=3.2)
        energy.legend(ncol=2, loc="upper right")
        figure.savefig(Path(__file__).parent / "constrained-motion.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
