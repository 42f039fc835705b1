"""Drives: two masses, friction that holds, balance of energy, batches, and the continuous form."""

import numpy as np
import pytest
from devices.actuators.devices import (
    FRICTION,
    KINDS,
    KT,
    RATIO,
    ROTOR,
    STIFFNESS,
    Flywheel,
    balance,
    motor,
    run,
    stored,
)
from scipy.integrate import solve_ivp

from tarsus.devices.actuators import Drive, ElasticGear, ForceLoop, Gear, GearFriction, IdealMotor, TorqueSpeedCurve
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError

BALANCE = 1e-9
"""Relative to the energy that passed: integrals are exact, hundreds of steps add their rounding."""
STILL = 1e-12
"""[rad] A body at rest moves by rounding only."""


def linearised(drive, x, wheel, eps=1e-4):
    """Matrix of drive and flywheel about a state, by central differences of the continuous form (linear: exact)."""
    y0 = np.concatenate([x, [wheel.q, wheel.v]])

    def rates(y):
        xdot, tau = drive.derivative(y[:-2], 0.0, y[-2], y[-1])
        return np.concatenate([xdot, [y[-1], (tau + wheel.load) / wheel.inertia]])

    columns = [(rates(y0 + eps * e) - rates(y0 - eps * e)) / (2.0 * eps) for e in np.eye(y0.size)]
    return np.array(columns).T


class TestTwoMasses:
    inertia = 0.4

    def frequency(self):
        J = RATIO**2 * ROTOR
        return np.sqrt(STIFFNESS * (1.0 / J + 1.0 / self.inertia))

    def test_continuous_form_has_the_resonance_of_rotor_against_link(self):
        drive = Drive(IdealMotor(ROTOR), ElasticGear(RATIO, STIFFNESS))
        values = np.linalg.eigvals(linearised(drive, drive.initial(0.0), Flywheel(self.inertia)))
        assert np.abs(values.imag).max() == pytest.approx(self.frequency(), rel=1e-6)

    def test_stepped_form_swings_with_the_resonance_and_keeps_its_energy(self):
        drive, dt, steps = Drive(IdealMotor(ROTOR), ElasticGear(RATIO, STIFFNESS)), 1e-4, 1500
        wheel = Flywheel(self.inertia, v=1.0)
        x = drive.initial(wheel.q, 0.0)
        rates, energies = [], []
        for _ in range(steps):
            x, tau = drive.advance(x, 0.0, wheel.q, wheel.v, dt)
            wheel.move(tau, dt)
            rates.append(float(wheel.v))
            energies.append(float(stored(drive, x, wheel.q)) + 0.5 * self.inertia * float(wheel.v) ** 2)
        J = RATIO**2 * ROTOR
        swing = np.array(rates) - self.inertia / (self.inertia + J)  # about the mean of both masses
        up = np.flatnonzero((swing[:-1] < 0.0) & (swing[1:] >= 0.0))
        exact = up + swing[up] / (swing[up] - swing[up + 1])
        period = (exact[-1] - exact[0]) / (up.size - 1) * dt
        # exchanging torques and motion every dt is of second order: (w dt)^2 / 24 = 1.0e-4
        assert 2.0 * np.pi / period == pytest.approx(self.frequency(), rel=2e-4)
        assert np.ptp(energies[-400:]) < 0.02 * energies[0]
        assert abs(np.mean(energies[-400:]) / np.mean(energies[:400]) - 1.0) < 1e-3

    def test_static_deflection_is_torque_over_stiffness(self):
        drive = Drive(IdealMotor(ROTOR), ElasticGear(RATIO, STIFFNESS, damping=50.0))
        x = drive.initial(0.3)
        for _ in range(200):
            x, tau = drive.advance(x, 40.0, 0.3, 0.0, 1e-2)
        np.testing.assert_allclose(tau, 40.0, rtol=1e-9)
        np.testing.assert_allclose(x[..., 0] - 0.3, 40.0 / STIFFNESS, rtol=1e-9)

    def test_very_long_steps_are_stable(self):
        drive = Drive(motor(voltage_max=48.0), ElasticGear(RATIO, STIFFNESS, 5.0, FRICTION))
        x = drive.initial(0.0)
        for _ in range(10):
            x, tau = drive.advance(x, 20.0, 0.0, 0.0, 0.5)
        assert np.all(np.isfinite(x))
        assert abs(float(tau) - 20.0) <= 3.0 + 0.25 * float(tau)  # within what friction holds


@pytest.mark.parametrize("kind", KINDS)
def test_energy_put_in_is_stored_lost_or_delivered(kind):
    drive, dt, joints = KINDS[kind](), 2e-3, 5
    rng = np.random.default_rng(3)
    q = rng.normal(size=joints)
    x = drive.initial(q)
    before, passed, turnover = stored(drive, x, q), np.zeros(joints), np.zeros(joints)
    for _ in range(150):
        v, command = rng.normal(scale=2.0, size=joints), rng.normal(scale=60.0, size=joints)
        step = drive.step(x, command, q, v, dt)
        x, q = step.x, q + v * dt
        passed += balance(step.energy)
        turnover += np.abs(step.energy["supply"])
        np.testing.assert_allclose(step.energy["output"], step.tau * v * dt, rtol=1e-9, atol=1e-9)
        assert np.all(step.energy.get("copper", np.zeros(1)) >= 0.0)
        assert np.all(step.energy["damping"] >= -1e-12)
    np.testing.assert_allclose(stored(drive, x, q) - before, passed, atol=BALANCE * turnover.max())


@pytest.mark.parametrize("kind", KINDS)
def test_many_joints_and_simulations_are_each_of_them_alone(kind):
    drive = KINDS[kind]()
    rng = np.random.default_rng(4)
    q, v, command = rng.normal(size=(3, 2, 4)) * np.array([1.0, 1.0, 50.0])[:, None, None]
    x = drive.initial(q, v)
    together, tau = drive.advance(x, command, q, v, 1e-3)
    for index in np.ndindex(q.shape):
        alone, torque = drive.advance(x[index], command[index], q[index], v[index], 1e-3)
        np.testing.assert_allclose(together[index], alone, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(tau[index], torque, rtol=1e-12, atol=1e-12)


def test_parameters_may_differ_from_joint_to_joint():
    stiffness = np.array([1e3, 4e3])
    drive = Drive(IdealMotor(np.array([1e-5, 2e-5])), ElasticGear(np.array([50.0, 100.0]), stiffness, 20.0))
    x = drive.initial(np.zeros((3, 2)))
    for _ in range(400):
        x, _ = drive.advance(x, 10.0, 0.0, 0.0, 1e-2)
    np.testing.assert_allclose(x[..., 0], np.broadcast_to(10.0 / stiffness, (3, 2)), rtol=1e-6)
    assert drive.reflected_inertia.shape == (2,)


@pytest.mark.parametrize("kind", ["current", "elastic", "series elastic"])
def test_small_steps_follow_the_continuous_form(kind):
    drive, T, command, v = KINDS[kind](), 0.02, 15.0, 1.0  # sliding all the time: no corner to resolve
    x0 = drive.initial(0.0, v)
    names = drive.state_names
    if "deflection" in names:
        x0[names.index("deflection")] = 3e-3  # sliding already
        x0 = drive.advance(x0, command, 0.0, v, 1e-6)[0]

    def rates(t, x):
        return drive.derivative(x, command, v * t, v)[0]

    found = solve_ivp(rates, (0.0, T), x0, rtol=1e-8, atol=1e-10, method="Radau")
    x, count = x0, 400
    for k in range(count):
        x, _ = drive.advance(x, command, v * T * k / count, v, T / count)
    # levels of friction are taken at the beginning of a step: first order in T / count = 50 us
    np.testing.assert_allclose(x, found.y[:, -1], rtol=5e-3, atol=2e-5)


class TestStick:
    def test_rotor_under_less_than_friction_stands_still(self):
        drive = Drive(IdealMotor(ROTOR), ElasticGear(RATIO, STIFFNESS, 5.0, GearFriction(coulomb=2.0, static=3.0)))
        x = drive.initial(0.0)
        for _ in range(200):
            x, _ = drive.advance(x, 2.9, 0.0, 0.0, 5e-3)
            assert np.abs(x).max() < STILL

    def test_rotor_that_slid_stops_and_then_does_not_creep(self):
        drive = Drive(motor(voltage_max=48.0), ElasticGear(RATIO, STIFFNESS, 5.0, FRICTION))
        x = drive.initial(0.0)
        for _ in range(100):
            x, _ = drive.advance(x, 40.0, 0.0, 0.0, 5e-3)
        angle = x[..., 2].copy()
        for _ in range(400):
            x, tau = drive.advance(x, 40.0, 0.0, 0.0, 5e-3)
        assert abs(float(x[..., 2] - angle)) < STILL
        assert abs(float(x[..., 3])) < STILL
        assert abs(float(tau) - 40.0) <= 3.0 + 0.25 * float(tau)  # the difference is what friction holds

    def test_rigid_gear_holds_a_load_without_creep(self):
        drive = Drive(IdealMotor(ROTOR), Gear(RATIO, GearFriction(coulomb=2.0, static=3.0)))
        wheel = Flywheel(0.3, load=1.2)
        _, rates = run(drive, wheel, 0.0, 1e-3, 1500)
        assert np.abs(rates[1000:]).max() < 1e-9  # no limit cycle
        assert wheel.q == pytest.approx(1.2 / 3.0 * 1e-3, rel=1e-9)  # the deflection of the teeth, and no creep

    def test_load_that_comes_slowly_is_held_up_to_static_friction(self):
        drive = Drive(IdealMotor(ROTOR), Gear(RATIO, GearFriction(coulomb=2.0, static=3.0)))
        wheel = Flywheel(0.3)
        x = drive.initial(0.0)
        for k in range(2000):
            wheel.load = min(2.9, 2.9 * k / 1000)
            x, tau = drive.advance(x, 0.0, wheel.q, wheel.v, 1e-3)
            wheel.move(tau, 1e-3)
        assert wheel.q == pytest.approx(2.9 / 3.0 * 1e-3, rel=1e-6)
        assert abs(wheel.v) < 1e-9

    def test_more_load_than_friction_accelerates_by_the_difference(self):
        friction = GearFriction(coulomb=2.0)
        drive, load, T = Drive(IdealMotor(ROTOR), Gear(RATIO, friction)), 5.0, 2.0
        wheel = Flywheel(0.3, load=load)
        run(drive, wheel, 0.0, 1e-3, 2000)
        # sliding begins after the teeth have given way by 1e-3 rad, some 0.01 s
        assert wheel.v == pytest.approx((load - 2.0) / 0.3 * T, rel=1e-2)

    def test_coasting_wheel_stops_after_its_stopping_time_and_stays(self):
        friction = GearFriction(coulomb=2.0)
        drive, wheel, dt = Drive(IdealMotor(ROTOR), Gear(RATIO, friction)), Flywheel(0.3, v=4.0), 1e-3
        _, rates = run(drive, wheel, 0.0, dt, 2000)
        stopped = dt * np.flatnonzero(rates < 0.02)[0]
        assert stopped == pytest.approx(0.3 * 4.0 / 2.0, rel=1e-2)
        assert np.abs(rates[1500:]).max() < 1e-9

    @pytest.mark.parametrize("kind", ["ideal", "elastic", "series elastic"])
    def test_friction_only_ever_takes_energy(self, kind):
        drive, rng = KINDS[kind](), np.random.default_rng(5)
        x, q = drive.initial(np.zeros(20)), np.zeros(20)
        for _ in range(200):
            v = rng.normal(size=20) * rng.choice([1e-2, 1.0], size=20)
            step = drive.step(x, rng.normal(scale=10.0, size=20), q, v, 1e-3)
            x, q = step.x, q + v * 1e-3
            # rounding of integrals between energies of joules
            assert np.all(step.energy["friction"] >= -1e-12)
            assert np.all(step.energy["damping"] >= -1e-12)


def test_rotor_inertia_belongs_to_the_joint_of_a_rigid_gear_only():
    np.testing.assert_allclose(Drive(motor(), Gear(RATIO)).armature, RATIO**2 * ROTOR)
    assert Drive(motor(), ElasticGear(RATIO, STIFFNESS)).armature == 0.0


def test_rate_of_exchange_that_a_drive_needs_is_told():
    J = RATIO**2 * ROTOR
    assert Drive(motor(), ElasticGear(RATIO, STIFFNESS)).fastest_rate == pytest.approx(np.sqrt(STIFFNESS / J))
    assert Drive(motor(), Gear(RATIO)).fastest_rate == 0.0
    rough = Gear(RATIO, GearFriction(2.0), presliding=1e-3)
    assert Drive(motor(), rough).fastest_rate == pytest.approx(np.sqrt(2.0 / 1e-3 / J))


def test_command_is_torque_at_the_joint():
    drive = Drive(motor(), Gear(RATIO))
    x, _ = drive.advance(drive.initial(0.0), 10.0, 0.0, 0.0, 1.0)
    np.testing.assert_allclose(x[..., 0], 10.0 / (RATIO * KT), rtol=1e-9)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Drive(3.0), "motor of Drive is a float"),
        (lambda: Drive(motor(), 3.0), "gear of Drive is a float"),
        (lambda: Drive(IdealMotor(), ElasticGear(10.0, 1e3)), "rotor with inertia"),
        (lambda: Drive(motor(), Gear(10.0), force_loop=ForceLoop()), "needs an ElasticGear"),
        (lambda: Drive(motor(loop=None), Gear(10.0), TorqueSpeedCurve(1.0)), "command is a voltage"),
        (lambda: Drive(motor(), Gear(10.0, GearFriction(efficiency=0.9))), "needs some Coulomb friction"),
        (lambda: Drive(motor(), Gear(10.0, GearFriction(np.array([0.0, 1.0])))), "for all joints or zero for all"),
    ],
)
def test_parts_that_do_not_fit_are_refused(make, text):
    with pytest.raises(ArgumentError, match=text):
        make()


def test_bad_arguments_are_named():
    drive = Drive(motor(), Gear(RATIO))
    with pytest.raises(ShapeError, match=r"x of Drive has shape \(3,\), expected \(..., 2\)"):
        drive.advance(np.zeros(3), 0.0, 0.0, 0.0, 1e-3)
    with pytest.raises(ShapeError, match="do not fit together"):
        drive.advance(np.zeros((2, 2)), np.zeros(3), 0.0, 0.0, 1e-3)
    with pytest.raises(NonFiniteError, match="command of Drive"):
        drive.advance(np.zeros(2), np.nan, 0.0, 0.0, 1e-3)
    with pytest.raises(ArgumentError, match="dt of Drive is 0.0"):
        drive.advance(np.zeros(2), 0.0, 0.0, 0.0, 0.0)
