"""Starts inside the ground are refused, and `on_ground` mends them."""

import numpy as np
import pytest
from robot_data import robot_data_path
from simulation.bodies import ball, box

import tarsus as ts
from tarsus.contact import (
    Compliant,
    ContactPoint,
    LeastConstraint,
    Rigid,
    ViscoElasticSole,
    contact_gaps,
    flat,
    on_ground,
    slope,
    stairs,
)  # fmt: skip
from tarsus.errors import ArgumentError, ShapeError


def at(z):
    return [0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0]


def test_a_start_in_the_ground_tells_depth_energy_and_what_helps():
    with pytest.raises(
        ArgumentError, match=r"is 0.2 m inside the ground at 'ball/skin', which holds 4e\+03 J"
    ) as found:
        ts.simulate(ball(0.1), at(-0.1), ground=flat(), duration=0.1)
    assert "ts.contact.on_ground(model, q, ground)" in str(found.value)
    with pytest.raises(ArgumentError, match=r"start of robot \(1,\) is 0.15 m inside"):
        ts.simulate(ball(0.1), [at(0.1), at(-0.05), at(0.0)], ground=flat(), duration=0.1)


@pytest.mark.parametrize("law", [Compliant(), LeastConstraint(), ViscoElasticSole()])
def test_robots_on_grounds_of_their_own_are_looked_at_each_on_its_own(law):
    """On grounds of a list nobody looked: a ball 0.5 m deep was thrown 4.7 m up."""
    low, high = flat(law), flat(law, height=0.5)
    with pytest.raises(ArgumentError, match=r"start of robot \(0,\) is 0.5 m inside the ground"):
        ts.Simulation(ball(0.1), at(0.1), ground=[high, high], batch=2)
    with pytest.raises(ArgumentError, match=r"start of robot \(1,\) is 0.5 m inside the ground"):
        ts.Simulation(ball(0.1), at(0.1), ground=[low, high], batch=2)
    sim = ts.Simulation(ball(0.1), [at(0.1), at(0.6)], ground=[low, high])
    with pytest.raises(ArgumentError, match="0.5 m inside the ground"):
        sim.reset(at(0.1), where=np.array([False, True]))
    sim.reset(at(0.1), where=np.array([True, False]))
    sim.step(steps=10)
    np.testing.assert_allclose(sim.q[:, 2], [0.1, 0.6], atol=1e-3)


def test_a_sole_that_starts_deep_in_the_ground_is_refused_though_its_layer_holds_nothing_yet():
    with pytest.raises(ArgumentError, match=r"is 0.3 m inside the ground .* holds 9e\+03 J"):  # k d^2 / 2
        ts.simulate(ball(0.1), at(-0.2), ground=flat(ViscoElasticSole(stiffness=2e5)), duration=0.01)
    assert ts.simulate(ball(0.1), at(0.099), ground=flat(ViscoElasticSole()), duration=0.01).finished


def test_a_simulation_that_is_stepped_refuses_the_same():
    with pytest.raises(ArgumentError, match="0.2 m inside the ground"):
        ts.Simulation(ball(0.1), at(-0.1), ground=flat())


def test_a_reset_into_the_ground_is_refused_and_changes_nothing():
    sim = ts.Simulation(ball(0.1), at(0.2), ground=flat(), batch=3)
    sim.step(steps=10)
    before = sim.q
    with pytest.raises(ArgumentError, match=r"robot \(1,\) is 0.3 m inside the ground"):
        sim.reset([at(0.2), at(0.3), at(-0.2)], where=[False, True, True])
    np.testing.assert_array_equal(sim.q, before)
    sim.reset([at(0.2), at(0.3), at(-0.2)], where=[True, True, False])
    np.testing.assert_array_equal(sim.q[:2, 2], [0.2, 0.3])


@pytest.mark.parametrize("law", [LeastConstraint(), Rigid()], ids=lambda law: type(law).__name__)
def test_ground_without_springs_may_be_entered_by_three_centimetres(law):
    with pytest.raises(ArgumentError, match="is 0.04 m inside the ground at 'ball/skin'; ts.contact.on_ground"):
        ts.simulate(ball(0.1), at(0.06), ground=flat(law), duration=0.01)


def test_what_the_ground_may_hold_follows_the_weight():
    soft = flat(Compliant(stiffness=1000.0))
    least = np.sqrt(2.0 * 9.81 * 0.1 / 1000.0)
    assert ts.simulate(ball(0.1), at(0.1 - 0.99 * least), ground=soft, duration=0.01).finished
    with pytest.raises(ArgumentError, match="inside the ground"):
        ts.simulate(ball(0.1), at(0.1 - 1.01 * least), ground=soft, duration=0.01)


@pytest.mark.parametrize("ground", [flat(height=0.3), slope(0.4), stairs(3, 0.1, 0.3, start=-0.1)])
@pytest.mark.parametrize("height", [-0.7, 0.2, 3.0])
def test_on_ground_touches_and_is_not_inside(ground, height):
    robot = box((0.4, 0.3, 0.2))
    q = on_ground(robot, [0.05, 0.0, height, np.cos(0.2), 0.0, np.sin(0.2), 0.0], ground)
    _, gap = contact_gaps(robot, q, ground)
    assert -1e-12 < gap.min() < 1e-8
    assert ts.simulate(robot, q, ground=ground, duration=0.01).finished


def test_on_ground_takes_batches_planar_bases_and_contacts_of_ones_own():
    robot = ts.robots.hrp2()
    q = np.stack([robot.reference, robot.reference])
    q[1, 2] -= 0.5
    placed = on_ground(robot, q, flat())
    np.testing.assert_allclose(placed[0], placed[1], atol=1e-9)
    tip = [ContactPoint("tip", "rod", (0, 0, -0.5))]
    rod = ts.ModelBuilder("rod", base="planar").add_link("rod", ts.Inertia.of_box(1.0, (0.1, 0.1, 1.0))).build()
    np.testing.assert_allclose(on_ground(rod, [0.3, 7.0, 0.0], flat(), tip), [0.3, 0.5, 0.0], atol=1e-9)


def test_what_cannot_be_set_down_is_told():
    with pytest.raises(ArgumentError, match="base of 'arm' is fixed"):
        on_ground(ts.ModelBuilder("arm").add_link("arm").build(), None, flat())
    with pytest.raises(ArgumentError, match="no collision shapes"):
        on_ground(ts.ModelBuilder("x", base="free").add_link("x", ts.Inertia.of_sphere(1.0, 0.1)).build(), None, flat())
    with pytest.raises(ShapeError, match=r"q has shape \(3,\)"):
        on_ground(ball(), [0, 0, 0], flat())


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
def test_talos_on_the_ground_of_a_first_hour():
    talos = ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free")
    with pytest.raises(ArgumentError, match="inside the ground"):
        ts.simulate(talos, ground=flat(), duration=0.1)
    run = ts.simulate(talos, on_ground(talos, None, flat()), ground=flat(), duration=0.1)
    assert run.finished and abs(run.v).max() < 2.0


def test_beside_objects_the_robot_is_set_down_and_the_objects_stay():
    robot = ts.robots.hrp2()
    ground = ts.contact.flat()
    scene = robot.with_object(ts.model.shapes.Box((0.2, 0.2, 0.2)), 1.0, ts.pose((1.0, 0, 0.7)), name="cube")
    q = np.array(scene.reference)
    q[2] += 0.3
    down = ts.contact.on_ground(scene, q, ground)
    alone = ts.contact.on_ground(robot, q[: robot.nq], ground)
    np.testing.assert_array_equal(down[: robot.nq], alone)
    np.testing.assert_array_equal(down[robot.nq :], q[robot.nq :])
    cube = ts.contact.on_ground(scene, q, ground, body="cube")
    np.testing.assert_array_equal(cube[: robot.nq], q[: robot.nq])
    assert cube[robot.nq + 2] == pytest.approx(0.1, abs=1e-8)
    with pytest.raises(ts.errors.UnknownNameError, match="body 'cub' not found; close: 'cube'"):
        ts.contact.on_ground(scene, q, ground, body="cub")
    with pytest.raises(ts.errors.ArgumentError, match="no free joint carries it"):
        ts.contact.on_ground(scene, q, ground, body="world")
