"""hrp2 lands: poses, forces and energies of examples/drop_hrp2.py in docs/pictures/simulation.png.

python -m docs.pictures.make_simulation, from the root of the repository.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from examples.drop_hrp2 import DROP, KD, KP

import tarsus as ts
from tarsus.contact import flat
from tarsus.simulation import JointLaw
from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.playback import playback_of

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent

MOMENTS = (0.0, 0.12, 0.13, 0.2, 0.6)
"""[s]: at the start, before and after the soles touch, and at rest."""
ENERGIES = {
    "kinetic": ("#1f4fd8", "-"),
    "potential": ("#2e7d32", "-"),
    "ground_dissipated": ("#d9730d", "--"),
    "actuator": ("#00838f", ":"),
}


def landing() -> ts.Trajectory:
    """The fall, with a sample every millisecond."""
    robot = ts.robots.hrp2()
    q = np.array(robot.reference)
    q[2] += DROP
    return ts.simulate(robot, q, duration=0.6, sample_dt=1e-3, controller=JointLaw(kp=KP, kd=KD, q=q), ground=flat())


def main() -> None:
    """Draw robots above, curves below."""
    run = landing()
    playback = playback_of(run)
    samples = [playback.index_at(t) for t in MOMENTS]
    renderer = Renderer(playback, size=(300, 460), view=(50.0, 10.0), samples=samples)
    figure = plt.figure(figsize=(11.0, 6.6), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=(1.45, 1.0))
    for axes, k in zip(upper.subplots(1, len(samples)), samples, strict=True):
        axes.imshow(renderer.picture(k))
        axes.set_axis_off()
        axes.set_title(f"{run.time[k]:.2f} s", fontsize=10)
    force, energy = lower.subplots(1, 2)
    weight = run.model.total_mass * 9.81
    names = np.array(run.contacts)
    for side, color in (("L", "#1f4fd8"), ("R", "#d9730d")):
        own = [k for k, name in enumerate(names) if name.startswith(f"{side}LEG")]
        vertical = run.contact_force[:, own, 2].sum(axis=1) / weight
        style = "-" if side == "L" else (0, (4, 3))
        force.plot(
            run.time, vertical, color=color, ls=style, lw=1.6, label=f"{'left' if side == 'L' else 'right'} foot"
        )
    force.set_ylabel("vertical force / weight")
    force.set_title("forces of the ground", loc="left", fontsize=10)
    zero = run.energy["potential"].min()
    for name, (color, style) in ENERGIES.items():
        shift = zero if name == "potential" else 0.0
        label = name.replace("_", " ") + (" (subtracted)" if name == "actuator" else "")
        energy.plot(run.time, run.energy[name] - shift, color=color, ls=style, lw=1.6, label=label)
    energy.plot(run.time, run.total_energy - zero, color="black", lw=2.0, label="total of the audit")
    energy.set_ylabel("energy [J]")
    energy.set_title("energy audit", loc="left", fontsize=10)
    for axes in (force, energy):
        axes.set_xlabel("time [s]")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, fontsize=8)
    figure.savefig(HERE / "simulation.png", dpi=110)


if __name__ == "__main__":
    main()
