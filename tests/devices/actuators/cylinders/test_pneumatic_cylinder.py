"""Cylinders with air: gas spring, filling, flow after ISO 6358, energies; beside SciPy."""

import numpy as np
import pytest
from devices.actuators.devices import Flywheel, balance, stored
from scipy.integrate import solve_ivp

from tarsus.devices.actuators import Cylinder, PneumaticCylinder
from tarsus.errors import ArgumentError, ShapeError

BORE, ROD, STROKE, ARM, DEAD = 0.04, 0.016, 0.1, 0.05, 2e-5
"""[m], [m], [m], [m/rad], [m^3]"""
AREA_A, AREA_B = 0.25 * np.pi * BORE**2, 0.25 * np.pi * (BORE**2 - ROD**2)
SUPPLY, AMBIENT, T, N = 7e5, 101325.0, 293.15, 1.4
C, RATIO = 1e-8, 0.3
R_AIR, DENSITY = 287.05, 1.185
EXACT = 1e-12
"""Relative; closed forms in double precision."""
STEP = 1e-4
"""Of pressures, relative to the supply: error of steps against SciPy, 2e-5 at most where it was measured."""


def cylinder(**keywords):
    return Cylinder(BORE, STROKE, **{"arm": ARM, "rod": ROD, "dead_volume": DEAD, **keywords})


def actuator(*, seals=None, **keywords):
    return PneumaticCylinder(cylinder(**(seals or {})), SUPPLY, C, RATIO, **keywords)


def symmetric(**keywords):
    return PneumaticCylinder(cylinder(rod=0.0), SUPPLY, C, RATIO, **keywords)


def mass_flow(p1, p2):
    """ISO 6358, from p1 to the lower p2 through the open valve."""
    ratio = p2 / p1
    shape = 1.0 if ratio <= RATIO else np.sqrt(1.0 - ((ratio - RATIO) / (1.0 - RATIO)) ** 2)
    return C * DENSITY * p1 * shape


def independent(t, y, u, motion, n=N):
    """Pressures, and works of supply, throttling and gas, written down again: y = (p_a, p_b, supply, lost, work)."""
    p, (q, v) = y[:2], motion(t)
    s = ARM * q
    V = np.array([DEAD + AREA_A * (0.5 * STROKE + s), DEAD + AREA_B * (0.5 * STROKE - s)])
    dV = np.array([AREA_A, -AREA_B]) * ARM * v
    lines = (SUPPLY, AMBIENT) if u > 0 else (AMBIENT, SUPPLY)
    flow = np.array([abs(u) * (mass_flow(l, x) if x < l else -mass_flow(x, l)) for x, l in zip(p, lines, strict=True)])

    def e(x):
        return n / (n - 1.0) * R_AIR * T * (1.0 - (AMBIENT / x) ** ((n - 1.0) / n))

    lost = sum(m * (e(line) - e(x)) for m, x, line in zip(flow, p, lines, strict=True))
    supply = e(SUPPLY) * flow[0 if u > 0 else 1]
    return np.array([*(n / V * (R_AIR * T * flow - p * dV)), supply, lost, float(np.sum((p - AMBIENT) * dV))])


def test_closed_valve_is_a_gas_spring():
    for exponent in (1.0, 1.25, 1.4):
        air, q, p = symmetric(exponent=exponent, rest=4e5), 0.2, 4e5
        x = air.initial(q)
        V = DEAD + AREA_A * (0.5 * STROKE + np.array([1.0, -1.0]) * ARM * q)
        expected = ARM**2 * exponent * p * AREA_A**2 * np.sum(1.0 / V)
        np.testing.assert_allclose(air.stiffness(x, q), expected, rtol=EXACT)
        d = 1e-4
        slope = (air.derivative(x, 0.0, q + d, 0.0)[1] - air.derivative(x, 0.0, q - d, 0.0)[1]) / (2.0 * d)
        np.testing.assert_allclose(-slope, expected, rtol=1e-6)


def test_mass_on_a_gas_spring_swings_with_its_frequency():
    # two chambers in the middle have the stiffness 2 n p A^2 / V
    air, inertia, dt = symmetric(rest=4e5), 0.02, 1e-3
    V = DEAD + 0.5 * AREA_A * STROKE
    w = np.sqrt(ARM**2 * 2.0 * N * 4e5 * AREA_A**2 / V / inertia)
    wheel = Flywheel(inertia, q=0.0, v=0.02)
    x, crossings, before = air.initial(0.0), [], 0.0
    for k in range(3000):
        x, tau = air.advance(x, 0.0, wheel.q, wheel.v, dt)
        wheel.move(tau, dt)
        if before < 0.0 <= wheel.q:
            crossings.append((k + wheel.q / (before - wheel.q) + 1.0) * dt)
        before = float(wheel.q)
    period = np.diff(crossings).mean()
    assert len(crossings) > 10
    # the exchange once a step has the frequency of a central difference: 2 sin(w' dt / 2) = w dt; 1 + (w dt)^2 / 24
    assert period == pytest.approx(2.0 * np.pi / w, rel=1e-4 + (w * dt) ** 2 / 24.0)


def test_fluid_is_neither_made_nor_lost_where_the_joint_moves_otherwise_than_expected():
    air = actuator(rest=4e5)
    rng = np.random.default_rng(1)
    x = air.initial(0.0)
    start = air.pressures(x, 0.0)
    for _ in range(200):
        x, _ = air.advance(x, 0.0, rng.uniform(-0.5, 0.5), rng.uniform(-1.0, 1.0), 1e-3)
    np.testing.assert_allclose(air.pressures(x, 0.0), start, rtol=1e-11)


def test_choked_filling_is_linear_in_time():
    # p' = n R T C rho_0 p_s / V while the pressure is below b p_s
    air = actuator()
    V = DEAD + 0.5 * AREA_A * STROKE
    x, _ = air.advance(air.initial(0.0), 1.0, 0.0, 0.0, 1e-3)
    expected = AMBIENT + N * R_AIR * T * C * DENSITY * SUPPLY / V * 1e-3
    assert expected < RATIO * SUPPLY
    np.testing.assert_allclose(x[0], expected, rtol=1e-10)


def test_choked_emptying_is_exponential():
    air = actuator(rest=9e5)
    V = DEAD + 0.5 * AREA_B * STROKE
    x = air.initial(0.0)
    for _ in range(10):
        x, _ = air.advance(x, 1.0, 0.0, 0.0, 1e-3)
    expected = 9e5 * np.exp(-N * R_AIR * T * C * DENSITY / V * 0.01)
    assert AMBIENT / expected < RATIO
    np.testing.assert_allclose(x[1], expected, rtol=1e-4)


def test_blocked_piston_ends_at_supply_and_exhaust():
    air = actuator()
    x = air.initial(0.1)
    for _ in range(400):
        x, tau = air.advance(x, 1.0, 0.1, 0.0, 5e-3)
    np.testing.assert_allclose(x[:2], [SUPPLY, AMBIENT], rtol=1e-9)
    np.testing.assert_allclose(tau, ARM * (SUPPLY - AMBIENT) * AREA_A, rtol=1e-9)


@pytest.mark.parametrize("u", [1.0, -0.4, 0.05])
@pytest.mark.parametrize("dt", [1e-3, 2.5e-4])
def test_pressures_and_energies_are_those_of_the_equations(u, dt):
    air, w, top = actuator(rest=3e5), 12.0, 0.6

    def motion(t):
        return top * np.sin(w * t), top * w * np.cos(w * t)

    x = air.initial(0.0)
    y0 = np.array([*x[:2], 0.0, 0.0, 0.0])
    steps = round(0.1 / dt)
    found = np.zeros(3)
    for k in range(steps):
        # the mean rate over the step leads from one point of the motion to the next
        q, v = motion(k * dt)[0], (motion((k + 1) * dt)[0] - motion(k * dt)[0]) / dt
        result = air.step(x, u, q, v, dt)
        x = result.x
        found += [result.energy["supply"], result.energy["throttling"], result.energy["output"]]
    exact = solve_ivp(
        independent, (0.0, 0.1), y0, args=(u, motion), method="LSODA", rtol=1e-10, atol=1e-6, max_step=1e-3
    )
    np.testing.assert_allclose(x[:2], exact.y[:2, -1], atol=STEP * SUPPLY)
    np.testing.assert_allclose(found, exact.y[2:, -1], rtol=1e-3, atol=1e-3)


def test_error_of_a_step_is_of_second_order():
    air, errors = actuator(), []
    x0 = air.initial(0.0)

    def motion(t):
        return 2.0 * t, 2.0

    exact = solve_ivp(
        independent, (0.0, 0.064), [*x0[:2], 0, 0, 0], args=(1.0, motion), method="LSODA", rtol=1e-12, atol=1e-8
    )
    for steps in (4, 8, 16):
        x, dt = x0, 0.064 / steps
        for k in range(steps):
            x, _ = air.advance(x, 1.0, 2.0 * k * dt, 2.0, dt)
        errors.append(abs(x[0] - exact.y[0, -1]))
    assert errors[0] > 3.0 * errors[1] > 9.0 * errors[2]


def test_continuous_form_agrees_with_steps():
    air = actuator(seals={"coulomb": 20.0, "viscous": 40.0})
    q0, v, u = -0.1, 1.5, 0.7
    x = air.initial(q0)
    exact = solve_ivp(
        lambda t, y: air.derivative(y, u, q0 + v * t, v)[0], (0.0, 0.05), x, method="Radau", rtol=1e-9, atol=1e-9
    )
    for k in range(50):
        x, _ = air.advance(x, u, q0 + v * k * 1e-3, v, 1e-3)
    np.testing.assert_allclose(x[:2], exact.y[:2, -1], atol=STEP * SUPPLY)
    np.testing.assert_allclose(x[2], exact.y[2, -1], rtol=1e-9)


@pytest.mark.parametrize("exponent", [1.0, 1.2, 1.4])
def test_energy_balance_of_any_step(exponent):
    air = actuator(seals={"coulomb": 30.0, "viscous": 50.0, "piston_mass": 0.2}, exponent=exponent)
    rng = np.random.default_rng(3)
    shape = (40, 3)
    x = air.initial(rng.uniform(-0.3, 0.3, shape))
    for _ in range(30):
        q, v = rng.uniform(-0.5, 0.5, shape), rng.normal(size=shape) * 3.0
        u, dt = rng.uniform(-1.5, 1.5, shape), float(10.0 ** rng.uniform(-5, -2))
        before = stored(air, x, q)
        result = air.step(x, u, q, v, dt)
        x, q = result.x, q + v * dt
        scale = np.abs(before) + np.abs(result.energy["supply"]) + 1.0
        np.testing.assert_allclose((stored(air, x, q) - before - balance(result.energy)) / scale, 0.0, atol=EXACT)
        assert np.all(result.energy["friction"] >= 0.0) and np.all(result.energy["damping"] >= 0.0)
        np.testing.assert_allclose(result.energy["output"], result.tau * v * dt, rtol=EXACT, atol=EXACT)
        assert np.all(x[..., :2] > 0.0)


def test_valve_never_gives_energy():
    air = actuator()
    rng = np.random.default_rng(5)
    x = air.initial(np.zeros(200))
    q = np.zeros(200)
    for _ in range(60):
        v, u = rng.normal(size=200) * 2.0, rng.uniform(-1.0, 1.0, 200)
        v = np.where(np.abs(q + v * 1e-3) > 0.7, -np.sign(q), v)
        result = air.step(x, u, q, v, 1e-3)
        assert np.all(result.energy["throttling"] >= -1e-6)  # [J]; the error of the step
        x, q = result.x, q + v * 1e-3


def test_gas_at_ambient_pressure_holds_nothing_and_otherwise_its_work():
    air = actuator()
    np.testing.assert_allclose(air.stored(air.initial(0.0), 0.0)["gas"], 0.0, atol=1e-12)
    x = np.array([5e5, AMBIENT, 0.0])
    V = DEAD + 0.5 * AREA_A * STROKE
    # expansion to ambient pressure against it: int (p - p0) dV
    V1 = V * (5e5 / AMBIENT) ** (1.0 / N)
    expected = (5e5 * V - AMBIENT * V1) / (N - 1.0) - AMBIENT * (V1 - V)
    np.testing.assert_allclose(air.stored(x, 0.0)["gas"], expected, rtol=EXACT)


def test_fast_valve_and_small_volume_need_no_shorter_step():
    air = PneumaticCylinder(cylinder(dead_volume=1e-7), SUPPLY, 1e-5)
    x = air.initial(0.9)
    for u in (1.0, -1.0, 1.0):
        x, _ = air.advance(x, u, 0.9, 0.0, 1e-2)
        lines = [SUPPLY, AMBIENT] if u > 0 else [AMBIENT, SUPPLY]
        np.testing.assert_allclose(x[:2], lines, rtol=1e-6)


def test_seals_hold_and_never_drive():
    air, dt = actuator(seals={"coulomb": 40.0, "presliding_damping": 2e3}), 1e-3
    x, wheel = air.initial(0.0), Flywheel(0.2)
    for k in range(3000):
        wheel.load = 0.9 * 40.0 * ARM * min(1.0, k / 1000)
        x, tau = air.advance(x, 0.0, wheel.q, wheel.v, dt)
        wheel.move(tau, dt)
    assert abs(wheel.v) < 1e-9
    assert abs(wheel.q) * ARM < 1e-4  # within the way that the seals give
    x, wheel = air.initial(0.0), Flywheel(0.2, load=3.0 * 40.0 * ARM)
    for _ in range(100):
        x, tau = air.advance(x, 0.0, wheel.q, wheel.v, dt)
        wheel.move(tau, dt)
    assert wheel.q * ARM > 1e-3


def test_batches_and_parameters_of_joints_are_each_alone():
    bores, arms = np.array([0.03, 0.04, 0.05]), np.array([0.05, -0.04, 0.06])
    many = PneumaticCylinder(Cylinder(bores, STROKE, arms, 0.012, coulomb=20.0), SUPPLY, C * np.array([1.0, 2.0, 3.0]))
    rng = np.random.default_rng(2)
    q, v, u = rng.uniform(-0.3, 0.3, (3, 4, 3))
    result = many.step(many.initial(q), u, q, v, 1e-3)
    slopes, taus = many.derivative(result.x, u, q + v * 1e-3, v)
    for j in range(3):
        one = PneumaticCylinder(Cylinder(bores[j], STROKE, arms[j], 0.012, coulomb=20.0), SUPPLY, C * (j + 1.0))
        for i in range(4):
            alone = one.step(one.initial(q[i, j]), u[i, j], q[i, j], v[i, j], 1e-3)
            np.testing.assert_allclose(result.x[i, j], alone.x, rtol=EXACT, atol=EXACT)
            np.testing.assert_allclose(result.tau[i, j], alone.tau, rtol=EXACT, atol=1e-10)
            rates, tau = one.derivative(alone.x, u[i, j], q[i, j] + v[i, j] * 1e-3, v[i, j])
            np.testing.assert_allclose(slopes[i, j], rates, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(taus[i, j], tau, rtol=1e-9, atol=1e-9)


def test_negative_arm_is_the_mirror_image():
    one, other = actuator(), actuator(seals={"arm": -ARM})
    a, b = one.step(one.initial(0.1), 0.6, 0.1, 0.5, 1e-3), other.step(other.initial(-0.1), 0.6, -0.1, -0.5, 1e-3)
    np.testing.assert_allclose(a.tau, -b.tau, rtol=EXACT)
    np.testing.assert_allclose(a.x[:2], b.x[:2], rtol=EXACT)


def test_piston_mass_is_inertia_of_the_joint():
    np.testing.assert_allclose(actuator(seals={"piston_mass": 0.4}).armature, 0.4 * ARM**2)


def test_bad_parameters_are_named():
    for name, value in (("bore", 0.0), ("stroke", -1.0), ("arm", 0.0), ("coulomb", -1.0), ("dead_volume", 0.0)):
        with pytest.raises(ArgumentError, match=f"{name} of Cylinder"):
            Cylinder(**{"bore": 0.04, "stroke": 0.1, name: value})
    with pytest.raises(ArgumentError, match="rod of Cylinder is 0.05"):
        Cylinder(0.04, 0.1, rod=0.05)
    with pytest.raises(ArgumentError, match="coulomb of Cylinder .* positive for all joints or zero for all"):
        Cylinder(0.04, 0.1, coulomb=[0.0, 1.0])
    for name, value in (("conductance", 0.0), ("exponent", 0.9), ("critical_ratio", 1.0), ("temperature", -1.0)):
        with pytest.raises(ArgumentError, match=f"{name} of PneumaticCylinder"):
            PneumaticCylinder(**{"cylinder": cylinder(), "supply": SUPPLY, "conductance": C, name: value})
    with pytest.raises(ArgumentError, match="supply of PneumaticCylinder is .* pressures are absolute"):
        PneumaticCylinder(cylinder(), 6e4, C)
    with pytest.raises(ArgumentError, match="cylinder of PneumaticCylinder is a float"):
        PneumaticCylinder(0.04, SUPPLY, C)
    with pytest.raises(ArgumentError, match=r"piston of a Cylinder is 0.06 m from its middle.*\+-0.05 m"):
        actuator().initial(1.2)
    with pytest.raises(ShapeError, match=r"x of PneumaticCylinder has shape \(2,\), expected \(..., 3\)"):
        actuator().step(np.zeros(2), 0.0, 0.0, 0.0, 1e-3)
    with pytest.raises(ArgumentError, match="dt of PneumaticCylinder is 0"):
        actuator().step(actuator().initial(0.0), 0.0, 0.0, 0.0, 0)
