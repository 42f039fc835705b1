"""Conveyor belts and turntables: surfaces whose skin moves."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import (
    Block,
    Compliant,
    ContactPoint,
    Ground,
    HeightField,
    LeastConstraint,
    Plane,
    PseudoCoulomb,
    Rigid,
    ViscoElasticSole,
)  # fmt: skip
from tarsus.contact.ground_document import ground_from_document, ground_to_document
from tarsus.errors import ArgumentError, ShapeError

FRICTION, GRAVITY = 0.3, 9.81
BOX = ts.ModelBuilder("box", base="free").add_link("box", ts.Inertia.of_box(10.0, (0.4, 0.3, 0.2))).build()
CORNERS = [ContactPoint(f"{x}{y}", "box", (0.2 * x, 0.15 * y, -0.1)) for x in (-1, 1) for y in (-1, 1)]
RADIUS = 0.05
BALL = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, RADIUS)).build()
BALL_POINT = [ContactPoint("ball", "ball", radius=RADIUS)]
LAWS = [Compliant(friction=FRICTION), PseudoCoulomb(friction=FRICTION), ViscoElasticSole(friction=FRICTION),
        LeastConstraint(friction=FRICTION)]  # fmt: skip


def at(*p):
    return [*p, 1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("surface", ["plane", "block"])
def test_a_box_on_a_belt_slides_until_it_rides(law, surface):
    belt = (0.6, -0.8, 0.0)
    ground = Ground(Plane(law, velocity=belt) if surface == "plane" else
                    Block((9.0, 9.0, 1.0), ts.pose((0.0, 0.0, -0.5)), law, velocity=belt))  # fmt: skip
    run = ts.simulate(BOX, at(0, 0, 0.1), duration=1.0, ground=ground, contacts=CORNERS)
    sliding = 1.0 / (FRICTION * GRAVITY)  # s
    np.testing.assert_allclose(run.v[-1, :3], belt, atol=2e-5)
    np.testing.assert_allclose(run.q[-1, :2], np.array(belt[:2]) * (1.0 - 0.5 * sliding), atol=2e-3)
    early = run.time < 0.9 * sliding
    force = run.contact_force.sum(axis=1)[early][20:]
    np.testing.assert_allclose(force[:, :2], FRICTION * force[:, 2:] * np.array(belt[:2]), atol=1e-3 * 98.1)
    # The belt works with its force on its own way: half of it becomes kinetic energy, half of it heat.
    energy = {name: part[-1] for name, part in run.energy.items()}
    assert np.isclose(energy["external"], 10.0, rtol=2e-3)
    assert np.isclose(energy["ground_dissipated"] + energy["impact"], 5.0, rtol=5e-3)
    assert abs(energy["integration"]) < 1e-2


@pytest.mark.parametrize("integrator", ["dormand-prince", "runge-kutta-4", "implicit-midpoint"])
def test_other_integrators_know_belts(integrator):
    ground = Ground(Plane(Compliant(friction=FRICTION), velocity=(1.0, 0.0, 0.0)))
    run = ts.simulate(
        BOX, at(0, 0, 0.0998773), duration=0.5, ground=ground, contacts=CORNERS, integrator=integrator, dt=1e-4
    )
    energy = {name: part[-1] for name, part in run.energy.items()}
    assert np.isclose(run.v[-1, 0], 1.0, atol=1e-4)
    assert np.isclose(energy["external"], 10.0, rtol=1e-3)
    assert abs(energy["integration"]) < 1e-4


@pytest.mark.parametrize(
    "law", [Compliant(friction=2.0), LeastConstraint(friction=2.0)], ids=lambda law: type(law).__name__
)
def test_a_ball_rolls_in_circles_on_a_turntable(law):
    # Without slip on a table that turns with Omega the centre goes round with 2/7 Omega, wherever it starts.
    spin, start = 7.0, np.array([0.3, 0.0])
    v = np.array([0.0, 0.4])
    contact = v - spin * np.array([-start[1], start[0]])  # of the centre relative to the table: the ball turns with it
    v0 = [*v, 0.0, -contact[1] / RADIUS, contact[0] / RADIUS, 0.0]
    turn = 2.0 / 7.0 * spin  # half a circle takes pi / 2 s
    ground = Ground(Plane(law, spin=spin))
    run = ts.simulate(BALL, at(*start, RADIUS), v0, duration=1.5708, ground=ground, contacts=BALL_POINT, dt=2e-4)
    centre = start + np.array([-v[1], v[0]]) / turn  # v turns with `turn`
    np.testing.assert_allclose(run.q[-1, :2], 2.0 * centre - start, atol=2e-3)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, :2] - centre, axis=1), np.linalg.norm(start - centre), atol=2e-3)
    assert abs(run.energy["integration"][-1]) < 1e-3


@pytest.mark.parametrize("radius, rides", [(0.25, True), (0.5, False)])
def test_a_box_rides_a_turntable_where_friction_holds_it(radius, rides):
    spin = 3.0  # 2.25 and 4.5 m/s^2 beside mu g = 2.94
    v0 = [0.0, spin * radius, 0.0, 0.0, 0.0, spin]
    disc = Block((3.0, 3.0, 0.2), ts.pose((0.0, 0.0, -0.1)), Compliant(friction=FRICTION), spin=spin)
    run = ts.simulate(BOX, at(radius, 0, 0.1), v0, duration=1.0, ground=Ground(disc), contacts=CORNERS)
    moved = abs(np.linalg.norm(run.q[-1, :2]) - radius)
    assert moved < 2e-3 if rides else moved > 0.1


def test_robots_of_a_batch_touch_different_belts_as_if_alone():
    ground = Ground(Block((2.0, 1.0, 1.0), ts.pose((0.0, 0.0, -0.5)), velocity=(0.5, 0.0, 0.0)),
                    Block((2.0, 1.0, 1.0), ts.pose((0.0, 2.0, -0.5)), velocity=(-0.5, 0.0, 0.0)),
                    Block((2.0, 1.0, 1.0), ts.pose((0.0, 4.0, -0.5))))  # fmt: skip
    starts = np.array([at(0, y, 0.1) for y in (0.0, 2.0, 4.0, 0.0, 2.0)])
    run = ts.simulate(BOX, starts, duration=0.3, ground=ground, contacts=CORNERS)
    for i, start in enumerate(starts):
        alone = ts.simulate(BOX, start, duration=0.3, ground=ground, contacts=CORNERS)
        np.testing.assert_allclose(run.q[:, i], alone.q, atol=1e-9)
    assert np.all(np.sign(np.round(run.q[-1, :, 0], 3)) == [1, -1, 0, 1, -1])


def test_moving_surfaces_survive_a_recording(tmp_path):
    ground = Ground(Plane(velocity=(0.0, 0.2, 0.0), spin=0.5), Block((1, 1, 1), velocity=(1, 2, 3), spin=-1.0))
    back = ground_from_document(ground_to_document(ground))
    for before, after in zip(ground.surfaces, back.surfaces, strict=True):
        np.testing.assert_array_equal(before.velocity, after.velocity)
        assert before.spin == after.spin
    older = ground_to_document(ground)
    del older[0]["plane"]["velocity"], older[0]["plane"]["spin"]
    assert ground_from_document(older).surfaces[0].spin == 0.0


def test_what_surfaces_cannot_do():
    with pytest.raises(ArgumentError, match=r"leaves the plane by 0.1 m/s"):
        Plane(velocity=(1.0, 0.0, 0.1))
    with pytest.raises(ArgumentError, match="spin of Block is nan"):
        Block((1, 1, 1), spin=np.nan)
    with pytest.raises(ShapeError, match=r"velocity of Block has shape \(2,\)"):
        Block((1, 1, 1), velocity=(1, 0))
    with pytest.raises(ArgumentError, match="surface 'plane' moves, which the law Rigid does not know"):
        ts.simulate(BOX, duration=0.1, ground=Ground(Plane(Rigid(), velocity=(1, 0, 0))), contacts=CORNERS)
    assert HeightField(np.zeros((2, 2)), 1.0).spacing == 1.0
