"""Runs in which leaders change have all that runs have: ground, recordings, sensors, events, pushes, resumption."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from loop_models import at, four_bar, rod

import tarsus as ts
from tarsus.contact import Compliant, Ground, LeastConstraint, Plane, Rigid, points
from tarsus.errors import ArgumentError
from tarsus.model import Loop

TRIPLE_ROCKER = (1.0, 0.6, 0.5, 0.7)
ROCKERS = {
    "double": ((1.0, 0.8, 0.5, 0.9), {"a": 1.0, "b": -0.5, "d": 1.5}),
    "double, short": ((1.0, 0.9, 0.4, 0.7), {"a": 1.0, "b": -0.5, "d": 1.5}),
    "long coupler": ((0.6, 0.7, 1.2, 0.8), {"a": 1.0, "b": -0.5, "d": 1.5}),
    "triple": (TRIPLE_ROCKER, {"a": 0.6, "b": -1.2, "d": 2.2}),
}
"""Ground, crank, coupler and rocker [m], and a start; the crank of each has dead points."""
ENERGY = {"runge-kutta-4": 1e-7, "implicit-midpoint": 1e-3, "dormand-prince": 1e-6}
STIFF = {"radau": 1e-6, "bdf": 1e-4, "cvode": 1e-4}
"""Integrators, and the share of energy that they may win or lose in two seconds with 1 ms and tolerances of 1e-8."""
FEET = tuple(f"foot{k}" for k in range(4))


@cache
def led_by_its_crank(case):
    lengths, start = ROCKERS[case]
    builder = four_bar(lengths)
    builder.add_loop(replace(builder._loops.pop(), independent=("a",)))
    builder.gravity, builder.reference = (0.0, 0.0, 0.0), start
    return builder.build()


@cache
def machine(couplings="reduce"):
    """A triple rocker on a frame of 20 kg that stands on four feet, free to move; y is up."""
    ground, crank, coupler, rocker = TRIPLE_ROCKER
    b = ts.ModelBuilder("machine", base="free", gravity=(0.0, -9.81, 0.0))
    b.add_link("frame", ts.Inertia.of_box(20.0, (1.5, 0.2, 0.5), com=(0.5, -0.9, 0.0)))
    b.add_link("crank", rod(crank)).add_link("coupler", rod(coupler)).add_link("rocker", rod(rocker))
    b.add_joint("a", "revolute", "frame", "crank")
    b.add_joint("b", "revolute", "crank", "coupler", position=(crank, 0.0, 0.0))
    b.add_joint("d", "revolute", "frame", "rocker", position=(ground, 0.0, 0.0))
    b.add_loop(Loop("knee", "revolute", "coupler", "rocker", at(coupler), at(rocker)))
    b.reference = ROCKERS["triple"][1]
    for name, (x, z) in zip(FEET, ((-0.5, -0.3), (1.5, -0.3), (-0.5, 0.3), (1.5, 0.3)), strict=True):
        b.add_frame(name, "frame", at(x, -1.0, z))
    return b.build(couplings=couplings)


def standing(law, **options):
    """Options of a run of the machine, whose crank turns with 6 rad/s."""
    model = machine()
    ground = Ground(Plane(law, point=(0.0, -1.0, 0.0), normal=(0.0, 1.0, 0.0)))
    return {"model": model, "v0": [*np.zeros(6), 6.0], "ground": ground, "contacts": points(model, FEET),
            "duration": 0.6, "leaders": "change", **options}  # fmt: skip


def by_multipliers(**options):
    """The same run of the opened mechanism with multipliers."""
    led, whole = options["model"], machine("cut")
    q, v = led.joint_positions(led.reference), led.coupling_matrix(led.reference) @ options["v0"]
    given = {**options, "model": whole, "q0": q, "v0": v, "contacts": points(whole, FEET)}
    del given["leaders"]
    return ts.simulate(**given, constraints=ts.loop_constraints(whole))


def mechanical(run):
    return run.energy["kinetic"] + run.energy["potential"]


def turns_back(angle):
    return int(np.sum(np.diff(np.sign(np.diff(angle))) != 0))


def leaders(run):
    return [tuple(change["joints"]) for change in run.metadata["leaders"]]


@pytest.mark.parametrize("case", ROCKERS)
@pytest.mark.parametrize("integrator", [*ENERGY, *(pytest.param(name, marks=pytest.mark.long) for name in STIFF)])
def test_rockers_that_are_led_by_their_cranks_pass_dead_points_twice_with_the_same_bits(case, integrator):
    model = led_by_its_crank(case)
    run, again = (
        ts.simulate(model, v0=[4.0], duration=2.0, integrator=integrator, sample_dt=5e-3, leaders="change")
        for _ in range(2)
    )
    assert run.finished and run.time[-1] == pytest.approx(2.0)
    assert len(leaders(run)) >= 2 and turns_back(run.q[:, 0]) >= 2
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], rtol={**ENERGY, **STIFF}[integrator])
    assert run.q.tobytes() == again.q.tobytes() and run.v.tobytes() == again.v.tobytes()
    assert leaders(run) == leaders(again)


@pytest.mark.filterwarnings("ignore:the integrator 'semi-implicit-euler'")
@pytest.mark.parametrize("case", ROCKERS)
def test_the_default_step_keeps_the_energy_up_to_its_first_order(case):
    """A quarter of the step leaves less than half of the error; in steep places steps are shorter anyway."""
    model, errors = led_by_its_crank(case), []
    for dt in (4e-4, 1e-4):
        run = ts.simulate(model, v0=[4.0], duration=0.7, dt=dt, sample_dt=4e-3, leaders="change")
        errors.append(np.abs(mechanical(run) / mechanical(run)[0] - 1.0).max())
    assert len(leaders(run)) >= 2
    assert errors[1] < 0.02 and errors[1] < 0.5 * errors[0]


def test_leaders_change_while_feet_stand_on_the_ground():
    """The machine shakes; contacts, base and loop move as they do with multipliers, and the audit closes."""
    options = standing(Compliant(), integrator="dormand-prince")
    run, expected = ts.simulate(**options), by_multipliers(**options)
    assert leaders(run) == [("a",), ("b",), ("a",)]
    assert np.all(run.contact_force[1:, :, 1] > 0.0) and run.contacts == expected.contacts
    np.testing.assert_allclose(run.q, expected.q, atol=1e-7)
    np.testing.assert_allclose(run.contact_force, expected.contact_force, atol=1e-3)
    assert np.abs(run.energy["integration"]).max() < 1e-6


@pytest.mark.filterwarnings("ignore:the integrator 'semi-implicit-euler' added")
@pytest.mark.parametrize(("law", "added"), [(Compliant(), 0.02), (LeastConstraint(), 0.02), (Rigid(), 1e-7)])
def test_leaders_change_on_ground_of_every_kind(law, added):
    run = ts.simulate(**standing(law))
    assert leaders(run) == [("a",), ("b",), ("a",)] and run.finished
    assert np.all(run.contact_force[1:, :, 1] > 0.0)
    assert np.abs(run.energy["integration"]).max() < added * run.energy["kinetic"].max()
    if isinstance(law, Rigid):  # nothing happens to feet because others lead
        assert all(event["time"] == 0.0 for event in run.metadata["events"])


def test_the_ground_stops_a_coupler_that_falls_on_it():
    """Its middle comes to rest on the ground, after two changes, as with multipliers."""
    made = {}
    for couplings in ("reduce", "cut"):
        builder = four_bar(TRIPLE_ROCKER)
        builder.reference = ROCKERS["triple"][1]
        builder.add_frame("tip", "coupler", at(0.25, -0.1))
        made[couplings] = builder.build(couplings=couplings)
    led, whole = made["reduce"], made["cut"]
    ground = Ground(Plane(Compliant(), point=(0.0, -0.13, 0.0), normal=(0.0, 1.0, 0.0)))
    options = {"duration": 0.9, "ground": ground, "integrator": "dormand-prince"}
    run = ts.simulate(led, v0=[6.0], contacts=points(led, ("tip",)), leaders="change", **options)
    q, v = led.joint_positions(led.reference), led.coupling_matrix(led.reference) @ [6.0]
    loop = ts.loop_constraints(whole)
    expected = ts.simulate(whole, q, v, contacts=points(whole, ("tip",)), constraints=loop, **options)
    assert len(leaders(run)) >= 3 and run.contact_force[-1, 0, 1] > 1.0
    np.testing.assert_allclose(run.q, expected.q, atol=1e-6)
    np.testing.assert_allclose(run.v[-1], 0.0, atol=1e-3)


def test_a_recording_of_it_is_the_run_and_can_be_drawn(tmp_path):
    options = standing(Compliant(), duration=0.45)
    run = ts.simulate(**options, record=tmp_path / "machine.h5")
    read = ts.open_recording(tmp_path / "machine.h5")
    assert read.metadata["leaders"] == run.metadata["leaders"] and len(leaders(read)) == 3
    for name in ("time", "q", "v", "contact_force"):
        np.testing.assert_array_equal(getattr(read, name), getattr(run, name))
    assert read.model.coupling_mode == "cut" and tuple(read.model.joints) == tuple(run.model.joints)
    np.testing.assert_array_equal(
        ts.frame_pose(read.model, read.q, "rocker"), ts.frame_pose(run.model, run.q, "rocker")
    )


@pytest.mark.filterwarnings("ignore:the integrator 'semi-implicit-euler'")
@pytest.mark.parametrize(
    ("cut", "integrator"), [(0.2, "semi-implicit-euler"), (0.3, "runge-kutta-4"), (0.415, "semi-implicit-euler")]
)
def test_it_is_resumed_bit_by_bit(cut, integrator, tmp_path):
    """Before and between changes of leaders, between two looks at the slopes, from memory and from a recording."""
    options = standing(Compliant(), integrator=integrator, duration=0.45, resumable=True)
    whole = ts.simulate(**options)
    options["duration"] = cut
    first = ts.simulate(**options, record=tmp_path / "first.h5")
    del options["v0"]
    options["duration"] = 0.45 - cut
    for part in (first, ts.open_recording(tmp_path / "first.h5")):
        second = ts.simulate(**options, resume=part)
        assert second.time[-1] == whole.time[-1]
        assert second.q[-1].tobytes() == whole.q[-1].tobytes() and second.v[-1].tobytes() == whole.v[-1].tobytes()
        for name, values in whole.energy.items():
            np.testing.assert_array_equal(second.energy[name][-1], values[-1], err_msg=name)


def test_a_start_over_all_joints_is_resumed_bit_by_bit():
    model, led = machine("cut"), machine()
    q, v = led.joint_positions(led.reference), led.coupling_matrix(led.reference) @ [*np.zeros(6), 6.0]
    options = {"leaders": "change", "resumable": True, "integrator": "runge-kutta-4"}
    whole = ts.simulate(model, q, v, duration=0.35, **options)
    first = ts.simulate(model, q, v, duration=0.3, **options)
    second = ts.simulate(model, resume=first, duration=0.05, **options)
    assert second.q[-1].tobytes() == whole.q[-1].tobytes()


def test_sensors_and_controllers_are_told_of_all_joints():
    """Angles of all joints, and accelerations of the frame, as with multipliers; torques of all joints."""
    sensors = [ts.sensors.Encoder(joints=("a", "b", "d")), ts.sensors.IMU(frame="frame")]
    seen = []

    def drive(observation):
        seen.append((observation.q.shape, observation.v.shape, observation.tau.shape))
        observation.log(knee=observation.q[-2])
        return [*np.zeros(6), 0.0, 0.3, -0.2]

    options = standing(Compliant(), integrator="dormand-prince", sensors=sensors, controller=drive)
    run, expected = ts.simulate(**options), by_multipliers(**options)
    assert len(leaders(run)) == 3 and set(seen) == {((10,), (9,), (9,))}
    np.testing.assert_allclose(run.q, expected.q, atol=1e-3)  # torques are held for a step in leading coordinates
    np.testing.assert_array_equal(run.signals["knee"][:-1], run.q[:-1, -2])
    for name in ("encoder", "imu"):
        assert np.nanmax(np.abs(run.signals[name] - expected.signals[name])) < 0.05, name
    np.testing.assert_array_equal(run.tau[5], [*np.zeros(6), 0.0, 0.3, -0.2])
    assert run.energy["actuator"][-1] == pytest.approx(expected.energy["actuator"][-1], abs=1e-3)


def test_events_are_functions_of_all_joints():
    """The crank turns back where it has no velocity, whoever leads."""

    def turned(t, q, v):
        return v[0]

    model = led_by_its_crank("triple")
    run = ts.simulate(model, v0=[4.0], duration=1.0, integrator="dormand-prince", leaders="change", events=[turned])
    times = [event["time"] for event in run.metadata["events"]]
    assert len(times) >= 1 and len(leaders(run)) >= 3
    np.testing.assert_allclose(run.v[run.signals["event"] == 1, 0], 0.0, atol=1e-8)
    turned.terminal = True
    ended = ts.simulate(model, v0=[4.0], duration=1.0, integrator="dormand-prince", leaders="change", events=[turned])
    assert ended.time[-1] == pytest.approx(times[0], abs=1e-7)
    turned.state_map = lambda t, q, v: (q, v)
    with pytest.raises(ArgumentError, match="state_map"):
        ts.simulate(model, duration=1.0, integrator="dormand-prince", leaders="change", events=[turned])


def test_pushes_go_on_while_leaders_change():
    push = ts.simulation.Push("frame", (0.0, 0.0, 40.0), 0.1, 0.4)
    options = standing(Compliant(), integrator="dormand-prince", pushes=[push])
    run, expected = ts.simulate(**options), by_multipliers(**options)
    assert len(leaders(run)) == 3 and abs(run.energy["external"][-1]) > 1e-4
    np.testing.assert_allclose(run.q, expected.q, atol=1e-6)
