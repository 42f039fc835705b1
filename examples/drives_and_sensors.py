"""An arm that is moved by drives and watched by sensors, beside the ideal one.

A two-joint arm follows a smooth motion under computed torque with feedback. Three runs: ideal torques and the true
state; geared motors with friction and elasticity; and the same with encoders and an IMU, noise and delay included. The
last run is done twice, by `simulate` and by a loop over `forward_dynamics`, which shows all there is to it.

Run as ``python examples/drives_and_sensors.py [picture.png [seconds]]``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

import tarsus as ts
from tarsus.devices.actuators import (
    ActuatedController,
    Actuator,
    CurrentLoop,
    Drive,
    ElasticGear,
    Gear,
    GearFriction,
    Motor,
    TorqueSpeedCurve,
    with_rotors,
)
from tarsus.devices.sensors import IMU, Encoder, ErrorModel, MeasuredController, SensorSuite
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation import with_signals

Array = npt.NDArray[np.float64]
Control = Callable[[float, Array, Array], Array]

RATE = 1000.0
KP, KD = 400.0, 40.0
R, L, KT = 0.6, 0.8e-3, 0.06
"""Winding of both motors: [ohm], [H], [N m/A]."""
MOTOR = Motor(R, L, KT, 2e-5, voltage_max=48.0, loop=CurrentLoop.of_bandwidth(R, L, 4000.0))


def arm() -> ts.Model:
    """Two links of 0.4 m in the vertical plane, with an IMU at the hand."""
    b = ts.ModelBuilder("arm").add_link("ground")
    for name, mass in (("upper", 3.0), ("fore", 2.0)):
        b.add_link(name, ts.Inertia.of_box(mass, (0.4, 0.06, 0.06), com=(0.2, 0.0, 0.0)))
    b.add_joint("shoulder", "revolute", "ground", "upper", axis=(0.0, 1.0, 0.0))
    b.add_joint("elbow", "revolute", "upper", "fore", axis=(0.0, 1.0, 0.0), position=(0.4, 0.0, 0.0))
    return b.add_frame("hand", "fore", ts.pose((0.4, 0.0, 0.0))).build()


def drives() -> dict[str | tuple[str, ...], Actuator]:
    """A rigid gear with a lot of friction at the shoulder, an elastic one at the elbow."""
    rough = GearFriction(coulomb=1.0, viscous=0.5, static=1.5, stribeck_speed=0.05, efficiency=0.85)
    smooth = GearFriction(coulomb=0.4, viscous=0.1, efficiency=0.9)
    return {
        "shoulder": Drive(MOTOR, Gear(100.0, rough), TorqueSpeedCurve(120.0, 8.0, knee=5.0)),
        "elbow": Drive(MOTOR, ElasticGear(50.0, 3000.0, 3.0, smooth)),
    }


def sensors() -> tuple[Encoder, IMU]:
    """Encoders of 16 bits at the joints and an IMU of a few dollars, both a millisecond late."""
    counts = ErrorModel(resolution=Encoder.counts(2**16))
    gyroscope = ErrorModel(noise_density=2e-4, bias_spread=0.01, bias_walk=1e-4, limit=35.0)
    accelerometer = ErrorModel(noise_density=3e-3, bias_spread=0.1, limit=16 * 9.81)
    return (
        Encoder(joints=("shoulder", "elbow"), errors=counts, velocity="filtered", cutoff=300.0, delay=1e-3),
        IMU(frame="hand", gyroscope=gyroscope, accelerometer=accelerometer, rate=500.0, delay=1e-3),
    )


def reference(t: float) -> tuple[Array, Array, Array]:
    """Angles, rates and accelerations of the motion: one cosine a joint."""
    amplitude, w = np.array([0.6, -0.8]), np.pi
    rest = np.array([0.2, 0.4])
    q = rest + amplitude * (1.0 - np.cos(w * t))
    return q, amplitude * w * np.sin(w * t), amplitude * w**2 * np.cos(w * t)


def tracking(model: ts.Model) -> Control:
    """Computed torque about the reference, with feedback."""

    def control(t: float, q: Array, v: Array) -> Array:
        q_d, v_d, a_d = reference(t)
        return ts.inverse_dynamics(model, q, v, a_d + KP * (q_d - q) + KD * (v_d - v))

    return control


def own_loop(model: ts.Model, controller: Control, q: Array, v: Array, duration: float) -> Trajectory:
    """Held torques and the midpoint rule: what a simulation is made of."""
    dt = 1.0 / RATE
    count = round(duration * RATE)
    qs, vs, taus = [q], [v], []
    for k in range(count):
        tau = controller(k * dt, q, v)
        half_v = v + 0.5 * dt * ts.forward_dynamics(model, q, v, tau)
        half_q = model.integrate(q, v, 0.5 * dt)
        v = v + dt * ts.forward_dynamics(model, half_q, half_v, tau)
        q = model.integrate(q, half_v, dt)
        qs.append(q)
        vs.append(v)
        taus.append(tau)
    taus.append(taus[-1])
    return Trajectory(model, dt * np.arange(count + 1), np.array(qs), np.array(vs), np.array(taus))


def error(trajectory: Trajectory) -> Array:
    """Deviation from the reference (N, 2) [rad]."""
    return np.array([q - reference(float(t))[0] for t, q in zip(trajectory.time, trajectory.q, strict=True)])


def runs(duration: float) -> dict[str, Trajectory]:
    """The three motions, and the last one by hand. The controller knows the inertia of the rotors, and no more."""
    plain = arm()
    q0, v0, _ = reference(0.0)
    results: dict[str, Trajectory] = {}

    def simulated(model: ts.Model, controller: Control) -> Trajectory:
        # with torques held over a step, an exact step of the arm suits the exact step of the drives
        return ts.simulate(
            model, q0, v0, controller=controller, duration=duration, dt=1.0 / RATE, sample_dt=1.0 / RATE,
            integrator="runge-kutta-4",
        )  # fmt: skip

    results["ideal"] = simulated(plain, tracking(plain))
    model = with_rotors(plain, drives())
    known = with_rotors(plain, {"shoulder": Drive(MOTOR, Gear(100.0)), "elbow": Drive(MOTOR, Gear(50.0))})
    driven = ActuatedController(tracking(known), drives(), model=model, rate=RATE)
    results["drives"] = with_signals(simulated(model, driven), driven.log)
    for name in ("drives and sensors", "the same by hand"):
        suite = SensorSuite(model, sensors(), seed=1)
        measured = MeasuredController(tracking(known), suite)
        driven = ActuatedController(measured, drives(), model=model, rate=RATE)
        done = simulated(model, driven) if name != "the same by hand" else own_loop(model, driven, q0, v0, duration)
        results[name] = with_signals(done, driven.log, suite.log)
    return results


def draw(results: dict[str, Trajectory], path: str) -> None:
    """Tracking errors, and what motors and IMU went through."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10.0, 6.0), constrained_layout=True)
    for name, trajectory in list(results.items())[:3]:
        for joint in (0, 1):
            axes[0, joint].plot(trajectory.time, 1e3 * error(trajectory)[:, joint], label=name, lw=1.2)
    for joint, title in enumerate(("shoulder: rigid gear", "elbow: elastic gear")):
        axes[0, joint].set(title=title, ylabel="error [mrad]", xlabel="time [s]")
        axes[0, joint].legend(fontsize=8)
    last = results["drives and sensors"]
    axes[1, 0].plot(last.time, last.signals["command"][:, 0], label="torque asked for", lw=1.0)
    axes[1, 0].plot(last.time, last.tau[:, 0], label="torque on the joint", lw=1.2)
    axes[1, 0].set(title="shoulder: friction in between", ylabel="[N m]", xlabel="time [s]")
    axes[1, 1].plot(last.time, last.signals["imu"][:, 5], label="accelerometer z", lw=0.8)
    axes[1, 1].plot(last.time, last.signals["imu"][:, 3], label="accelerometer x", lw=0.8)
    axes[1, 1].set(title="IMU at the hand", ylabel="[m/s$^2$]", xlabel="time [s]")
    for axis in axes[1]:
        axis.legend(fontsize=8)
    for axis in axes.flat:
        axis.grid(alpha=0.3)
    figure.savefig(path, dpi=100)


def main(path: str = "drives_and_sensors.png", seconds: str = "2") -> None:
    """Run, print, draw."""
    results = runs(float(seconds))
    for name, trajectory in results.items():
        shoulder, elbow = 1e3 * np.abs(error(trajectory)).max(axis=0)
        print(f"{name:20s} greatest errors: shoulder {shoulder:6.2f} mrad, elbow {elbow:6.2f} mrad")
    one, other = results["drives and sensors"], results["the same by hand"]
    print(f"simulate and the loop by hand differ by {np.abs(one.q - other.q).max():.1e} rad")
    draw(results, path)
    print(f"picture in {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
