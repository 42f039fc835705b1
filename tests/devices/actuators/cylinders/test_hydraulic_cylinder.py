"""Cylinders with oil: oil spring, speed, blocked force, cavitation, energies; beside SciPy."""

import numpy as np
import pytest
from devices.actuators.devices import Flywheel, balance, stored
from scipy.integrate import solve_ivp

from tarsus.devices.actuators import Cylinder, HydraulicCylinder
from tarsus.errors import ArgumentError, NonFiniteError

BORE, ROD, STROKE, ARM, DEAD = 0.016, 0.01, 0.08, 0.04, 2e-6
"""A knee of a quadruped of some 80 kg: [m], [m], [m], [m/rad], [m^3]"""
AREA_A, AREA_B = 0.25 * np.pi * BORE**2, 0.25 * np.pi * (BORE**2 - ROD**2)
SUPPLY, B = 2e7, 1.4e9
K = 1.2e-4 / np.sqrt(3.5e6)
"""Of a valve with 7.2 l/min at 35 bar an edge [m^3/(s sqrt(Pa))]."""
LEAK = 2e-14
EXACT = 1e-12
"""Relative; closed forms in double precision."""
STEP = 2e-3
"""Of pressures, relative to the supply: error of steps against SciPy, 1e-3 at most where it was measured."""


def cylinder(**keywords):
    return Cylinder(BORE, STROKE, **{"arm": ARM, "rod": ROD, "dead_volume": DEAD, **keywords})


def actuator(**keywords):
    return HydraulicCylinder(cylinder(), SUPPLY, K, B, **keywords)


def symmetric(**keywords):
    return HydraulicCylinder(cylinder(rod=0.0), SUPPLY, K, B, **keywords)


def independent(t, y, u, motion, leakage):
    """Pressures, and works of supply, throttling and oil, written down again: y = (p_a, p_b, supply, lost, work)."""
    p, (q, v) = np.maximum(y[:2], 0.0), motion(t)
    s = ARM * q
    V = np.array([DEAD + AREA_A * (0.5 * STROKE + s), DEAD + AREA_B * (0.5 * STROKE - s)])
    dV = np.array([AREA_A, -AREA_B]) * ARM * v
    lines = np.array([SUPPLY, 0.0] if u > 0 else [0.0, SUPPLY])
    valve = K * abs(u) * np.sign(lines - p) * np.sqrt(np.abs(lines - p))
    leak = leakage * (p[0] - p[1]) * np.array([-1.0, 1.0])
    rate = B / V * (valve + leak - dV)
    rate = np.where((y[:2] <= 0.0) & (rate < 0.0), 0.0, rate)
    # oil at p has been compressed: a unit of volume there is exp(p / B) in the tank, worth B (1 - exp(-p / B)) each
    worth = B * (1.0 - np.exp(-p / B))
    supply = B * (1.0 - np.exp(-SUPPLY / B)) * float(np.sum(np.where(lines > 0.0, np.exp(p / B) * valve, 0.0)))
    lost = float(
        np.sum((B * (1.0 - np.exp(-lines / B)) - worth) * np.exp(p / B) * valve - worth * np.exp(p / B) * leak)
    )
    return np.array([*rate, supply, lost, float(np.sum(p * dV))])


def test_closed_valve_is_an_oil_spring():
    oil = symmetric()
    V = DEAD + 0.5 * AREA_A * STROKE
    x, d = oil.initial(0.0), 1e-5
    np.testing.assert_allclose(oil.stiffness(x, 0.0), ARM**2 * 2.0 * B * AREA_A**2 / V, rtol=EXACT)
    slope = (oil.derivative(x, 0.0, d, 0.0)[1] - oil.derivative(x, 0.0, -d, 0.0)[1]) / (2.0 * d)
    np.testing.assert_allclose(-slope, ARM**2 * 2.0 * B * AREA_A**2 / V, rtol=1e-6)


def test_mass_on_an_oil_spring_swings_with_its_frequency():
    oil, inertia, dt = symmetric(), 0.5, 2.5e-4
    w = np.sqrt(oil.stiffness(oil.initial(0.0), 0.0) / inertia)
    wheel = Flywheel(inertia, v=0.05)
    x, crossings, before, highest = oil.initial(0.0), [], 0.0, []
    for k in range(4000):
        x, tau = oil.advance(x, 0.0, wheel.q, wheel.v, dt)
        wheel.move(tau, dt)
        if before < 0.0 <= wheel.q:
            crossings.append((k + wheel.q / (before - wheel.q) + 1.0) * dt)
        before = float(wheel.q)
        highest.append(abs(before))
    assert len(crossings) > 20
    assert np.diff(crossings).mean() == pytest.approx(2.0 * np.pi / w, rel=1e-4 + (w * dt) ** 2 / 24.0)
    assert max(highest[-200:]) == pytest.approx(max(highest[:200]), rel=1e-2)  # nothing is lost, and nothing comes


def test_steady_speed_without_load():
    # both edges drop half the supply: k u sqrt(p_s / 2) = A s'
    oil, dt = symmetric(), 1e-3
    for u in (0.2, -0.5, 1.0):
        expected = K * u * np.sqrt(0.5 * SUPPLY) / AREA_A / ARM
        x, wheel = oil.initial(-0.9 * np.sign(u)), Flywheel(1.0, q=-0.9 * np.sign(u), v=expected)
        rates = []
        for _ in range(150 if abs(u) < 1.0 else 20):
            x, tau = oil.advance(x, u, wheel.q, wheel.v, dt)
            wheel.move(tau, dt)
            rates.append(wheel.v)
        np.testing.assert_allclose(np.mean(rates[-10:]), expected, rtol=2e-3)


def test_pressures_at_steady_speed_are_the_closed_form():
    # the piston is moved: p_a = p_s - (A v / (k u))^2, p_b = (A v / (k u))^2
    oil, u, v = actuator(), 0.5, 2.0
    x, q = oil.initial(-0.5), -0.5
    for _ in range(400):
        x, tau = oil.advance(x, u, q, v, 1e-3)
        q += v * 1e-3
    drop = (np.array([AREA_A, AREA_B]) * ARM * v / (K * u)) ** 2
    np.testing.assert_allclose(x[:2], [SUPPLY - drop[0], drop[1]], atol=1e-6 * SUPPLY)
    np.testing.assert_allclose(tau, ARM * ((SUPPLY - drop[0]) * AREA_A - drop[1] * AREA_B), rtol=1e-6)


def test_blocked_force_is_supply_pressure_times_area():
    oil = actuator()
    for u, area in ((1.0, AREA_A), (-1.0, -AREA_B)):
        x = oil.initial(0.1)
        for _ in range(300):
            x, tau = oil.advance(x, u, 0.1, 0.0, 1e-3)
        np.testing.assert_allclose(tau, ARM * SUPPLY * area, rtol=1e-9)


def test_filling_a_blocked_chamber_follows_a_parabola():
    # (p_s - p)' = -(B k u / V) sqrt(p_s - p): its root falls linearly
    oil, u, dt = actuator(), 0.05, 1e-3
    V = DEAD + 0.5 * AREA_A * STROKE
    x = oil.initial(0.0)
    start = SUPPLY - x[0]
    for _ in range(5):
        x, _ = oil.advance(x, u, 0.0, 0.0, dt)
    root = np.sqrt(start) - 0.5 * B * K * u / V * 5e-3
    assert root > 0.3 * np.sqrt(start)
    np.testing.assert_allclose(SUPPLY - x[0], root**2, rtol=1e-3)


@pytest.mark.parametrize("dt", [1e-3, 5e-4])
@pytest.mark.parametrize(
    ("u", "top", "leakage"), [(1.0, 0.3, 0.0), (-0.4, 0.3, LEAK), (0.1, 0.05, LEAK), (0.5, 0.6, LEAK)]
)
def test_pressures_and_energies_are_those_of_the_equations(u, top, leakage, dt):
    oil, w = actuator(leakage=leakage), 12.0

    def motion(t):
        return top * np.sin(w * t), top * w * np.cos(w * t)

    x, end = oil.initial(0.0), 0.06
    y0 = np.array([*x[:2], 0.0, 0.0, 0.0])
    found = np.zeros(3)
    for k in range(round(end / dt)):
        # the mean rate over the step leads from one point of the motion to the next
        q, v = motion(k * dt)[0], (motion((k + 1) * dt)[0] - motion(k * dt)[0]) / dt
        result = oil.step(x, u, q, v, dt)
        x = result.x
        found += [result.energy["supply"], result.energy["throttling"], result.energy["output"]]
    exact = solve_ivp(
        independent, (0.0, end), y0, args=(u, motion, leakage), method="RK45", rtol=1e-7, atol=1e-3, max_step=1e-5
    )
    np.testing.assert_allclose(x[:2], np.maximum(exact.y[:2, -1], 0.0), atol=STEP * SUPPLY)
    np.testing.assert_allclose(found, exact.y[2:, -1], rtol=5e-3, atol=2e-2)


def test_chamber_that_grows_too_fast_draws_from_the_tank():
    oil, v, dt = actuator(), 3.0, 1e-3
    q = -0.3
    x = oil.initial(q)
    held = stored(oil, x, q)
    total = 0.0
    for _ in range(100):
        before = stored(oil, x, q)
        result = oil.step(x, 0.0, q, v, dt)
        x, q = result.x, q + v * dt
        assert np.all(x[:2] >= 0.0)
        np.testing.assert_allclose(result.energy["throttling"], 0.0, atol=1e-9 * stored(oil, x, q))
        np.testing.assert_allclose(result.energy["output"], before - stored(oil, x, q), atol=1e-9 * stored(oil, x, q))
        total += float(result.energy["output"])
    assert x[0] == 0.0  # chamber a grew, and pulls with no force
    assert x[1] > SUPPLY
    np.testing.assert_allclose(total, held - stored(oil, x, q), rtol=1e-9)
    x, _ = oil.advance(x, 0.0, q, -v, dt)
    assert x[0] > 0.0  # what was drawn stays, and bears as soon as the piston comes back


@pytest.mark.parametrize("leakage", [0.0, 1e-12])
def test_energy_balance_of_any_step(leakage):
    seals = {"coulomb": 60.0, "viscous": 200.0}
    oil = HydraulicCylinder(cylinder(**seals), SUPPLY, K, B, leakage)
    rng = np.random.default_rng(3)
    shape = (40, 3)
    q = rng.uniform(-0.3, 0.3, shape)
    x = oil.initial(q)
    for _ in range(40):
        v = np.where(np.abs(q) > 0.6, -np.sign(q), rng.normal(size=shape)) * rng.uniform(0.0, 3.0)
        u, dt = rng.uniform(-1.5, 1.5, shape), float(10.0 ** rng.uniform(-5, -2.5))
        before = stored(oil, x, q)
        result = oil.step(x, u, q, v, dt)
        x, q = result.x, q + v * dt
        scale = np.abs(before) + np.abs(stored(oil, x, q)) + np.abs(result.energy["supply"]) + 1.0
        np.testing.assert_allclose((stored(oil, x, q) - before - balance(result.energy)) / scale, 0.0, atol=1e-11)
        assert np.all(result.energy["friction"] >= 0.0) and np.all(result.energy["damping"] >= 0.0)
        assert np.all(x[..., :2] >= 0.0)


def test_valve_and_leakage_never_give_energy():
    oil = actuator(leakage=LEAK)
    rng = np.random.default_rng(5)
    q, x = np.zeros(200), oil.initial(np.zeros(200))
    for _ in range(100):
        v, u = rng.normal(size=200), rng.uniform(-1.0, 1.0, 200)
        v = np.where(np.abs(q) > 0.5, -np.sign(q), v)
        result = oil.step(x, u, q, v, 1e-3)
        # the error of the step: 1e-3 of what passes
        assert np.all(result.energy["throttling"] >= -1e-3 * (stored(oil, x, q) + np.abs(result.energy["output"])))
        x, q = result.x, q + v * 1e-3


def test_leakage_makes_pressures_equal_at_the_closed_rate():
    oil = actuator(leakage=1e-12)
    x = np.array([1.5e7, 5e6, 0.0])
    V = DEAD + 0.5 * STROKE * np.array([AREA_A, AREA_B])
    rate = B * 1e-12 * np.sum(1.0 / V)
    after, _ = oil.advance(x, 0.0, 0.0, 0.0, 1e-3)
    np.testing.assert_allclose(after[0] - after[1], 1e7 * np.exp(-rate * 1e-3), rtol=1e-9)
    np.testing.assert_allclose(np.sum(V * after[:2]), np.sum(V * x[:2]), rtol=EXACT)


def test_continuous_form_agrees_with_steps():
    oil, q0, v, u = actuator(leakage=LEAK), -0.1, 1.5, 0.4
    x = oil.initial(q0)
    exact = solve_ivp(
        lambda t, y: oil.derivative(y, u, q0 + v * t, v)[0], (0.0, 0.02), x, method="Radau", rtol=1e-8, atol=1e-6
    )
    for k in range(20):
        x, _ = oil.advance(x, u, q0 + v * k * 1e-3, v, 1e-3)
    np.testing.assert_allclose(x[:2], exact.y[:2, -1], atol=STEP * SUPPLY)


def test_wide_valve_needs_no_shorter_step():
    oil = HydraulicCylinder(cylinder(), SUPPLY, 1e3 * K)
    x = oil.initial(0.0)
    for u in (1.0, -1.0):
        x, _ = oil.advance(x, u, 0.0, 0.0, 1e-2)
        np.testing.assert_allclose(x[:2], [SUPPLY, 0.0] if u > 0 else [0.0, SUPPLY], atol=1e-6 * SUPPLY)


def test_batches_are_each_alone():
    many = HydraulicCylinder(Cylinder(BORE, STROKE, np.array([ARM, -ARM]), ROD), SUPPLY, K, leakage=[0.0, LEAK])
    rng = np.random.default_rng(2)
    q, v, u = rng.uniform(-0.3, 0.3, (3, 4, 2))
    result = many.step(many.initial(q), u, q, v, 1e-3)
    for j, (arm, leakage) in enumerate(((ARM, 0.0), (-ARM, LEAK))):
        one = HydraulicCylinder(Cylinder(BORE, STROKE, arm, ROD), SUPPLY, K, leakage=leakage)
        for i in range(4):
            alone = one.step(one.initial(q[i, j]), u[i, j], q[i, j], v[i, j], 1e-3)
            np.testing.assert_allclose(result.x[i, j], alone.x, rtol=EXACT)
            np.testing.assert_allclose(result.tau[i, j], alone.tau, rtol=1e-11)


def test_start_is_in_balance():
    for oil in (actuator(), actuator(rest=3e6)):
        x = oil.initial(np.array([-0.5, 0.0, 0.5]))
        np.testing.assert_allclose(oil.derivative(x, 0.0, x[..., 2], 0.0)[1], 0.0, atol=1e-9)


def test_bad_parameters_are_named():
    given = {"cylinder": cylinder(), "supply": SUPPLY, "valve": K}
    for name, value in (("supply", 0.0), ("valve", -1.0), ("bulk_modulus", 1e6), ("leakage", -1.0), ("rest", -1.0)):
        with pytest.raises(ArgumentError, match=f"{name} of HydraulicCylinder"):
            HydraulicCylinder(**{**given, name: value})
    with pytest.raises(NonFiniteError, match="valve of HydraulicCylinder"):
        HydraulicCylinder(**{**given, "valve": np.nan})
    with pytest.raises(ArgumentError, match="drop of valve_of is 0"):
        HydraulicCylinder.valve_of(1e-4, 0)
    np.testing.assert_allclose(HydraulicCylinder.valve_of(1.2e-4, 3.5e6), K)
