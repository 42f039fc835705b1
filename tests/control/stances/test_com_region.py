"""Where the centre of mass may rest: the support polygon on level ground, brute force elsewhere."""

import warnings

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial import ConvexHull
from tests.control.whole_body.stances import contacts_at

import tarsus as ts
from tarsus.control import Contact, com_region
from tarsus.control.stances.balance import balance
from tarsus.control.whole_body.contact import Contact as AnyContact
from tarsus.errors import ControlWarning, TarsusError

TOLERANCE = 1e-4


def test_on_level_ground_it_is_the_hull_of_the_soles():
    model = ts.robots.hrp2()
    contacts = contacts_at(model, model.reference, ["l_sole", "r_sole"])
    corners = com_region(model, contacts)
    points = [np.asarray(c.pose)[:3, :3] @ p + np.asarray(c.pose)[:3, 3] for c in contacts for p in c.points]
    hull = ConvexHull(np.array(points)[:, :2])
    expected = hull.points[hull.vertices]
    assert len(corners) == len(expected) == 4
    for corner in expected:
        assert np.linalg.norm(corners - corner, axis=1).min() < TOLERANCE


def edges_of(contact: AnyContact):
    """Forces at points along the edges of their pyramids, as wrenches at the world's origin."""
    points = Contact(contact.frame, contact.points, friction=contact.friction, forces="points", pose=contact.pose)
    X = np.asarray(contact.pose)
    pyramid = np.array([[sx * 0.7 / np.sqrt(2), sy * 0.7 / np.sqrt(2), 1.0] for sx in (1, -1) for sy in (1, -1)])
    found = []
    for point in np.asarray(points.points):
        for edge in pyramid:
            force = X[:3, :3] @ contact.X_FC[:3, :3] @ edge
            place = X[:3, :3] @ point + X[:3, 3]
            found.append(np.append(force, np.cross(place, force)))
    return np.array(found)


def test_with_a_hand_on_a_wall_it_is_what_brute_force_finds():
    model = ts.robots.hrp2()
    wall = np.eye(4)
    wall[:3, :3] = ts.spatial.rotation_matrix_from_rotation_vector([0.0, -1.2, 0.0])
    wall[:3, 3] = [0.5, -0.2, 1.0]
    contacts = [*contacts_at(model, model.reference, ["l_sole"]), Contact("r_hand", pose=wall)]
    corners = com_region(model, contacts)
    hull = ConvexHull(corners)
    edges, problem = np.vstack([edges_of(c) for c in contacts]), balance(model, contacts)
    rng = np.random.default_rng(0)
    inside_seen = outside_seen = 0
    for place in rng.uniform(corners.min(axis=0) - 0.1, corners.max(axis=0) + 0.1, size=(300, 2)):
        depth = -(hull.equations[:, :2] @ place + hull.equations[:, 2]).max()
        if abs(depth) < 2 * TOLERANCE:
            continue
        missing = nnls(edges.T, -(problem.b + problem.B @ [*place, 1.0]))[1]
        assert (missing < 1e-9) == (depth > 0), (place, depth, missing)
        inside_seen, outside_seen = inside_seen + (depth > 0), outside_seen + (depth < 0)
    assert inside_seen > 20 and outside_seen > 20


def test_nothing_carries_a_robot_on_a_steep_wall():
    model = ts.robots.hrp2()
    wall = np.eye(4)
    wall[:3, :3] = ts.spatial.rotation_matrix_from_rotation_vector([0.0, np.pi / 2, 0.0])
    assert com_region(model, [Contact("l_sole", pose=wall, friction=0.5)]).shape == (0, 2)
    assert com_region(model, []).shape == (0, 2)


def test_one_point_carries_what_is_above_it():
    model = ts.robots.hrp2()
    X = np.eye(4)
    X[:3, 3] = [0.3, 0.1, 0.0]
    corners = com_region(model, [Contact("l_sole", pose=X)])
    np.testing.assert_allclose(corners, [[0.3, 0.1]], atol=1e-6)


def test_what_makes_no_stance_is_refused_by_name():
    model = ts.robots.hrp2()
    with pytest.raises(TarsusError, match="'l_sole'"):
        com_region(model, [Contact("l_sole")])
    with pytest.raises(TarsusError, match="is with 'r_hand'"):  # was taken for one with the world
        com_region(model, [Contact("l_hand", other="r_hand", pose=np.eye(4))])
    with pytest.raises(TarsusError, match="tolerance"):
        com_region(model, contacts_at(model, model.reference, ["l_sole"]), tolerance=0.0)


def test_a_region_without_end_is_told():
    """Two hands between walls that face each other: as hard as they press, so far out the weight may hang."""
    model = ts.robots.hrp2()
    hands = []
    for side, out in (("l", 1.0), ("r", -1.0)):
        turn = ts.spatial.rotation_matrix_from_rotation_vector([out * np.pi / 2, 0.0, 0.0])
        sole = [[x, y, 0.0] for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
        hands.append(Contact(f"{side}_hand", sole, pose=ts.pose([0.0, 0.3 * out, 1.0], turn)))
    with pytest.warns(ControlWarning, match="no end on contacts l_hand, r_hand"):
        corners = com_region(model, hands)
    assert np.abs(corners).max() == 1000.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bounded = com_region(model, [hand.with_force(2000.0) for hand in hands])
    assert 0.0 < np.abs(bounded).max() < 10.0
