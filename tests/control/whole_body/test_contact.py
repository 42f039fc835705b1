"""Contacts: which motions they stop, and what they refuse."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.control import Contact
from tarsus.control.whole_body.contact_place import contact_place
from tarsus.control.whole_body.terms import contact_rows, slip
from tarsus.errors import ArgumentError, ShapeError, TarsusError

POINT, EDGE = [[0.1, 0.2, 0.3]], [[0.0, -0.1, 0.0], [0.1, 0.1, 0.0]]
PATCH = [[0.1, 0.0, 0.0], [-0.1, 0.05, 0.0], [-0.1, -0.05, 0.0]]


@pytest.mark.parametrize(("points", "freedoms"), [(POINT, 3), ([*POINT, *POINT], 3), (EDGE, 1), (PATCH, 0)])
def test_rows_stop_all_points_and_nothing_else(points, freedoms):
    contact = Contact("F", points)
    assert contact.freedoms == freedoms
    assert contact.rows.shape == (6 - freedoms, 6)
    assert np.linalg.matrix_rank(contact.rows) == 6 - freedoms
    R, c = contact.X_FC[:3, :3], contact.X_FC[:3, 3]
    velocities = np.vstack([np.hstack([R, -ts.spatial.skew(p - c) @ R]) for p in np.asarray(points)])  # twist at C
    free = np.linalg.svd(contact.rows)[2][6 - freedoms :]
    np.testing.assert_allclose(velocities @ free.T, 0.0, atol=1e-12)
    assert np.linalg.matrix_rank(velocities, tol=1e-9) == 6 - freedoms


@pytest.mark.parametrize("points", [POINT, EDGE, PATCH])
def test_rates_of_the_slip_are_minus_the_velocity_of_the_rows(points):
    model = ts.robots.hrp2()
    rng = np.random.default_rng(4)
    q, v = model.random(rng), rng.normal(size=model.nv)
    contact = Contact("r_hand", points, pose=ts.frame_pose(model, q, "r_hand"))
    C, _, _ = contact_rows(model, contact, q, v)
    h = 1e-6
    ahead, behind = (slip(contact, ts.frame_pose(model, model.integrate(q, v, s * h), "r_hand")) for s in (1, -1))
    np.testing.assert_allclose((ahead - behind) / (2 * h), -C @ v, atol=1e-7)


def test_a_point_that_turned_far_has_slipped_by_its_way_alone():
    contact = Contact("F", POINT, pose=np.eye(4))
    turned = np.eye(4)
    turned[:3, :3] = ts.spatial.rotation_matrix_from_rotation_vector([0.0, 2.0, 1.0])
    turned[:3, 3] = np.array(POINT[0]) - turned[:3, :3] @ POINT[0]
    np.testing.assert_allclose(slip(contact, turned), 0.0, atol=1e-12)


@pytest.mark.parametrize("points", [POINT, EDGE, PATCH])
@pytest.mark.parametrize("kept", [True, False])
def test_rows_hold_the_acceleration_of_the_contact(points, kept):
    """d/dt (C v) by differences, in axes that stay, less what the velocity of the point turns with the frame."""
    model = ts.robots.hrp2()
    rng = np.random.default_rng(6)
    q, v, vdot = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    X = ts.frame_pose(model, q, "r_hand")
    contact = Contact("r_hand", points, pose=X, gain=0.0)
    C, c, _ = contact_rows(model, contact if kept else Contact("r_hand", points, gain=0.0), q, v)
    h = 1e-5

    rows = contact.rows @ contact_place(contact, X).motion_map()

    def rate(s):
        there = model.integrate(q, v + 0.5 * s * h * vdot, s * h)
        twist = ts.frame_velocity(model, there, v + s * h * vdot, "r_hand")
        arm = ts.frame_pose(model, there, "r_hand")[:3, :3] @ contact.X_FC[:3, 3]
        return rows @ np.append(twist[:3] + np.cross(twist[3:], arm), twist[3:])

    R, spin = contact.X_WC(X)[:3, :3], ts.frame_velocity(model, q, v, "r_hand")[3:]
    turning = np.append(np.cross(R.T @ spin, (C @ v)[:3]), np.zeros(len(C) - 3))
    np.testing.assert_allclose((rate(1) - rate(-1)) / (2 * h) - turning, C @ vdot - c, atol=1e-5)


@pytest.mark.parametrize("points", [POINT, EDGE, PATCH])
def test_power_of_forces_is_that_of_the_rows(points):
    model = ts.robots.hrp2()
    rng = np.random.default_rng(5)
    q, v = model.random(rng), rng.normal(size=model.nv)
    contact = Contact("l_hand", points)
    C, _, F = contact_rows(model, contact, q, v)
    np.testing.assert_allclose(F, C.T, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"points": []}, "points"),
        ({"points": [[0.0, np.nan, 0.0]]}, "points"),
        ({"friction": 0.0}, "friction"),
        ({"normal": (0.0, 0.0, 0.0)}, "normal"),
        ({"points": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.1]]}, "across its edge"),
        ({"sides": 2}, "sides"),
        ({"forces": "points?"}, "forces"),
        ({"min_force": 10.0, "max_force": 5.0}, "min_force"),
        ({"min_force": np.inf}, "min_force"),
        ({"gain": -1.0}, "gain"),
        ({"gain": np.ones(3)}, "gain of Contact is .* expected one number"),
        ({"friction": [0.5, 0.5]}, "friction of Contact"),
        ({"max_force": "all"}, "max_force of Contact"),
        ({"pose": np.zeros((3, 3))}, "pose"),
    ],
)
def test_what_makes_no_contact_is_refused_by_name(options, word):
    with pytest.raises(TarsusError, match=word):
        Contact("F", **options)


@pytest.mark.parametrize("pose", [2 * np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0]), np.vstack([np.eye(4)[:3], [5.0] * 4])])
def test_poses_that_are_none_are_refused(pose):
    with pytest.raises(ArgumentError, match="pose of Contact is not a pose"):
        Contact("l_sole", pose=pose)
    with pytest.raises(ArgumentError, match="pose of Contact is not a pose"):
        Contact("l_sole").with_pose(pose)


def test_poses_of_many_are_none_of_a_contact():
    with pytest.raises(ShapeError, match="pose of Contact"):
        Contact("l_sole").with_pose(np.stack([np.eye(4)] * 2))


def test_round_patches_are_refused_where_their_cone_would_take_minutes():
    angle = np.linspace(0.0, 2 * np.pi, 24, endpoint=False)
    circle = 0.05 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    with pytest.raises(ArgumentError, match="found 24, expected at most 12"):
        Contact("l_sole", circle)
    assert len(Contact("l_sole", circle, forces="points").cone) == 24 * 4
