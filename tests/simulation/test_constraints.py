"""Constraints that simulations keep: violation, energy, forces, batches, given motions, bad input."""

import numpy as np
import pytest
from simulation.linkages import ball, four_bar, turning_four_bar

import tarsus as ts
from tarsus.contact import Rigid, flat
from tarsus.errors import ArgumentError, DtypeError, InconsistentConstraintsError, SimulationError
from tarsus.simulation import JointLaw, Push

KEEPING = ("semi-implicit-euler", "runge-kutta-4", "implicit-midpoint", "dormand-prince")
VIOLATION = 2e-12
"""[m, rad]; a step is closed to 1e-12, interpolated samples of adaptive steps, too."""


def violation(run, constraints):
    rows = ts.constraint_rows(run.model, run.q, run.v, constraints, time=np.broadcast_to(
        run.time.reshape(-1, *(1,) * (run.q.ndim - 2)), run.q.shape[:-1]))  # fmt: skip
    return np.abs(rows.violation).max(), np.abs(rows.velocity).max()


def welded(model, frames):
    q = model.reference
    return [ts.constraints.weld("world", f, ts.frame_pose(model, q, f), name=f) for f in frames]


@pytest.mark.parametrize("integrator", KEEPING)
def test_a_four_bar_by_constraints_moves_like_one_in_minimal_coordinates(integrator):
    model, loop, q, v = turning_four_bar(2.0)
    run = ts.simulate(model, q, v, duration=1.0, constraints=loop, integrator=integrator)
    reduced = four_bar("reduce")
    other = ts.simulate(reduced, reduced.reference, v[:1], duration=1.0, integrator=integrator)
    # orders of the integrators: 1, 4, 2, and the tolerance of adaptive steps
    near = {"semi-implicit-euler": 2e-2, "runge-kutta-4": 1e-8, "implicit-midpoint": 2e-4, "dormand-prince": 1e-6}
    assert np.abs(run.q[:, 0] - other.q[:, 0]).max() < near[integrator]
    position, velocity = violation(run, loop)
    assert position < VIOLATION
    assert velocity < VIOLATION
    assert np.abs(np.diff(run.q[:, 0])).max() > 0.01  # it moves


@pytest.mark.parametrize("name", ["hrp2", "lola"])
def test_forces_of_the_start_are_those_of_the_dense_equations(name):
    model = getattr(ts.robots, name)()
    feet = [f for f in ("l_sole", "r_sole", "l_foot", "r_foot") if f in model.frames][:2]
    constraints = welded(model, feet)
    rng = np.random.default_rng(2)
    v = ts.project_velocity(model, model.reference, rng.normal(size=model.nv), constraints)
    run = ts.simulate(model, model.reference, v, duration=0.01, constraints=constraints, stops=False)
    force = ts.passive_force(model, model.reference, v)
    motion = ts.constrained_dynamics(model, model.reference, v, force, constraints, method="dense", redundant="accept")
    scale = np.abs(motion.multipliers).max()
    np.testing.assert_allclose(run.signals["constraint_force"][0], motion.multipliers, atol=1e-8 * scale)
    labels = run.metadata["constraints"]
    assert [c["first"] for c in labels] == [0, 6]
    assert feet[0] in labels[0]["label"]


def test_redundant_rows_get_the_forces_of_least_norm():
    model, loop, q, v = turning_four_bar(2.0)
    twice = [*loop, *ts.loop_constraints(model)]
    assert ts.constraint_rows(model, q, v, twice).size == 6
    once = ts.simulate(model, q, v, duration=0.2, constraints=loop)
    both = ts.simulate(model, q, v, duration=0.2, constraints=twice)
    np.testing.assert_allclose(both.q, once.q, atol=1e-9)
    force = both.signals["constraint_force"]
    np.testing.assert_allclose(force[..., :3], force[..., 3:], atol=1e-6)
    np.testing.assert_allclose(2.0 * force[..., :3], once.signals["constraint_force"], atol=1e-5)


def test_forces_of_a_standing_robot_carry_its_weight():
    model = ts.robots.hrp2()
    constraints = welded(model, ("l_sole", "r_sole"))
    law = JointLaw(kp=2000.0, kd=100.0, q=model.reference)
    run = ts.simulate(model, duration=3.0, constraints=constraints, controller=law)
    force = run.signals["constraint_force"][-1]
    np.testing.assert_allclose(force[2] + force[8], model.total_mass * 9.81, rtol=1e-4)
    assert max(violation(run, constraints)) < VIOLATION


def test_a_pendulum_by_a_rod_keeps_its_energy_over_ten_seconds_of_default_steps():
    model = ball()
    rod = [ts.constraints.Rod("world", "ball", length=1.0)]
    q = model.neutral()
    q[0] = 1.0
    run = ts.simulate(model, q, duration=10.0, constraints=rod)
    added = np.abs(run.energy["integration"])
    assert added.max() < 2e-3 * run.energy["kinetic"].max()
    # an error of the first order that comes and goes, no drift
    assert added[-200:].max() < 1.02 * added[:200].max()
    assert max(violation(run, rod)) < VIOLATION


def test_robots_of_a_batch_move_as_they_do_alone():
    model, loop, q, v = turning_four_bar(2.0)
    part = np.linspace(-1.0, 1.0, 11)[:, None]
    for integrator in ("semi-implicit-euler", "runge-kutta-4"):
        options = dict(duration=0.2, constraints=loop, integrator=integrator)
        batch = ts.simulate(model, q, v * part, threads=2, **options)
        for i in range(len(part)):
            alone = ts.simulate(model, q, v * part[i], **options)
            np.testing.assert_allclose(batch.q[:, i], alone.q, atol=1e-10)
            np.testing.assert_allclose(
                batch.signals["constraint_force"][:, i], alone.signals["constraint_force"], atol=1e-7
            )


def steady_crank(start, rate):
    return ts.constraints.PrescribedJoint("a", lambda t: (start + rate * t, rate + 0.0 * t, 0.0 * t), name="drive")


@pytest.mark.parametrize(
    ("integrator", "left"),
    [("semi-implicit-euler", 0.03), ("runge-kutta-4", 1e-9), ("implicit-midpoint", 2e-5), ("dormand-prince", 1e-8)],
)
def test_work_of_a_given_motion_is_a_part_of_the_audit(integrator, left):
    model, loop, q, v = turning_four_bar(3.0)
    constraints = [*loop, steady_crank(q[0], 3.0)]
    run = ts.simulate(model, q, v, duration=2.0, constraints=constraints, integrator=integrator)
    np.testing.assert_allclose(run.q[:, 0], q[0] + 3.0 * run.time, atol=VIOLATION)
    assert max(violation(run, constraints)) < VIOLATION
    assert np.ptp(run.energy["constraint"]) > 5.0
    assert np.abs(run.energy["integration"]).max() < left
    # the torque of the drive times its rate
    power = run.signals["constraint_force"][:, 3] * 3.0
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(run.time))])
    np.testing.assert_allclose(run.energy["constraint"], work, atol=0.05)


def swinging_frame(t):
    t = np.asarray(t, dtype=float)
    X, V, A = np.zeros((*t.shape, 4, 4)), np.zeros((*t.shape, 6)), np.zeros((*t.shape, 6))
    X[...] = np.eye(4)
    X[..., 0, 0] = X[..., 2, 2] = np.cos(2 * t)
    X[..., 0, 2], X[..., 2, 0] = np.sin(2 * t), -np.sin(2 * t)
    X[..., 0, 3], V[..., 0], A[..., 0] = 0.3 * np.sin(3 * t), 0.9 * np.cos(3 * t), -2.7 * np.sin(3 * t)
    V[..., 4] = 2.0
    return X, V, A


@pytest.mark.parametrize("integrator", KEEPING)
def test_a_given_frame_is_followed(integrator):
    model = ball()
    frame = [ts.constraints.PrescribedFrame("world", "ball", motion=swinging_frame)]
    run = ts.simulate(model, duration=1.0, constraints=frame, integrator=integrator, project_start=True)
    assert max(violation(run, frame)) < VIOLATION
    np.testing.assert_allclose(run.q[:, 0], 0.3 * np.sin(3 * run.time), atol=VIOLATION)


def test_constraints_go_with_ground_and_pushes():
    """A ball on a rod that swings down onto the ground and rests there."""
    model = ball()
    rod = [ts.constraints.Rod("world", "ball", pose_a=ts.pose((0.0, 0.0, 0.5)), length=0.8)]
    q = model.neutral()
    q[0], q[2] = 0.8, 0.5
    foot = ts.contact.ContactPoint("foot", "ball", radius=0.1)
    push = Push("ball", (0.0, 0.5, 0.0), start=0.1, duration=0.1)
    run = ts.simulate(model, q, duration=3.0, constraints=rod, ground=flat(), contacts=[foot], pushes=[push])
    assert max(violation(run, rod)) < VIOLATION
    assert run.contact_force[-1, :, 2].sum() == pytest.approx(9.81, rel=0.05)
    assert abs(run.q[:, 1]).max() > 1e-3
    assert abs(run.energy["integration"]).max() < 0.05


def test_a_stepped_simulation_keeps_constraints_and_resets_onto_them():
    model, loop, q, v = turning_four_bar(2.0)
    sim = ts.Simulation(model, q, v, constraints=loop, batch=3)
    run = ts.simulate(model, q, v, duration=0.1, constraints=loop)
    sim.step(steps=100)
    np.testing.assert_allclose(sim.q[1], run.q[-1], atol=1e-12)
    np.testing.assert_allclose(sim.constraint_force[1], run.signals["constraint_force"][-1], atol=1e-8)
    with pytest.raises(ArgumentError, match="violates"):
        sim.reset(q + 0.1)
    loose = ts.Simulation(model, q, v, constraints=loop, project_start=True)
    loose.reset(q + 0.1)
    assert np.abs(ts.constraint_rows(model, loose.q, loose.v, loop).violation).max() < VIOLATION


def test_a_run_goes_on_where_it_stopped():
    model, loop, q, v = turning_four_bar(3.0)
    constraints = [*loop, steady_crank(q[0], 3.0)]
    whole = ts.simulate(model, q, v, duration=0.4, constraints=constraints)
    first = ts.simulate(model, q, v, duration=0.2, constraints=constraints, resumable=True)
    second = ts.simulate(model, resume=first, duration=0.2, constraints=constraints)
    np.testing.assert_allclose(second.q[-1], whole.q[-1], atol=1e-13)
    np.testing.assert_allclose(second.energy["constraint"][-1], whole.energy["constraint"][-1], atol=1e-10)


def test_events_are_found_on_the_way():
    model, loop, q, v = turning_four_bar(3.0)
    constraints = [*loop, steady_crank(q[0], 3.0)]
    run = ts.simulate(model, q, v, duration=1.0, constraints=constraints, integrator="dormand-prince",
                      events=[lambda t, q, v: q[0] - 1.0])  # fmt: skip
    assert run.metadata["events"][0]["time"] == pytest.approx((1.0 - q[0]) / 3.0, abs=1e-8)


def test_an_imu_on_a_pendulum_reads_what_the_rod_carries():
    model = ball()
    rod = [ts.constraints.Rod("world", "ball", length=1.0)]
    q = model.neutral()
    q[2] = -1.0
    v = np.array([3.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    run = ts.simulate(model, q, v, duration=0.02, constraints=rod, sensors=[ts.sensors.IMU(name="imu", frame="ball")])
    # at the lowest point: gravity and v^2 / length
    assert run.signals["imu"][-1][5] == pytest.approx(9.81 + 9.0, rel=0.01)


def test_a_start_that_violates_a_constraint_is_refused_by_name_and_size():
    model, loop, q, v = turning_four_bar(2.0)
    with pytest.raises(ArgumentError, match=r"position at the start violates 'pin'.* by 0\.\d+ m or rad"):
        ts.simulate(model, q + 0.1, v, duration=0.1, constraints=loop)
    with pytest.raises(ArgumentError, match=r"velocity at the start violates 'pin'.* by .* m/s"):
        ts.simulate(model, q, v + 1.0, duration=0.1, constraints=loop)
    run = ts.simulate(model, q + 0.1, v, duration=0.1, constraints=loop, project_start=True)
    assert max(violation(run, loop)) < VIOLATION


def test_constraints_that_contradict_each_other_are_named():
    model, loop, q, v = turning_four_bar(3.0)
    other = ts.constraints.PrescribedJoint(
        "a", lambda t: (q[0] + 3.0 * t + t**2, 3.0 + 2.0 * t, 2.0 + 0.0 * t), name="other"
    )
    with pytest.raises(InconsistentConstraintsError, match=r"(?s)drive.*other"):
        ts.simulate(model, q, v, duration=0.1, constraints=[*loop, steady_crank(q[0], 3.0), other])
    later = ts.constraints.PrescribedJoint(
        "a", lambda t: (q[0] + 3.0 * t + t**3, 3.0 + 3.0 * t**2, 6.0 * t), name="later"
    )
    with pytest.raises(SimulationError, match=r"'later'.* cannot be closed any more"):
        ts.simulate(model, q, v, duration=0.5, constraints=[*loop, steady_crank(q[0], 3.0), later])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"constraints": "pin"}, DtypeError, "constraints is 'pin'"),
        ({"constraints": 3}, DtypeError, "constraints is 3"),
        ({"constraints": ["pin"]}, ArgumentError, "expected Constraint"),
        ({"integrator": "radau"}, ArgumentError, "constraints are kept by"),
        ({"ground": flat(Rigid())}, ArgumentError, "Rigid keeps locks of single joints"),
        ({"constraints": [ts.constraints.Rod("world", "nobody", length=1.0)]}, KeyError, "nobody"),
    ],
)
def test_bad_input_is_named(options, error, message):
    model, loop, q, v = turning_four_bar(2.0)
    with pytest.raises(error, match=message):
        ts.simulate(model, q, v, duration=0.1, **{"constraints": loop, **options})


def test_a_force_sensor_behind_which_a_constraint_acts_is_refused():
    model, loop, q, v = turning_four_bar(2.0)
    sensor = ts.sensors.ForceTorqueSensor(name="ft", frame="coupler", joint="b")
    with pytest.raises(ArgumentError, match="acts on what is behind the ForceTorqueSensor"):
        ts.simulate(model, q, v, duration=0.1, constraints=loop, sensors=[sensor])


def test_a_snapshot_of_a_simulation_without_constraints_is_refused_and_changes_nothing():
    model = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, 0.1)).build()
    rod = ts.constraints.Rod("world", "ball", length=0.3)
    start = [0, 0, -0.3, 1, 0, 0, 0]
    free, held = (ts.Simulation(model, start, constraints=list(c)) for c in ((), (rod,)))
    free.step(steps=10)
    before = held.q
    for one, other in ((held, free), (free, held)):
        with pytest.raises(ArgumentError, match="contacts or constraints differ"):
            one.restore(other.snapshot())
    np.testing.assert_array_equal(held.q, before)


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "runge-kutta-4", "dormand-prince"])
@pytest.mark.parametrize("fault", ["raises", "NaN"])
def test_a_given_motion_that_fails_on_the_way_names_its_constraint_and_leaves_the_trajectory(integrator, fault):
    builder = ts.ModelBuilder("arm").add_link("base")
    builder.add_link("link", ts.Inertia.of_box(1.5, (1.0, 0.1, 0.1), com=(0.5, 0, 0)))
    arm = builder.add_joint("j", "revolute", "base", "link", axis=(0, 1, 0)).build()

    def motion(t):
        late = np.asarray(t) > 0.1 + 1e-9
        if fault == "raises" and late.any():
            raise RuntimeError("no more points")
        return np.where(late, np.nan, 0.0), np.zeros(np.shape(t)), np.zeros(np.shape(t))

    words = "RuntimeError: no more points" if fault == "raises" else r"position of .* not finite at the time 0.101 s"
    with pytest.raises(ts.errors.SimulationError, match=words) as found:
        ts.simulate(
            arm,
            duration=0.3,
            constraints=[ts.constraints.PrescribedJoint("j", motion)],
            integrator=integrator,
            sample_dt=0.01,
        )
    assert "given motion of joint 'j'" in str(found.value) and len(str(found.value)) < 300
    assert 0.0 < len(found.value.trajectory.time) and not found.value.trajectory.finished
