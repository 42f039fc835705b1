"""Rigid contact by events against closed forms of bouncing, sliding, rolling, falling and walking."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from simulation.bodies import GRAVITY, about_y, ball, box, drift, particle, pose, rimless_wheel, rod

import tarsus as ts
from tarsus.contact import (
    Block,
    Compliant,
    ContactPoint,
    Ground,
    HeightField,
    Plane,
    Rigid,
    flat,
    points,
    slope,
    stairs,
)
from tarsus.errors import ArgumentError, SimulationError, SimulationWarning
from tarsus.simulation.rigid.stepped_time import stepped_time

TIP = [ContactPoint("tip", "point")]
FINE = {"relative": 1e-11, "absolute": 1e-12}
EVENT = 1e-9
"""Times of events [s]."""
ANGLE = np.pi / 6
UP = np.array([np.cos(ANGLE), 0.0, np.sin(ANGLE)])
NORMAL = np.array([-np.sin(ANGLE), 0.0, np.cos(ANGLE)])


def times(run, kind):
    return np.array([e["time"] for e in run.metadata["events"] if e["event"] == kind])


def pairs(run):
    """Samples before impacts."""
    return np.flatnonzero(np.diff(run.time) == 0.0)


def bouncing(duration=4.5, **options):
    ground = flat(Rigid(friction=0.5, restitution=0.8))
    return ts.simulate(particle(), [0.0, 0.0, 1.0], ground=ground, contacts=TIP, duration=duration, **options)


@pytest.fixture(scope="module")
def bounced():
    return bouncing()


def test_a_ball_bounces_at_the_times_and_heights_of_the_closed_form(bounced):
    """h = 1 m, e = 0.8: ten impacts from 0.4515 s on, heights 0.64, 0.4096, ..."""
    k = np.arange(10)
    first = np.sqrt(2 / GRAVITY)
    expected = first + 2 * first * 0.8 * (1 - 0.8**k) / 0.2
    np.testing.assert_allclose(expected[:3], [0.451523640985730904, 1.17396146656290035, 1.75191172702463591])
    np.testing.assert_allclose(times(bounced, "impact")[:10], expected, atol=1e-14)
    before = pairs(bounced)[:10]
    np.testing.assert_allclose(bounced.v[before + 1, 2] ** 2 / (2 * GRAVITY), 0.64 ** (k + 1), atol=1e-8)
    np.testing.assert_allclose(bounced.v[before + 1, 2], -0.8 * bounced.v[before, 2], rtol=1e-12)
    assert bounced.energy["impact"][-1] == pytest.approx(GRAVITY, abs=1e-6)
    assert drift(bounced) < 1e-10


def test_bouncing_comes_to_rest_at_the_time_of_zeno(bounced):
    """4.0637 s; the last bounces, slower than 0.1 mm/s, are left out: 2 v e / (g (1 - e))."""
    (rest,) = times(bounced, "touch-down")
    left_out = 2 * 1e-4 * 0.8 / (GRAVITY * 0.2)
    assert 0.0 <= 4.06371276887157814 - rest < 1.3 * left_out
    after = bounced.time > rest
    assert np.abs(bounced.q[after, 2]).max() < 1e-9
    assert np.all(bounced.v[after] == 0.0)
    np.testing.assert_allclose(bounced.contact_force[after][2:, 0], np.tile([0, 0, GRAVITY], (after.sum() - 2, 1)))
    assert bounced.signals["dof"][[0, -1]].tolist() == [3, 0]


def test_a_sliding_block_stops_at_its_time_and_place_and_stays():
    """mu = 0.5, 3 m/s: 0.6116 s and 0.9174 m."""
    run = ts.simulate(particle(), np.zeros(3), [3.0, 0.0, 0.0], ground=flat(Rigid(0.5)), contacts=TIP, duration=5.0)
    np.testing.assert_allclose(times(run, "stick"), [0.611620795107033639], atol=EVENT)
    after = run.time > 0.62
    np.testing.assert_allclose(run.q[after, 0], 0.917431192660550459, atol=EVENT)
    assert np.all(run.q[after] == run.q[after][0])
    assert run.energy["ground_dissipated"][-1] == pytest.approx(4.5, abs=1e-9)
    assert run.signals["dof"][[0, -1]].tolist() == [2, 0]


def test_a_box_does_not_creep_on_a_slope_of_20_degrees_in_60_s():
    angle = np.deg2rad(20.0)
    n = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    q = np.r_[0.1 * n, about_y(-angle)]
    run = ts.simulate(box(), q, ground=slope(angle, Rigid(1.0)), duration=60.0, sample_dt=1.0)
    assert np.abs(run.q - run.q[0]).max() < 1e-9
    np.testing.assert_allclose(run.contact_force.sum(axis=1), np.tile([0, 0, 98.1], (61, 1)), atol=1e-9)


@pytest.mark.parametrize(("friction", "slides"), [(0.577350269, True), (0.577350270, False)])
def test_a_block_sticks_from_the_angle_of_friction_on(friction, slides):
    """30 degrees: mu >= 0.57735026919."""
    run = ts.simulate(particle(), ground=slope(ANGLE, Rigid(friction)), contacts=TIP, duration=1.0)
    expected = 0.5 * GRAVITY * (np.sin(ANGLE) - friction * np.cos(ANGLE)) if slides else 0.0
    np.testing.assert_allclose(-run.q[-1] @ UP, expected, atol=1e-14)
    assert (run.signals["dof"][-1] == 2) == slides


def test_a_block_launched_up_a_slope_turns_and_returns_when_it_should():
    """mu = 0.3, 4 m/s: turns at 0.5366 s after 1.0733 m, is back at 1.4911 s with 2.2490 m/s."""
    run = ts.simulate(particle(), np.zeros(3), 4.0 * UP, ground=slope(ANGLE, Rigid(0.3)), contacts=TIP, duration=1.6)
    np.testing.assert_allclose(times(run, "slip"), [0.53664531046523599], atol=EVENT)
    back, speed, a = 1.49110930390972581, 2.24899132560707318, 2.35628723666239706
    late = run.time > back
    dt = run.time[late] - back
    np.testing.assert_allclose(run.q[late] @ UP, -(speed * dt + 0.5 * a * dt**2), atol=EVENT)
    np.testing.assert_allclose(run.v[late] @ UP, -(speed + a * dt), atol=EVENT)
    assert np.abs(run.q @ NORMAL).max() < 1e-12


def test_a_skidding_sphere_begins_to_roll():
    """Solid, 5 m/s, mu = 0.2: rolls from 0.7281 s on at 25/7 m/s, at 3.1205 m, with 5/7 of its energy."""
    q = [0.0, 0.0, 0.1, 1, 0, 0, 0]
    run = ts.simulate(ball(0.1), q, [5.0, 0, 0, 0, 0, 0], ground=flat(Rigid(0.2)), duration=1.0, **FINE)
    starts = 0.728119994175040047
    np.testing.assert_allclose(times(run, "stick"), [starts], atol=EVENT)
    np.testing.assert_allclose(run.q[-1, 0], 3.12051426075017163 + 25 / 7 * (1.0 - starts), atol=1e-8)
    np.testing.assert_allclose(run.energy["kinetic"][-1] / run.energy["kinetic"][0], 5 / 7, rtol=1e-9)
    assert drift(run) < 1e-8


def test_a_sphere_rolls_down_a_slope_with_5_7_of_the_sliding_acceleration():
    q = np.r_[0.1 * NORMAL, about_y(0.0)]
    run = ts.simulate(ball(0.1), q, ground=slope(ANGLE, Rigid(0.165)), duration=1.0, **FINE)
    np.testing.assert_allclose(-(run.q[-1, :3] - q[:3]) @ UP, 0.5 * 3.50357142857142857, atol=1e-8)
    force = run.contact_force[1:, 0]
    ratio = np.linalg.norm(force - np.outer(force @ NORMAL, NORMAL), axis=1) / (force @ NORMAL)
    np.testing.assert_allclose(ratio, 0.164957219768464504, rtol=1e-9)
    skids = ts.simulate(ball(0.1), q, ground=slope(ANGLE, Rigid(0.1645)), duration=0.1)
    assert np.all(skids.signals["dof"] == 5)


def test_a_rod_that_slips_from_under_itself_hits_the_floor_with_its_energy():
    """Frictionless: omega^2 = 3 g cos(start) / l at the floor; 5.4249 from upright."""
    model, start = rod(), 0.01
    q = np.array([0.0, 0.5 * np.cos(start), start])
    run = ts.simulate(model, q, ground=flat(Rigid(0.0)), contacts=points(model, ["low", "high"]), duration=1.4, **FINE)
    i = pairs(run)[0]
    omega = 5.42494239600753733 * np.sqrt(np.cos(start))
    np.testing.assert_allclose(run.v[i, 2], omega, rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(run.v[i, :2]), 0.5 * omega, rtol=1e-9)
    np.testing.assert_allclose(run.q[:, 0], 0.0, atol=1e-9)  # nothing pushes sideways
    assert np.abs(run.v[-1]).max() < 1e-9


def fall(theta, start, friction):
    """Friction force less its limit for a rod of 1 kg, 1 m, that fell from rest about its lower end."""
    omega2, alpha = 3 * GRAVITY * (np.cos(start) - np.cos(theta)), 1.5 * GRAVITY * np.sin(theta)
    along = 0.5 * (alpha * np.cos(theta) - omega2 * np.sin(theta))
    normal = GRAVITY - 0.5 * (alpha * np.sin(theta) + omega2 * np.cos(theta))
    return along - friction * normal, along + friction * normal, normal


@pytest.mark.parametrize(("friction", "direction"), [(0.2, -1.0), (0.6, 1.0)])
def test_a_falling_stick_slips_at_its_angle(friction, direction):
    """Backwards with little friction; with more it first falls far enough that its foot slips forwards."""
    model, start = rod(), 0.1
    which = 0 if direction < 0 else 1
    scan = np.linspace(start, 1.5, 4000)
    values = np.array([fall(x, start, friction)[which] for x in scan]) * -direction
    first = scan[np.flatnonzero(values > 0)[0]]
    theta = brentq(lambda x: fall(x, start, friction)[which], first - 1e-3, first + 1e-3, xtol=1e-14)
    # t = integral of dtheta / omega; theta = start + s^2 takes the singularity away.
    reach = np.sqrt(theta - start)
    t, _ = quad(
        lambda s: 2 * s / np.sqrt(3 * GRAVITY * (np.cos(start) - np.cos(start + s * s))), 0, reach, epsabs=1e-12
    )
    q = np.array([0.0, 0.5 * np.cos(start), start])
    run = ts.simulate(model, q, ground=flat(Rigid(friction)), contacts=points(model, ["low"]),
                      duration=np.ceil(1000 * t + 5) / 1000, sample_dt=0.001, **FINE)  # fmt: skip
    np.testing.assert_allclose(times(run, "slip"), [t], atol=1e-6)  # forces leave the cone by 1e-9 of their size
    low = ts.frame_velocity(model, run.q, run.v, "low")[:, 0]
    assert np.abs(low[run.time < t - 1e-3]).max() < 1e-10
    assert direction * low[-1] > 0.0


def test_a_rimless_wheel_walks_down_with_its_step_map():
    """McGeer: energy between impacts, angular momentum about the new foot at them; 8 spokes, slope 0.08 rad."""
    inertia, half, incline = 1e-3, np.pi / 8, 0.08
    model = rimless_wheel(inertia=inertia)
    gain = 4 * GRAVITY * np.sin(half) * np.sin(incline) / (1 + inertia)
    ratio = (inertia + np.cos(2 * half)) / (1 + inertia)
    fixed = ratio * np.sqrt(gain / (1 - ratio**2))
    assert fixed == pytest.approx(1.09546283964765683, rel=1e-3)  # without inertia of the hub
    start, pitch = 1.3, incline - half
    q = np.array([np.sin(pitch), np.cos(pitch), pitch])
    spokes = points(model, [f"spoke{k}" for k in range(8)])
    run = ts.simulate(model, q, [start, 0.0, start], ground=slope(-incline, Rigid(10.0)), duration=6.0, contacts=spokes,
                      relative=1e-10, absolute=1e-12)  # fmt: skip
    before = pairs(run)
    assert len(before) == 6
    expected = start
    for i in before:
        fast = np.sqrt(expected**2 + gain)
        expected = ratio * fast
        np.testing.assert_allclose([run.v[i, 2], run.v[i + 1, 2]], [fast, expected], atol=1e-8)
    assert abs(expected - fixed) < 0.51**6 * abs(start - fixed)  # the map contracts by one half
    np.testing.assert_allclose(ratio**2, 0.5, atol=1e-3)
    # One spoke carries at a time; the foot before lifts off as the next touches.
    assert run.signals["dof"].tolist().count(1) >= len(run.time) - 2 * len(before)
    assert drift(run) < 1e-8


def test_steady_walking_of_the_rimless_wheel_takes_the_published_time():
    """Step time 1.03455 s, step length 0.76537 m: speed 0.7398 m/s, up to the inertia of the hub."""
    model, half, incline = rimless_wheel(inertia=1e-4), np.pi / 8, 0.08
    pitch, start = incline - half, 1.09546283964765683
    q = np.array([np.sin(pitch), np.cos(pitch), pitch])
    run = ts.simulate(model, q, [start, 0.0, start], ground=slope(-incline, Rigid(10.0)), duration=4.3,
                      contacts=points(model, [f"spoke{k}" for k in range(8)]))  # fmt: skip
    hits = times(run, "impact")
    np.testing.assert_allclose(np.diff(hits), 1.03454981142327933, rtol=3e-4)
    np.testing.assert_allclose(0.765366864730179543 / np.diff(hits), 0.739806683331398015, rtol=3e-4)


def test_painleves_rod_jams_in_an_impact_without_collision():
    """Friction 2 at 30 degrees: no force holds the sliding tip; an impulse ends its slip at once."""
    model, pitch = rod(), np.pi / 6
    q = np.array([0.0, 0.5 * np.cos(pitch), pitch])
    v = np.array([-np.cos(pitch), -np.sin(pitch), 0.0])
    run = ts.simulate(model, q, v, ground=flat(Rigid(2.0)), contacts=points(model, ["low", "high"]), duration=0.2)
    (event,) = [e for e in run.metadata["events"] if e["event"] == "painleve"]
    assert event["contact"] == "low"
    # A of the tip by hand: the impulse that ends a slip of -1 m/s and leaves it on the ground.
    s, c = np.sin(pitch), np.cos(pitch)
    A = np.array([[1 + 3 * c * c, 3 * s * c], [3 * s * c, 1 + 3 * s * s]])
    expected = np.linalg.solve(A, [1.0, 0.0]) * [1, 1]
    np.testing.assert_allclose(np.abs([event["impulse"][0], event["impulse"][2]]), np.abs(expected), rtol=1e-12)
    assert run.time[0] == run.time[1] == 0.0
    low = ts.frame_velocity(model, run.q, run.v, "low")
    np.testing.assert_allclose(low[0, :3], [-1.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(low[1, :3], 0.0, atol=1e-12)
    np.testing.assert_allclose(run.energy["impact"][1], 0.5 * np.abs(expected[0]), rtol=1e-12)
    assert drift(run) < 1e-9


def test_a_tumbling_box_comes_to_rest_with_all_its_energy_accounted_for():
    q = np.r_[0.0, 0.0, 0.5, about_y(0.3)]
    run = ts.simulate(box(), q, [0.5, 0.3, 0, 0.4, 0, 1.0], ground=flat(Rigid(0.5, 0.3)), duration=3.0)
    assert drift(run) < 1e-6
    assert np.abs(run.v[-1]).max() < 1e-9
    assert run.q[-1, 2] == pytest.approx(0.1, abs=1e-9)
    np.testing.assert_allclose(run.contact_force[-1].sum(axis=0), [0, 0, 98.1], atol=1e-7)
    lost = np.diff(run.energy["impact"])
    assert lost.min() > -1e-12
    kinetic = np.diff(run.energy["kinetic"])[pairs(run)]
    assert np.all(kinetic <= 1e-12)
    kinds = {e["event"] for e in run.metadata["events"]}
    assert {"impact", "touch-down", "stick"} <= kinds


def test_closed_contacts_stay_on_the_ground():
    """Within 1e-9 m, at the default tolerance, for a box that is pushed about on a slope."""
    angle = 0.1
    n = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    q = np.r_[0.1 * n, about_y(-angle)]
    pushes = [ts.simulation.Push("box", (40.0, 30.0, 0.0), start=0.02, duration=0.1, moment=(0.0, 0.0, 4.0))]
    run = ts.simulate(box(), q, ground=slope(angle, Rigid(0.2)), duration=0.4, dt=0.005, pushes=pushes)
    corners = np.array([[x, y, -0.1] for x in (-0.2, 0.2) for y in (-0.15, 0.15)])
    X = ts.frame_pose(run.model, run.q, "box")
    heights = (X[:, None, :3, :3] @ corners[:, :, None])[..., 0] @ n + (X[:, :3, 3] @ n)[:, None]
    assert np.abs(heights).max() < 1e-9
    assert np.linalg.norm(run.q[-1, :3] - run.q[0, :3]) > 0.01
    assert drift(run) < 1e-6


def test_a_sphere_rolls_off_the_edge_of_a_block_and_falls():
    """It leaves the edge where v^2 / r = g cos: for rolling from rest at the top, cos = 10/17."""
    radius = 0.1
    block = Block((1.0, 1.0, 1.0), pose((0.0, 0.0, -0.5)), Rigid(friction=20.0))
    q = np.array([0.5 + 1e-4 * radius, 0.0, radius * np.sqrt(1 - 1e-8), 1, 0, 0, 0])
    run = ts.simulate(ball(radius), q, ground=Ground(block, Plane(Rigid(), point=(0, 0, -3.0))), duration=1.2, **FINE)
    (leaves,) = times(run, "lift-off")
    i = np.searchsorted(run.time, leaves)
    speed = np.linalg.norm(run.v[i, :3])
    fallen = GRAVITY * (run.time[i] - leaves)
    assert speed == pytest.approx(np.sqrt(10 / 17 * GRAVITY * radius), abs=fallen + 1e-6)
    assert drift(run) < 1e-7


def test_a_point_slides_on_a_twisted_height_field_without_friction():
    """z = k x y is what the grid says between its points: the point stays on it and keeps its energy."""
    k = 0.6
    field = HeightField(k * np.array([[1.0, -1.0], [-1.0, 1.0]]), 2.0, (-1.0, -1.0), Rigid(0.0))
    v = [0.4, -0.9, k * (0.4 * 0.1 - 0.3 * 0.9)]
    run = ts.simulate(particle(), [0.3, 0.1, 0.03 * k], v, ground=Ground(field), contacts=TIP, duration=0.4)
    np.testing.assert_allclose(run.q[:, 2], k * run.q[:, 0] * run.q[:, 1], atol=1e-9)
    mechanical = run.energy["kinetic"] + run.energy["potential"]
    np.testing.assert_allclose(mechanical, mechanical[0], atol=1e-7)


def test_a_box_lands_on_a_stair():
    model = box((0.2, 0.2, 0.1), mass=2.0)
    run = ts.simulate(model, [0.65, 0.0, 0.4, 1, 0, 0, 0], ground=stairs(2, 0.15, 0.3, law=Rigid(0.6)), duration=0.6)
    assert run.q[-1, 2] == pytest.approx(0.2, abs=1e-9)
    np.testing.assert_allclose(run.contact_force[-1].sum(axis=0), [0, 0, 2 * GRAVITY], atol=1e-9)


def test_controllers_pushes_and_joint_laws_act():
    """A pushed, held block: force of the ground and acceleration by hand."""
    ground = flat(Rigid(0.5))
    tau = np.array([6.0, 0.0, 0.0])
    run = ts.simulate(particle(), ground=ground, contacts=TIP, duration=0.5, control_dt=0.01,
                      controller=lambda t, q, v: tau if t < 0.245 else 0 * tau)  # fmt: skip
    a = 6.0 - 0.5 * GRAVITY
    speed = a * 0.25
    np.testing.assert_allclose(times(run, "stick"), [0.25 + speed / (0.5 * GRAVITY)], atol=1e-8)
    np.testing.assert_allclose(run.energy["actuator"][-1], 6.0 * 0.5 * a * 0.25**2, rtol=1e-8)
    pushed = ts.simulate(particle(), ground=ground, contacts=TIP, duration=0.4,
                         pushes=[ts.simulation.Push("point", (6.0, 0.0, 0.0), start=0.1, duration=0.1)])  # fmt: skip
    np.testing.assert_allclose(pushed.v[np.searchsorted(pushed.time, 0.2), 0], a * 0.1, atol=1e-8)
    assert drift(pushed) < 1e-9
    held = ts.simulate(particle(), ground=ground, contacts=TIP, duration=0.2,
                       controller=ts.simulation.JointLaw(kp=[40.0, 0, 0], kd=[0.0, 0, 0], q=[0.05, 0, 0]))  # fmt: skip
    np.testing.assert_allclose(held.contact_force[:, 0], np.tile([-2.0, 0.0, GRAVITY], (len(held.time), 1)), atol=1e-9)


def test_a_run_is_recorded_resumed_and_interrupted(tmp_path):
    path = tmp_path / "ball.h5"
    whole = bouncing(1.0, record=path, resumable=True)
    loaded = ts.open_recording(path)
    np.testing.assert_array_equal(loaded.q, whole.q)
    assert loaded.metadata["events"] == whole.metadata["events"]
    half = bouncing(0.5, resumable=True)
    rest = ts.simulate(particle(), ground=flat(Rigid(0.5, 0.8)), contacts=TIP, duration=0.5, resume=half)
    np.testing.assert_allclose(rest.q[-1], whole.q[-1], atol=1e-9)
    np.testing.assert_allclose(rest.energy["impact"][-1], whole.energy["impact"][-1], rtol=1e-12)

    def stop(t, q, v):
        if t > 0.2:
            raise KeyboardInterrupt
        return np.zeros(3)

    short = bouncing(1.0, controller=stop, control_dt=0.1)
    assert not short.finished
    assert short.time[-1] == pytest.approx(0.3)


def falling(t, q, v):
    return v[2]


def tumbling(count, **options):
    """Boxes that fall from different heights and come to rest in different ways."""
    q = np.tile(np.r_[0.0, 0.0, 0.5, about_y(0.3)], (count, 1))
    q[:, 2] += np.linspace(0.0, 0.2, count)
    v = np.tile([0.5, 0.3, 0, 0.4, 0, 1.0], (count, 1))
    return q, v, {"ground": flat(Rigid(0.5, 0.3)), "duration": 1.0, **options}


def test_bursts_of_events_are_stepped_through_and_told():
    """Bounces of 0.2 mm/s that lose 0.2 % each: fifty of them in 2 ms."""
    start = {"v0": [0.0, 0.0, 2e-4], "ground": flat(Rigid(0.5, 0.998)), "contacts": TIP}
    with pytest.warns(SimulationWarning, match=r"% of the time .* was gone through in steps"):
        run = ts.simulate(particle(), [0.0, 0.0, 0.0], duration=0.02, **start)
    stepped = [e for e in run.metadata["events"] if e["event"] == "stepped"]
    assert stepped
    assert stepped_time(run) == pytest.approx(sum(e["duration"] for e in stepped))
    assert 0.0 < stepped_time(run) < 0.021
    assert run.q[-1, 2] == pytest.approx(0.0, abs=1e-8)
    mechanical = run.energy["kinetic"] + run.energy["potential"]
    assert mechanical.max() <= mechanical[0] * (1 + 1e-9)


def test_robots_of_a_batch_depend_on_neither_neighbours_nor_threads_nor_repetition():
    q, v, options = tumbling(5)
    run = ts.simulate(box(), q, v, **options)
    for other in (ts.simulate(box(), q, v, **options), ts.simulate(box(), q, v, threads=2, **options)):
        np.testing.assert_array_equal(other.q, run.q)
        np.testing.assert_array_equal(other.contact_force, run.contact_force)
        assert other.metadata["events"] == run.metadata["events"]
    alone = ts.simulate(box(), q[2:3], v[2:3], **options)
    np.testing.assert_array_equal(alone.q[:, 0], run.q[:, 2])
    assert [e["time"] for e in alone.metadata["events"]] == [
        e["time"] for e in run.metadata["events"] if e["robot"] == [2]
    ]
    assert run.signals["dof"].shape == (101, 5)
    single = ts.simulate(box(), q[2], v[2], **options)  # with samples at impacts, too
    regular = np.isin(single.time, run.time)
    np.testing.assert_allclose(single.q[regular][-1], run.q[-1, 2], atol=1e-12)


def test_events_of_the_user_are_found_between_impacts():
    """Heights of the bounces of a ball, h = 1 m, e = 0.8, where its velocity falls through zero; then the run ends."""

    def top(t, q, v):
        return v[2]

    def far(t, q, v):
        return q[0] - 0.5

    top.direction, far.terminal = -1, True
    run = ts.simulate(particle(), [0.0, 0.0, 1.0], [0.3, 0, 0], ground=flat(Rigid(0.0, 0.8)), contacts=TIP,
                      duration=3.0, events=[top, far])  # fmt: skip
    first = np.sqrt(2 / GRAVITY)
    expected = first * (1 + 0.8), first * (1 + 2 * 0.8 + 0.8**2)
    tops = [e["time"] for e in run.metadata["events"] if e["event"] == 0]
    np.testing.assert_allclose(tops, expected, atol=EVENT)
    np.testing.assert_allclose(run.q[run.signals["event"] == 1, 2], [0.64, 0.4096], atol=1e-9)
    assert run.time[-1] == pytest.approx(0.5 / 0.3, abs=EVENT)
    assert run.metadata["events"][-1]["event"] == 1
    assert [e["time"] for e in run.metadata["events"]] == sorted(e["time"] for e in run.metadata["events"])


def test_a_state_map_relabels_the_state_at_an_event_and_tells_energies():
    """A ball that is set back by 0.2 m each time it has come so far bounces as if it had not been."""

    def gone(t, q, v):
        return q[0] - 0.2

    gone.direction, gone.state_map = 1, lambda t, q, v: (q - [0.2, 0.0, 0.0], v)
    options = {"ground": flat(Rigid(0.0, 0.8)), "contacts": TIP, "duration": 1.5}
    run = ts.simulate(particle(), [0.0, 0.0, 1.0], [0.3, 0, 0], events=[gone], **options)
    plain = ts.simulate(particle(), [0.0, 0.0, 1.0], [0.3, 0, 0], **options)
    maps = [e for e in run.metadata["events"] if e["event"] == 0]
    np.testing.assert_allclose([e["time"] for e in maps], [0.2 / 0.3, 0.4 / 0.3], atol=EVENT)
    np.testing.assert_allclose(run.q[-1], plain.q[-1] - [0.4, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(times(run, "impact"), times(plain, "impact"), atol=EVENT)
    for e in maps:
        assert e["kinetic_after"] == e["kinetic_before"]
        assert e["potential_after"] == e["potential_before"]
    assert np.abs(run.energy["integration"]).max() < 1e-9


def test_energy_that_a_state_map_adds_is_told_and_not_booked_as_integration():
    def top(t, q, v):
        return v[2]

    top.direction, top.state_map = -1, lambda t, q, v: (q + np.array([0.0, 0.0, 0.1]), v)
    run = ts.simulate(
        particle(), [0.0, 0.0, 1.0], ground=flat(Rigid(0.0, 0.8)), contacts=TIP, duration=1.0, events=[top]
    )
    (entry,) = [e for e in run.metadata["events"] if e["event"] == 0]
    assert entry["potential_after"] - entry["potential_before"] == pytest.approx(0.1 * GRAVITY, rel=1e-9)
    assert np.abs(run.energy["integration"]).max() < 1e-9


def test_bad_input_is_refused():
    with pytest.raises(
        ArgumentError, match=r"batch axes \(2,\), but 'event-driven' with events or locks takes one robot"
    ):
        ts.simulate(particle(), np.zeros((2, 3)), ground=flat(Rigid()), contacts=TIP, duration=0.1, events=[falling])
    with pytest.raises(SimulationError, match=r"contact 'tip' starts 0.01 m below the rigid ground"):
        ts.simulate(particle(), [0.0, 0.0, -0.01], ground=flat(Rigid()), contacts=TIP, duration=0.1)
    mixed = Ground(Plane(Rigid()), Plane(Compliant(), point=(0, 0, -1.0), name="soft"))
    with pytest.raises(ArgumentError, match="'soft' has the law Compliant; rigid contact needs Rigid on every surface"):
        ts.simulate(particle(), ground=mixed, contacts=TIP, duration=0.1)
    with pytest.raises(ArgumentError, match="the law Rigid is not for the integrator 'runge-kutta-4'"):
        ts.simulate(particle(), ground=flat(Rigid()), contacts=TIP, duration=0.1, integrator="runge-kutta-4")
    with pytest.raises(SimulationError, match="the controller failed"):
        ts.simulate(particle(), ground=flat(Rigid()), contacts=TIP, duration=0.1, controller=lambda t, q, v: 1 / 0)


def test_a_state_map_that_returns_no_number_is_told_with_its_place():
    def low(t, q, v):
        return q[2] - 0.5

    low.direction = -1
    options = {"ground": flat(Rigid()), "contacts": TIP, "duration": 1.0, "events": [low]}
    low.state_map = lambda t, q, v: (q, v * [1.0, np.nan, 1.0])
    with pytest.raises(SimulationError, match=r"state_map of event 0 returned v\[1\] = nan; expected finite numbers"):
        ts.simulate(particle(), [0.0, 0.0, 1.0], **options)
    low.state_map = lambda t, q, v: (q[:2], v)
    with pytest.raises(SimulationError, match=r"returned shapes \(2,\), \(3,\); expected \(3,\) and \(3,\)"):
        ts.simulate(particle(), [0.0, 0.0, 1.0], **options)


def test_a_state_map_into_the_ground_is_refused_with_its_depth():
    def low(t, q, v):
        return q[2] - 0.5

    low.direction, low.state_map = -1, lambda t, q, v: (q - [0.0, 0.0, 0.7], v)
    options = {"ground": flat(Rigid()), "contacts": TIP, "duration": 1.0, "events": [low]}
    with pytest.raises(SimulationError, match=r"state_map of event 0 puts contact 'tip' 0\.2 m below the rigid ground"):
        ts.simulate(particle(), [0.0, 0.0, 1.0], **options)
    low.state_map = lambda t, q, v: (q - [0.0, 0.0, 0.5], v)
    assert ts.simulate(particle(), [0.0, 0.0, 1.0], **options).finished  # onto the ground
