"""Limits of the centre of pressure: what a margin leaves of patches and edges, and the cones that follow."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from tests.control.whole_body.stances import CORNERS, EDGE, standing_tasks

import tarsus as ts
from tarsus.control import Contact, WholeBody
from tarsus.errors import ArgumentError

TRIANGLE = [[0.1, 0.0, 0.0], [-0.1, 0.1, 0.0], [-0.1, -0.1, 0.0]]
KITE = [[0.1, 0.0, 0.0], [0.0, 0.05, 0.0], [-0.1, 0.0, 0.0], [0.0, -0.05, 0.0], [0.0, 0.0, 0.0]]


def test_a_rectangle_loses_the_margin_on_all_sides():
    found = Contact("F", CORNERS, pressure_margin=0.02).force_points
    expected = [[x, y, 0.0] for x in (-0.08, 0.10) for y in (-0.04, 0.04)]
    np.testing.assert_allclose(sorted(found.tolist()), expected, atol=1e-12)


@pytest.mark.parametrize("points", [CORNERS, TRIANGLE, KITE])
def test_each_side_of_what_is_left_is_the_margin_away(points):
    """Distances of the corners that are left to all sides: at least the margin, and two sides at just that."""
    margin = 0.015
    found = Contact("F", np.add(points, [0.3, 0.1, -0.2]), pressure_margin=margin).force_points
    np.testing.assert_allclose(found[:, 2], -0.2, atol=1e-12)
    sides = np.unique(ConvexHull(np.add(points, [0.3, 0.1, -0.2])[:, :2]).equations.round(9), axis=0)
    away = -(found[:, :2] @ sides[:, :2].T + sides[:, 2])
    assert away.min() > margin - 1e-8
    assert ((away < margin + 1e-8).sum(axis=1) == 2).all()


@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_an_edge_loses_the_margin_at_both_ends(turn):
    R = ts.spatial.rotation_matrix_from_rotation_vector([0.0, 0.0, turn])
    found = Contact("F", EDGE @ R.T, pressure_margin=0.02).force_points @ R
    ordered = found[found[:, 1].argsort()]
    np.testing.assert_allclose(ordered, [[0.0, -0.03, 0.0], [0.0, 0.03, 0.0]], atol=1e-12)


@pytest.mark.parametrize("forces", ["wrench", "points"])
def test_the_commanded_centre_of_pressure_keeps_its_margin(forces):
    """A centre of mass that is sent forwards pushes by the heels: as far back as the margin allows."""
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    away = np.add(ts.center_of_mass(model, q), [0.3, 0.0, 0.0])
    tasks = [ts.tasks.CenterOfMass(away, weight=10.0), *standing_tasks(model, q)[1:]]
    for margin, back in ((0.0, -0.1), (0.03, -0.07)):
        feet = [
            Contact(
                f"{s}_sole", CORNERS, forces=forces, pressure_margin=margin, pose=ts.frame_pose(model, q, f"{s}_sole")
            )
            for s in "lr"
        ]
        command = WholeBody(model, tasks, feet).solve(q, v)
        assert command.success, command.reason
        for foot in feet:
            f, n = np.split(command.wrenches[foot.frame], 2)
            assert -n[1] / f[2] == pytest.approx(back, abs=1e-6)
            assert abs(n[0] / f[2]) < 0.06 - margin + 1e-6


@pytest.mark.parametrize(
    ("points", "margin", "word"),
    [
        (CORNERS, -0.01, "at least 0"),
        (CORNERS, np.nan, "at least 0"),
        (CORNERS, 0.06, "0.06 m"),
        (EDGE, 0.05, "half of its edge, 0.1 m"),
        ([[0.0, 0.0, 0.0]], 0.01, "at a point"),
        ([[0.1, 0.0, 0.0], [-0.1, 0.1, 0.0], [-0.1, -0.1, 0.01]], 0.01, "flat"),
    ],
)
def test_margins_that_leave_nothing_are_refused_by_name(points, margin, word):
    with pytest.raises(ArgumentError, match=f"pressure_margin.*{word}"):
        Contact("F", points, pressure_margin=margin)
