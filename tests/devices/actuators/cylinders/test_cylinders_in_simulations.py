"""Cylinders on robots in `simulate`: gas spring, arm, hydraulic knees; energies of robot and actuator."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import tarsus as ts
from tarsus.devices.actuators import ActuatedController, Cylinder, HydraulicCylinder, PneumaticCylinder, with_rotors
from tarsus.errors import ArgumentError


def arm(mass=4.0, length=0.5):
    b = ts.ModelBuilder("arm").add_link("ground")
    b.add_link("upper", ts.Inertia.of_box(mass, (length, 0.06, 0.06), com=(0.5 * length, 0.0, 0.0)))
    b.add_joint("shoulder", "revolute", "ground", "upper", axis=(0, 1, 0))
    return b.build()


def air(**keywords):
    return PneumaticCylinder(Cylinder(0.04, 0.1, 0.04, 0.012, viscous=100.0, piston_mass=0.3), 7e5, 2e-8, **keywords)


def oil(**seals):
    valve = HydraulicCylinder.valve_of(1.2e-4, 3.5e6)
    return HydraulicCylinder(Cylinder(0.016, 0.08, 0.035, 0.01, **seals), 2e7, valve, leakage=1e-13)


def run(actuator, model, command, *, dt=1e-3, duration=0.5, q0=0.0, integrator="runge-kutta-4"):
    """Trajectory, controller and what the actuator held at the beginning and at the end [J]."""
    drives = {"shoulder": actuator}
    model = with_rotors(model, drives)
    controller = ActuatedController(command, drives, model=model, rate=1.0 / dt)
    found = ts.simulate(
        model,
        np.array([q0]),
        controller=controller,
        duration=duration,
        dt=dt,
        sample_dt=duration,
        integrator=integrator,
    )
    x = np.array(list(controller.state("shoulder").values()))
    end = sum(actuator.stored(x, found.q[-1, 0]).values())
    return found, controller, sum(actuator.stored(actuator.initial(q0), q0).values()), end


@pytest.mark.parametrize("actuator", [air(rest=5e5), oil()], ids=["air", "oil"])
def test_energy_of_robot_and_actuator_is_what_was_supplied_less_losses(actuator):
    def swing(t, q, v):
        return np.array([-0.1 + 0.15 * np.sin(9.0 * t)])

    gaps = []
    for dt in (1e-3, 2.5e-4):
        found, controller, before, after = run(actuator, arm(), swing, dt=dt)
        assert found.finished
        energy = found.energy
        assert abs(energy["integration"][-1]) < 1e-6 * max(energy["kinetic"].max(), 1.0)
        delivered = energy["actuator"][-1]
        lost = sum(controller.energy[name].sum() for name in ("friction", "damping", "throttling"))
        put_in = controller.energy["supply"].sum()
        assert put_in > 1.0 and lost > 0.5
        gaps.append(abs(put_in - lost - delivered - (after - before)) / put_in)
    # the actuator counts the joint's rate at the beginning of each step: first order in the step
    assert gaps[0] < 0.02
    assert gaps[1] < 0.5 * gaps[0]


def test_closed_cylinder_is_a_spring_under_the_arm():
    # the arm swings about the point where the gas bears it, with sqrt((k + gravity's slope) / J)
    actuator = PneumaticCylinder(Cylinder(0.04, 0.1, 0.04), 7e5, 2e-8, rest=6e5)
    model = arm()

    def exact(t, y):
        V = actuator.cylinder.volumes(np.array(y[0]))
        start = actuator.cylinder.volumes(np.array(0.0))
        p = 6e5 * (start / V) ** 1.4
        J = 4.0 * (0.5**2 + 0.06**2) / 12.0 + 4.0 * 0.25**2
        tau = float(np.sum(actuator.cylinder.slopes * p))
        return [y[1], (tau + 4.0 * 9.81 * 0.25 * np.cos(y[0])) / J]

    reference = solve_ivp(exact, (0.0, 0.5), [0.0, 0.0], rtol=1e-10, atol=1e-12)
    found, _, _, _ = run(actuator, model, lambda t, q, v: np.zeros(1))
    np.testing.assert_allclose(found.q[-1, 0], reference.y[0, -1], atol=2e-4)


def test_controlled_pneumatic_arm_reaches_its_target():
    def towards(t, q, v):
        return -(q - 0.4) - 0.5 * v

    found, _, _, _ = run(air(), arm(), towards, duration=2.0, integrator="semi-implicit-euler")
    assert abs(found.q[-1, 0] - 0.4) < 0.1
    assert abs(found.v[-1, 0]) < 0.1


def test_hydraulic_knees_of_a_robot_are_moved():
    robot = ts.robots.rabbit()
    knees = tuple(name for name in robot.joints if "knee" in name)
    assert knees
    q0 = np.array(robot.reference)
    index = [robot.joints[name].q_index.start for name in knees]
    middle = q0[index]
    cylinder = Cylinder(0.016, 0.08, 0.035, 0.01, center=middle, coulomb=40.0, viscous=100.0, piston_mass=0.1)
    actuator = HydraulicCylinder(cylinder, 2e7, HydraulicCylinder.valve_of(1.2e-4, 3.5e6), leakage=1e-13)
    drives = {knees: actuator}
    model = with_rotors(robot, drives)
    target = middle + 0.2

    def bend(t, q, v):
        command = np.zeros((*q.shape[:-1], model.nv))
        places = [model.joints[name].v_index.start for name in knees]
        command[..., places] = 2.0 * (target - q[..., index])
        return command

    controller = ActuatedController(bend, drives, model=model, rate=2000.0)
    found = ts.simulate(model, q0, controller=controller, duration=0.6, dt=5e-4)  # it falls, and bends its knees
    np.testing.assert_allclose(found.q[-1, index], target, atol=0.01)
    assert controller.energy["supply"].sum() > 0.0
    for name in knees:
        state = controller.state(name)
        assert 0.0 <= state["pressure_a"] <= 1.5 * 2e7


def test_batch_in_a_simulation_is_each_robot_alone():
    model, drives = arm(), {"shoulder": oil(coulomb=30.0)}

    def command(t, q, v):
        return -2.0 * (q - 0.3)

    q0 = np.array([[0.0], [0.2], [-0.3]])
    many = ts.simulate(
        model, q0, controller=ActuatedController(command, drives, model=model, rate=1e3), duration=0.1, dt=1e-3
    )
    for i in range(3):
        one = ts.simulate(
            model, q0[i], controller=ActuatedController(command, drives, model=model, rate=1e3), duration=0.1, dt=1e-3
        )
        np.testing.assert_allclose(many.q[:, i], one.q, rtol=1e-9, atol=1e-9)


def test_rate_too_low_for_the_oil_spring_is_refused():
    # J = 0.002 kg m^2 on some 1e4 N m/rad: more than 2000 rad/s
    light = arm(mass=0.1, length=0.25)
    actuator = oil()
    inertia = 0.1 * (0.25**2 + 0.06**2) / 12.0 + 0.1 * 0.125**2
    expected = float(np.sqrt(actuator.stiffness(actuator.initial(0.0), 0.0) / inertia))
    controller = ActuatedController(lambda t, q, v: np.zeros(1), {"shoulder": actuator}, model=light, rate=1000.0)
    with pytest.raises(
        ArgumentError, match=f"shoulder swings against its actuator.*expected at least {expected:.4g} Hz"
    ):
        controller(0.0, np.zeros(1), np.zeros(1))
    fast = ActuatedController(lambda t, q, v: np.zeros(1), {"shoulder": actuator}, model=light, rate=1.1 * expected)
    fast(0.0, np.zeros(1), np.zeros(1))
