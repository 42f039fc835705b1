"""Runs into a dead point of the joint that leads a loop end at once, with loop, joint and time, in every integrator."""

from dataclasses import replace

import numpy as np
import pytest
from loop_models import DOUBLE_ROCKER, at, double_rocker, four_bar, rod, scissor_lift, slider_crank
from scipy.integrate import quad

import tarsus as ts
from tarsus.contact import Rigid, flat, points
from tarsus.errors import LoopError, SimulationError
from tarsus.model import Loop
from tarsus.model.assembly import assemble
from tarsus.simulation.runs.solver import take_step
from tarsus.simulation.runs.step_failure import StepFailure
from tarsus.simulation.runs.trial_rates import TrialRates

FIXED = {"semi-implicit-euler": 0.04, "runge-kutta-4": 1e-3, "implicit-midpoint": 1e-2}
"""Integrators of fixed steps, and the energy that they may lose or win on the way, relative: of order 1, 4 and 2."""
ADAPTIVE = {"dormand-prince": 1e-5, "radau": 1e-5, "bdf": 1e-4, "cvode": 1e-4}
"""The same for those that choose their steps; what they keep of 1e-8 is divided by the distance from the dead point."""
ENERGY = {**FIXED, **ADAPTIVE}
SPEED = 2.0
"""Of the leading joint at the start [rad/s]."""


def led_by_its_crank(**keywords):
    """A double rocker without forces; frames to touch with are far from any ground."""
    builder = double_rocker("a")
    builder.gravity = (0.0, 0.0, 0.0)
    builder.add_frame("tip", "rocker", at(0.9))
    return builder.build(**keywords)


def dead_point_of_the_crank():
    """Angle at which coupler and rocker are in line: the triangle of ground, crank and both."""
    ground, crank, coupler, rocker = DOUBLE_ROCKER
    return np.arccos((ground**2 + crank**2 - (coupler + rocker) ** 2) / (2.0 * ground * crank))


def time_to_the_dead_point(model):
    """The energy M v^2 / 2 is constant: t = int sqrt(M(q) / M(q0)) / v0 dq; q = end - x^2 takes the pole of M away."""
    start, end = float(model.reference[0]), dead_point_of_the_crank()
    inertia = float(ts.mass_matrix(model, [start])[0, 0])

    def integrand(x):
        return 2.0 * x * np.sqrt(float(ts.mass_matrix(model, [end - x * x])[0, 0]) / inertia) / SPEED

    return quad(integrand, 1e-3, np.sqrt(end - start), epsabs=1e-9)[0]


def run_into_it(model, v, **keywords):
    with pytest.raises(SimulationError) as caught:
        ts.simulate(model, None, v, **{"duration": 2.0, "sample_dt": 1e-3, **keywords})
    return caught.value


def time_told(error):
    return float(str(error).split(" s: ")[0].split()[-1])


def mechanical(run):
    return run.energy["kinetic"] + run.energy["potential"]


@pytest.mark.parametrize("integrator", ENERGY)
def test_a_double_rocker_ends_at_its_dead_point_with_its_energy(integrator):
    model = led_by_its_crank()
    error = run_into_it(model, [SPEED], integrator=integrator)
    assert "loop 'knee'" in str(error) and "the joint 'a' that leads it" in str(error)
    assert "independent=" in str(error) and "couplings='cut'" in str(error)
    reached = time_to_the_dead_point(model)
    # Within some steps of the dead point, or the distance at which tolerances are too coarse.
    assert -0.015 < time_told(error) - reached < 0.003
    run = error.trajectory
    assert not run.finished and run.time[0] == 0.0 and time_told(error) - run.time[-1] < 2e-3
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], rtol=ENERGY[integrator])
    assert np.all(np.diff(run.q[:, 0]) > 0.0)  # nothing freezes, nothing turns back


@pytest.mark.parametrize("speed", [SPEED, -SPEED])
def test_the_default_step_gains_little_on_the_way_to_a_dead_point(speed):
    """Steps in which slopes change by a hundredth are checked for energy; before, it gained 9 %."""
    energy = mechanical(run_into_it(led_by_its_crank(), [speed]).trajectory)
    assert energy.max() < 1.025 * energy[0]


def test_rigid_ground_ends_the_run_as_well():
    model = led_by_its_crank()
    error = run_into_it(model, [SPEED], ground=flat(Rigid(), -5.0), contacts=points(model, ("tip",)))
    assert "loop 'knee'" in str(error) and "'a' that leads it" in str(error)
    assert abs(time_told(error) - time_to_the_dead_point(model)) < 5e-3
    np.testing.assert_allclose(mechanical(error.trajectory), mechanical(error.trajectory)[0], rtol=1e-5)


@pytest.mark.parametrize("integrator", ["runge-kutta-4", "dormand-prince", "radau"])
def test_a_lift_that_falls_flat_ends_there(integrator):
    """No four-bar: its loop is closed by iteration. Its stop stands where the loop ends, and holds nothing there."""
    error = run_into_it(scissor_lift(q_min=0.1, q_max=1.2), None, integrator=integrator)
    run = error.trajectory
    assert "loop 'cross'" in str(error) and "'slide' that leads it" in str(error)
    assert 0.99 < run.q[-1, 0] < 1.0
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], atol=1e-3 * run.energy["kinetic"].max())


def test_a_limit_short_of_the_dead_point_is_a_stop_that_holds():
    model = scissor_lift(q_min=0.1, q_max=0.95)
    run = ts.simulate(model, [0.8], duration=2.0)
    assert run.finished and 0.95 < run.q.max() < 0.98
    np.testing.assert_allclose(run.v[-1], 0.0, atol=1e-3)


def five_bar(lengths):
    """Two cranks on the ground whose rods meet: both lead."""
    ground, left, left_rod, right, right_rod = lengths
    b = ts.ModelBuilder("five-bar", gravity=(0.0, -9.81, 0.0)).add_link("ground")
    b.add_link("l1", rod(left)).add_link("l2", rod(left_rod)).add_link("r1", rod(right)).add_link("r2", rod(right_rod))
    b.add_joint("a", "revolute", "ground", "l1").add_joint("b", "revolute", "l1", "l2", position=(left, 0.0, 0.0))
    b.add_joint("d", "revolute", "ground", "r1", position=(ground, 0.0, 0.0))
    b.add_joint("e", "revolute", "r1", "r2", position=(right, 0.0, 0.0))
    b.add_loop(Loop("tip", "revolute", "l2", "r2", at(left_rod), at(right_rod), independent=("a", "d")))
    b.reference = {"a": 2.2, "b": -1.2, "d": 1.0, "e": 1.0}
    return b.build()


FIVE_BARS = {
    "dead point": ((0.5, 0.4, 0.6, 0.4, 0.6), (-2.0, 2.0)),
    "other branch": ((0.57020362, 0.77779456, 0.43838533, 0.33121278, 0.5427311), (-2.41189564, -3.27397564)),
}


@pytest.mark.parametrize("case", FIVE_BARS)
@pytest.mark.parametrize("integrator", ENERGY)
def test_a_five_bar_does_not_win_energy_before_it_ends(case, integrator):
    lengths, v = FIVE_BARS[case]
    error = run_into_it(five_bar(lengths), v, integrator=integrator)
    assert "loop 'tip'" in str(error) and "joints 'a', 'd' that lead it" in str(error)
    run = error.trajectory
    scale = run.energy["kinetic"].max()
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], atol=ENERGY[integrator] * scale)


HEALTHY = {
    "crank-rocker": (lambda: four_bar().build(), [12.0]),
    "slider-crank": (lambda: slider_crank().build(), [12.0]),
    "slider-crank by its guide": (lambda: slider_crank("guide").build(), [12.0]),
    "parallelogram": (lambda: four_bar((1.0, 0.4, 1.0, 0.4)).build(), [12.0]),
}
"""Cranks that go round, through the dead points of what follows them."""


@pytest.mark.parametrize(
    ("mechanism", "integrator"),
    [
        *((mechanism, integrator) for mechanism in HEALTHY for integrator in (*FIXED, "dormand-prince")),
        *(("slider-crank", integrator) for integrator in ("radau", "bdf", "cvode")),
    ],
)
def test_cranks_pass_dead_points_of_their_followers(mechanism, integrator):
    make, v = HEALTHY[mechanism]
    run = ts.simulate(make(), None, v, duration=1.0, integrator=integrator)
    assert run.finished and abs(run.q[-1, 0] - run.q[0, 0]) > 2.0 * np.pi
    if integrator != "semi-implicit-euler":  # of first order: it does not keep energy over turns
        scale = run.energy["kinetic"].max()
        np.testing.assert_allclose(mechanical(run), mechanical(run)[0], atol=max(ENERGY[integrator], 1e-4) * scale)


def test_a_swing_short_of_the_dead_point_is_not_ended_by_long_trial_steps():
    """Coarse steps that would leave the loop's range are tried again shorter."""
    model = double_rocker().build()
    for integrator in ADAPTIVE:
        run = ts.simulate(model, [1.2], duration=1.0, integrator=integrator, relative=1e-6, absolute=1e-8,
                          controller=ts.simulation.JointLaw(kp=200.0, kd=1.0, q=[1.0]))  # fmt: skip
        assert run.finished


def test_the_robot_of_a_batch_that_ends_is_named_and_all_are_a_step_before():
    model = led_by_its_crank()
    q, v = np.tile(model.reference, (7, 1)), np.full((7, 1), 0.1)
    v[4] = SPEED
    with pytest.raises(SimulationError, match=r"of robot \(4,\).*loop 'knee'") as caught:
        ts.simulate(model, q, v, duration=2.0, integrator="runge-kutta-4", sample_dt=1e-3)
    alone = run_into_it(model, [SPEED], integrator="runge-kutta-4")
    assert time_told(caught.value) == time_told(alone)
    assert caught.value.trajectory.time[-1] == alone.trajectory.time[-1]
    np.testing.assert_allclose(caught.value.trajectory.q[:, 4], alone.trajectory.q, rtol=1e-12)


def test_a_start_that_does_not_close_is_an_error_of_the_call():
    with pytest.raises(LoopError, match="loop 'knee'"):
        ts.simulate(led_by_its_crank(), [2.5], duration=0.1)


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_a_start_too_near_a_dead_point_for_the_tolerances_ends_at_once(integrator):
    model = led_by_its_crank()
    with pytest.raises(SimulationError, match="failed at 0 s: loop 'knee'") as caught:
        ts.simulate(model, model.q_max, [1e-3], duration=0.1, integrator=integrator)
    assert caught.value.trajectory.time.tolist() == [0.0]


CALLS = {
    "forward dynamics": lambda m, q: ts.forward_dynamics(m, q, [1.0], [0.0]),
    "inverse dynamics": lambda m, q: ts.inverse_dynamics(m, q, [1.0], [0.0]),
    "mass matrix": ts.mass_matrix,
    "bias force": lambda m, q: ts.bias_force(m, q, [1.0]),
    "kinetic energy": lambda m, q: ts.kinetic_energy(m, q, [1.0]),
    "Jacobian": lambda m, q: ts.jacobian(m, q, "tip"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("distance", [0.0, 1e-12, 1e-10, -1e-10])
def test_functions_of_the_state_refuse_a_dead_point(call, distance):
    """Slopes within 1e-10 of it have no more than six digits, accelerations less."""
    with pytest.raises(LoopError, match="loop 'knee'"):
        CALLS[call](led_by_its_crank(), [dead_point_of_the_crank() - distance])


MOST_RATES = 20_000
"""Evaluations after which a run that should have ended is taken to hang; it takes about 800."""


def test_cvode_does_not_creep_at_a_dead_point(monkeypatch, capfd):
    """With damping and weight its steps became 3e-16 s long, without an end. SUNDIALS prints nothing by itself."""
    model = damped(double_rocker(), 2.0)
    rates, calls = TrialRates.__call__, []

    def counted(self, t, y):
        calls.append(t)
        assert len(calls) < MOST_RATES
        return rates(self, t, y)

    monkeypatch.setattr(TrialRates, "__call__", counted)
    error = run_into_it(model, None, integrator="cvode", duration=20.0)
    assert "loop 'knee'" in str(error) and "the joint 'a' that leads it" in str(error)
    reference = run_into_it(model, None, integrator="radau", duration=20.0)
    assert abs(time_told(error) - time_told(reference)) < 1e-5
    assert capfd.readouterr() == ("", "")


def damped(builder, damping):
    """The mechanism with damping [N m s/rad] of its crank."""
    description = builder.describe()
    joints = (replace(j, damping=damping) if j.name == "a" else j for j in description.joints)
    return assemble(replace(description, joints=tuple(joints)))


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_nearly_a_parallelogram_is_named_at_its_dead_point(integrator, capfd):
    """Differences of the rates across the dead point have no numbers, right after a step that was good."""
    builder = four_bar((1.0, 0.5, 1.0 - 1e-4, 0.5))
    builder.gravity, builder.reference = (0.0, 0.0, 0.0), {"a": 1.0, "b": -1.0, "d": 1.0}
    error = run_into_it(builder.build(), [3.0], integrator=integrator, duration=3.0, sample_dt=0.01)
    assert "loop 'knee'" in str(error) and "the joint 'a' that leads it" in str(error)
    assert capfd.readouterr() == ("", "")


def test_what_an_integrator_raises_becomes_a_failure_of_the_step():
    class Overflowing:
        t, t_old, y, status = 0.25, 0.2, np.zeros(2), "running"

        def step(self):
            raise ValueError("array must not contain infs or NaNs")

    with pytest.raises(StepFailure, match="must not contain infs") as caught:
        take_step(Overflowing(), TrialRates(lambda t, y: y, 2))
    assert caught.value.time == 0.25


def test_differences_of_rates_stay_exact_where_an_entry_does_not_matter():
    """Four hundred times, as in a long run; SciPy's own grow tenfold each time for the second entry."""
    A = np.array([[0.0, 0.0, 1.0], [3.0, 0.0, 0.5], [-2.0, 0.0, 0.0]])
    rates = TrialRates(lambda t, y: A @ y, 3)
    for _ in range(400):
        found = rates.slope(0.0, np.array([0.3, 0.1, -2.0]))
    np.testing.assert_allclose(found, A, atol=1e-8)
