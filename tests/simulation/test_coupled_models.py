"""Semi-implicit steps of models with dependent joints: the equation they solve, their order, and what stands still."""

import numpy as np
import pytest
from loop_models import LENGTHS, at, four_bar, rod
from sample_models import BRICK
from simulation.bodies import GRAVITY, drift
from simulation.implicit_oracle import MEAN, SHARE, Law, Step, StepEquation, four_bar_closure, gears

import tarsus as ts
from tarsus.contact import Compliant, Ground, Plane, Rigid, flat, points
from tarsus.model import Loop
from tarsus.simulation import JointLaw

ROUND_OFF = 1e-10
"""Residual relative to the largest force: stops and ground multiply the round-off of positions by 1e4."""
SLIP = 1.5e-4
"""The same where points slip: friction is iterated until its direction turns by less than arccos(1 - 1e-8)."""
DT, SHORT = 1e-3, 5e-5
"""Steps [s]: the usual one, and one in which joints at 40 rad/s turn by too little for a step to be halved."""
GROUND = Compliant(2e4, 200.0, 0.6, 2e4, 200.0)


def geared(**keywords):
    """A pendulum whose elbow turns back twice as fast as its shoulder, with springs, dampers, armature and stops."""
    builder = ts.ModelBuilder("geared", **keywords)
    builder.add_link("ground", BRICK).add_link("upper", BRICK).add_link("lower", BRICK)
    builder.add_joint("shoulder", "revolute", "ground", "upper", axis=(0.0, 1.0, 0.0), damping=0.3, stiffness=2.0,
                      rest=0.1, armature=0.02, tau_max=40.0)  # fmt: skip
    builder.add_joint("elbow", "revolute", "upper", "lower", axis=(0.0, 1.0, 0.0), position=(0.0, 0.0, -0.5),
                      damping=0.2, stiffness=1.5, rest=-0.2, armature=0.03, q_min=-0.9, q_max=1.4)  # fmt: skip
    builder.add_frame("hand", "lower", at(0.0, 0.0, -0.3))
    return builder.add_coupling("elbow", "shoulder", -2.0, 0.3)


def sprung_four_bar():
    """A four-bar with springs and dampers in all of its joints, a stop of the rocker, and points to touch with."""
    ground, crank, coupler, rocker = LENGTHS
    b = ts.ModelBuilder("four-bar", gravity=(0.0, -9.81, 0.0))
    b.add_link("ground").add_link("crank", rod(crank)).add_link("coupler", rod(coupler)).add_link("rocker", rod(rocker))
    b.add_joint("a", "revolute", "ground", "crank", damping=0.5, stiffness=3.0, armature=0.1)
    b.add_joint("b", "revolute", "crank", "coupler", position=(crank, 0.0, 0.0), damping=0.2, stiffness=1.0, rest=-0.5)
    b.add_joint("d", "revolute", "ground", "rocker", position=(ground, 0.0, 0.0), damping=0.1, armature=0.05, q_max=1.6)
    b.add_loop(Loop("knee", "revolute", "coupler", "rocker", at(coupler), at(rocker)))
    b.add_frame("elbow", "crank", at(crank)).add_frame("middle", "coupler", at(0.5 * coupler, 0.1))
    b.add_frame("tip", "rocker", at(rocker, 0.05))
    b.reference = {"a": 1.0, "b": -0.5, "d": 1.5}
    return b.build()


def check_every_step(model, equation, run, tolerance):
    """Residual, contact forces, deflections and configurations of all steps of a run with a sample for each."""
    z = run.signals["contact_state"]
    for k in range(len(run.time) - 1):
        step = Step(run.q[k], run.v[k], z[k], run.v[k + 1])
        residual, scale, forces, states = equation.residual(step)
        fastest = float(np.abs(run.v[k : k + 2]).max())
        allowed = tolerance * scale + max(MEAN, SHARE * fastest / equation.dt) * equation.heaviest
        np.testing.assert_allclose(residual, 0.0, atol=allowed, err_msg=f"step {k}")
        largest = max(1.0, float(np.abs(forces).max(initial=0.0)))
        np.testing.assert_allclose(run.contact_force[k + 1], forces, atol=tolerance * largest, err_msg=f"step {k}")
        np.testing.assert_allclose(z[k + 1], states, atol=tolerance * 1e-2, err_msg=f"step {k}")
        np.testing.assert_allclose(run.q[k + 1], equation.next_configuration(step), atol=1e-13)


def steps_of(model, equation, q, v, steps, ground):
    law = equation.law
    control = JointLaw(kp=law.kp, kd=law.kd, q=law.q)
    return ts.simulate(model, q, v, controller=control, ground=ground, contacts=points(model, equation.frames),
                       duration=steps * equation.dt, dt=equation.dt, sample_dt=equation.dt, resumable=True)  # fmt: skip


def at_mean_velocity(step, v):
    """The velocity w at the end of a step with velocity terms at (v + w) / 2, from w = step(mean velocity)."""
    mean = v
    for _ in range(20):
        mean = 0.5 * (v + step(mean))
    return step(mean)


@pytest.mark.parametrize(("v", "tolerance"), [(-0.02, 1e-13), (-1.2, 1e-8)], ids=["slow", "fast"])
def test_the_step_of_a_geared_pendulum_solves_the_projected_linear_equation(v, tolerance):
    """(M + dt D + dt^2 K) dv = dt (...) in the one independent coordinate, solved by hand.

    Slow steps leave the velocity terms at the start; fast ones take them at the mean velocity, by iteration.
    """
    model, ratio, kp, kd, q = geared().build(), -2.0, 30.0, 1.5, 0.4
    run = ts.simulate(model, [q], [v], controller=JointLaw(kp=kp, kd=kd, q=[0.2]), duration=DT, dt=DT, sample_dt=DT)
    damping, stiffness = 0.3 + ratio**2 * 0.2, 2.0 + ratio**2 * 1.5
    springs = -2.0 * (q - 0.1 + DT * v) - 1.5 * ratio * (ratio * q + 0.3 + 0.2 + DT * ratio * v)
    control = kp * (0.2 - q - DT * v) - kd * v
    inertia = float(ts.mass_matrix(model, [q])[0, 0]) + DT * (damping + kd) + DT**2 * (stiffness + kp)

    def step(mean):
        force = control + springs - damping * v - float(ts.bias_force(model, [q], [mean])[0])
        return v + DT * force / inertia

    expected = step(v) if abs(v) < 0.1 else at_mean_velocity(step, v)
    np.testing.assert_allclose(run.v[-1, 0], expected, rtol=tolerance)
    np.testing.assert_allclose(run.q[-1, 0], q + DT * run.v[-1, 0], rtol=1e-14)


@pytest.mark.parametrize(("start", "height"), [(-0.3, -0.72), (0.2, -2.0)], ids=["to the ground", "to the stop"])
def test_a_geared_pendulum_under_pd_solves_its_equation_at_every_step(start, height):
    """With its torque at the limit at first, against the ground or the stop of the dependent joint."""
    model = geared().build()
    law = Law(np.array([300.0]), np.array([4.0]), np.array([1.5]), GROUND, height)
    equation = StepEquation(model, gears(model), law, ("hand",), 0.25 * DT)  # so short that no step is halved
    run = steps_of(model, equation, np.array([start]), np.array([-1.0]), 1600, flat(GROUND, height))
    assert np.abs(run.tau).max() == 40.0
    stopped = model.joint_positions(run.q)[:, 1].min() < -0.9
    assert stopped if height < -1.0 else run.contact_force[:, 0, 2].max() > 1.0
    check_every_step(model, equation, run, ROUND_OFF if stopped else SLIP)


@pytest.mark.parametrize(
    ("goal", "speed", "regime"), [(1.7, 2.0, "stop"), (-0.6, -3.0, "ground")], ids=["to the stop", "to the ground"]
)
def test_a_four_bar_with_springs_solves_its_equation_at_every_step(goal, speed, regime):
    """Contacts on the coupler and the rocker, which have no coordinates of their own; G changes with the crank."""
    model = sprung_four_bar()
    plane = Ground(Plane(GROUND, point=(0.0, 0.1, 0.0), normal=(0.0, 1.0, 0.0)))
    law = Law(np.array([400.0]), np.array([3.0]), np.array([goal]), GROUND, height=0.1, up=1)
    equation = StepEquation(model, four_bar_closure(LENGTHS), law, ("elbow", "middle", "tip"), SHORT)
    run = steps_of(model, equation, np.array([0.8]), np.array([speed]), 3000, plane)
    rocker = model.joint_positions(run.q)[:, 2]
    assert rocker.max() > 1.6 if regime == "stop" else run.contact_force[..., 1].max() > 10.0
    check_every_step(model, equation, run, ROUND_OFF if regime == "stop" else SLIP)


def lola_law(model, kp=4000.0, kd=100.0):
    driven = model.actuated.astype(float)
    return Law(kp * driven, kd * driven, model.reference, Compliant())


def soles(side="rl"):
    return tuple(f"{s}_sole_{end}_{edge}" for s in side for end in ("rear", "front") for edge in ("left", "right"))


@pytest.mark.parametrize("drives", [None, "rigid"], ids=["no drives", "rigid drives"])
def test_lola_landing_solves_its_equation_at_every_step(drives):
    """24 rotors geared to the joints, two of them to both axes of an ankle; feet that land askew, stick and slip."""
    model = ts.robots.lola(drives=drives)
    equation = StepEquation(model, gears(model), lola_law(model), soles(), 0.25 * DT)  # rotors turn fast
    q, v = model.reference.copy(), np.zeros(model.nv)
    q[2] += 0.002
    v[:6] = [0.3, 0.2, -0.1, 0.2, -0.1, 0.3]
    run = steps_of(model, equation, q, v, 160, flat(equation.law.ground))
    assert (run.contact_force[-1, :, 2] > 0).sum() >= 3
    check_every_step(model, equation, run, SLIP)


def test_lola_with_rigid_drives_stands_and_nothing_drifts():
    """The ground carries the weight, every point sinks by its share of it, feet and energy rest."""
    model, ground = ts.robots.lola(drives="rigid"), Compliant()
    run = ts.simulate(model, controller=JointLaw(kp=8000.0, kd=200.0), ground=flat(ground), duration=10.0, dt=DT,
                      contacts=points(model, soles()), sample_dt=0.5)  # fmt: skip
    weight = model.total_mass * GRAVITY
    np.testing.assert_allclose(run.contact_force[-1].sum(axis=0), [0.0, 0.0, weight], atol=1e-6 * weight)
    feet = ts.frame_poses(model, run.q, soles())[..., :3, 3]
    np.testing.assert_allclose(-feet[-1, :, 2] * ground.stiffness, run.contact_force[-1, :, 2], atol=1e-6 * weight)
    assert np.linalg.norm(feet[12:] - feet[12], axis=-1).max() < 1e-7  # in the last four seconds [m]
    assert run.energy["kinetic"][-1] < 1e-12


def test_the_energy_audit_of_a_coupled_robot_in_contact_closes_at_first_order():
    model = ts.robots.lola(drives="rigid")
    q = model.reference.copy()
    q[2] += 0.01
    law = JointLaw(kp=4000.0, kd=100.0)
    errors = [
        drift(ts.simulate(model, q, controller=law, ground=flat(), contacts=points(model, soles()), duration=0.2, dt=dt,
                          sample_dt=4e-3))
        for dt in (1e-3, 5e-4, 2.5e-4)
    ]  # fmt: skip
    assert 1.6 < errors[0] / errors[1] < 2.5
    assert 1.6 < errors[1] / errors[2] < 2.5


@pytest.mark.parametrize("model", [geared().build(), sprung_four_bar()], ids=["gears", "four-bar"])
def test_the_semi_implicit_step_converges_to_the_others_at_first_order(model):
    """Against Dormand-Prince at 1e-11, with PD; order four of Runge-Kutta shows that both have the same limit."""
    q, v, law = np.array([0.35]), np.array([0.8]), JointLaw(kp=40.0, kd=2.0, q=np.array([0.3]))
    options = {"controller": law, "duration": 0.5, "sample_dt": 0.5}
    exact = ts.simulate(model, q, v, integrator="dormand-prince", relative=1e-11, absolute=1e-12, **options).q[-1]
    errors = [np.abs(ts.simulate(model, q, v, dt=dt, **options).q[-1] - exact).max() for dt in (1e-3, 5e-4, 2.5e-4)]
    assert 1.8 < errors[0] / errors[1] < 2.2
    assert 1.8 < errors[1] / errors[2] < 2.2
    fourth = ts.simulate(model, q, v, dt=1e-3, integrator="runge-kutta-4", **options).q[-1]
    np.testing.assert_allclose(fourth, exact, atol=1e-9)


def rotor_pendulum(rotor):
    """A pendulum geared 1:50 to a round rotor on the ground, or with the rotor's inertia reflected as armature."""
    ratio, moment = 50.0, 2e-4
    builder = ts.ModelBuilder("rotor" if rotor else "armature")
    builder.add_link("ground", BRICK).add_link("arm", ts.Inertia.of_box(2.0, (0.1, 0.1, 0.6), com=(0.0, 0.0, -0.3)))
    builder.add_joint("joint", "revolute", "ground", "arm", axis=(0.0, 1.0, 0.0), damping=0.4, q_min=-0.5, q_max=1.0,
                      armature=0.0 if rotor else ratio**2 * moment)  # fmt: skip
    builder.add_frame("hand", "arm", at(0.0, 0.0, -0.6))
    if rotor:
        builder.add_link("rotor", ts.Inertia(0.3, (0.0, 0.0, 0.0), moment * np.eye(3)))
        builder.add_joint("motor", "continuous", "ground", "rotor", axis=(0.0, 1.0, 0.0), position=(0.2, 0.0, 0.0))
        builder.add_coupling("motor", "joint", ratio)
    return builder.build()


def test_a_geared_rotor_is_its_inertia_reflected_as_armature():
    """The same equation in exact arithmetic: PD, stop, damping and contact over 25000 steps, too short to be halved."""
    runs = [
        ts.simulate(model, [0.9], [0.5], controller=JointLaw(kp=60.0, kd=2.0, q=[-0.7]), duration=0.5, dt=2e-5,
                    ground=flat(GROUND, height=-0.58), contacts=points(model, ["hand"]))
        for model in (rotor_pendulum(rotor=True), rotor_pendulum(rotor=False))
    ]  # fmt: skip
    assert runs[0].contact_force[:, 0, 2].max() > 1.0
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-11)
    np.testing.assert_allclose(runs[0].v, runs[1].v, atol=1e-10)
    np.testing.assert_allclose(runs[0].contact_force, runs[1].contact_force, atol=1e-7)
    for name in ("kinetic", "actuator", "joint_dissipated", "joint_stored", "ground_dissipated"):
        np.testing.assert_allclose(runs[0].energy[name], runs[1].energy[name], atol=1e-9, err_msg=name)


def test_a_batch_of_coupled_robots_is_each_of_them_alone():
    """To round-off: packs and single robots sum in another order."""
    model = ts.robots.lola(drives="rigid")
    rng = np.random.default_rng(3)
    v = 0.1 * rng.normal(size=(5, model.nv))
    options = {"controller": JointLaw(kp=4000.0, kd=100.0), "ground": flat(), "contacts": points(model, soles()),
               "duration": 0.05, "dt": DT}  # fmt: skip
    batch = ts.simulate(model, model.reference, v, **options)
    for i in range(5):
        alone = ts.simulate(model, model.reference, v[i], **options)
        np.testing.assert_allclose(batch.q[:, i], alone.q, atol=1e-9)


@pytest.mark.parametrize(("speed", "tolerance"), [(0.02, 1e-13), (1.3, 1e-7)], ids=["slow", "fast"])
def test_four_bars_from_the_shared_models_step_like_their_cut_tree_would_with_loop_forces(speed, tolerance):
    """Without stiff forces a step is v+ = v + dt forward_dynamics(q, v_m, 0), v_m = v where it is slow."""
    model = four_bar().build()
    q, v = np.array([0.9]), np.array([speed])
    run = ts.simulate(model, q, v, duration=DT, dt=DT, sample_dt=DT, stops=False)

    def step(mean):
        return v + DT * ts.forward_dynamics(model, q, mean, np.zeros(1))

    expected = step(v) if speed < 0.1 else at_mean_velocity(step, v)
    np.testing.assert_allclose(run.v[-1], expected, rtol=tolerance)


def test_rigid_ground_takes_models_with_gears():
    model = geared(base="free").build()
    q = np.array(model.neutral())
    q[2] = 1.0
    contacts = points(model, ["hand"])
    landed = ts.simulate(model, q, duration=0.3, ground=flat(law=Rigid()), contacts=contacts)
    assert landed.metadata["events"]
    assert drift(landed) < 1e-6 * model.total_mass * GRAVITY
