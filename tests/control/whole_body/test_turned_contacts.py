"""Contacts that are turned against their pose: points are where the robot has them, normals where they are told."""

import numpy as np
import pytest
from tests.control.whole_body.stances import CORNERS, EDGE, farthest_out, residual, standing_tasks

import tarsus as ts
from tarsus.control import Contact, WholeBody
from tarsus.control.whole_body.contact_place import contact_place

INSIDE = 1e-9
"""How far a centre of pressure may be outside of a sole [m]: rounding."""
SAME = 1e-8
METHODS = ["reduced", "three-parameters", "eliminated", "multiplier"]


def turned(X, rng, angle):
    """The pose, turned by an angle [rad] about a random axis."""
    axis = rng.normal(size=3)
    R = ts.spatial.rotation_matrix_from_rotation_vector(angle * axis / np.linalg.norm(axis))
    return ts.pose(X[:3, 3], R @ X[:3, :3])


def pulled(model, rng, angle, **options):
    """A robot whose feet are turned against their poses, and which is asked to lean out as far as it can."""
    q = np.array(model.reference)
    feet = [
        Contact(f"{s}_sole", CORNERS, pose=turned(ts.frame_pose(model, q, f"{s}_sole"), rng, angle), **options)
        for s in "lr"
    ]
    away = 0.3 * rng.normal(size=3) * [1.0, 1.0, 0.2]
    tasks = [ts.tasks.CenterOfMass(ts.center_of_mass(model, q) + away, weight=10.0), *standing_tasks(model, q)[1:]]
    return q, tasks, feet


def pressure(X_WF, wrench):
    """Centre of pressure in the plane of the frame, in its axes [m]."""
    force, moment = wrench[:3] @ X_WF[:3, :3], wrench[3:] @ X_WF[:3, :3]
    return np.array([-moment[1], moment[0]]) / force[2]


@pytest.mark.parametrize("forces", ["wrench", "points"])
def test_pressure_stays_inside_of_the_sole_as_it_is_turned(forces):
    model, rng = ts.robots.hrp2(), np.random.default_rng(1)
    reached = 0
    for _ in range(20):
        q, tasks, feet = pulled(model, rng, np.radians(2.0), forces=forces, min_force=50.0)
        command = WholeBody(model, tasks, feet, limits=False).solve(q, np.zeros(model.nv))
        assert command.success and residual(model, q, np.zeros(model.nv), command) < SAME
        assert farthest_out(model, q, feet, command) < SAME
        for foot in feet:
            x, y = pressure(ts.frame_pose(model, q, foot.frame), command.wrenches[foot.frame])
            out = max(abs(x - 0.01) - 0.11, abs(y) - 0.06)
            assert out < INSIDE
            reached += out > -1e-6
    assert reached > 10  # edges of soles were asked for


@pytest.mark.parametrize("forces", ["wrench", "points"])
def test_formulations_and_the_native_step_agree_on_turned_contacts(forces):
    model, rng = ts.robots.hrp2(), np.random.default_rng(2)
    for _ in range(4):
        q, tasks, feet = pulled(model, rng, np.radians(10.0), forces=forces, max_force=800.0)
        hand = turned(ts.frame_pose(model, q, "r_hand"), rng, 0.3)
        contacts = [*feet, Contact("r_hand", EDGE, pose=hand, forces=forces)]
        v = 0.1 * rng.normal(size=model.nv)
        native = WholeBody(model, tasks, contacts, limits=False).solve(q, v)
        assert native.success and farthest_out(model, q, contacts, native) < SAME
        for method in METHODS:
            found = WholeBody(model, tasks, contacts, limits=False, method=method, native=False).solve(q, v)
            np.testing.assert_allclose(found.vdot, native.vdot, atol=SAME * max(1.0, np.abs(native.vdot).max()))
        many = WholeBody(model, tasks, contacts, limits=False).solve_batch(np.tile(q, (3, 1)), v)
        np.testing.assert_allclose(many.vdot[1], native.vdot, atol=SAME * max(1.0, np.abs(native.vdot).max()))


def test_bounds_of_the_normal_force_are_along_the_normal_of_what_is_touched():
    model, rng = ts.robots.hrp2(), np.random.default_rng(3)
    q, tasks, feet = pulled(model, rng, 0.1)
    feet = [feet[0].with_force(200.0), feet[1]]
    for native in (True, False):
        command = WholeBody(model, tasks, feet, native=native).solve(q, np.zeros(model.nv))
        normal = (np.asarray(feet[0].pose) @ feet[0].X_FC)[:3, 2]
        assert np.isclose(normal @ command.wrenches["l_sole"][:3], 200.0)


@pytest.mark.parametrize("points", [CORNERS, EDGE])
def test_every_wrench_of_a_turned_cone_is_one_of_forces_at_the_points(points):
    """For turns up to nearly a right angle; `farthest_out` does not know how the cone is made."""
    model, rng = ts.robots.hrp2(), np.random.default_rng(4)
    q = np.array(model.reference)
    X_WF = ts.frame_pose(model, q, "l_sole")
    for angle in rng.uniform(0.0, 1.5, size=40):
        contact = Contact("l_sole", points, friction=rng.uniform(0.2, 1.5), pose=turned(X_WF, rng, angle))
        place = contact_place(contact, X_WF)
        for edge in contact.edges():
            at_C = place.wrench_map(contact) @ edge
            arm = place.origin - X_WF[:3, 3]
            wrench = np.append(at_C[:3], at_C[3:] + np.cross(arm, at_C[:3]))
            weighed = {"l_sole": 9.81 * model.total_mass * wrench}
            command = ts.control.Command(np.zeros(0), np.zeros(0), weighed, "solved", "")
            assert farthest_out(model, q, [contact], command) < SAME * np.linalg.norm(at_C)
            np.testing.assert_allclose(place.variables(contact, X_WF, wrench), edge, atol=1e-9)


@pytest.mark.parametrize("native", [True, False])
def test_a_contact_that_is_turned_away_is_told(native):
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    X = ts.frame_pose(model, q, "l_sole")
    over = ts.pose(X[:3, 3], ts.spatial.rotation_matrix_from_rotation_vector([2.0, 0.0, 0.0]))
    body = WholeBody(model, standing_tasks(model, q), [Contact("l_sole", CORNERS, pose=over)], native=native)
    command = body.solve(q, v)
    assert command.status == "contradictory" and "'l_sole' is turned by 115 degrees" in command.reason
    assert (np.abs(command.tau) <= model.tau_max).all()
