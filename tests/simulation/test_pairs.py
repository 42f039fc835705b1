"""Bodies of one model that touch each other: momentum, energy, rest, rolling, grasping."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.spatial.transform import Rotation
from simulation.touching_scenes import GRAVITY, gained, momenta, scene

import tarsus as ts
from tarsus.contact import Compliant, Pairs, PseudoCoulomb, ViscoElasticSole, flat
from tarsus.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Shape, Sphere
from tarsus.simulation import JointLaw, Push

Array = npt.NDArray[np.float64]


def test_colliding_spheres_keep_linear_and_angular_momentum_to_round_off() -> None:
    model = scene(("a", Sphere(0.1), 1.0, (0, 0, 0)), ("b", Sphere(0.15), 2.0, (0.4, 0.05, 0.02)), gravity=0.0)
    v0 = np.array([1.0, 0.1, 0.0, 1.0, 2.0, 3.0, -0.5, 0.0, 0.1, 0.0, -4.0, 1.0])
    run = ts.simulate(model, v0=v0, duration=1.0, pairs="all")
    P = momenta(model, run)
    assert np.abs(run.v[-1, :3] - v0[:3]).max() > 0.3  # they met
    assert np.abs(P - P[0]).max() < 1e-10
    assert gained(run) < 1e-12 and run.energy["ground_dissipated"][-1] > 0.1


def test_tumbling_boxes_keep_linear_momentum_to_round_off_and_angular_momentum_to_first_order_of_the_step() -> None:
    model = scene(("a", Box((0.3, 0.2, 0.1)), 1.0, (0, 0, 0)), ("b", Box((0.2, 0.2, 0.3)), 2.0, (0.4, 0.05, 0.02)),
                  gravity=0.0)  # fmt: skip
    v0 = np.array([1.0, 0.1, 0.0, 1.0, 2.0, 0.5, -0.5, 0.0, 0.1, 0.0, -1.0, 1.0])
    turned = []
    for dt in (1e-3, 2.5e-4):
        run = ts.simulate(model, v0=v0, duration=1.0, pairs="all", dt=dt)
        P = momenta(model, run)
        assert np.abs(run.v[-1, :3] - v0[:3]).max() > 0.3
        assert np.abs(P[:, :3] - P[0, :3]).max() < 1e-10
        turned.append(np.abs(P[:, 3:] - P[0, 3:]).max() / np.linalg.norm(P[0, 3:]))
        assert gained(run) < 1e-4
    assert turned[0] < 1e-3 and turned[1] < 0.35 * turned[0]


def test_forces_on_both_bodies_are_equal_and_opposite_at_the_same_place() -> None:
    model = scene(("low", Box((0.4, 0.4, 0.2)), 5.0, (0, 0, 0.1)), ("high", Sphere(0.1), 1.0, (0, 0, 0.3)))
    run = ts.simulate(model, duration=1.5, ground=flat(), pairs="all")
    here, there = (run.contacts.index(name) for name in ("low/shape|high/shape.0", "high/shape|low/shape.0"))
    assert np.array_equal(run.contact_force[:, here], -run.contact_force[:, there])
    assert np.array_equal(run.contact_position[:, here], run.contact_position[:, there])
    assert np.isclose(run.contact_force[-1, there, 2], GRAVITY, rtol=1e-6)
    assert np.isclose(run.contact_force[-1].sum(axis=0)[2], 6.0 * GRAVITY, rtol=1e-6)  # of the ground alone
    assert np.isclose(run.q[-1, 9], 0.3 - GRAVITY / 2e5 - 6.0 * GRAVITY / (4 * 2e5), atol=1e-9)  # sunk in twice


def test_a_ball_on_a_ball_rolls_off_as_the_closed_form_tells() -> None:
    # A ball of radius r that rolls without slipping down a fixed one of radius R: (7/5) (R + r) angle'' = g sin(angle).
    big, small, start = 0.5, 0.1, 0.1
    X = ts.pose((0.6 * np.sin(start), 0.0, 0.6 * np.cos(start)))
    builder = ts.ModelBuilder("dome").add_link("world", collisions=[Shape(Sphere(big), name="dome")])
    model = builder.build().with_object(Sphere(small), 1.0, X, name="ball")
    run = ts.simulate(model, duration=0.7, dt=2e-4, pairs="all")
    angle, rate = start, 0.0
    for _ in range(70000):
        rate += 1e-5 * GRAVITY * np.sin(angle) * 5.0 / 7.0 / (big + small)
        angle += 1e-5 * rate
    found = np.arctan2(run.q[-1, 0], run.q[-1, 2])
    assert angle > 0.45 and np.isclose(found, angle, rtol=5e-3)
    assert np.isclose(run.v[-1, 4], rate * (big + small) / small, rtol=1e-2)
    assert gained(run) < 1e-6


def test_a_log_rolls_down_another_log() -> None:
    # The same with cylinders: (3/2) (R + r) angle'' = g sin(angle).
    big, small, start, long = 0.4, 0.1, 0.1, 1.0
    across = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])
    lying = np.eye(4)
    lying[:3, :3] = across
    builder = ts.ModelBuilder("logs").add_link("world", collisions=[Shape(Capsule(big, long), lying, name="log")])
    X = lying.copy()
    X[:3, 3] = (0.5 * np.sin(start), 0.0, 0.5 * np.cos(start))
    thin = ts.Inertia.of_cylinder(2.0, small, long)
    model = builder.build().with_object(Capsule(small, long), pose=X, inertia=thin, name="log2")
    run = ts.simulate(model, duration=0.5, dt=2e-4, pairs="all")
    angle, rate = start, 0.0
    for _ in range(50000):
        rate += 1e-5 * GRAVITY * np.sin(angle) * 2.0 / 3.0 / (big + small)
        angle += 1e-5 * rate
    assert np.isclose(np.arctan2(run.q[-1, 0], run.q[-1, 2]), angle, rtol=5e-3)
    assert abs(run.q[-1, 1]) < 1e-6 and gained(run) < 1e-6  # it does not turn across the other


@pytest.mark.parametrize("law", [Compliant(), PseudoCoulomb(), ViscoElasticSole()])
def test_a_block_slides_on_a_pushed_one_beyond_friction_and_goes_with_it_below(law: Any) -> None:
    # The upper block follows by friction alone: its acceleration is at most mu g.
    model = scene(("low", Box((1.0, 0.4, 0.1)), 4.0, (0, 0, 0.05)), ("high", Box((0.2, 0.2, 0.1)), 1.0, (0, 0, 0.15)))
    ice = flat(Compliant(friction=0.0))
    friction = law.friction
    for force, slides in ((5.0 * 0.5 * friction * GRAVITY, False), (60.0, True)):
        push = Push("low", (force, 0.0, 0.0), start=0.1, duration=0.3)
        run = ts.simulate(model, duration=0.4, ground=ice, pairs=Pairs(law=law), pushes=[push])
        low, high = run.v[-1, 0], run.v[-1, 6]
        if slides:
            assert np.isclose(high, 0.3 * friction * GRAVITY, rtol=0.02)
            assert np.isclose(low, 0.3 * (force - friction * GRAVITY) / 4.0, rtol=0.02)
        else:
            assert np.isclose(low, 0.3 * force / 5.0, rtol=0.02) and abs(low - high) < 0.02 * low
        assert gained(run) < 1e-3


def test_a_box_pushes_another_box_before_it() -> None:
    model = scene(("a", Box((0.2, 0.2, 0.2)), 2.0, (0, 0, 0.1)), ("b", Box((0.2, 0.2, 0.2)), 1.0, (0.25, 0, 0.1)))
    ground = flat(Compliant(friction=0.3))
    run = ts.simulate(model, duration=1.0, ground=ground, pairs="all",
                      pushes=[Push("a", (20.0, 0, 0), start=0.0, duration=1.0)])  # fmt: skip
    rate = (20.0 - 0.3 * 3.0 * GRAVITY) / 3.0
    moved = run.v[-1, 0] - run.v[50, 0]
    assert np.isclose(moved, 0.5 * rate, rtol=0.02)
    assert np.isclose(run.q[-1, 7] - run.q[-1, 0], 0.2, atol=1e-3)  # together
    f = sum(run.contact_force[-1, i, 0] for i, n in enumerate(run.contacts) if n.startswith("b/shape|a/"))
    rubs = sum(run.contact_force[-1, i, 0] for i, n in enumerate(run.contacts) if n.startswith("b/shape."))
    assert rubs < 0.0 and np.isclose(f + rubs, rate, rtol=0.03)


def test_observations_sensors_and_recordings_know_contacts_between_bodies(tmp_path: Any) -> None:
    model = scene(("low", Box((0.4, 0.4, 0.2)), 5.0, (0, 0, 0.1)), ("high", Box((0.2, 0.2, 0.2)), 2.0, (0, 0, 0.3)))
    seen: list[Any] = []

    def look(observation: Any) -> Array:
        seen.append((observation.wrench("high"), observation.wrench("low"), observation.touching("high")))
        return np.zeros(model.nv)

    path = tmp_path / "run.h5"
    run = ts.simulate(model, duration=0.5, ground=flat(), pairs="all", controller=look, control_dt=0.01, record=path)
    high, low, touching = seen[-1]
    assert touching and np.isclose(high[2], 2.0 * GRAVITY, rtol=1e-4)
    assert np.isclose(low[2], 5.0 * GRAVITY, rtol=1e-4) and np.abs(high[:2]).max() < 1e-6
    recording = ts.open_recording(path)
    assert tuple(recording.contacts) == run.contacts
    assert np.array_equal(recording.contact_force[-1], run.contact_force[-1])
    switch = ts.sensors.ContactSwitch(body="high", name="switch")
    measured = ts.simulate(model, duration=0.1, ground=flat(), pairs="all", sensors=[switch])
    assert measured.signals["switch"][-1].all()


def test_robots_do_not_depend_on_their_neighbours_in_a_batch_nor_on_threads() -> None:
    model = scene(("low", Box((0.4, 0.4, 0.2)), 5.0, (0, 0, 0.1)), ("high", Capsule(0.05, 0.3), 1.0, (0, 0, 0.6)))
    rng = np.random.default_rng(0)
    Q = np.tile(model.reference, (19, 1))
    Q[:, 7:10] += rng.uniform(-0.1, 0.1, (19, 3))
    Q[:, 10:14] = rng.normal(size=(19, 4))
    Q[:, 10:14] /= np.linalg.norm(Q[:, 10:14], axis=1, keepdims=True)
    options = {"duration": 0.4, "ground": flat(), "pairs": "all"}
    all_of_them = ts.simulate(model, Q, threads=2, **options)
    some = ts.simulate(model, Q[5:9], **options)
    assert np.array_equal(all_of_them.q[:, 5:9], some.q)
    assert np.array_equal(all_of_them.contact_force[:, 5:9], some.contact_force)
    alone = ts.simulate(model, Q[6], **options)
    assert np.allclose(alone.q, some.q[:, 1], atol=1e-6)


def test_a_run_resumes_to_the_bit() -> None:
    model = scene(("low", Box((0.4, 0.4, 0.2)), 5.0, (0, 0, 0.1)), ("high", Box((0.2, 0.2, 0.2)), 2.0, (0.05, 0, 0.35)))
    options = {"ground": flat(), "pairs": "all"}
    whole = ts.simulate(model, duration=0.4, **options)
    first = ts.simulate(model, duration=0.2, resumable=True, **options)
    second = ts.simulate(model, duration=0.2, resume=first, **options)
    assert np.array_equal(second.q[-1], whole.q[-1]) and np.array_equal(second.v[-1], whole.v[-1])


def test_explicit_integrators_agree_with_the_default_step() -> None:
    model = scene(("a", Sphere(0.1), 1.0, (0, 0, 0)), ("b", Sphere(0.15), 2.0, (0.3, 0.05, 0.02)), gravity=0.0)
    soft = Pairs(law=Compliant(stiffness=2e3, damping=20.0, tangential_stiffness=1e3, tangential_damping=10.0))
    v0 = np.array([1.0, 0, 0, 0, 0, 5.0, 0, 0, 0, 0, 0, 0])
    exact = ts.simulate(model, v0=v0, duration=0.3, pairs=soft, integrator="dormand-prince")
    rough = [ts.simulate(model, v0=v0, duration=0.3, pairs=soft, dt=dt) for dt in (2e-4, 1e-4)]
    error = [np.abs(run.v[-1] - exact.v[-1]).max() for run in rough]
    assert error[1] < 0.02 and error[1] < 0.7 * error[0]  # first order
    P = momenta(model, exact)
    assert np.abs(P - P[0]).max() < 1e-7


def test_what_is_held_by_friction_turns_with_the_hand() -> None:
    # A block between two plates that turn about the horizontal: its stick springs turn with it.
    plate = Shape(Box((0.02, 0.2, 0.2)))
    builder = ts.ModelBuilder("vice").add_link("world").add_link("wheel", ts.Inertia.of_box(20.0, (0.3, 0.3, 0.3)))
    builder.add_joint("turn", "revolute", "world", "wheel", axis=(1, 0, 0))
    for name, side in (("left", -1.0), ("right", 1.0)):
        builder.add_link(name, ts.Inertia.of_box(1.0, (0.02, 0.2, 0.2)), collisions=[plate])
        builder.add_joint(name, "prismatic", "wheel", name, axis=(-side, 0, 0), position=(side * 0.06, 0, 0))
    model = builder.build().with_object(Box((0.1, 0.1, 0.1)), 1.0, name="block")
    tau = np.zeros(model.nv)
    tau[1:3] = 60.0
    squeezed = JointLaw(tau=tau, kd=np.array([200.0, 0, 0, *np.zeros(6)]), v=np.array([2.0, *np.zeros(8)]))
    run = ts.simulate(model, duration=3.0, pairs=["block"], controller=squeezed)
    held = ts.frame_poses(model, run.q, ["wheel", "block"])
    between = np.linalg.inv(held[:, 0]) @ held[:, 1]
    assert run.q[-1, 0] > 5.0
    assert np.abs(between[:, :3, 3]).max() < 2e-4  # [m], in the axes of the wheel
    assert np.abs(between[:, :3, :3] - np.eye(3)).max() < 2e-3


@pytest.mark.long
def test_ten_boxes_stand_on_each_other_for_a_minute() -> None:
    model = scene(*((f"b{k}", Box((0.2, 0.2, 0.1)), 1.0, (0, 0, 0.05 + 0.1 * k)) for k in range(10)))
    run = ts.simulate(model, duration=60.0, ground=flat(), pairs="all", sample_dt=0.5)
    q = run.q.reshape(len(run.time), 10, 7)
    assert np.abs(q[-1] - q[2]).max() < 1e-9 and np.abs(run.v[-1]).max() < 1e-9  # no creep after the first second
    assert np.abs(q[-1, :, :2]).max() < 1e-9
    assert gained(run) < 1e-9


def test_a_crooked_stack_comes_to_rest_and_stays() -> None:
    rng = np.random.default_rng(1)
    boxes = []
    for k in range(5):
        X = ts.pose((*rng.uniform(-0.02, 0.02, 2), 0.05 + 0.11 * k))
        angle = rng.uniform(-0.4, 0.4)
        X[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        boxes.append((f"b{k}", Box((0.2, 0.2, 0.1)), 1.0, X))
    model = scene(*boxes)
    run = ts.simulate(model, duration=2.0, ground=flat(), pairs="all")
    q = run.q.reshape(len(run.time), 5, 7)
    assert np.abs(q[-1] - q[-50]).max() < 1e-6 and np.abs(run.v[-1]).max() < 1e-6
    assert np.allclose(q[-1, :, 2], 0.05 + 0.1 * np.arange(5), atol=2e-3)
    assert gained(run) < 1e-2


def test_heights_of_a_pile_at_rest_are_those_of_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    text = "".join(
        f'<body pos="0 0 {z}"><freejoint/><geom {geom} mass="1"/></body>'
        for z, geom in ((0.1, 'type="box" size="0.2 0.2 0.1"'), (0.25, 'type="box" size="0.1 0.1 0.05"'),
                        (0.4, 'type="sphere" size="0.1"'))
    )  # fmt: skip
    theirs = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="2 2 1"/>{text}</worldbody></mujoco>'
    )
    data = mujoco.MjData(theirs)
    for _ in range(2000):
        mujoco.mj_step(theirs, data)
    model = scene(("a", Box((0.4, 0.4, 0.2)), 1.0, (0, 0, 0.1)), ("b", Box((0.2, 0.2, 0.1)), 1.0, (0, 0, 0.25)),
                  ("c", Sphere(0.1), 1.0, (0, 0, 0.4)))  # fmt: skip
    run = ts.simulate(model, duration=1.0, ground=flat(), pairs="all")
    assert np.abs(run.q[-1].reshape(3, 7)[:, 2] - data.qpos.reshape(3, 7)[:, 2]).max() < 2e-3
    # both sink a little; what the floor carries is the weight
    assert np.isclose(run.contact_force[-1, :, 2].sum(), 3.0 * GRAVITY, rtol=1e-6)


def test_pairs_are_named_and_refused() -> None:
    model = scene(("a", Sphere(0.1), 1.0, (0, 0, 0.1)), ("b", Sphere(0.1), 1.0, (0.3, 0, 0.1)),
                  ("c", Sphere(0.1), 1.0, (0.6, 0, 0.1)))  # fmt: skip

    def names(pairs: Any) -> set[str]:
        return {n for n in ts.simulate(model, duration=1e-3, pairs=pairs).contacts}

    assert names(None) == set()
    assert len(names("all")) == 6
    assert names([("c", "a")]) == {"a/shape|c/shape.0", "c/shape|a/shape.0"}
    assert names(["b"]) == {"a/shape|b/shape.0", "b/shape|a/shape.0", "b/shape|c/shape.0", "c/shape|b/shape.0"}
    assert len(names(Pairs(exclude=[("a", "b")]))) == 4
    for wrong, words in (("some", "expected None"), ([("a", "x")], "not found"), ([("a", "a")], "one body"),
                         ([("a", "world")], "no collision shapes")):  # fmt: skip
        with pytest.raises((ts.errors.ArgumentError, ts.errors.UnknownNameError), match=words):
            names(wrong)


def test_neighbours_do_not_touch_and_overlapping_bodies_are_told() -> None:
    builder = ts.ModelBuilder("chain", base="free").add_link(
        "a", ts.Inertia.of_box(1.0, (0.1, 0.1, 0.1)), collisions=[Shape(Box((0.1, 0.1, 0.1)))]
    )
    for parent, name, x in (("a", "b", 0.05), ("b", "c", 0.02), ("c", "d", 0.3)):
        builder.add_link(name, ts.Inertia.of_box(1.0, (0.1, 0.1, 0.1)), collisions=[Shape(Box((0.1, 0.1, 0.1)))])
        builder.add_joint(name, "revolute", parent, name, axis=(0, 1, 0), position=(x, 0, 0))
    model = builder.build()
    with pytest.warns(ts.errors.SimulationWarning, match="a and c"):
        run = ts.simulate(model, duration=1e-3, pairs="all")
    assert {n.split("/")[0] + n.split("|")[1][0] for n in run.contacts} == {"ad", "da", "bd", "db"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.simulate(model, duration=1e-3, pairs=Pairs(exclude=[("a", "c")]))


def test_stepping_is_simulating_and_contacts_between_bodies_are_switched() -> None:
    model = scene(("low", Box((0.4, 0.4, 0.2)), 5.0, (0, 0, 0.1)), ("high", Box((0.2, 0.2, 0.2)), 2.0, (0.05, 0, 0.35)))
    run = ts.simulate(model, duration=0.3, ground=flat(), pairs="all")
    sim = ts.Simulation(model, ground=flat(), pairs="all")
    sim.step(steps=300)
    assert np.array_equal(sim.q, run.q[-1])
    kept = sim.snapshot()
    sim.switch("high", False)  # it falls through the other, and through the ground
    sim.step(steps=200)
    assert sim.q[9] < 0.2 and not sim.observe().touching("high")
    sim.restore(kept)
    sim.step(steps=200)
    assert sim.q[9] > 0.29 and sim.observe().touching("high")


def test_bodies_of_a_robot_with_gears_and_loops_touch() -> None:
    # Two fingers closed by one coordinate (a mimic joint): a ball between them stops them both.
    finger = Shape(Box((0.02, 0.1, 0.1)))
    builder = ts.ModelBuilder("gripper", gravity=(0, 0, 0)).add_link("world")
    for name, side in (("left", -1.0), ("right", 1.0)):
        builder.add_link(name, ts.Inertia.of_box(1.0, (0.02, 0.1, 0.1)), collisions=[finger])
        builder.add_joint(name, "prismatic", "world", name, axis=(-side, 0, 0), position=(side * 0.2, 0, 0))
    builder.add_coupling("right", "left")
    model = builder.build().with_object(Sphere(0.05), 1.0, ts.pose((0.02, 0, 0)), name="ball")
    force = np.zeros(model.nv)
    force[0] = 10.0
    run = ts.simulate(model, duration=2.0, pairs="all", controller=JointLaw(tau=force, limited=False))
    assert np.isclose(run.q[-1, 0], 0.14, atol=1e-3) and np.abs(run.v[-1]).max() < 1e-3
    assert abs(run.q[-1, 1]) < 1e-3  # the ball was pushed to the middle
    pressed = [np.linalg.norm(f) for f in run.contact_force[-1] if np.any(f)]
    assert np.allclose(pressed, 5.0, rtol=0.05)  # [N], half of the force on each side


def test_solid_shapes_that_cannot_touch_are_told() -> None:
    from tarsus.geometry.triangles import Triangles
    from tarsus.model.shapes import Mesh

    sheet = Triangles(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]))
    builder = ts.ModelBuilder("sheet").add_link("world")
    builder.add_link("a", ts.Inertia.of_box(1.0, (1, 1, 1)), collisions=[Shape(Mesh("sheet.stl", content=sheet))])
    model = builder.add_joint("a", "prismatic", "world", "a").build().with_object(Sphere(0.1), 1.0)
    with pytest.warns(ts.errors.SimulationWarning, match="without volume"):
        ts.simulate(model, duration=1e-3, pairs="all")


def test_a_start_deep_in_each_other_is_told_and_one_at_rest_is_not() -> None:
    deep = scene(("a", Box((0.2, 0.2, 0.2)), 1.0, (0, 0, 0.1)), ("b", Box((0.2, 0.2, 0.2)), 1.0, (0.05, 0.02, 0.15)))
    with pytest.warns(ts.errors.SimulationWarning, match="a and b begin 0.15 m deep in each other"):
        ts.simulate(deep, duration=1e-3, pairs="all")
    heavy = scene(("a", Box((0.5, 0.5, 0.5)), 1e3, (0, 0, 0.25)), ("b", Box((0.5, 0.5, 0.5)), 1e3, (0, 0, 0.75)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rest = ts.simulate(heavy, duration=2.0, ground=flat(), pairs="all")
        ts.simulate(heavy, rest.q[-1], duration=1e-3, ground=flat(), pairs="all")
    assert rest.q[-1, 9] - rest.q[-1, 2] < 0.49  # sunk by 1 cm


def test_six_joints_in_a_row_are_a_free_joint_and_three_are_a_hip() -> None:
    ball = [Shape(Sphere(0.1), name="ball")]
    builder = ts.ModelBuilder("hung").add_link("world", collisions=[Shape(Box((1.0, 1.0, 0.1)), name="table")])
    parent = "world"
    rows = [("x", "prismatic", (1, 0, 0)), ("y", "prismatic", (0, 1, 0)), ("z", "prismatic", (0, 0, 1)),
            ("rx", "revolute", (1, 0, 0)), ("ry", "revolute", (0, 1, 0)), ("ball", "revolute", (0, 0, 1))]  # fmt: skip
    for name, kind, axis in rows:
        last = name == "ball"
        builder.add_link(name, ts.Inertia.of_sphere(1.0, 0.1) if last else None, collisions=ball if last else (),
                         virtual=not last)  # fmt: skip
        builder.add_joint(name, kind, parent, name, axis=axis, position=(0, 0, 0.3 if name == "x" else 0))
        parent = name
    run = ts.simulate(builder.build(), duration=1.0, pairs="all")
    assert np.isclose(run.q[-1, 2], -0.15, atol=1e-3)  # it lies on the table
    hip = builder.build().locked(["x", "y", "z"])
    assert ts.simulate(hip, duration=1e-3, pairs="all").contacts == ()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_a_heap_of_all_shapes_gains_no_energy_to_speak_of(seed: int) -> None:
    rng = np.random.default_rng(seed)
    objects = []
    for k in range(15):
        s = rng.uniform(0.05, 0.15, 3)
        kinds: list[Geometry] = [Box((2 * s[0], 2 * s[1], 2 * s[2])), Sphere(s[0]), Capsule(0.5 * s[0], 2 * s[1]),
                                 Cylinder(s[0], 2 * s[1]), Ellipsoid((s[0], s[1], s[2]))]  # fmt: skip
        X = ts.pose((*rng.uniform(-0.2, 0.2, 2), 0.3 + 0.3 * k), Rotation.random(random_state=rng).as_matrix())
        objects.append((f"o{k}", kinds[k % 5], float(10.0 ** rng.uniform(-1.0, 1.0)), X))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = ts.simulate(scene(*objects), duration=4.0, ground=flat(), pairs="all")
    assert run.energy["ground_dissipated"][-1] > 100.0
    assert gained(run) < 0.005 * run.energy["ground_dissipated"][-1]
    assert run.q.reshape(-1, 15, 7)[-1, :, 2].min() > 0.0  # nobody fell through the ground
