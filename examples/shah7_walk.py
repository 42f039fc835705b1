"""The 7-link biped of Shah, Saha and Dutt walks for 4 s on compliant ground; figures 5 to 10 of the paper, drawn again.

Run as ``python examples/shah7_walk.py [folder]``; it prints what it measured and writes the figures to the folder.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import tarsus as ts
from tarsus.recording.energies import total_energy
from tarsus.recording.trajectory import Trajectory
from tarsus.walking import measure_walk, shah_walk

JOINTS = ("hip", "knee", "ankle")
COLORS = ("#1f4fd8", "#d9730d", "#2e7d32")
SOLE = ("#1f4fd8", "#d9730d")


def joint_torques(axes: Axes, walk: Trajectory) -> None:
    """Figure 5: torques of the inverse dynamics, which are fed forward."""
    for k in range(6):
        style = "-" if k < 3 else "--"
        axes.plot(
            walk.time,
            walk.signals["tau_feedforward"][:, 3 + k],
            style,
            color=COLORS[k % 3],
            lw=0.9,
            label=f"$\\tau_{k + 1}$",
        )
    axes.set_ylim(-40.0, 50.0)  # the peaks at touch-down are cut
    axes.set_ylabel("joint torques [N m]")
    axes.legend(ncols=6, fontsize=7, loc="upper center", handlelength=1.2, columnspacing=0.8)


def trunk_position(axes: Axes, walk: Trajectory) -> None:
    """Figure 6: centre of mass of the trunk."""
    axes.plot(walk.time, walk.q[:, 0], color=COLORS[0], label="forward")
    axes.plot(walk.time, walk.signals["q_desired"][:, 0], ":", color=COLORS[0], label="forward, planned")
    axes.plot(walk.time, walk.q[:, 1], color=COLORS[1], label="up")
    axes.set_ylabel("centre of mass of the trunk [m]")
    axes.legend(fontsize=7)


def trunk_pitch(axes: Axes, walk: Trajectory) -> None:
    """Figure 7: the angle that the paper calls phi_0 and counts from 90 degrees."""
    axes.plot(walk.time, np.degrees(walk.q[:, 2]), color=COLORS[0])
    axes.axhline(0.0, color="0.6", lw=0.8)
    axes.set_ylabel("pitch of the trunk, forward [deg]")


def leg_angles(axes: Axes, walk: Trajectory, leg: int) -> None:
    """Figures 8 and 9: joint angles of one leg; the plan is dotted."""
    for k, joint in enumerate(JOINTS):
        column = 3 + 3 * leg + k
        axes.plot(walk.time, np.degrees(walk.q[:, column]), color=COLORS[k], label=joint)
        axes.plot(walk.time, np.degrees(walk.signals["q_desired"][:, column]), ":", color=COLORS[k])
    axes.set_ylim(-40.0, 78.0)
    axes.set_ylabel(f"joint angles of leg {leg + 1} [deg]")
    axes.legend(fontsize=7, ncols=3, loc="upper center")


def energies(axes: Axes, walk: Trajectory) -> None:
    """Figure 10: where the energy is; everything is counted from its value at the start."""
    energy = walk.energy
    ground = energy["ground_stored"] + energy["ground_dissipated"]
    for values, label, color in (
        (energy["kinetic"], "kinetic", COLORS[0]),
        (energy["potential"], "potential", COLORS[1]),
        (ground, "ground", COLORS[2]),
        (-energy["actuator"], "actuators", "#7b1fa2"),
    ):
        axes.plot(walk.time, values - values[0], color=color, label=label)
    total = total_energy(energy)
    axes.plot(walk.time, total - total[0], color="black", label="total")
    axes.set_ylabel("energy since the start [J]")
    axes.legend(fontsize=7, ncols=2)


FIGURES: dict[int, tuple[str, Callable[[Axes, Trajectory], None]]] = {
    5: ("Joint torques", joint_torques),
    6: ("Trunk", trunk_position),
    7: ("Pitch of the trunk", trunk_pitch),
    8: ("Leg 1", lambda axes, walk: leg_angles(axes, walk, 0)),
    9: ("Leg 2", lambda axes, walk: leg_angles(axes, walk, 1)),
    10: ("Energies", energies),
}


def skeletons(axes: Axes, walk: Trajectory, every: float = 0.5) -> None:
    """The robot as lines, every half of a second, where it is."""
    step = round(every / float(walk.time[1] - walk.time[0]))
    axes.axhspan(-0.06, 0.0, color="0.92")
    for k in range(0, len(walk.time), step):
        top = ts.frame_pose(walk.model, walk.q[k], "trunk") @ ts.pose((0.0, 0.0, 0.25))
        chain = {name: ts.frame_pose(walk.model, walk.q[k], name)[[0, 2], 3] for name in walk.model.frames}
        for side, color in zip("rl", SOLE, strict=True):
            leg = [chain[f"{side}_{part}"] for part in ("thigh", "shank", "foot")]
            axes.plot(*np.transpose(leg), color=color, lw=1.0)
            axes.plot(*np.transpose([chain[f"{side}_heel"], chain[f"{side}_toe"]]), color=color, lw=1.6)
        axes.plot(*np.transpose([top[[0, 2], 3], chain["r_thigh"]]), color="0.35", lw=1.4)
    axes.set_aspect("equal")
    axes.set_ylim(-0.06, 1.6)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("z [m]")


def draw(walk: Trajectory, folder: Path) -> list[Path]:
    """One file for each figure, and one with the robot itself."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, (title, plot) in FIGURES.items():
        figure = Figure(figsize=(6.0, 3.4), dpi=120, layout="constrained")
        axes = figure.add_subplot()
        plot(axes, walk)
        axes.set_title(f"Shah et al., figure {number}: {title.lower()}", fontsize=10)
        axes.set_xlabel("time [s]")
        axes.set_xlim(walk.time[0], walk.time[-1])
        axes.grid(alpha=0.3)
        paths.append(folder / f"figure-{number}.png")
        figure.savefig(paths[-1])
    figure = Figure(figsize=(6.0, 4.6), dpi=120, layout="constrained")
    skeletons(figure.add_subplot(), walk)
    paths.append(folder / "walk.png")
    figure.savefig(paths[-1])
    return paths


def main(folder: str = "shah7_walk", *, progress: bool | None = None) -> None:
    """Run it, print and write everything."""
    walk = shah_walk(sample_dt=0.002, progress=progress)
    found = measure_walk(walk)
    low, high = np.degrees(found.pitch)
    print(f"walked {found.distance:.3f} m in {walk.time[-1]:g} s, pitch of the trunk {low:+.2f} to {high:+.2f} degrees")
    print("step  length [m]  largest difference to the step before: pitch [deg]  height [mm]  joints [deg]")
    for k, length in enumerate(found.step_lengths):
        against = "" if k == 0 else (
            f"{np.degrees(found.pitch_repeats[k - 1]):44.2f} {1e3 * found.height_repeats[k - 1]:12.2f} "
            f"{np.degrees(found.joint_repeats[k - 1]):13.2f}"
        )  # fmt: skip
        print(f"{k + 1:4d}  {length:10.3f}  {against}")
    print(
        f"energy: {found.energy_exchanged:.2f} J exchanged, total constant to {found.energy_drift:.1e} J "
        f"({100.0 * found.energy_drift / found.energy_exchanged:.1e} %)"
    )
    for path in draw(walk, Path(folder)):
        print(path)


if __name__ == "__main__":
    main(*sys.argv[1:2])
