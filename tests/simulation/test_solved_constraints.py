"""Constraints and springs beside contact whose impulses are solved for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from simulation.touching_scenes import GRAVITY, gained, scene

import tarsus as ts
from tarsus.contact import Compliant, ContactPoint, LeastConstraint, Pairs, flat
from tarsus.model import Loop
from tarsus.model.shapes import Box, Sphere
from tarsus.simulation import Spring

Array = npt.NDArray[np.float64]
CLOSED = 1e-9
"""Violation of constraints [m, rad] that no step may leave."""


ANGLES = (1.0, -0.6355, 1.7545)
"""Of crank, coupler and rocker where the loop is nearly closed [rad]: what its joints begin with."""


def standing_loop(couplings: str) -> tuple[ts.Model, list[ContactPoint]]:
    """A four-bar linkage on a plate with four feet; its tip and its knee can touch the ground, too."""
    b = ts.ModelBuilder("frame", base="free").add_link("plate", ts.Inertia.of_box(2.0, (1.0, 0.2, 0.05)))
    for name, length in (("crank", 0.4), ("coupler", 1.1), ("rocker", 0.8)):
        b.add_link(name, ts.Inertia.of_box(1.0, (length, 0.03, 0.05), com=(length / 2, 0, 0)))
    places = (("a", "plate", "crank", -0.5), ("b", "crank", "coupler", 0.4), ("c", "plate", "rocker", 0.5))
    for (name, parent, child, x), angle in zip(places, ANGLES, strict=True):
        s, c = np.sin(angle), np.cos(angle)
        turned = ts.pose((x, 0, 0), [[c, 0, -s], [0, 1, 0], [s, 0, c]])
        b.add_joint(name, "revolute", parent, child, axis=(0, -1, 0), pose=turned)
    b.add_loop(Loop("pin", "spherical", "coupler", "rocker", ts.pose((1.1, 0, 0)), ts.pose((0.8, 0, 0))))
    feet = [ContactPoint(f"{x},{y}", "plate", (x, y, -0.025)) for x in (-0.5, 0.5) for y in (-0.1, 0.1)]
    feet += [ContactPoint("tip", "coupler", (1.1, 0, 0)), ContactPoint("knee", "crank", (0.4, 0, 0))]
    return b.build(couplings=couplings), feet


def start_of(model: ts.Model) -> Array:
    """The linkage 1 cm above the ground."""
    q = np.array(model.reference)
    q[2] += 0.035
    return q


def test_a_loop_closed_by_constraints_falls_and_lies_on_the_ground_as_in_minimal_coordinates() -> None:
    (cut, feet), (reduced, _) = standing_loop("cut"), standing_loop("reduce")
    loop = ts.loop_constraints(cut)
    assert (cut.nv, reduced.nv) == (9, 7)
    options: dict[str, Any] = {"duration": 1.5, "ground": flat(LeastConstraint()), "contacts": feet}
    start = reduced.joint_positions(start_of(reduced))  # of base and joints, closed
    apart = []
    for dt in (1e-3, 2.5e-4):
        run = ts.simulate(cut, start, constraints=loop, project_start=True, dt=dt, **options)
        rows = ts.constraint_rows(cut, run.q, run.v, loop)
        assert abs(rows.violation).max() < CLOSED and abs(rows.velocity).max() < CLOSED
        lost = run.energy["impact"] + run.energy["ground_dissipated"]
        assert lost[-1] > 3.0 and np.diff(lost).min() >= 0.0 and gained(run) < 20.0 * dt * lost[-1]
        other = ts.simulate(reduced, start_of(reduced), dt=dt, **options)
        names = ["plate", "crank", "coupler", "rocker"]
        away = ts.frame_poses(cut, run.q, names) - ts.frame_poses(reduced, other.q, names)
        assert np.abs(away[-1]).max() < 1e-5  # both lie in the end
        apart.append(np.abs(away).max())
        assert np.abs(run.v[-1]).max() < CLOSED
        assert np.isclose(run.contact_force[-1].sum(axis=0)[2], 5.0 * GRAVITY, rtol=1e-8)
    assert max(apart) < 1e-3  # of falls of 0.4 m


def test_a_cart_with_a_rolling_wheel_is_braked_by_its_skids_as_the_closed_form_tells() -> None:
    # Axle at the origin, centre of mass of the cart at (-c, h), skids at (-l, 0). With the inertia I of the wheel:
    # (M + m + I / r^2) a = mu N,  l N = c M g - a (M h + m r + I / r): moments about the point below the axle.
    mass, wheel, r, c, h, length, mu, v = 6.0, 2.0, 0.2, 0.3, 0.25, 0.8, 0.4, 2.0
    b = ts.ModelBuilder("cart", base="free")
    b.add_link("cart", ts.Inertia.of_box(mass, (0.6, 0.4, 0.1), com=(-c, 0, h - r)))
    b.add_link("wheel", ts.Inertia.of_cylinder(wheel, r, 0.02))
    turned = ts.pose((0, 0, 0), [[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    b.add_joint("axle", "revolute", "cart", "wheel", axis=(0, 0, 1), pose=turned)  # the axis of the cylinder is z
    model = b.build()
    skids = [ContactPoint(side, "cart", (-length, y, -r)) for side, y in (("left", 0.2), ("right", -0.2))]
    rolling = ts.constraints.RollingWheel("world", "wheel", radius=r, axis=(0, 0, 1))
    q, v0 = model.neutral(), np.zeros(model.nv)
    q[2], v0[0], v0[6] = r, v, v / r
    run = ts.simulate(
        model, q, v0, duration=0.5, ground=flat(LeastConstraint(mu)), contacts=skids, constraints=[rolling]
    )
    spin = float(model.bodies["wheel"].inertia.moments[2, 2])
    heavy, lever = mass + wheel + spin / r**2, mass * h + wheel * r + spin / r
    braking = mu * c * mass * GRAVITY / (length * heavy + mu * lever)
    assert np.isclose(v - run.v[-1, 0], 0.5 * braking, rtol=1e-3)
    press = run.contact_force[-1, :, 2].sum()
    assert np.isclose(press, (c * mass * GRAVITY - braking * lever) / length, rtol=1e-3)
    rows = ts.constraint_rows(model, run.q, run.v, [rolling])
    assert abs(rows.velocity).max() < CLOSED and abs(rows.violation[..., rows.holonomic]).max() < CLOSED
    work = mu * press * (run.q[-1, 0] - q[0])
    assert np.isclose(run.energy["ground_dissipated"][-1], work, rtol=2e-3)
    assert np.abs(run.total_energy - run.total_energy[0]).max() < 1e-3  # of 17 J


def test_two_boxes_welded_by_a_constraint_are_one_box() -> None:
    boxes = [("low", Box((0.4, 0.4, 0.1)), 3.0, (0, 0, 0.05))]
    two = scene(*boxes, ("a", Box((0.2, 0.2, 0.1)), 1.0, (0, 0, 0.3)), ("b", Box((0.2, 0.2, 0.1)), 1.0, (0, 0, 0.4)))
    one = scene(*boxes, ("a", Box((0.2, 0.2, 0.2)), 2.0, (0, 0, 0.35)))
    options: dict[str, Any] = {"duration": 0.6, "ground": flat(LeastConstraint())}
    weld = ts.constraints.weld("a", "b", pose_a=ts.pose((0, 0, 0.1)))
    v0 = np.zeros(18)
    v0[6] = v0[12] = 0.7  # it slides before it stops
    apart = ts.simulate(two, v0=v0, pairs=[("low", "a")], constraints=[weld], **options)
    whole = ts.simulate(one, v0=v0[:12], pairs="all", **options)
    rows = ts.constraint_rows(two, apart.q, apart.v, [weld])
    assert abs(rows.violation).max() < CLOSED
    assert np.allclose(apart.q[:, 7:10] + (0, 0, 0.05), whole.q[:, 7:10], atol=1e-4) and whole.q[-1, 7] > 0.1
    pressed = [
        sum(run.contact_force[-1, i, 2] for i, n in enumerate(run.contacts) if n.startswith("a/shape|low"))
        for run in (apart, whole)
    ]
    assert np.allclose(pressed, 2.0 * GRAVITY, rtol=1e-6)
    assert gained(apart) < 1e-6


@pytest.mark.parametrize("law", [LeastConstraint(0.0), Compliant(friction=0.0)])
def test_a_box_on_ice_swings_on_a_spring_and_a_cable_lightens_it(law: Any) -> None:
    model = scene(("box", Box((0.2, 0.2, 0.2)), 2.0, (0.5, 0, 0.1)))
    spring = Spring("world", "box", stiffness=200.0, length=0.4, position_a=(0, 0, 0.1))
    run = ts.simulate(model, duration=1.0, dt=2.5e-4, ground=flat(law), springs=[spring])
    assert np.allclose(run.q[:, 0], 0.4 + 0.1 * np.cos(10.0 * run.time), atol=2e-3)
    cable = Spring("world", "box", stiffness=1e3, damping=50.0, length=0.99, position_a=(0.5, 0, 1.1), pull_only=True)
    hung = ts.simulate(model, duration=0.5, ground=flat(law), springs=[cable])
    stretch = 1.1 - hung.q[-1, 2] - 0.99
    assert np.isclose(hung.contact_force[-1, :, 2].sum(), 2.0 * GRAVITY - 1e3 * stretch, rtol=1e-4)


def test_a_given_motion_lifts_a_box_off_the_ground_and_its_work_is_told() -> None:
    b = ts.ModelBuilder("lift").add_link("world").add_link("hook", ts.Inertia.of_sphere(0.5, 0.05))
    b.add_joint("up", "prismatic", "world", "hook", axis=(0, 0, 1), position=(0, 0, 0.5))
    model = b.build().with_object(Box((0.2, 0.2, 0.2)), 2.0, ts.pose((0, 0, 0.1)), name="box")

    def rise(t: float) -> tuple[float, float, float]:
        return 0.05 * (1 - np.cos(np.pi * t)), 0.05 * np.pi * np.sin(np.pi * t), 0.05 * np.pi**2 * np.cos(np.pi * t)

    driven = ts.constraints.PrescribedJoint("up", rise)
    rope = ts.constraints.LoopJoint("hook", "box", "spherical", pose_b=ts.pose((0, 0, 0.4)))
    run = ts.simulate(model, duration=1.0, constraints=[driven, rope], ground=flat(LeastConstraint()))
    assert np.isclose(run.q[-1, 3], 0.2, atol=1e-9) and not np.any(run.contact_force[-1])
    assert np.isclose(run.energy["constraint"][-1], 2.5 * GRAVITY * 0.1, rtol=2e-3)
    assert np.abs(run.total_energy - run.total_energy[0]).max() < 0.01


def test_robots_of_a_batch_do_not_depend_on_their_neighbours_and_stepping_is_simulating() -> None:
    cut, feet = standing_loop("cut")
    loop = ts.loop_constraints(cut)
    q = start_of(cut)
    v = np.zeros((11, cut.nv))
    v[:, 0] = np.linspace(0.0, 1.0, 11)
    options: dict[str, Any] = {"ground": flat(LeastConstraint()), "contacts": feet, "constraints": loop}
    Q = np.tile(ts.project_position(cut, q, loop), (11, 1))
    all_of_them = ts.simulate(cut, Q, v, duration=0.3, threads=2, **options)
    some = ts.simulate(cut, Q[3:6], v[3:6], duration=0.3, **options)
    assert np.array_equal(all_of_them.q[:, 3:6], some.q)
    sim = ts.Simulation(cut, Q[3:6], v[3:6], **options)
    sim.step(steps=300)
    assert np.array_equal(sim.q, some.q[-1])
    alone = ts.simulate(cut, Q[4], v[4], duration=0.3, **options)
    assert np.allclose(alone.q, some.q[:, 1], atol=1e-6)


def test_springs_constraints_and_both_kinds_of_contact_take_part_in_one_step() -> None:
    # A ball on a rod between the world and a block; soft contact between them, hard ground, and a spring that pulls.
    model = scene(("block", Box((0.6, 0.4, 0.2)), 5.0, (0, 0, 0.1)), ("ball", Sphere(0.1), 1.0, (0, 0, 0.35)))
    rod = ts.constraints.Rod("world", "ball", length=0.5, pose_a=ts.pose((0.5, 0, 0.35)))
    spring = Spring("block", "ball", stiffness=300.0, damping=10.0, length=0.1)
    run = ts.simulate(model, duration=2.0, ground=flat(LeastConstraint()), constraints=[rod], springs=[spring],
                      pairs=Pairs(law=Compliant()))  # fmt: skip
    rows = ts.constraint_rows(model, run.q, run.v, [rod])
    assert abs(rows.violation).max() < CLOSED and np.abs(run.v[-1]).max() < 1e-3
    press = run.contact_force[-1, run.contacts.index("ball/shape|block/shape.0"), 2]
    pull = 300.0 * (np.linalg.norm(run.q[-1, 7:10] - run.q[-1, :3]) - 0.1)
    along = np.array([0.5, 0, 0.35]) - run.q[-1, 7:10]
    up = run.signals["constraint_force"][-1, 0] * -along[2] / np.linalg.norm(along)
    assert np.isclose(press, GRAVITY + pull - up, rtol=0.02)
    assert np.isclose(run.contact_force[-1].sum(axis=0)[2], 6.0 * GRAVITY - up, rtol=1e-3)
    lost = sum(run.energy[part][-1] for part in ("ground_dissipated", "joint_dissipated", "impact"))
    assert gained(run) < 0.01 * lost
