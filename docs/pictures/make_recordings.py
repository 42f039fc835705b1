"""Draws docs/pictures/energy-audit.png and signals.png: rabbit dropped on compliant ground under joint PD.

python docs/pictures/make_recordings.py [recording.h5]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import tarsus as ts
from tarsus.contact import PseudoCoulomb, flat, points
from tarsus.simulation import JointLaw

GROUND = PseudoCoulomb(stiffness=40e3, damping=400.0, viscosity=200.0)
DROP = 0.08
"""Height of the soles above the ground at the start [m]."""


def simulate(path: Path) -> None:
    """Record the drop, with a sample every millisecond."""
    model = ts.robots.rabbit()
    q = np.array(model.reference)
    q[1] += DROP
    ts.simulate(
        model,
        q,
        duration=1.2,
        controller=JointLaw(kp=600.0, kd=15.0, limited=False),
        ground=flat(GROUND),
        contacts=points(model, ["l_sole", "r_sole"]),
        integrator="runge-kutta-4",
        dt=1e-4,
        sample_dt=1e-3,
        record=path,
    )


def main() -> None:
    """Simulate, record, draw."""
    here = Path(__file__).parent
    recording = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("rabbit-drop.h5")
    simulate(recording)
    run = ts.open_recording(recording)
    ts.plot_energy(run, here / "energy-audit.png")
    ts.plot_signals(run, None, here / "signals.png")
    deviation = np.abs(run.total_energy - run.total_energy[0])
    print(f"largest deviation of the total: {deviation.max():.3g} J, in the air {deviation[:100].max():.3g} J")


if __name__ == "__main__":
    main()
