"""Draws docs/pictures/energy-audit.png and signals.png: rabbit dropped on compliant ground under joint PD.

python docs/pictures/make_recordings.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import tarsus as ts

DT, STEPS, EVERY = 1e-4, 12000, 10
"""Step of the integrator [s], number of steps, steps between samples."""
STIFFNESS, DAMPING, SLIDING = 40e3, 400.0, 200.0
"""Of the ground: normal [N/m], [N s/m], and viscous along it [N s/m]."""
P_GAIN, D_GAIN = 600.0, 15.0
DROP = 0.08
"""Height of the soles above the ground at the start [m]."""
SOLES = ("l_sole", "r_sole")


def ground_force(model: ts.Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions and forces at the soles, shape (2, 3), and the powers (stored, dissipated) of the ground [W]."""
    position, force, power = np.zeros((2, 3)), np.zeros((2, 3)), np.zeros(2)
    for k, name in enumerate(SOLES):
        position[k] = ts.frame_pose(model, q, name)[:3, 3]
        velocity = ts.frame_velocity(model, q, v, name)[:3]
        depth, rate = -position[k, 2], -velocity[2]
        if depth <= 0.0:
            continue
        # Voigt element without tension: where the dashpot would pull, the sole leaves and the force is zero.
        normal = max(STIFFNESS * depth + DAMPING * rate, 0.0)
        force[k] = -SLIDING * velocity[0], 0.0, normal
        power[0] += STIFFNESS * depth * rate
        power[1] += (normal - STIFFNESS * depth) * rate + SLIDING * velocity[0] ** 2
    return position, force, power


def rates(model: ts.Model, target: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Acceleration, and powers: ground stored, ground dissipated, actuators."""
    _, force, power = ground_force(model, q, v)
    tau = controller(model, target, q, v)
    wrenches = {name: np.concatenate([f, np.zeros(3)]) for name, f in zip(SOLES, force, strict=True)}
    vdot = ts.forward_dynamics(model, q, v, tau, ts.body_wrenches(model, q, wrenches))
    return vdot, np.array([*power, tau @ v])


def controller(model: ts.Model, target: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Joint PD towards the posture at the start; the base is not driven."""
    return np.where(model.actuated, P_GAIN * model.difference(q, target) - D_GAIN * v, 0.0)


def step(model: ts.Model, target: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
    """One step of order four on the manifold (the four stages as twists from the start), with the work done."""
    a1, p1 = rates(model, target, q, v)
    v2 = v + 0.5 * DT * a1
    a2, p2 = rates(model, target, model.integrate(q, 0.5 * DT * v), v2)
    v3 = v + 0.5 * DT * a2
    a3, p3 = rates(model, target, model.integrate(q, 0.5 * DT * v2), v3)
    v4 = v + DT * a3
    a4, p4 = rates(model, target, model.integrate(q, DT * v3), v4)
    q = model.integrate(q, DT / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4))
    return q, v + DT / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4), DT / 6.0 * (p1 + 2.0 * p2 + 2.0 * p3 + p4)


def simulate(path: Path) -> None:
    """Record the drop."""
    model = ts.robots.rabbit()
    q, v, work = model.reference.copy(), np.zeros(model.nv), np.zeros(3)
    target = q.copy()
    q[1] += DROP
    with ts.Recorder(path, model, contacts=SOLES, metadata={"drop [m]": DROP, "ground [N/m]": STIFFNESS}) as recorder:
        for k in range(STEPS + 1):
            if k % EVERY == 0:
                position, force, _ = ground_force(model, q, v)
                recorder.append(
                    [k * DT],
                    [q],
                    [v],
                    [controller(model, target, q, v)],
                    contact_position=[position],
                    contact_force=[force],
                    energy={
                        "kinetic": [ts.kinetic_energy(model, q, v)],
                        "potential": [ts.potential_energy(model, q)],
                        "ground_stored": [work[0]],
                        "ground_dissipated": [work[1]],
                        "actuator": [work[2]],
                    },
                )
            q, v, done = step(model, target, q, v)
            work = work + done


def main() -> None:
    """Simulate, record, draw."""
    here = Path(__file__).parent
    recording = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("rabbit-drop.h5")
    simulate(recording)
    run = ts.open_recording(recording)
    ts.plot_energy(run, here / "energy-audit.png")
    ts.plot_signals(run, None, here / "signals.png")


if __name__ == "__main__":
    main()
