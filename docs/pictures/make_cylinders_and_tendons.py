"""Draw docs/pictures/cylinders_and_tendons.png: cylinders that make a step, and a joint between two tendons."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import tarsus as ts
from tarsus.devices.actuators import (
    ActuatedController,
    Actuator,
    AntagonisticSprings,
    Cylinder,
    ExponentialSpring,
    HydraulicCylinder,
    PneumaticCylinder,
    QuadraticSpring,
    with_rotors,
)


def arm() -> ts.Model:
    """An arm of 4 kg that turns about a vertical axis."""
    b = ts.ModelBuilder("arm").add_link("ground")
    b.add_link("upper", ts.Inertia.of_box(4.0, (0.5, 0.06, 0.06), com=(0.25, 0.0, 0.0)))
    b.add_joint("shoulder", "revolute", "ground", "upper", axis=(0, 0, 1))
    return b.build()


def cylinder_step(axis: Axes, actuator: Actuator, duration: float, opened: float, closed: float, title: str) -> None:
    """The valve opens, and closes again: pressures, and the joint on the right."""
    drives = {"shoulder": actuator}
    model = with_rotors(arm(), drives)

    def command(t, q, v):
        return np.array([opened if 0.1 * duration <= t < 0.1 * duration + closed else 0.0])

    controller = ActuatedController(command, drives, model=model, rate=2000.0)
    run = ts.simulate(model, np.array([-0.4]), controller=controller, duration=duration, dt=5e-4, sample_dt=1e-3)
    for name, colour in (("a", "C0"), ("b", "C1")):
        time, pressure = controller.log.recorded(f"shoulder.pressure_{name}")
        axis.plot(time, 1e-5 * pressure, colour, lw=1.2, label=f"chamber {name}")
    axis.axhline(1e-5 * float(actuator.supply), color="0.6", lw=0.8, ls=":")
    axis.axvspan(0.1 * duration, 0.1 * duration + closed, color="0.9", zorder=0)
    axis.set(title=title, xlabel="time [s]", ylabel="pressure [bar]")
    other = axis.twinx()
    other.plot(run.time, run.q[:, 0], "k", lw=1.0)
    other.set_ylabel("joint [rad] (black)")


def torque(axis: Axes) -> None:
    """Torque over the angle at three co-contractions: the joint becomes stiffer, its equilibrium stays."""
    q = np.linspace(-0.9, 0.9, 181)
    for spring, style, name in (
        (QuadraticSpring(4e5), "-", "quadratic"),
        (ExponentialSpring(60.0, 0.01), "--", "exponential"),
    ):
        for c, colour in ((0.15, "C0"), (0.3, "C1"), (0.45, "C2")):
            joint = AntagonisticSprings(0.03, spring, c)
            x = np.broadcast_to(joint.initial(0.2), (q.size, 2))
            axis.plot(q, joint.derivative(x, 0.2, q, 0.0)[1], style, color=colour, label=f"{name}, c = {c:g} rad")
    axis.axvline(0.2, color="0.6", lw=0.8, ls=":")
    axis.set(title="antagonistic springs, command 0.2 rad", xlabel="joint [rad]", ylabel="torque [N m]", ylim=(-25, 25))


def stiffness(axis: Axes) -> None:
    """Stiffness at the equilibrium over the co-contraction: measured by a small force, and the closed form."""
    c, r, e = np.linspace(0.02, 0.8, 14), 0.03, 1e-5
    fine = np.linspace(0.0, 0.8, 100)
    for spring, exact, name in (
        (QuadraticSpring(4e5), 4.0 * 4e5 * r**3 * fine, "quadratic"),
        (ExponentialSpring(60.0, 0.01), 2.0 * r**2 * 60.0 / 0.01 * np.exp(r * fine / 0.01), "exponential"),
    ):
        joint = AntagonisticSprings(r, spring, c)
        x = joint.initial(np.zeros(c.size))
        tau = [joint.derivative(x, 0.0, np.full(c.size, q), 0.0)[1] for q in (-e, e)]
        (line,) = axis.plot(c, (tau[0] - tau[1]) / (2.0 * e), "o", ms=4, label=name)
        axis.plot(fine, exact, color=line.get_color(), lw=0.8)
    axis.set(title="stiffness over co-contraction", xlabel="co-contraction [rad]", ylabel="stiffness [N m/rad]")


def main() -> None:
    """All four on one picture."""
    figure, axes = plt.subplots(2, 2, figsize=(10.0, 6.4), constrained_layout=True)
    air = PneumaticCylinder(Cylinder(0.04, 0.1, 0.04, 0.012, viscous=600.0), 7e5, 1e-8, rest=4e5)
    oil = HydraulicCylinder(
        Cylinder(0.016, 0.08, 0.035, 0.01, viscous=200.0), 2e7, HydraulicCylinder.valve_of(1.2e-4, 3.5e6), leakage=2e-13
    )
    cylinder_step(axes[0, 0], air, 1.0, 0.2, 0.2, "pneumatic cylinder: the valve opens (grey)")
    cylinder_step(axes[0, 1], oil, 0.2, 0.1, 0.08, "hydraulic cylinder: the valve opens (grey)")
    torque(axes[1, 0])
    stiffness(axes[1, 1])
    for axis in axes.flat:
        axis.legend(fontsize=7, loc="lower right" if axis in axes[0] else "best")
        axis.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_name("cylinders_and_tendons.png"), dpi=100)


if __name__ == "__main__":
    main()
