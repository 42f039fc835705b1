"""Bodies of one model that touch each other with solved impulses: momentum, friction, rest, energy, grasping."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from robot_data import robot_data_path, robots_directory
from scipy.spatial.transform import Rotation
from simulation.lifting_arm import LIFT, PLACE, SIDE, TOOL, lifting
from simulation.touching_scenes import GRAVITY, gained, momenta, scene

import tarsus as ts
from tarsus.contact import Compliant, LeastConstraint, Pairs, Rigid, contactors, flat, slope
from tarsus.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Shape, Sphere
from tarsus.simulation import JointLaw, Push

Array = npt.NDArray[np.float64]
ROUNDING = 1e-12
"""Momenta and energies of some kg m/s and J after a thousand steps."""


def stack(boxes: int) -> ts.Model:
    """Boxes that stand on each other."""
    return scene(*((f"b{k}", Box((0.2, 0.2, 0.1)), 1.0, (0, 0, 0.05 + 0.1 * k)) for k in range(boxes)))


def never_falls(run: ts.recording.Trajectory) -> bool:
    """Whether what was lost only grows."""
    return all(np.diff(run.energy[name]).min() >= 0.0 for name in ("ground_dissipated", "impact", "joint_dissipated"))


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_two_balls_keep_momentum_and_part_as_newtons_law_tells(restitution: float) -> None:
    model = scene(("a", Sphere(0.1), 1.0, (0, 0, 0)), ("b", Sphere(0.15), 2.0, (0.4, 0.05, 0.02)), gravity=0.0)
    v0 = np.array([1.0, 0.1, 0.0, 1.0, 2.0, 3.0, -0.5, 0.0, 0.1, 0.0, -4.0, 1.0])
    run = ts.simulate(model, v0=v0, duration=1.0, pairs=Pairs(law=LeastConstraint(0.4, restitution)), sample_dt=1e-3)
    P = momenta(model, run)
    assert np.abs(P - P[0]).max() < ROUNDING
    assert abs(run.total_energy - run.total_energy[0]).max() < ROUNDING and never_falls(run)
    hit = int(np.argmax(np.any(run.contact_force[:, 0], axis=-1)))  # the first sample after the impact
    n = run.q[hit, :3] - run.q[hit, 7:10]
    n /= np.linalg.norm(n)
    steps = [hit - 1, hit + 1]  # without restitution the first step closes the gap, and the next one stops
    R = ts.frame_poses(model, run.q[steps], ["a", "b"])[..., :3, :3]
    before, after = (n @ (R[i, 0] @ run.v[k, :3] - R[i, 1] @ run.v[k, 6:9]) for i, k in enumerate(steps))
    assert before < -1.0
    assert np.isclose(after, -restitution * before, atol=0.02)  # the axis turns a little within the step


@pytest.mark.parametrize("duration", [10.0, pytest.param(60.0, marks=pytest.mark.long)])
def test_ten_boxes_stand_on_each_other_without_creeping(duration: float) -> None:
    run = ts.simulate(stack(10), duration=duration, ground=flat(LeastConstraint()), pairs="all", sample_dt=0.5)
    q = run.q.reshape(len(run.time), 10, 7)
    assert np.abs(q[-1] - q[0]).max() < 1e-9 and np.abs(run.v[-1]).max() < 1e-9  # not a nanometre
    assert abs(run.total_energy - run.total_energy[0]).max() < 1e-9
    carried = [
        sum(
            run.contact_force[-1, i, 2]
            for i, name in enumerate(run.contacts)
            if name.startswith(f"b{k}/shape|b{k - 1}/")
        )
        for k in range(1, 10)
    ]
    assert np.allclose(carried, GRAVITY * np.arange(9, 0, -1), rtol=1e-6)


@pytest.mark.parametrize(
    "low, high, angle",
    [(0.5, 0.5, 0.4), (0.8, 0.3, 0.4), (0.3, 0.8, 0.4), (0.3, 0.2, 0.5), (0.5, 0.5, 0.45), (0.5, 0.5, 0.48)],
)  # arctan(0.5) = 0.4636
def test_a_box_on_a_box_on_an_incline_sticks_and_slides_as_the_closed_form_tells(
    low: float, high: float, angle: float
) -> None:
    m1, m2 = 4.0, 1.0
    R = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    downhill, up = R[:, 0], R[:, 2]
    ground = slope(angle, LeastConstraint(friction=low))
    if ground.surfaces[0].normal @ up < 1.0 - 1e-12:  # the slope rises along x
        R = R.T
        downhill, up = -R[:, 0], R[:, 2]
    model = scene(("low", Box((2.0, 0.4, 0.1)), m1, ts.pose(0.05 * up, R)),
                  ("high", Box((0.3, 0.2, 0.1)), m2, ts.pose(0.15 * up, R)))  # fmt: skip
    run = ts.simulate(model, duration=0.4, ground=ground, pairs=Pairs(law=LeastConstraint(friction=high)))
    along = [run.q[:, k : k + 3] @ downhill for k in (0, 7)]
    g = GRAVITY
    pull, press = g * np.sin(angle), g * np.cos(angle)
    if pull <= high * press:  # together
        expected = [max(0.0, pull - low * press)] * 2
    else:
        a1 = (m1 * pull + high * m2 * press - low * (m1 + m2) * press) / m1
        expected = [max(0.0, a1), pull - high * press]
    t = run.time[-1]
    for way, a in zip(along, expected, strict=True):
        moved = way[-1] - way[0]
        assert abs(moved) < 1e-9 if a == 0.0 else np.isclose(moved, 0.5 * a * t**2, rtol=4e-3)  # dt / t: first order
    off = [abs(run.q[:, k : k + 3] @ up - height).max() for k, height in ((0, 0.05), (7, 0.15))]
    assert max(off) < 1e-6  # neither sinks in nor lifts off
    assert never_falls(run) and gained(run) < 1e-9


def test_forces_act_on_both_bodies_and_everything_that_knows_contacts_sees_them(tmp_path: Any) -> None:
    model = scene(("low", Box((0.4, 0.4, 0.2)), 5.0, (0, 0, 0.1)), ("high", Box((0.2, 0.2, 0.2)), 2.0, (0, 0, 0.3)))
    seen: list[Any] = []

    def look(observation: Any) -> Array:
        seen.append((observation.wrench("high"), observation.wrench("low"), observation.touching("high")))
        return np.zeros(model.nv)

    path = tmp_path / "run.h5"
    options: dict[str, Any] = {"ground": flat(LeastConstraint()), "pairs": "all"}
    run = ts.simulate(model, duration=0.2, controller=look, control_dt=0.01, record=path, **options)
    high, low, touching = seen[-1]
    assert touching and np.isclose(high[2], 2.0 * GRAVITY, rtol=1e-8) and np.isclose(low[2], 5.0 * GRAVITY, rtol=1e-8)
    here = [i for i, name in enumerate(run.contacts) if name.startswith("low/shape|high")]
    there = [run.contacts.index(f"high/shape|low/shape.{k}") for k in range(len(here))]
    assert np.array_equal(run.contact_force[:, here], -run.contact_force[:, there])
    assert np.array_equal(run.contact_position[:, here], run.contact_position[:, there])
    assert np.isclose(run.contact_force[-1].sum(axis=0)[2], 7.0 * GRAVITY, rtol=1e-8)  # of the ground alone
    recording = ts.open_recording(path)
    assert np.array_equal(recording.contact_force[-1], run.contact_force[-1])
    switch = ts.sensors.ContactSwitch(body="high", name="switch")
    assert ts.simulate(model, duration=0.1, sensors=[switch], **options).signals["switch"][-1].all()


@pytest.mark.parametrize("ground", [Compliant(), LeastConstraint()])
@pytest.mark.parametrize("between", [Compliant(), LeastConstraint()])
def test_laws_of_the_ground_and_between_bodies_may_differ(ground: Any, between: Any) -> None:
    model = scene(("low", Box((0.4, 0.4, 0.2)), 5.0, (0, 0, 0.1)), ("high", Sphere(0.1), 1.0, (0.03, 0, 0.32)))
    run = ts.simulate(model, duration=1.0, ground=flat(ground), pairs=Pairs(law=between))
    i = run.contacts.index("high/shape|low/shape.0")
    assert np.isclose(run.contact_force[-1, i, 2], GRAVITY, rtol=1e-5)
    sunk = [weight / (contacts * 2e5) * isinstance(law, Compliant)
            for weight, contacts, law in ((6.0 * GRAVITY, 4, ground), (GRAVITY, 1, between))]  # fmt: skip
    assert np.isclose(run.q[-1, 9], 0.3 - sum(sunk), atol=1e-6)
    assert gained(run) < 1e-3 and never_falls(run)


def test_a_pushed_box_pushes_another_and_friction_is_that_of_the_pair() -> None:
    # The upper block follows by friction alone: at most mu g.
    model = scene(("low", Box((1.0, 0.4, 0.1)), 4.0, (0, 0, 0.05)), ("high", Box((0.2, 0.2, 0.1)), 1.0, (0, 0, 0.15)))
    ice, friction = flat(LeastConstraint(friction=0.0)), 0.4
    for force, slides in ((5.0 * 0.5 * friction * GRAVITY, False), (60.0, True)):
        push = Push("low", (force, 0.0, 0.0), start=0.0, duration=0.3)
        run = ts.simulate(model, duration=0.3, ground=ice, pairs=Pairs(law=LeastConstraint(friction)), pushes=[push])
        low, high = run.v[-1, 0], run.v[-1, 6]
        expected = (
            (0.3 * (force - friction * GRAVITY) / 4.0, 0.3 * friction * GRAVITY) if slides else (0.06 * force,) * 2
        )
        assert np.allclose((low, high), expected, rtol=1e-6)


def test_robots_do_not_depend_on_their_neighbours_nor_on_threads_and_runs_resume_to_the_bit() -> None:
    model = scene(("low", Box((0.4, 0.4, 0.2)), 5.0, (0, 0, 0.1)), ("high", Capsule(0.05, 0.3), 1.0, (0, 0, 0.6)))
    rng = np.random.default_rng(0)
    Q = np.tile(model.reference, (19, 1))
    Q[:, 7:10] += rng.uniform(-0.1, 0.1, (19, 3))
    Q[:, 10:14] = rng.normal(size=(19, 4))
    Q[:, 10:14] /= np.linalg.norm(Q[:, 10:14], axis=1, keepdims=True)
    options: dict[str, Any] = {"ground": flat(LeastConstraint()), "pairs": "all"}
    all_of_them = ts.simulate(model, Q, duration=0.4, threads=2, **options)
    some = ts.simulate(model, Q[5:9], duration=0.4, **options)
    assert np.array_equal(all_of_them.q[:, 5:9], some.q)
    assert np.array_equal(all_of_them.contact_force[:, 5:9], some.contact_force)
    first = ts.simulate(model, Q[6], duration=0.2, resumable=True, **options)
    second = ts.simulate(model, duration=0.2, resume=first, **options)
    whole = ts.simulate(model, Q[6], duration=0.4, **options)
    assert np.array_equal(second.q[-1], whole.q[-1]) and np.array_equal(second.v[-1], whole.v[-1])


def test_friction_of_each_robot_reaches_bodies_that_touch_each_other() -> None:
    model = scene(
        ("low", Box((2.0, 0.4, 0.1)), 4.0, (0, 0, 0.05)), ("high", Box((0.2, 0.2, 0.1)), 1.0, (-0.5, 0, 0.15))
    )
    friction = np.array([0.1, 0.3, 0.6])
    v0 = np.zeros((3, 12))
    v0[:, 6] = 2.0  # the upper one slides; the lower one holds by the friction of the ground
    for law in (Compliant(), LeastConstraint()):
        sim = ts.Simulation(
            model, np.tile(model.reference, (3, 1)), v0, ground=flat(law), pairs="all", friction=friction
        )
        sim.step(steps=200)
        assert np.allclose(sim.v[:, 6], 2.0 - 0.2 * friction * GRAVITY, atol=0.02)
        assert np.abs(sim.v[:, 0]).max() < 1e-3


def test_a_gripper_lifts_a_cube_and_puts_it_down() -> None:
    model, start, law = lifting()
    with pytest.warns(ts.errors.SimulationWarning, match="panda_link5 and panda_link7"):
        run = ts.simulate(model, start, duration=4.1, controller=law, pairs="all", ground=flat(LeastConstraint()),
                          contacts=contactors(model, ["cube"]))  # fmt: skip
    tool, cube = np.moveaxis(ts.frame_poses(model, run.q, [TOOL, "cube"]), 1, 0)
    between = (np.linalg.inv(tool) @ cube)[60:330]  # between closing and opening
    assert cube[:, 2, 3].max() > 0.5 * SIDE + LIFT - 2e-3  # it was lifted,
    assert np.abs(between[:, :3, 3] - between[0, :3, 3]).max() < 1e-4  # did not slip [m],
    assert np.abs(between[:, :3, :3] - between[0, :3, :3]).max() < 1e-6
    assert abs(cube[-1, 2, 3] - 0.5 * SIDE) < 1e-6 and np.abs(cube[-1, :2, 3] - (PLACE, 0.0)).max() < 2e-3  # and stands
    assert not any(np.any(run.contact_force[-1, i]) for i, n in enumerate(run.contacts) if n.startswith("cube/shape|"))
    assert np.abs(run.total_energy - run.total_energy[0]).max() < 0.02 and never_falls(run)  # as with compliant contact


def test_fingers_of_one_coordinate_stop_at_a_ball_between_them() -> None:
    finger = Shape(Box((0.02, 0.1, 0.1)))
    builder = ts.ModelBuilder("gripper", gravity=(0, 0, 0)).add_link("world")
    for name, side in (("left", -1.0), ("right", 1.0)):
        builder.add_link(name, ts.Inertia.of_box(1.0, (0.02, 0.1, 0.1)), collisions=[finger])
        builder.add_joint(name, "prismatic", "world", name, axis=(-side, 0, 0), position=(side * 0.2, 0, 0))
    builder.add_coupling("right", "left")
    model = builder.build().with_object(Sphere(0.05), 1.0, ts.pose((0.02, 0, 0)), name="ball")
    force = np.zeros(model.nv)
    force[0] = 10.0
    run = ts.simulate(
        model, duration=2.0, pairs=Pairs(law=LeastConstraint()), controller=JointLaw(tau=force, limited=False)
    )
    assert np.isclose(run.q[-1, 0], 0.14, atol=1e-6) and np.abs(run.v[-1]).max() < 1e-6
    assert abs(run.q[-1, 1]) < 1e-6  # the ball was pushed to the middle
    pressed = [np.linalg.norm(f) for f in run.contact_force[-1] if np.any(f)]
    assert np.allclose(pressed, 5.0, rtol=1e-6)  # [N], half of the force on each side


def test_a_limp_arm_comes_to_lie_on_its_own_first_link() -> None:
    # Three links in a vertical plane; the last one folds down onto the first, which lies on the ground.
    bar = Shape(Box((0.5, 0.08, 0.04)), ts.pose((0.25, 0, 0)))
    inertia = ts.Inertia.of_box(1.0, (0.5, 0.08, 0.04), com=(0.25, 0, 0))
    builder = ts.ModelBuilder("folded", base="free").add_link("base", inertia, collisions=[bar])
    for parent, name, x in (("base", "elbow", 0.5), ("elbow", "arm", 0.1)):
        short = name == "elbow"
        size = (0.1, 0.08, 0.02) if short else (0.5, 0.08, 0.04)
        com = (size[0] / 2, 0, 0)
        builder.add_link(name, ts.Inertia.of_box(0.2 if short else 1.0, size, com=com),
                         collisions=() if short else [bar])  # fmt: skip
        builder.add_joint(name, "revolute", parent, name, axis=(0, -1, 0), position=(x, 0, 0))
    model = builder.build()
    q = np.array([0.0, 0, 0.02, 1, 0, 0, 0, np.pi / 2, 1.3])
    run = ts.simulate(model, q, duration=3.0, ground=flat(LeastConstraint()), pairs=[("base", "arm")])
    on_arm = sum(run.contact_force[-1, i] for i, n in enumerate(run.contacts) if n.startswith("arm") and "|" in n)
    assert on_arm[2] > 3.0 and np.abs(run.v[-1]).max() < 1e-6  # it rests on the first link
    assert np.isclose(run.contact_force[-1].sum(axis=0)[2], 2.2 * GRAVITY, rtol=1e-6)
    assert never_falls(run) and gained(run) < 0.02


@pytest.mark.long
@pytest.mark.parametrize("name", ["hrp2", "talos_data/robots/talos_reduced.urdf", "icub_description/robots/icub.urdf"])
def test_limp_robots_fall_onto_their_own_limbs_and_gain_nothing(name: str) -> None:
    if name == "hrp2":
        model = ts.robots.hrp2()
    else:
        model = ts.load(robot_data_path(name), base="free", package_dirs=[robots_directory()])
    q = np.array(model.reference)
    q[7:] = np.clip(q[7:], model.q_min[7:], model.q_max[7:])
    q[2] = max(q[2], 1.0)
    q[3:7] = np.array([1.0, 0.3, 0.4, 0.2]) / np.linalg.norm([1.0, 0.3, 0.4, 0.2])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*overlap in the reference pose")  # one about energy fails
        warnings.filterwarnings("ignore", message=".*without volume")
        warnings.filterwarnings("ignore", message=".*did not settle in . of")
        run = ts.simulate(model, q, duration=3.0, ground=flat(LeastConstraint()), pairs="all")
    pressed = {n for i, n in enumerate(run.contacts) if "|" in n and np.any(run.contact_force[:, i])}
    assert pressed  # limbs met
    fallen = sum(run.energy[part][-1] for part in ("ground_dissipated", "joint_dissipated", "impact"))
    assert (run.total_energy - run.total_energy[0]).max() < 0.01 * fallen and never_falls(run)


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
        warnings.filterwarnings("ignore", message=".*did not settle in . of")
        run = ts.simulate(scene(*objects), duration=4.0, ground=flat(LeastConstraint()), pairs="all")
    lost = run.energy["ground_dissipated"][-1] + run.energy["impact"][-1]
    assert lost > 100.0 and never_falls(run)
    assert gained(run) < 1e-3 * lost
    assert run.q.reshape(-1, 15, 7)[-1, :, 2].min() > 0.0  # nobody fell through the ground


def test_rigid_ground_and_rigid_pairs_are_refused_and_deep_starts_are_told() -> None:
    model = scene(("a", Box((0.2, 0.2, 0.2)), 1.0, (0, 0, 0.1)), ("b", Box((0.2, 0.2, 0.2)), 1.0, (0.05, 0.02, 0.15)))
    with pytest.raises(ts.errors.ArgumentError, match="Rigid is for ground only"):
        Pairs(law=Rigid())  # type: ignore[arg-type]
    with pytest.raises(ts.errors.ArgumentError, match="not of Rigid"):
        ts.simulate(model, duration=1e-3, ground=flat(Rigid()), pairs="all")
    with pytest.raises(ts.errors.ArgumentError, match="LeastConstraint is not for the integrator"):
        ts.simulate(model, duration=1e-3, pairs=Pairs(law=LeastConstraint()), integrator="dormand-prince")
    with pytest.warns(
        ts.errors.SimulationWarning, match="a and b begin 0.15 m deep in each other; solved impulses push them apart"
    ):
        ts.simulate(model, duration=1e-3, pairs=Pairs(law=LeastConstraint()))
