"""Cones of contact forces: rows and edges describe the same set."""

import numpy as np
import pytest
from scipy.optimize import nnls

from tarsus.control import Contact
from tarsus.control.whole_body.cone import cone_rows, pyramid, pyramid_rows

ROUNDING = 1e-12
CORNERS = [[x, y, 0.0] for x in (-0.1, 0.12) for y in (-0.06, 0.06)]
SHAPES = {
    "edge": [[0.0, -0.05, 0.0], [0.02, 0.05, 0.0]],
    "triangle": [[0.1, 0.0, 0.0], [-0.1, 0.05, 0.0], [-0.1, -0.05, 0.0]],
    "rectangle": CORNERS,
    "with a point inside": [*CORNERS, [0.0, 0.0, 0.0]],
}


@pytest.mark.parametrize("sides", [3, 4, 6, 16])
def test_edges_of_a_pyramid_are_on_the_friction_cone_and_on_its_faces(sides):
    edges, rows = pyramid(0.6, sides), pyramid_rows(0.6, sides)
    np.testing.assert_allclose(np.hypot(edges[:, 0], edges[:, 1]), 0.6, atol=ROUNDING)
    values = rows @ edges.T
    assert values.min() > -ROUNDING
    assert (np.abs(values) < ROUNDING).sum() == 2 * sides


@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize("sides", [4, 6])
def test_rows_of_a_wrench_cone_hold_for_what_edges_span_and_for_nothing_else(shape, sides):
    contact = Contact("F", SHAPES[shape], friction=0.6, sides=sides)
    edges, rng = contact.edges(), np.random.default_rng(3)
    inside = rng.exponential(size=(200, len(edges))) @ edges
    assert (contact.cone @ inside.T).min() > -1e-9
    scale = np.abs(edges).max(axis=0)
    around = inside / len(edges) + 0.6 * scale * rng.normal(size=inside.shape)
    spanned = np.array([nnls(edges.T / scale[:, None], y / scale)[1] < 1e-9 for y in around])
    held = (contact.cone @ around.T).min(axis=0) > -1e-9
    assert 10 < spanned.sum() < 190
    np.testing.assert_array_equal(spanned, held)


def test_a_rectangle_has_the_sixteen_rows_of_caron_et_al_2015():
    X, Y, friction = 0.11, 0.06, 0.5 / np.sqrt(2)
    contact = Contact("F", [[x, y, 0.0] for x in (-X, X) for y in (-Y, Y)], friction=0.5)
    rows = []
    for sign in (1, -1):
        rows += [[sign, 0, friction, 0, 0, 0], [0, sign, friction, 0, 0, 0]]
        rows += [[0, 0, Y, sign, 0, 0], [0, 0, X, 0, sign, 0]]
    for a in (1, -1):  # moment about the normal between its bounds, Caron, Pham and Nakamura 2015 (11)
        for b in (1, -1):
            rows.append([a * Y, b * X, friction * (X + Y), -a * friction, -b * friction, 1])
            rows.append([a * Y, b * X, friction * (X + Y), a * friction, b * friction, -1])
    rows = np.array(rows, dtype=float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert len(contact.cone) == 16
    for row in contact.cone:
        assert np.abs(rows - row).max(axis=1).min() < 1e-9


def test_a_box_in_five_dimensions_has_its_facets():
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 5)).reshape(5, -1).T
    rows = cone_rows(np.insert(corners, 2, 1.0, axis=1))
    assert len(rows) == 10
    assert (rows @ np.array([0, 0, 1.0, 0, 0, 0]) > 0).all()


def test_points_and_wrench_describe_the_same_forces():
    options = {"friction": 0.4, "normal": (0.2, -0.3, 1.0)}
    whole = Contact("F", CORNERS, **options)
    points = Contact("F", CORNERS, forces="points", **options)
    rng = np.random.default_rng(0)
    f = (rng.exponential(size=(50, 4, 4, 1)) * pyramid(0.4, 4)).sum(axis=2).reshape(50, 12)
    assert (points.cone @ f.T).min() > -1e-12
    wrench = f @ points.wrench_map.T
    y = np.linalg.lstsq(whole.wrench_map, wrench.T, rcond=None)[0]
    np.testing.assert_allclose(whole.wrench_map @ y, wrench.T, atol=1e-12)
    assert (whole.cone @ y).min() > -1e-9
    np.testing.assert_allclose(whole.normal_row @ y, points.normal_row @ f.T, atol=1e-12)
