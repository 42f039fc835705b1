"""Robots of one batch that differ in bodies, friction, ground and delays: each is what it would be by itself."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import LeastConstraint, flat
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError, UnknownNameError
from tarsus.simulation import JointLaw, body_inertias

CORNERS = [(0.12, 0.06, 0), (0.12, -0.06, 0), (-0.1, -0.06, 0), (-0.1, 0.06, 0)]
ROBOTS = 11


@pytest.fixture(scope="module")
def robot():
    return ts.robots.hrp2()


def soles():
    return [ts.contact.Sole(side, f"{side}_sole", CORNERS) for side in "lr"]


def starts(robot, count=ROBOTS):
    q = np.tile(robot.reference, (count, 1))
    q[:, 2] += np.linspace(0.0, 0.02, count)
    return q


def hold(robot):
    return JointLaw(3000.0, 60.0, q=robot.reference)


def assert_same(sim, i, alone):
    """Robot i of a batch is, bit by bit, the one of a batch of one."""
    np.testing.assert_array_equal(sim.q[i], alone.q[0])
    np.testing.assert_array_equal(sim.v[i], alone.v[0])
    np.testing.assert_array_equal(sim.observe().contacts.force[i], alone.observe().contacts.force[0])
    for name, energy in sim.energy().items():
        np.testing.assert_array_equal(energy[i], alone.energy()[name][0])


@pytest.mark.parametrize("law", [None, LeastConstraint()], ids=["compliant", "least-constraint"])
@pytest.mark.parametrize("gravity", [False, True])
def test_a_loaded_robot_of_a_batch_is_the_model_with_that_payload(robot, law, gravity):
    """Payload and batch of one are a second way to the same numbers."""
    ground = flat() if law is None else flat(law)
    payload = [ts.Inertia.of_box(0.5 * k, (0.1, 0.2, 0.3)) for k in range(1, ROBOTS + 1)]
    models = [robot.with_payload("BODY", load) for load in payload]
    inertias = np.stack([body_inertias(model) for model in models])
    command = JointLaw(3000.0, 60.0, q=robot.reference, gravity=gravity)
    sim = ts.Simulation(robot, starts(robot), ground=ground, contacts=soles(), inertias=inertias, threads=2)
    sim.step(command, steps=60)
    for i in (0, 3, 7, ROBOTS - 1):
        alone = ts.Simulation(models[i], starts(robot)[i : i + 1], ground=ground, contacts=soles())
        alone.step(command, steps=60)
        assert_same(sim, i, alone)
    assert len(np.unique(sim.q[:, 2])) == ROBOTS


def test_a_loop_robot_of_a_batch_is_the_model_with_that_payload():
    """Dependent joints: drives with rotors, and parallelograms of LOLA."""
    lola = ts.robots.lola()
    load = ts.Inertia.of_sphere(3.0, 0.1)
    frame = next(iter(lola.bodies))
    loaded = lola.with_payload(frame, load)
    inertias = np.stack([body_inertias(lola), body_inertias(loaded)])
    sim = ts.Simulation(lola, batch=2, inertias=inertias)
    sim.step(np.zeros((2, lola.nv)), steps=20)
    for i, model in enumerate((lola, loaded)):
        alone = ts.Simulation(model, batch=1)
        alone.step(np.zeros((1, lola.nv)), steps=20)
        np.testing.assert_array_equal(sim.q[i], alone.q[0])


def test_the_total_force_on_the_ground_is_the_weight_of_each_robot(robot):
    """Known from elsewhere: m g, of a robot that stands."""
    scale = np.linspace(0.7, 1.4, 5)[:, None]
    sim = ts.Simulation(robot, batch=5, ground=flat(), contacts=soles(), inertias=body_inertias(robot, scale))
    sim.step(hold(robot), steps=1500)
    force = sim.observe().contacts.force[..., 2].sum(axis=-1)
    np.testing.assert_allclose(force, 9.81 * robot.total_mass * scale[:, 0], rtol=1e-3)


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"scale": -1.0}, ArgumentError, "scale is -1; expected more than 0"),
        ({"scale": 0.0}, ArgumentError, "scale is 0; expected more than 0"),
        ({"scale": np.nan}, NonFiniteError, "scale has nan; expected finite numbers"),
        ({"scale": "a"}, DtypeError, "scale is str; expected numbers"),
        ({"scale": np.ones(3)}, ShapeError, r"scale has shape \(3,\); expected \(..., 31\)"),
        ({"payloads": {"BODY": -1.0}}, ArgumentError, "payload of 'BODY' is -1; expected at least 0"),
        ({"scale": np.ones((2, 1)), "payloads": {"BODY": np.ones(3)}}, ShapeError, "have batch axes"),
    ],
)
def test_bodies_that_cannot_be_are_refused_before_they_are_made(robot, arguments, error, told):
    with pytest.raises(error, match=told):
        body_inertias(robot, **arguments)


def test_payloads_of_body_inertias_are_those_of_the_model(robot):
    light = ts.Inertia(2.5, np.zeros(3), np.zeros((3, 3)))
    loaded = robot.with_payload("r_sole", light)
    np.testing.assert_allclose(body_inertias(robot, payloads={"r_sole": 2.5}), body_inertias(loaded), atol=1e-12)
    several = body_inertias(robot, np.full((3, 1), 2.0), {"r_sole": [0.0, 1.0, 2.5]})
    assert several.shape == (3, len(robot.bodies), 10)
    np.testing.assert_allclose(several[..., 0].sum(axis=-1), 2.0 * robot.total_mass + np.array([0.0, 1.0, 2.5]))
    with pytest.raises(UnknownNameError, match="l_soul"):
        body_inertias(robot, payloads={"l_soul": 1.0})


@pytest.mark.parametrize("law", [ts.contact.Compliant, ts.contact.PseudoCoulomb, LeastConstraint])
def test_friction_of_a_robot_is_that_of_a_ground_with_it(robot, law):
    """A sideways throw: some stick, some slide."""
    friction = np.linspace(0.05, 1.2, ROBOTS)
    v = np.zeros(robot.nv)
    v[1] = 0.5
    sim = ts.Simulation(robot, starts(robot), v, ground=flat(law()), contacts=soles(), friction=friction)
    sim.step(hold(robot), steps=60)
    for i in (0, 4, ROBOTS - 1):
        ground = flat(law(friction=friction[i]))
        alone = ts.Simulation(robot, starts(robot)[i : i + 1], v, ground=ground, contacts=soles())
        alone.step(hold(robot), steps=60)
        assert_same(sim, i, alone)


def test_a_sliding_robot_stops_after_v2_over_2_mu_g():
    """A box that slides on its corners: Coulomb's friction, in closed form."""
    size = np.array([0.4, 0.4, 0.1])
    box = ts.ModelBuilder("box", base="free").add_link("box", ts.Inertia.of_box(2.0, size)).build()
    corners = [ts.contact.ContactPoint(f"{i}", "box", 0.5 * size * s) for i, s in enumerate(
        [(1, 1, -1), (1, -1, -1), (-1, 1, -1), (-1, -1, -1)])]  # fmt: skip
    friction = np.array([0.2, 0.4, 0.8])
    q, v = np.tile(box.neutral(), (3, 1)), np.zeros(6)
    q[:, 2], v[0] = 0.05, 1.0
    sim = ts.Simulation(box, q, v, ground=flat(LeastConstraint()), contacts=corners, friction=friction)
    sim.step(steps=1000)
    np.testing.assert_allclose(sim.q[:, 0], 1.0 / (2.0 * friction * 9.81), rtol=0.01)


def test_each_robot_may_have_a_ground_of_its_own(robot):
    """Slopes, a step and a height field in one batch; neighbours share a ground or do not."""
    rng = np.random.default_rng(1)
    bumps = ts.contact.Ground([ts.contact.HeightField(0.01 * rng.random((21, 21)), spacing=0.1, origin=(-1.0, -1.0))])
    step = ts.contact.Ground(
        [*flat().surfaces, ts.contact.Block((0.3, 0.3, 0.04), pose=ts.spatial.pose((0.1, 0.1, 0.0)))]
    )
    low = ts.contact.Ground([ts.contact.Plane(point=(0.0, 0.0, -0.01))])
    grounds = [flat(), flat(), low, low, low, bumps, bumps, step, flat(LeastConstraint()), low, bumps]
    grounds[1] = grounds[0]
    sim = ts.Simulation(robot, starts(robot), ground=grounds, contacts=soles(), threads=2)
    sim.step(hold(robot), steps=50)
    for i, ground in enumerate(grounds):
        alone = ts.Simulation(robot, starts(robot)[i : i + 1], ground=[ground], contacts=soles())
        alone.step(hold(robot), steps=50)
        np.testing.assert_array_equal(sim.q[i], alone.q[0])
        same = ts.Simulation(robot, starts(robot)[i : i + 1], ground=ground, contacts=soles())
        same.step(hold(robot), steps=50)
        np.testing.assert_array_equal(sim.q[i], same.q[0])
    with pytest.raises(ShapeError, match="holds 2 grounds; expected 11"):
        ts.Simulation(robot, starts(robot), ground=[flat(), flat()])


def test_commands_act_after_the_delay_of_each_robot(robot):
    """Against robots that are told late, one by one."""
    rng = np.random.default_rng(2)
    delay = np.array([0, 1, 3, 3, 7, 12])
    tau = np.where(robot.actuated, 5.0 * rng.normal(size=(6, 6, robot.nv)), 0.0)
    sim = ts.Simulation(robot, starts(robot, 6), ground=flat(), contacts=soles(), command_delay=delay)
    calls = (4, 1, 0, 5, 20, 2)
    for k, steps in enumerate(calls):
        sim.step(tau[k], steps=steps)
    given = np.cumsum([0, *calls])
    for i in range(6):
        alone = ts.Simulation(robot, starts(robot, 6)[i : i + 1], ground=flat(), contacts=soles())
        for now in range(given[-1]):
            # the last command given `delay` steps ago or earlier, the first one until then; two at one step: the later
            arrived = [k for k in range(6) if given[k] + delay[i] <= now and (k == 5 or given[k + 1] != given[k])]
            alone.step(tau[max(arrived, default=0), i : i + 1])
        np.testing.assert_array_equal(sim.q[i], alone.q[0])
        np.testing.assert_array_equal(sim.v[i], alone.v[0])


def test_laws_are_delayed_with_their_gains(robot):
    q = starts(robot, 3)
    sim = ts.Simulation(robot, q, ground=flat(), contacts=soles(), command_delay=[0, 2, 5])
    low = np.array(robot.reference)
    low[robot.joints["RLEG_JOINT3"].q_index] += 0.05
    laws = [hold(robot), JointLaw(np.full((3, robot.nv), 2000.0) * robot.actuated, 40.0, q=low), hold(robot)]
    for law in laws:
        sim.step(law, steps=4)
    for i, delay in enumerate((0, 2, 5)):
        alone = ts.Simulation(robot, q[i : i + 1], ground=flat(), contacts=soles())
        for now in range(12):
            k = max((k for k in range(3) if 4 * k + delay <= now), default=0)
            law = laws[k] if k != 1 else JointLaw(2000.0, 40.0, q=low)
            alone.step(law)
        np.testing.assert_array_equal(sim.q[i], alone.q[0])
    with pytest.raises(ArgumentError, match="has no times"):
        sim.step(JointLaw(1.0, 1.0, q=np.tile(low, (2, 1)), times=[0.0, 1.0]))
    with pytest.raises(ArgumentError, match="of another kind"):
        sim.step(np.zeros((3, robot.nv)))


def test_observations_are_those_of_some_steps_ago(robot):
    delay = np.array([0, 1, 4, 9])
    sim, other = (
        ts.Simulation(robot, starts(robot, 4), ground=flat(), contacts=soles(), observation_delay=d) for d in (delay, 0)
    )
    past = [other.observe()]
    kept = [(past[0].q, past[0].tau, past[0].contacts.force)]
    sim.step(hold(robot), steps=0)
    for _ in range(24):
        other.step(hold(robot))
        now = other.observe()
        kept.append((now.q, now.tau, now.contacts.force))
    step = 0
    for steps in (1, 2, 1, 12, 3, 5):
        sim.step(hold(robot), steps=steps)
        step += steps
        seen = sim.observe()
        for i, d in enumerate(delay):
            q, tau, force = kept[max(step - d, 0)]
            np.testing.assert_array_equal(seen.q[i], q[i])
            np.testing.assert_array_equal(seen.tau[i], tau[i])
            if step - d > 0:
                np.testing.assert_array_equal(seen.contacts.force[i], force[i])
        np.testing.assert_array_equal(sim.q, kept[step][0])


def varied(robot):
    """A simulation in which everything differs, and a generator of its commands."""
    rng = np.random.default_rng(3)
    sim = ts.Simulation(
        robot,
        starts(robot, 5),
        ground=flat(),
        contacts=soles(),
        inertias=body_inertias(robot, rng.uniform(0.8, 1.2, (5, 1)), {"BODY": rng.uniform(0.0, 3.0, 5)}),
        friction=rng.uniform(0.3, 1.0, 5),
        command_delay=rng.integers(0, 6, 5),
        observation_delay=rng.integers(0, 6, 5),
    )
    return sim, np.where(robot.actuated, rng.normal(size=(40, 5, robot.nv)), 0.0)


def test_a_snapshot_holds_differences_delays_and_what_is_on_its_way(robot):
    sim, tau = varied(robot)
    for k in range(10):
        sim.step(tau[k], steps=2)
    kept = sim.snapshot()

    def go_on():
        seen = []
        for k in range(10, 20):
            sim.step(tau[k], steps=2)
            seen.append(sim.observe().q)
        return seen, sim.q, sim.friction, sim.inertias

    first = go_on()
    sim.vary(friction=0.1, inertias=body_inertias(robot), command_delay=0, observation_delay=0)
    sim.step(tau[30], steps=3)
    sim.restore(kept)
    again = go_on()
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_reset_robot_forgets_what_was_on_its_way_and_what_was_seen(robot):
    sim, tau = varied(robot)
    for k in range(10):
        sim.step(tau[k], steps=2)
    where = np.arange(5) == 4
    sim.reset(where=where)
    np.testing.assert_array_equal(sim.observe().q[4], robot.reference)
    fresh = ts.Simulation(
        robot,
        batch=1,
        ground=flat(),
        contacts=soles(),
        inertias=sim.inertias[4:],
        friction=sim.friction[4:],
        command_delay=sim._commands.delay[4:],
        observation_delay=sim._history.delay[4:],
    )
    for k in range(10, 20):
        sim.step(tau[k], steps=2)
        fresh.step(tau[k][4:], steps=2)
        np.testing.assert_array_equal(sim.q[4], fresh.q[0])
        np.testing.assert_array_equal(sim.observe().q[4], fresh.observe().q[0])


def test_some_robots_are_varied_and_the_others_stay(robot):
    sim, tau = varied(robot)
    other, _ = varied(robot)
    where = np.arange(5) == 2
    heavy = body_inertias(robot, 1.5)
    sim.vary(inertias=heavy, friction=0.9, where=where)
    np.testing.assert_array_equal(sim.inertias[2], heavy)
    assert sim.friction[2] == 0.9
    for each in (sim, other):
        each.step(tau[0], steps=20)
    np.testing.assert_array_equal(sim.q[~where], other.q[~where])
    assert np.any(sim.q[2] != other.q[2])


def test_external_wrenches_act_during_the_call_only():
    """Impulse is force times time."""
    ball = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(2.0, 0.1)).build()
    push = np.zeros((2, 1, 6))
    push[0, 0] = 10.0, -20.0, 30.0, 0.0, 0.0, 0.5
    sim = ts.Simulation(ball, batch=2)
    sim.step(external=push, steps=10)
    push[:] = np.nan
    sim.step(steps=10)
    gained = ts.momentum(ball, sim.q, sim.v)
    gained[:, 2] += 2.0 * 9.81 * 0.02
    np.testing.assert_allclose(gained[0], 0.01 * np.array([10.0, -20.0, 30.0, 0.0, 0.0, 0.5]), atol=1e-12)
    np.testing.assert_allclose(gained[1], 0.0, atol=1e-12)
    with pytest.raises(NonFiniteError, match=r"external are nan at entry \[0, 0, 0\]"):
        sim.step(external=push)
    with pytest.raises(ShapeError, match="external have shape"):
        sim.step(external=np.zeros((2, 6)))


def test_bad_differences_name_the_robot_and_change_nothing(robot):
    sim, _ = varied(robot)
    friction, inertias = sim.friction, sim.inertias
    bad = inertias.copy()
    bad[3, 1, 0] = -1.0
    name = list(robot.bodies)[1]
    thin = inertias.copy()
    thin[2, 1, 4] = -0.5
    holes = inertias.copy()
    holes[1, 0, 5] = np.nan
    for given, error, text in (
        ({"inertias": bad}, ArgumentError, rf"body '{name}' of robot \[3\] .* a mass above 0"),
        ({"inertias": thin}, ArgumentError, rf"body '{name}' of robot \[2\] .* moments about every axis"),
        ({"inertias": holes}, NonFiniteError, r"of robot \[1\] .* finite numbers"),
        ({"inertias": inertias[:4]}, ShapeError, "inertias has shape"),
        ({"friction": [0.5, 0.5, -0.1, 0.5, 0.5]}, ArgumentError, r"friction of robot \[2\] is -0.1"),
        ({"friction": [0.5, np.inf, 0.1, 0.5, 0.5]}, NonFiniteError, r"friction of robot \[1\] is not finite"),
        ({"friction": np.ones(4)}, ShapeError, r"friction has shape \(4,\); expected \(5,\)"),
        ({"friction": 0.9, "command_delay": [1.0] * 5}, DtypeError, "command_delay is float64"),
        ({"friction": 0.9, "observation_delay": -1}, ArgumentError, r"observation_delay of robot \[0\] is -1"),
    ):
        with pytest.raises(error, match=text):
            sim.vary(**given)
    np.testing.assert_array_equal(sim.friction, friction)
    np.testing.assert_array_equal(sim.inertias, inertias)
