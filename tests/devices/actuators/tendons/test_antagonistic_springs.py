"""Joints between two tendons: torque, stiffness, energies, slack; in simulations."""

import numpy as np
import pytest
from devices.actuators.devices import balance, stored
from scipy.integrate import quad, solve_ivp

import tarsus as ts
from tarsus.devices.actuators import ActuatedController, AntagonisticSprings, ExponentialSpring, QuadraticSpring
from tarsus.errors import ArgumentError, NonFiniteError

R, K, F, L = 0.03, 4e5, 60.0, 0.01
"""[m], [N/m^2], [N], [m]"""
EXACT = 1e-12
"""Relative; closed forms in double precision."""
SPRINGS = {"quadratic": QuadraticSpring(K), "exponential": ExponentialSpring(F, L)}


def joint(spring="quadratic", c=0.4, **keywords):
    return AntagonisticSprings(R, SPRINGS[spring], c, **keywords)


@pytest.mark.parametrize("spring", SPRINGS.values(), ids=SPRINGS)
def test_slope_integral_and_mean_of_a_spring_belong_together(spring):
    d = np.linspace(-0.02, 0.03, 41)
    e = 1e-6
    away = np.abs(d) > 2.0 * e
    slope = (spring.force(d + e) - spring.force(d - e)) / (2.0 * e)
    np.testing.assert_allclose(spring.stiffness(d)[away], slope[away], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(spring.energy(d), [quad(spring.force, 0.0, x)[0] for x in d], rtol=1e-9, atol=1e-15)
    for d0, d1 in ((-0.01, 0.02), (0.02, 0.005), (0.01, 0.01), (-0.02, -0.01), (0.01, 0.01 + 1e-9)):
        mean = quad(lambda s, a=d0, b=d1: float(spring.force(np.array(a + s * (b - a)))), 0.0, 1.0, limit=200)[0]
        np.testing.assert_allclose(spring.mean_force(np.array(d0), np.array(d1)), mean, rtol=1e-8, atol=1e-12)
    assert np.all(spring.force(d) >= 0.0)
    np.testing.assert_array_equal(spring.force(d[d < 0.0]), 0.0)  # cables never push


def test_quadratic_springs_make_a_linear_joint():
    for c in (0.1, 0.5):
        springs, command = joint(c=c), 0.3
        x = springs.initial(command)
        q = command + np.linspace(-0.99, 0.99, 9) * c
        tau = springs.derivative(np.broadcast_to(x, (9, 2)), command, q, 0.0)[1]
        np.testing.assert_allclose(tau, -4.0 * K * R**3 * c * (q - command), rtol=EXACT, atol=EXACT)


def test_exponential_springs_follow_the_hyperbolic_sine():
    springs, c = joint("exponential"), 0.4
    q = np.linspace(-0.3, 0.3, 7)
    tau = springs.derivative(np.broadcast_to(springs.initial(0.0), (7, 2)), 0.0, q, 0.0)[1]
    np.testing.assert_allclose(tau, -2.0 * R * F * np.exp(R * c / L) * np.sinh(R * q / L), rtol=EXACT, atol=EXACT)


@pytest.mark.parametrize("spring", SPRINGS)
def test_stiffness_is_the_slope_of_the_torque(spring):
    springs, e = joint(spring), 1e-6
    for command, q in ((0.0, 0.0), (0.3, 0.1), (-0.2, 0.5)):  # the last with one tendon slack
        x = springs.initial(command)
        slope = (springs.derivative(x, command, q + e, 0.0)[1] - springs.derivative(x, command, q - e, 0.0)[1]) / (
            2 * e
        )
        np.testing.assert_allclose(springs.stiffness(x, q), -slope, rtol=1e-6)


@pytest.mark.parametrize("spring", SPRINGS)
def test_equilibrium_and_stiffness_are_set_independently(spring):
    springs = joint(spring)
    for asked in (15.0, 40.0):
        springs.cocontraction = springs.cocontraction_for(asked)
        for command in (-0.5, 0.0, 0.7):
            x, tau = springs.advance(springs.initial(0.1), command, command, 0.0, 1e-3)
            np.testing.assert_allclose(tau, 0.0, atol=1e-12)
            np.testing.assert_allclose(springs.stiffness(x, command), asked, rtol=EXACT)


def test_slack_tendon_does_not_push():
    springs = joint(c=0.1)
    x = springs.initial(0.0)
    q = np.array([-0.6, 0.6])
    tensions = springs.tensions(np.broadcast_to(x, (2, 2)), q)
    np.testing.assert_array_equal(tensions[[0, 1], [1, 0]], 0.0)
    tau = springs.derivative(np.broadcast_to(x, (2, 2)), 0.0, q, 0.0)[1]
    np.testing.assert_allclose(tau, [K * R**3 * 0.7**2, -K * R**3 * 0.7**2], rtol=EXACT)


def test_motor_with_a_speed_takes_its_time():
    springs = joint(speed=2.0)
    x = springs.initial(0.0)
    for k in range(1, 200):
        x, _ = springs.advance(x, 0.25, 0.0, 0.0, 1e-3)
        np.testing.assert_allclose(x, np.array([0.4, -0.4]) + min(2e-3 * k, 0.25), rtol=1e-12)


@pytest.mark.parametrize("speed", [np.inf, 3.0])
@pytest.mark.parametrize("spring", SPRINGS)
def test_energy_balance_of_any_step(spring, speed):
    springs = joint(spring, speed=speed, damping=0.3)
    rng = np.random.default_rng(4)
    shape = (50, 2)
    x = springs.initial(rng.uniform(-0.3, 0.3, shape))
    for _ in range(40):
        springs.cocontraction = rng.uniform(0.0, 0.8, shape)
        q, v = rng.uniform(-0.6, 0.6, shape), rng.normal(size=shape) * 4.0
        command, dt = rng.uniform(-0.5, 0.5, shape), float(10.0 ** rng.uniform(-5, -1))
        before = stored(springs, x, q)
        result = springs.step(x, command, q, v, dt)
        x, q = result.x, q + v * dt
        after = stored(springs, x, q)
        scale = 1.0 + before + after + np.abs(result.energy["supply"])
        np.testing.assert_allclose((after - before - balance(result.energy)) / scale, 0.0, atol=EXACT)
        assert np.all(result.energy["damping"] >= 0.0)


def test_steps_are_those_of_an_independent_integration():
    # motors that run with 1.5 rad/s towards q_c + c and q_c - c, a joint with J = 0.05 kg m^2, damped
    springs, J, command, speed = joint("exponential", speed=1.5, damping=0.2), 0.05, 0.3, 1.5

    def exact(t, y):
        run = min(speed * t, command)  # both motors start from +-c
        a, b = R * (0.4 + run - y[0]), R * (y[0] - (run - 0.4))
        tau = R * F * (max(np.expm1(a / L), 0.0) - max(np.expm1(b / L), 0.0)) - 0.2 * y[1]
        return [y[1], tau / J]

    reference = solve_ivp(exact, (0.0, 0.4), [0.0, 0.0], rtol=1e-10, atol=1e-12, max_step=1e-3)
    ends = []
    for dt in (1e-3, 5e-4):
        q = v = 0.0
        x = springs.initial(0.0)
        for _ in range(round(0.4 / dt)):
            x, tau = springs.advance(x, command, q, v, dt)
            q, v = q + v * dt + 0.5 * tau / J * dt**2, v + tau / J * dt
        ends.append(abs(q - reference.y[0, -1]))
    assert ends[0] < 1e-3  # first order in the step, from the damper of a held torque
    assert ends[1] < 0.6 * ends[0]


def test_batches_are_each_alone():
    many = AntagonisticSprings([0.02, 0.03], QuadraticSpring([K, 2.0 * K]), [0.3, 0.5], speed=[1.0, np.inf])
    rng = np.random.default_rng(2)
    q, v, u = rng.uniform(-0.3, 0.3, (3, 4, 2))
    result = many.step(many.initial(q), u, q, v, 1e-3)
    for j in range(2):
        one = AntagonisticSprings((0.02, 0.03)[j], QuadraticSpring((1 + j) * K), (0.3, 0.5)[j], (1.0, np.inf)[j])
        for i in range(4):
            alone = one.step(one.initial(q[i, j]), u[i, j], q[i, j], v[i, j], 1e-3)
            np.testing.assert_allclose(result.x[i, j], alone.x, rtol=EXACT)
            np.testing.assert_allclose(result.tau[i, j], alone.tau, rtol=1e-11, atol=1e-12)


def arm():
    b = ts.ModelBuilder("arm").add_link("ground")
    b.add_link("upper", ts.Inertia.of_box(1.0, (0.4, 0.05, 0.05), com=(0.2, 0.0, 0.0)))
    b.add_joint("shoulder", "revolute", "ground", "upper", axis=(0, 0, 1))
    return b.build()


def test_arm_in_a_simulation_swings_faster_when_it_is_stiffened():
    # without gravity about its axis: w = sqrt(4 k r^3 c / J), told from the time between two crossings
    model, J = arm(), 1.0 * (0.4**2 + 0.05**2) / 12.0 + 0.2**2
    for asked in (10.0, 40.0):
        springs = joint()
        springs.cocontraction = springs.cocontraction_for(asked)
        controller = ActuatedController(lambda t, q, v: np.zeros(1), {"shoulder": springs}, model=model, rate=1e3)
        found = ts.simulate(
            model,
            np.zeros(1),
            np.ones(1),
            controller=controller,
            duration=2.0,
            dt=1e-3,
            sample_dt=1e-3,
            integrator="runge-kutta-4",
        )
        q = found.q[:, 0]
        up = np.flatnonzero((q[:-1] < 0.0) & (q[1:] >= 0.0))
        times = found.time[up] + 1e-3 * q[up] / (q[up] - q[up + 1])
        w = np.sqrt(asked / J)
        assert np.diff(times).mean() == pytest.approx(2.0 * np.pi / w, rel=1e-4 + (w * 1e-3) ** 2 / 24.0)
        # what the motors hold does no work: what the joint loses the springs have
        held = stored(springs, np.array(list(controller.state("shoulder").values())), q[-1])
        start = stored(springs, springs.initial(0.0), 0.0)
        np.testing.assert_allclose(found.energy["actuator"][-1], start - held, atol=2e-3)


def test_controller_may_set_the_stiffness_while_it_runs():
    model, springs = arm(), joint(c=0.2, speed=5.0, damping=0.4)

    def stiffen(t, q, v):
        springs.cocontraction = 0.2 if t < 0.5 else 0.8
        return np.array([0.3])

    controller = ActuatedController(stiffen, {"shoulder": springs}, model=model, rate=1e3)
    found = ts.simulate(model, np.zeros(1), controller=controller, duration=1.5, dt=1e-3)
    assert found.q[-1, 0] == pytest.approx(0.3, abs=2e-3)  # the equilibrium has not moved
    state = np.array(list(controller.state("shoulder").values()))
    np.testing.assert_allclose(state, [1.1, -0.5], rtol=1e-12)
    supply = controller.energy["supply"].sum()
    lost = controller.energy["damping"].sum()
    change = stored(springs, state, found.q[-1, 0]) - 2.0 * SPRINGS["quadratic"].energy(np.array(R * 0.2))
    assert supply - lost - found.energy["actuator"][-1] == pytest.approx(float(change), rel=1e-2)


def test_knees_of_a_robot_go_to_their_equilibrium():
    robot = ts.robots.rabbit()
    knees = tuple(name for name in robot.joints if "knee" in name)
    assert knees
    index = [robot.joints[name].q_index.start for name in knees]
    q0 = np.array(robot.reference)
    springs = AntagonisticSprings(0.04, QuadraticSpring(K), 0.6, damping=5.0)

    def bend(t, q, v):
        command = np.zeros(robot.nv)
        command[[robot.joints[name].v_index.start for name in knees]] = q0[index] + 0.3
        return command

    controller = ActuatedController(bend, {knees: springs}, model=robot, rate=1e3)
    found = ts.simulate(robot, q0, controller=controller, duration=1.0, dt=1e-3)  # it falls meanwhile
    np.testing.assert_allclose(found.q[-1, index], q0[index] + 0.3, atol=0.02)


def test_bad_parameters_are_named():
    for name, value in (("radius", 0.0), ("cocontraction", -0.1), ("speed", 0.0), ("damping", -1.0)):
        with pytest.raises(ArgumentError, match=f"{name} of AntagonisticSprings"):
            AntagonisticSprings(**{"radius": R, "spring": SPRINGS["quadratic"], "cocontraction": 0.1, name: value})
    with pytest.raises(ArgumentError, match="spring of AntagonisticSprings is a float"):
        AntagonisticSprings(R, 3.0, 0.1)
    springs = joint()
    with pytest.raises(NonFiniteError, match="cocontraction of AntagonisticSprings"):
        springs.cocontraction = np.nan
    with pytest.raises(AttributeError, match="no attribute 'contraction'"):
        springs.contraction = 0.3
    with pytest.raises(ArgumentError, match="coefficient of QuadraticSpring"):
        QuadraticSpring(0.0)
    with pytest.raises(ArgumentError, match="length of ExponentialSpring"):
        ExponentialSpring(1.0, -1.0)
    with pytest.raises(ArgumentError, match="stiffness of cocontraction_for"):
        springs.cocontraction_for(0.0)
    with pytest.raises(ArgumentError, match="expected at least scale / length"):
        joint("exponential").cocontraction_for(1e-3)
