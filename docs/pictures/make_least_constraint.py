"""Errors of the least-constraint law over the step: docs/pictures/least-constraint.png."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

import tarsus as ts
from tarsus.contact import ContactPoint, LeastConstraint, flat
from tarsus.simulation.simulate import simulate

G = 9.81
STEPS = 8e-3 / 2.0 ** np.arange(7)


def box() -> ts.Model:
    """5 kg, 0.4 m x 0.3 m x 0.2 m."""
    inertia = ts.Inertia.of_box(5.0, (0.4, 0.3, 0.2))
    return ts.ModelBuilder("box", base="free").add_link("box", inertia).build()


def ball() -> ts.Model:
    """1 kg, radius 0.1 m."""
    return ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, 0.1)).build()


def block_error(dt: float) -> float:
    """Where a block thrown at 3 m/s with friction 0.5 has stopped [m]."""
    feet = [ContactPoint(f"{x}{y}", "box", (x, y, -0.1)) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    run = simulate(
        box(),
        [0, 0, 0.1, 1, 0, 0, 0],
        [3.0, 0, 0, 0, 0, 0],
        duration=0.8,
        dt=dt,
        sample_dt=0.8,
        contacts=feet,
        ground=flat(LeastConstraint(friction=0.5)),
    )
    return abs(float(run.q[-1, 0]) - 9.0 / G)


def sphere_error(dt: float) -> float:
    """Where a sphere thrown at 5 m/s with friction 0.2, rolling at last, is after 1 s [m]."""
    run = simulate(
        ball(),
        [0, 0, 0.1, 1, 0, 0, 0],
        [5.0, 0, 0, 0, 0, 0],
        duration=0.992,
        dt=dt,
        sample_dt=0.992,
        contacts=[ContactPoint("s", "ball", radius=0.1)],
        ground=flat(LeastConstraint(friction=0.2)),
    )
    roll = 10 / (1.4 * G)
    exact = 5 * roll - 0.1 * G * roll**2 + 25 / 7 * (0.992 - roll)
    return abs(float(run.q[-1, 0]) - exact)


def bounce_error(dt: float) -> float:
    """Mean error of the height of balls between their first and second bounce [m]."""
    starts = 1.0 + np.linspace(0.0, 0.02, 32)
    q = np.tile([0.0, 0, 0, 1, 0, 0, 0], (32, 1))
    q[:, 2] = 0.1 + starts
    run = simulate(
        ball(),
        q,
        duration=1.2,
        dt=dt,
        sample_dt=dt,
        contacts=[ContactPoint("s", "ball", radius=0.1)],
        ground=flat(LeastConstraint(restitution=0.8)),
    )
    first = np.sqrt(2 * starts / G)
    at = np.round(1.6 * first / dt).astype(int)
    exact = 0.64 * starts - 0.5 * G * (run.time[at] - 1.8 * first) ** 2
    return float(np.mean(np.abs(run.q[at, np.arange(32), 2] - 0.1 - exact)))


def main() -> None:
    """Draw it."""
    cases = {
        "sliding block: where it stops": block_error,
        "sphere: slips, then rolls": sphere_error,
        "bouncing ball: height": bounce_error,
    }
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for (name, error), mark in zip(cases.items(), "osD", strict=True):
        values = [error(float(dt)) for dt in STEPS]
        slope = np.polyfit(np.log(STEPS), np.log(values), 1)[0]
        print(f"{name}: slope {slope:.2f}, errors {values}")
        left.loglog(STEPS, values, mark + "-", label=f"{name} (slope {slope:.2f})")
    left.loglog(STEPS, 0.5 * STEPS, "k--", label="slope 1")
    left.set(xlabel="dt [s]", ylabel="error [m]", title="First order in the step")
    left.set_xticks([1e-4, 1e-3, 1e-2], minor=False)
    left.tick_params(axis="x", which="minor", labelbottom=False)
    left.set_ylim(3e-6, 3e-2)
    left.legend(loc="lower right", fontsize=8)
    half = 0.5 * np.array((0.4, 0.3, 0.2))
    corners = [
        ContactPoint(f"c{i}", "box", half * (np.array([i & 1, i >> 1 & 1, i >> 2 & 1]) * 2 - 1)) for i in range(8)
    ]
    run = simulate(
        box(),
        [0, 0, 0.35, 0.9, 0.3, 0.2, 0.1],
        [1.5, 0.5, -1.0, 2.0, -3.0, 1.0],
        duration=1.2,
        dt=2e-4,
        sample_dt=4e-3,
        contacts=corners,
        ground=flat(LeastConstraint(friction=0.4)),
    )
    energy = run.energy
    right.stackplot(
        run.time,
        energy["kinetic"],
        energy["potential"],
        energy["ground_dissipated"],
        energy["impact"],
        labels=["kinetic", "potential", "friction", "impacts"],
    )
    right.set(xlabel="time [s]", ylabel="energy [J]", title="A box thrown on the ground")
    right.legend(loc="upper right")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("least-constraint.png"), dpi=110)


if __name__ == "__main__":
    main()
