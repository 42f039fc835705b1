"""HRP-2 stands under pushes by what it measures: joint angles, an IMU and the forces in its feet, all with noise.

Run as ``python examples/stand_hrp2.py [folder]``; it prints what it measured and writes a plot and an animation to the
folder. The controller is explained in docs/standing.md.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import tarsus as ts
from tarsus.contact import Sole, flat
from tarsus.devices.sensors import IMU, Encoder, ErrorModel, ForceTorqueSensor
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation import Push

FORCE, PUSH_TIME = 60.0, 0.2
"""Of the pushes against the chest [N, s]."""
DIRECTIONS = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (0.7, 0.7))
CORNERS = ((0.115, 0.0655, 0.0), (0.115, -0.0655, 0.0), (-0.115, 0.0655, 0.0), (-0.115, -0.0655, 0.0))
"""Of the soles [m]."""
FEET = ("l_sole", "r_sole")
DT = 1e-3


def sensors(robot, waist="BODY", feet=FEET):
    """Encoders of all joints, an IMU in the waist, a force sensor in each foot: 1 kHz, noise, biases."""
    counts = ErrorModel(noise=1e-5, resolution=Encoder.counts(per_turn=2000, ratio=100))
    turning, falling = ErrorModel(noise=2e-3, bias=1e-3), ErrorModel(noise=0.05, bias=(0.05, -0.05, 0.0))
    return [
        Encoder(joints=tuple(robot.joints)[1:], errors=counts, velocity="filtered", cutoff=300.0),
        IMU(frame=waist, gyroscope=turning, accelerometer=falling),
        *(ForceTorqueSensor(frame=foot, name=foot, errors=ErrorModel(noise=1.0)) for foot in feet),
    ]


def standing(robot, gain=1.0, soles=FEET):
    """A controller that knows the model and what sensors tell."""
    q, v, up, offset = np.array(robot.reference), np.zeros(robot.nv), np.array([0.0, 0.0, 1.0]), np.zeros(2)
    weight, inertia = 9.81 * robot.total_mass, np.diag(ts.mass_matrix(robot, q))[6:]
    rest = (ts.center_of_mass(robot, q) - ts.frame_poses(robot, q, soles)[:, :3, 3].mean(axis=0))[:2]

    def control(observation):
        angles, rates = np.split(observation.sensors["encoder"], 2)
        gyroscope, accelerometer = np.split(observation.sensors["imu"], 2)
        loads = [observation.sensors[sole] for sole in soles]
        # The vertical in body axes: turned by the gyroscope, pulled to the accelerometer's within two seconds.
        up[:] += DT * (np.cross(up, gyroscope) + 0.5 * (accelerometer / 9.81 - up))
        up[:] /= np.linalg.norm(up)
        q[3:7] = np.array([1.0 + up[2], up[1], -up[0], 0.0]) / np.sqrt(2.0 + 2.0 * up[2])
        q[7:], v[3:6], v[6:] = angles, gyroscope, rates
        # Centre of mass and its velocity as seen from the feet, which stand still.
        feet, J = ts.frame_poses(robot, q, soles)[:, :3, 3], [ts.jacobian(robot, q, sole) for sole in soles]
        middle, width = feet.mean(axis=0), feet[0, 1] - feet[1, 1]
        com = ts.center_of_mass(robot, q) - middle
        velocity = (ts.com_jacobian(robot, q) - 0.5 * (J[0] + J[1])[:3]) @ v
        # Centre of pressure; on the average the centre of mass is above it.
        moments = [f[2] * (foot - middle)[:2] + (-f[4], f[3]) for f, foot in zip(loads, feet, strict=True)]
        pressure = sum(moments) / max(loads[0][2] + loads[1][2], 0.2 * weight)
        offset[:] += DT / 4.0 * (pressure - com[:2] - offset)
        com[:2] += offset
        # The pressure goes to the capture point and beyond, as far as the soles reach.
        capture = com[:2] + velocity[:2] * np.sqrt(com[2] / 9.81)
        wanted = np.clip(capture + gain * (capture - rest), (-0.09, -0.14), (0.09, 0.14)) if gain else rest
        # Torques: against gravity, for the force of the ground through that point, and for the posture.
        force = np.append(weight / com[2] * (com[:2] - wanted), weight)
        left = np.clip(0.5 + wanted[1] / width, 0.0, 1.0)
        wrench = np.append(force, np.cross((wanted[0], wanted[1] - (left - 0.5) * width, 0.0), force))
        tau = ts.gravity_force(robot, q) - left * wrench @ J[0] - (1.0 - left) * wrench @ J[1]
        tau[6:] += inertia * (900.0 * (robot.reference[7:] - angles) - 42.0 * rates)
        observation.log(capture_point=capture, pressure=pressure, wanted=wanted)
        if observation.t >= 10.0 or up[2] < 0.8:
            observation.stop("stood for 10 s" if up[2] >= 0.8 else "fell")
        return np.where(robot.actuated, np.clip(tau, -robot.tau_max, robot.tau_max), 0.0)

    return control


def pushes(force: float = FORCE) -> list[Push]:
    """One after the other, from all sides."""
    return [
        Push("CHEST_LINK1", (force * x, force * y, 0.0), start=1.0 + 1.5 * k, duration=PUSH_TIME)
        for k, (x, y) in enumerate(DIRECTIONS)
    ]


def stand(gain: float = 1.0, pushed: Sequence[Push] | None = None, seed: int = 0) -> Trajectory:
    """The simulation, until it has stood for ten seconds or has fallen."""
    robot = ts.robots.hrp2()
    soles = [Sole(foot, foot, CORNERS) for foot in FEET]
    return ts.simulate(robot, duration=11.0, controller=standing(robot, gain), sensors=sensors(robot), ground=flat(),
                       contacts=soles, pushes=pushes() if pushed is None else pushed, seed=seed,
                       progress=False)  # fmt: skip


def measures(run: Trajectory) -> dict[str, float]:
    """How far the robot was moved, in numbers."""
    soles = ts.frame_poses(run.model, run.q, FEET)[..., :3, 3]
    error = run.signals["wanted"] - run.signals["pressure"]
    return {
        "time [s]": float(run.time[-1]),
        "largest tilt of the body [deg]": float(np.degrees(2.0 * np.arccos(np.abs(run.q[:, 3]).clip(max=1.0)).max())),
        "largest way of the capture point [mm]": float(
            1e3 * np.linalg.norm(run.signals["capture_point"], axis=1).max()
        ),
        "centre of pressure from where it was wanted, mean [mm]": float(1e3 * np.linalg.norm(error, axis=1).mean()),
        "feet moved [mm]": float(1e3 * np.linalg.norm(soles[-1] - soles[0], axis=-1).max()),
        "work of the pushes [J]": float(run.energy["external"][-1]),
    }


def main(folder: str = "stand_hrp2") -> dict[str, float]:
    """Run it, print and write everything."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    run = stand()
    print(run.reason)
    found = measures(run)
    for name, value in found.items():
        print(f"{name:56} {value:9.3f}")
    ts.plot_signals(run, ["capture_point", "pressure"], target / "stand_hrp2.png")
    ts.viewer.write_animation(run, target / "stand_hrp2.html")
    return found


if __name__ == "__main__":
    main(*sys.argv[1:2])
