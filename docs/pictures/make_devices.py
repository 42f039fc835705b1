"""Draw docs/pictures/devices.png: what drives and sensors do, measured on them, beside the closed forms."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from tarsus.devices.actuators import (
    CurrentLoop,
    Drive,
    ElasticGear,
    ForceLoop,
    Gear,
    GearFriction,
    IdealMotor,
    Motor,
    SeriesElasticActuator,
)
from tarsus.devices.sensors import ErrorModel

R, L, KT, ROTOR, RATIO = 0.5, 1e-3, 0.05, 1e-5, 100.0
J = RATIO**2 * ROTOR


def voltage_limit(axis: Axes) -> None:
    """Current after a step of the reference, with plenty of voltage and with little."""
    dt = 5e-5
    time = dt * np.arange(121)
    for top, colour in ((np.inf, "C0"), (10.0, "C1")):
        drive = Drive(Motor(R, L, KT, ROTOR, voltage_max=top, loop=CurrentLoop.of_bandwidth(R, L, 3000.0)), Gear(RATIO))
        x, current = drive.initial(0.0), [0.0]
        for _ in time[1:]:
            x, _ = drive.advance(x, 60.0, 0.0, 0.0, dt)
            current.append(float(x[..., 0]))
        label = "no limit" if np.isinf(top) else f"at most {top:g} V"
        axis.plot(1e3 * time[::6], current[::6], "o", ms=4, color=colour, label=label)
    axis.plot(1e3 * time, 12.0 * (1.0 - np.exp(-3000.0 * time)), "C0", lw=0.8)
    axis.plot(1e3 * time, np.minimum(10.0 / R * (1.0 - np.exp(-R / L * time)), 12.0), "C1", lw=0.8)
    axis.set(title="current loop: step to 12 A", xlabel="time [ms]", ylabel="current [A]")


def hold(axis: Axes) -> None:
    """A wheel under a growing load: held, then sliding."""
    dt, inertia = 1e-3, 0.3
    for static, colour in ((2.0, "C0"), (3.0, "C1")):
        friction = GearFriction(coulomb=2.0, static=static, stribeck_speed=0.05)
        drive = Drive(IdealMotor(ROTOR), Gear(RATIO, friction))
        q = v = 0.0
        x, rates, loads = drive.initial(q), [], []
        for k in range(1300):
            load = 2.5 * k * dt
            x, tau = drive.advance(x, 0.0, q, v, dt)
            a = (float(tau) + load) / inertia
            q, v = q + v * dt + 0.5 * a * dt**2, v + a * dt
            rates.append(v)
            loads.append(load)
        axis.plot(loads, rates, color=colour, label=f"static friction {static:g} N m")
    axis.set(title="rigid gear: load grows until it slides", xlabel="load [N m]", ylabel="rate [rad/s]")


def force_bandwidth(axis: Axes) -> None:
    """Gain of the force loop of a series elastic actuator."""
    k, dt = 300.0, 1e-3
    w = np.logspace(0.8, 2.8, 200)
    for kp, colour in ((0.0, "C0"), (8.0, "C1")):
        kd = 1.2 * np.sqrt(J * (1.0 + kp) / k)
        exact = np.abs((1.0 + kp) / (1.0 + kp - J / k * w**2 + 1j * kd * w))
        axis.loglog(w / (2.0 * np.pi), exact, color=colour, lw=0.8)
        drive = SeriesElasticActuator(IdealMotor(ROTOR), ElasticGear(RATIO, k), force_loop=ForceLoop(kp, 0.0, kd))
        tried = np.logspace(1.0, 2.7, 9)
        x, torque = drive.initial(np.zeros(9)), []
        times = dt * np.arange(2000)
        for t in times:
            x, tau = drive.advance(x, np.sin(tried * (t + 0.5 * dt)), 0.0, 0.0, dt)
            torque.append(tau)
        late, values = times > 1.0, np.array(torque)
        phase = tried * (times[late, None] + 0.5 * dt)
        gain = [
            np.hypot(*np.linalg.lstsq(np.stack([np.sin(p), np.cos(p)], axis=1), y, rcond=None)[0])
            for p, y in zip(phase.T, values[late].T, strict=True)
        ]
        held = np.sinc(tried * dt / (2.0 * np.pi)) ** 2
        axis.loglog(tried / (2.0 * np.pi), gain / held, "o", ms=4, color=colour, label=f"kp = {kp:g}")
    axis.axhline(np.sqrt(0.5), color="0.6", lw=0.8, ls=":")
    axis.set(title="series elastic actuator: force", xlabel="frequency [Hz]", ylabel="gain")


def allan(axis: Axes) -> None:
    """Allan deviation of a gyroscope with noise and drift."""
    rate, density, walk = 100.0, 2e-3, 5e-4
    run = ErrorModel(noise_density=density, bias_walk=walk).begin((60,), rate, np.random.default_rng(0))
    values = np.array([run(np.zeros(60)) for _ in range(20000)])
    sizes = np.unique(np.logspace(0.0, 3.2, 14).astype(int))
    found = []
    for size in sizes:
        count = values.shape[0] // size
        means = values[: count * size].reshape(count, size, -1).mean(axis=1)
        found.append(np.sqrt(0.5 * np.mean(np.diff(means, axis=0) ** 2)))
    T = sizes / rate
    axis.loglog(T, found, "o", ms=4, color="C0", label="readings")
    axis.loglog(T, np.hypot(density / np.sqrt(T), walk * np.sqrt(T / 3.0)), "C0", lw=0.8, label="noise and drift")
    axis.loglog(T, density / np.sqrt(T), "0.6", lw=0.8, ls=":")
    axis.loglog(T, walk * np.sqrt(T / 3.0), "0.6", lw=0.8, ls=":")
    axis.set(
        title="gyroscope at rest: Allan deviation", xlabel="averaging time [s]", ylabel="[rad/s]", ylim=(1e-4, 0.1)
    )


def main() -> None:
    """All four on one picture."""
    figure, axes = plt.subplots(2, 2, figsize=(10.0, 6.4), constrained_layout=True)
    for axis, panel in zip(axes.flat, (voltage_limit, hold, force_bandwidth, allan), strict=True):
        panel(axis)
        axis.legend(fontsize=8)
        axis.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_name("devices.png"), dpi=100)


if __name__ == "__main__":
    main()
