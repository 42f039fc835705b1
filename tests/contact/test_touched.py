"""Which face is touched: the nearest away from edges, at edges the one that the force tells."""

import numpy as np
import pytest

from tarsus.contact import Block, Compliant, Ground, slope
from tarsus.contact.touched import EDGE, LEAN, touched_surfaces
from tarsus.spatial import pose, rotation_z
from tarsus.walking.walker.terrain import kerbs

HEIGHT, MU = 0.03, 0.8
GROUND = kerbs(HEIGHT, law=Compliant(friction=MU))
"""The first kerb goes up at x = 1 m, and down at x = 2 m."""
UP, BACK = np.array([0.0, 0.0, 1.0]), np.array([-1.0, 0.0, 0.0])
ROUNDING = 1e-9


def share(force, touched):
    """Of friction; negative where the force pulls."""
    pressed = np.sum(force * touched.normal, axis=-1)
    return np.linalg.norm(force - pressed[..., None] * touched.normal, axis=-1) / (touched.friction * pressed)


@pytest.mark.parametrize("depth", [1e-5, 1e-3, 3e-3])
def test_weight_on_the_edge_of_a_kerb_is_carried_by_the_tread_and_not_by_the_riser_beside_it(depth):
    p, F = np.array([2.0, -0.016, HEIGHT - depth]), np.array([24.6, 16.5, 289.0])
    assert np.array_equal(touched_surfaces(GROUND, p).normal, -BACK)
    found = touched_surfaces(GROUND, p, F)
    np.testing.assert_allclose(found.normal, UP, atol=ROUNDING)
    assert share(F, found) == pytest.approx(np.hypot(24.6, 16.5) / 289.0 / MU)


def test_a_push_on_the_edge_of_a_kerb_is_taken_by_its_riser():
    p, F = np.array([1.001, 0.0, HEIGHT - 1e-4]), np.array([-200.0, 3.0, 5.0])
    assert np.array_equal(touched_surfaces(GROUND, p).normal, UP)
    np.testing.assert_allclose(touched_surfaces(GROUND, p, F).normal, BACK, atol=ROUNDING)


def test_a_sole_that_slides_on_an_edge_is_at_the_edge_of_its_cone():
    """Rims of tilted soles: normals perpendicular to rim and edge, forces on their cones in all directions."""
    p = np.array([1.0, 0.0, HEIGHT - 1e-3])
    for tilt in np.radians([-25.0, -2.0, 2.0, 60.0, 110.0]):
        n, across = np.cos(tilt) * UP + np.sin(tilt) * BACK, np.sin(tilt) * UP - np.cos(tilt) * BACK
        turn = np.linspace(0.0, 2.0 * np.pi, 37)[:, None]
        F = 100.0 * (n + MU * (np.cos(turn) * across + np.sin(turn) * np.array([0.0, 1.0, 0.0])))
        found = touched_surfaces(GROUND, np.broadcast_to(p, F.shape), F)
        used = share(F, found)
        assert np.all((used > 0.0) & (used < 1.0 + ROUNDING))


def test_normals_lean_no_further_from_the_faces_than_rims_make_them():
    p = np.array([1.0, 0.0, HEIGHT - 1e-3])
    beyond = LEAN + np.arctan(MU) + np.radians([-1.0, 1.0])  # from the tread, away from the riser
    F = np.stack([-np.sin(beyond) * BACK[k] + np.cos(beyond) * UP[k] for k in range(3)], axis=-1)
    inside, outside = share(F, touched_surfaces(GROUND, np.broadcast_to(p, F.shape), F))
    assert inside <= 1.0 + ROUNDING
    assert outside > 1.01


@pytest.mark.parametrize(
    ("place", "normal"),
    [
        ((0.5, 0.0, -1e-4), UP),  # before the kerb
        ((1.5, 0.0, HEIGHT - 1e-4), UP),  # on it
        ((1.0 + 1.5 * EDGE, 0.0, HEIGHT - 1e-3), UP),
        ((1.0 - 1e-3, 0.0, -1e-4), UP),  # at the foot of the riser, which is not touched
        ((1.0001, 0.0, 0.5 * HEIGHT), BACK),  # on the riser
    ],
)
def test_forces_beyond_the_cone_of_a_face_are_told_away_from_its_edges(place, normal):
    side = np.array([0.0, 1.0, 0.0])
    for along in (side, -side, np.cross(side, normal), -np.cross(side, normal)):
        F = 100.0 * (normal + 1.02 * MU * along)
        found = touched_surfaces(GROUND, place, F)
        assert np.array_equal(found.normal, normal)
        assert share(F, found) == pytest.approx(1.02)


def test_forces_along_an_edge_and_into_the_ground_are_told_at_edges_too():
    p = np.array([1.0, 0.0, HEIGHT - 1e-3])
    for F in (np.array([-10.0, 40.0, 10.0]), np.array([100.0, 0.0, -10.0])):
        used = share(F, touched_surfaces(GROUND, p, F))
        assert used > 1.5 or used < 0.0


def test_forces_change_nothing_on_surfaces_without_edges():
    ground = slope(0.3, Compliant(friction=MU))
    p, F = np.array([0.2, 0.1, 0.05]), np.array([100.0, 0.0, 10.0])
    assert np.array_equal(touched_surfaces(ground, p, F).normal, touched_surfaces(ground, p).normal)


def test_edges_of_turned_blocks_have_the_normals_and_the_friction_of_the_block():
    R = rotation_z(0.7)
    block = Block((0.4, 0.6, 0.2), pose((0.3, -0.2, 0.1), R), Compliant(friction=0.5))
    ground = Ground(Block((9.0, 9.0, 1.0), pose((0.0, 0.0, -0.5)), Compliant(friction=MU)), block)
    p = np.array([0.3, -0.2, 0.1]) + R @ [0.2, 0.1, 0.0995]
    assert np.allclose(touched_surfaces(ground, p + R @ [0.0, 0.0, -1e-3]).normal, R[:, 0])
    found = touched_surfaces(ground, p + R @ [0.0, 0.0, -1e-3], 50.0 * UP)
    assert np.allclose(found.normal, UP) and found.friction == 0.5


def test_no_force_and_forces_without_measure_leave_the_nearest_face():
    p = np.broadcast_to([2.0, 0.0, HEIGHT - 1e-3], (2, 2, 3))
    F = np.array([[[0, 0, 0], [np.nan, 0, 1]], [[np.inf, 0, 1], [0, 0, 1e300]]])
    found = touched_surfaces(GROUND, p, F)
    assert np.array_equal(found.normal[:, 0], [-BACK, -BACK]) and np.array_equal(found.normal[0, 1], -BACK)
    np.testing.assert_allclose(found.normal[1, 1], UP, atol=ROUNDING)
    assert found.normal.shape == (2, 2, 3) and found.friction.shape == (2, 2)
