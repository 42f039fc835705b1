"""The energy audit closes to the integrator's tolerance, dissipation never falls, and nothing at rest gains energy."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.zoo.drop import fall_energy, start
from benchmarks.zoo.outcome import MAX_GAIN
from benchmarks.zoo.robots import ROBOTS
from sample_models import BRICK
from simulation.bodies import ball, box, drift, point_pendulum, tumbler

import tarsus as ts
from tarsus.contact import Compliant, LeastConstraint, PseudoCoulomb, Rigid, ViscoElasticSole, flat
from tarsus.recording.energies import total_energy

PARTS = {"kinetic", "potential", "ground_stored", "ground_dissipated", "joint_stored", "joint_dissipated", "impact",
         "actuator", "external", "constraint", "integration"}  # fmt: skip


def arm() -> ts.Model:
    """A free body with two joints that have springs, damping and armature."""
    builder = ts.ModelBuilder("arm", base="free")
    builder.add_link("trunk", BRICK).add_link("upper", BRICK).add_link("lower", BRICK)
    builder.add_joint("shoulder", "revolute", "trunk", "upper", axis=(0, 1, 0), position=(0.1, 0.0, 0.0),
                      stiffness=30.0, damping=0.2, armature=0.01)  # fmt: skip
    builder.add_joint("elbow", "revolute", "upper", "lower", axis=(1, 0, 0), position=(0, 0, -0.3), damping=0.1,
                      rest=0.5, stiffness=10.0)  # fmt: skip
    return builder.build()


def swing(**options):
    model = arm()
    rng = np.random.default_rng(5)
    q = model.neutral()
    q[7:] = 0.4, -0.3
    law = ts.simulation.JointLaw(kp=20.0, kd=0.5, q=model.neutral(), tau=np.r_[np.zeros(6), 0.3, -0.2])
    push = ts.simulation.Push("lower", (1.0, 2.0, 3.0), start=0.1, duration=0.3, moment=(0.1, 0.0, 0.2))
    return ts.simulate(model, q, rng.normal(size=8), controller=law, duration=1.0, pushes=[push], **options)


def test_all_parts_are_there():
    assert set(swing(dt=1e-3).energy) == PARTS


@pytest.mark.parametrize(("integrator", "order", "least"), [("runge-kutta-4", 4, 3.5), ("implicit-midpoint", 2, 1.8)])
def test_the_balance_closes_with_the_order_of_the_integrator(integrator, order, least):
    """Springs, damping, a joint law, and none but those: a push is constant in steps, so it is left out here."""
    model = arm()
    q = model.neutral()
    q[7:] = 0.4, -0.3
    v = np.random.default_rng(5).normal(size=8)
    law = ts.simulation.JointLaw(kp=20.0, kd=0.5, q=model.neutral())
    errors = [
        drift(ts.simulate(model, q, v, controller=law, duration=1.0, integrator=integrator, dt=dt))
        for dt in (4e-3, 2e-3)
    ]
    assert np.log2(errors[0] / errors[1]) > least
    assert errors[1] < {4: 1e-5, 2: 1e-3}[order]  # [J], of some 10 J


def test_the_balance_of_dormand_prince_falls_with_its_tolerance():
    errors = [drift(swing(integrator="dormand-prince", relative=r, absolute=0.1 * r)) for r in (1e-5, 1e-7, 1e-9)]
    assert errors[1] < 0.1 * errors[0]
    assert errors[2] < 0.1 * errors[1]
    assert errors[2] < 1e-7


def test_the_balance_of_the_implicit_step_falls_with_its_step():
    """First order, impacts of a single step included."""
    model, q = ball(), np.array([0.0, 0.0, 0.3, 1, 0, 0, 0])
    v = np.array([1.0, 0.5, 0.0, 0.0, 3.0, 0.0])
    errors = [drift(ts.simulate(model, q, v, ground=flat(), duration=0.5, dt=dt)) for dt in (1e-3, 5e-4, 2.5e-4)]
    exchanged = 9.81 * 0.2
    assert errors[0] < 0.01 * exchanged
    assert 1.6 < errors[0] / errors[1] < 2.4
    assert 1.6 < errors[1] / errors[2] < 2.4


@pytest.mark.parametrize("law", [Compliant(2e4, 50.0, 0.5, 2e4, 50.0), PseudoCoulomb(2e4, 50.0, 0.5, 100.0)])
@pytest.mark.parametrize("integrator", ["runge-kutta-4", "dormand-prince"])
def test_the_balance_closes_in_contact(law, integrator):
    """A ball that lands skidding: stored, dissipated and kinetic parts add up, and dissipation never falls."""
    errors = []
    for dt in (2e-4, 5e-5):
        run = ts.simulate(ball(), np.array([0.0, 0.0, 0.15, 1, 0, 0, 0]), np.array([1.0, 0.5, 0.0, 0.0, 3.0, 0.0]),
                          ground=flat(law), duration=0.5, dt=dt, relative=dt**2, absolute=dt**2, integrator=integrator,
                          sample_dt=1e-3)  # fmt: skip
        errors.append(drift(run))
    assert run.energy["ground_dissipated"][-1] > 0.1
    assert errors[1] < 2e-6  # contact begins and ends between steps: a kink of the force costs the order there
    assert errors[1] < 0.25 * errors[0]
    assert np.diff(run.energy["ground_dissipated"]).min() >= 0.0


@pytest.mark.parametrize(
    ("integrator", "bound", "ratio"), [("runge-kutta-4", 2.5e-5, 0.1), ("dormand-prince", 2e-6, 0.5)]
)
def test_the_balance_of_a_sole_closes_in_contact(integrator, bound, ratio):
    """The same for a layer with a state of its own, over 16 moments of landing within a step.

    What the layer stores is integrated apart from its compression u, whose rate jumps to v at touch-down: the step in
    which that happens is wrong by a part of k (h v)^2, here 2e4 (5e-5)^2 1^2 J = 5e-5 J, and a fourth of the step makes
    it a sixteenth. Steps that are chosen become short there; they are as wrong as they may be.
    """
    law, errors = ViscoElasticSole(2e4, 50.0, 0.5, 2e4, 50.0), []
    q = np.tile([0.0, 0.0, 0.15, 1, 0, 0, 0], (16, 1))
    q[:, 2] += np.arange(16) / 16 * 1e-3
    for dt in (2e-4, 5e-5):
        run = ts.simulate(ball(), q, np.array([1.0, 0.5, 0.0, 0.0, 3.0, 0.0]), ground=flat(law), duration=0.5, dt=dt,
                          relative=dt**2, absolute=dt**2, integrator=integrator, sample_dt=1e-3)  # fmt: skip
        errors.append(np.abs(run.energy["integration"]).max())
    assert errors[1] < bound
    assert errors[1] < ratio * errors[0]
    assert run.energy["ground_dissipated"][-1].min() > 0.1
    assert np.diff(run.energy["ground_dissipated"], axis=0).min() >= 0.0


HIGH, SKIDDING = np.array([0.0, 0.0, 0.3, 1, 0, 0, 0]), np.array([1.0, 0.5, 0.0, 0.0, 3.0, 0.0])
"""A ball that falls by 0.2 m, and how it moves."""
METHODS = {
    "default": {"ground": flat()},
    "pseudo-Coulomb": {"ground": flat(PseudoCoulomb())},
    "sole": {"ground": flat(ViscoElasticSole())},
    "least constraint": {"ground": flat(LeastConstraint())},
    "rigid": {"ground": flat(Rigid(0.05))},
    "runge-kutta-4": {"ground": flat(Compliant(damping=2e3)), "integrator": "runge-kutta-4"},
    "runge-kutta-4 that gains": {"ground": flat(), "integrator": "runge-kutta-4"},
    "runge-kutta-4 that gains on soles": {"ground": flat(ViscoElasticSole(damping=1e4)), "integrator": "runge-kutta-4"},
    "implicit-midpoint": {"ground": flat(Compliant(damping=2e3)), "integrator": "implicit-midpoint"},
    "dormand-prince": {"ground": flat(), "integrator": "dormand-prince"},
    "radau": {"ground": flat(), "integrator": "radau"},
    "bdf": {"ground": flat(), "integrator": "bdf"},
}


def landing(method, **options):
    """A ball of 1 kg that lands skidding by one of the methods."""
    return ts.simulate(ball(), HIGH, SKIDDING, **{"duration": 0.6, "sample_dt": 2e-3, **METHODS[method], **options})


@pytest.mark.filterwarnings("ignore::tarsus.errors.SimulationWarning")
@pytest.mark.parametrize("method", METHODS)
def test_dissipation_never_falls_on_the_ground(method):
    taken = landing(method).energy["ground_dissipated"]
    assert taken[0] == 0.0
    assert taken[-1] > 1e-3
    assert np.diff(taken).min() >= 0.0


@pytest.mark.parametrize("integrator", [None, "runge-kutta-4", "implicit-midpoint", "dormand-prince", "radau"])
def test_dissipation_never_falls_in_joints(integrator):
    """Dampers, springs, friction and a stop that is run into."""
    builder = ts.ModelBuilder("arm").add_link("ground").add_link("upper", BRICK).add_link("lower", BRICK)
    builder.add_joint("shoulder", "revolute", "ground", "upper", axis=(0, 1, 0), damping=0.2, stiffness=3.0)
    builder.add_joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), position=(0.0, 0.0, -0.5), friction=0.3,
                      q_min=-1.0, q_max=1.0)  # fmt: skip
    run = ts.simulate(builder.build(), [1.5, 0.5], [0.0, 3.0], duration=2.0, dt=2e-4, integrator=integrator)
    assert run.q[:, 1].max() > 1.0  # in the stop
    taken = run.energy["joint_dissipated"]
    assert taken[0] == 0.0
    assert taken[-1] > 0.5
    assert np.diff(taken).min() >= 0.0


@pytest.mark.filterwarnings("ignore::tarsus.errors.SimulationWarning")
@pytest.mark.parametrize("method", METHODS)
def test_integration_is_the_total_less_its_start_to_the_last_bit(method):
    run = landing(method)
    total = total_energy(run.energy)
    np.testing.assert_array_equal(run.energy["integration"], total - total[0])
    assert run.energy["integration"][0] == 0.0


@pytest.mark.parametrize(("mass", "least"), [(0.1, 100.0), (1.0, 1.0)])
def test_what_an_integrator_injects_is_integration_and_not_dissipation(mass, least):
    """Explicit steps of 1 ms on the default ground: all of the energy beyond that of the fall is told as theirs."""
    with pytest.warns(ts.errors.SimulationWarning):
        run = ts.simulate(ball(mass=mass), HIGH, SKIDDING, ground=flat(), duration=0.6, integrator="runge-kutta-4",
                          sample_dt=1e-3)  # fmt: skip
    energy = run.energy
    mechanical = energy["kinetic"] + energy["potential"] + energy["ground_stored"]
    gained = float((mechanical - mechanical[0]).max())
    assert gained > least * mass
    assert energy["integration"].max() >= gained
    assert np.diff(energy["ground_dissipated"]).min() >= 0.0


@pytest.mark.parametrize("seed", range(3))
def test_a_limp_anymal_has_an_audit_that_can_be_read(seed):
    """All defaults: what is dissipated never falls, is no more than there was, and the integrator adds nothing."""
    robot = ROBOTS["anymal_c"]
    model = robot.load()
    run = ts.simulate(model, start(robot, seed), ground=flat(), duration=1.5, sample_dt=1e-3)
    for name in ("ground_dissipated", "joint_dissipated"):
        assert np.diff(run.energy[name]).min() >= 0.0
    fall = fall_energy(model)
    taken = run.energy["ground_dissipated"][-1] + run.energy["joint_dissipated"][-1]
    lost = run.energy["potential"][0] - run.energy["potential"].min()
    assert 0.5 * fall < taken < 1.01 * lost
    assert run.energy["integration"].max() < MAX_GAIN * fall


RESUMED = ["default", "least constraint", "runge-kutta-4", "runge-kutta-4 that gains", "implicit-midpoint"]


@pytest.mark.filterwarnings("ignore::tarsus.errors.SimulationWarning")
@pytest.mark.parametrize("method", RESUMED)
def test_the_audit_of_a_run_that_is_resumed_goes_on_bit_by_bit(method):
    """Resumed in the middle of the landing."""
    whole = landing(method)
    first = landing(method, duration=0.25, resumable=True)
    again = ts.simulate(ball(), resume=first, duration=0.35, sample_dt=2e-3, **METHODS[method])
    assert whole.energy["integration"][-1] != 0.0
    for name in PARTS:
        both = np.concatenate([first.energy[name], again.energy[name]])
        np.testing.assert_array_equal(both, whole.energy[name], err_msg=name)


def test_recordings_with_five_works_and_without_integration_are_resumed():
    """Works on the ground, of actuators, on joints, of wrenches, in impacts.

    What they call dissipated goes on from there. The integrator's part counts from the moment of resuming.
    """
    whole, first = landing("default"), landing("default", duration=0.25, resumable=True)
    old = {name: values for name, values in first.energy.items() if name != "integration"}
    old["ground_dissipated"] = old["ground_dissipated"] - 7.0  # as earlier versions told what their steps injected
    work = np.stack([old["ground_stored"] + old["ground_dissipated"], old["actuator"],
                     old["joint_stored"] + old["joint_dissipated"], old["external"], old["impact"]],
                    axis=-1)  # fmt: skip
    recorded = replace(first, energy=old, signals={**first.signals, "work": work})
    again = ts.simulate(ball(), resume=recorded, duration=0.35, ground=flat(), sample_dt=2e-3)
    later = slice(len(first), None)
    np.testing.assert_array_equal(again.q, whole.q[later])
    for name in PARTS - {"ground_dissipated", "integration"}:
        np.testing.assert_array_equal(again.energy[name], whole.energy[name][later])
    taken = whole.energy["ground_dissipated"][later] - 7.0
    np.testing.assert_allclose(again.energy["ground_dissipated"], taken, atol=1e-9)
    added = whole.energy["integration"][later] - first.energy["integration"][-1]
    np.testing.assert_allclose(again.energy["integration"], added, atol=1e-9)


def test_double_pendulum_keeps_its_energy_for_100_s():
    """h = 1e-3: at most 1e-5 J with order 4."""
    run = ts.simulate(point_pendulum(2), np.array([np.pi / 2, 0.0]), duration=100.0, dt=1e-3,
                      integrator="runge-kutta-4", sample_dt=0.1)  # fmt: skip
    assert drift(run) < 1e-5


def test_the_implicit_midpoint_rule_bounds_the_error_of_energy_in_chaos():
    """h = 1e-3, 400 s of the chaotic motion: no quarter is much worse than the first."""
    run = ts.simulate(point_pendulum(2), np.array([np.pi / 2, 0.0]), duration=400.0, dt=1e-3,
                      integrator="implicit-midpoint", sample_dt=0.1)  # fmt: skip
    total = run.energy["kinetic"] + run.energy["potential"]
    error = np.abs(total - total[0])[1:].reshape(4, 1000).max(axis=1)
    assert error.max() < 1e-3
    assert error.max() < 2.0 * error[0]


def test_the_implicit_midpoint_rule_has_no_trend_of_energy_in_regular_motion():
    """The rule is symmetric: over 400 s the trend is lost in the oscillation of the error."""
    run = ts.simulate(point_pendulum(2), np.array([0.6, 0.2]), duration=400.0, dt=4e-3, integrator="implicit-midpoint",
                      sample_dt=0.1)  # fmt: skip
    total = run.energy["kinetic"] + run.energy["potential"]
    slope = np.polyfit(run.time, total, 1)[0]
    assert abs(slope) * 400.0 < 0.05 * np.ptp(total)


def test_a_tumbling_body_keeps_momentum_and_energy_for_100_s():
    """h = 1e-3, relative: at least as good as MuJoCo's order 4 (9.9e-13 and 1.4e-13) within a factor of five."""
    moments = np.array([1.0, 2.0, 2.9])
    model = tumbler(moments)
    run = ts.simulate(model, None, np.array([0.01, 5.0, 0.01]), duration=100.0, dt=1e-3, integrator="runge-kutta-4",
                      sample_dt=0.1)  # fmt: skip
    momentum = np.einsum("nij,nj->ni", ts.frame_pose(model, run.q, "body")[:, :3, :3], moments * run.v)
    relative = np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0])
    energy = run.energy["kinetic"]
    assert relative < 5e-12
    assert np.abs(energy / energy[0] - 1).max() < 5e-12


@pytest.mark.parametrize("law", [Compliant(), ViscoElasticSole()])
def test_resting_contacts_gain_no_energy(law):
    model = box()
    q = np.array([0.0, 0.0, 0.1, 1, 0, 0, 0])
    run = ts.simulate(model, q, ground=flat(law), duration=20.0, dt=1e-3, sample_dt=0.1)
    mechanical = run.energy["kinetic"] + run.energy["potential"] + run.energy["ground_stored"]
    settled = mechanical[50:]
    assert settled.max() - settled[0] < 1e-12
    assert run.energy["kinetic"][-1] < 1e-25
