"""Events of rigid contact, with a ball and HRP-2: docs/pictures/rigid-contact.png."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

import tarsus as ts
from tarsus.contact import ContactPoint, Rigid, contactors, flat
from tarsus.simulation import JointLaw

G = 9.81
EXACT = {"relative": 1e-11, "absolute": 1e-12}


def bouncing() -> ts.Trajectory:
    """A ball of restitution 0.8 from 1 m."""
    model = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, 0.1)).build()
    ball = [ContactPoint("ball", "ball", radius=0.1)]
    ground = flat(Rigid(friction=0.5, restitution=0.8))
    return ts.simulate(model, [0, 0, 1.1, 1, 0, 0, 0], ground=ground, contacts=ball, duration=4.5, **EXACT)


def landing() -> ts.Trajectory:
    """HRP-2 dropped by 5 cm."""
    robot = ts.robots.hrp2()
    q = np.array(robot.reference)
    q[2] += 0.05
    feet = contactors(robot, ["LLEG_LINK5", "RLEG_LINK5"])
    law = JointLaw(kp=4000.0, kd=100.0, q=q)
    return ts.simulate(robot, q, ground=flat(Rigid()), contacts=feet, controller=law, duration=0.6, sample_dt=0.001)


def main() -> None:
    """Draw it."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4))
    ball = bouncing()
    hits = np.array([e["time"] for e in ball.metadata["events"] if e["event"] == "impact"])
    first = np.sqrt(2 / G)
    expected = first + 2 * first * 0.8 * (1 - 0.8 ** np.arange(len(hits))) / 0.2
    print(f"{len(hits)} impacts, largest error {np.abs(hits - expected).max():.1e} s")
    left.plot(ball.time, ball.q[:, 2] - 0.1)
    left.plot(hits, 0 * hits, "k|", markersize=10, label=f"{len(hits)} impacts")
    left.axvline(first * 9, color="gray", linestyle="--", label="time of Zeno")
    left.set(xlabel="time [s]", ylabel="height [m]", title="Bouncing to rest")
    left.legend()

    run = landing()
    robot = run.model
    force = run.contact_force[:, :, 2].sum(axis=1) / (robot.total_mass * G)
    middle.plot(run.time, force, label="force / weight")
    middle.plot(run.time, run.signals["dof"] / robot.nv, drawstyle="steps-post", label="degrees of freedom / 36")
    middle.set(xlabel="time [s]", title="HRP-2 dropped by 5 cm", xlim=(0.095, 0.14), ylim=(0, 4))
    middle.legend()
    energy = run.energy
    for name, label in (("impact", "impacts"), ("ground_dissipated", "friction")):
        right.plot(run.time, energy[name], label=label)
    right.plot(run.time, -energy["actuator"], label="taken by the joint law")
    total = run.total_energy
    print(f"total energy changes by {np.abs(total - total[0]).max():.1e} J; {len(run.metadata['events'])} events")
    right.set(xlabel="time [s]", ylabel="energy [J]", title="Where the energy of the fall goes")
    right.legend(loc="center right")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("rigid-contact.png"), dpi=110)


if __name__ == "__main__":
    main()
