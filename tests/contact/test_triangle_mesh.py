"""Meshes as ground: distances against an oracle that tries every triangle, and what stands on them."""

from itertools import product

import numpy as np
import pytest
from contact.test_distance import SOFT, assert_agrees, probe, solid_box
from scipy.spatial import ConvexHull
from simulation.bodies import ball, box, pose

import tarsus as ts
from tarsus.contact import Block, Compliant, Ground, LeastConstraint, Rigid, TriangleMesh, flat
from tarsus.contact.ground_document import ground_from_document, ground_to_document
from tarsus.errors import ArgumentError, ShapeError

CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
BOX_FACES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])


def box_mesh(size, X=None, law=SOFT):
    X = np.eye(4) if X is None else X
    return TriangleMesh(CORNERS * size @ X[:3, :3].T + X[:3, 3], BOX_FACES, law)


def star(seed, points=200):
    """A closed surface with dents: directions on a sphere with random radii, shapes (n, 3) and (m, 3)."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(points, 3))
    x /= np.linalg.norm(x, axis=1)[:, None]
    faces = ConvexHull(x).simplices
    a, b, c = x[faces[:, 0]], x[faces[:, 1]], x[faces[:, 2]]
    inwards = np.sum(np.cross(b - a, c - a) * a, axis=1) < 0
    faces[inwards] = faces[inwards][:, [0, 2, 1]]
    return x * rng.uniform(0.15, 0.25, (points, 1)), faces


def nearest(vertices, faces, p):
    """Distance of a point to the triangles, by quadratic programs in barycentric coordinates: all regions tried."""
    best = np.inf
    for a, b, c in vertices[faces]:
        candidates = [a, b, c]
        for s, e in ((a, b), (b, c), (c, a)):
            candidates.append(s + np.clip((p - s) @ (e - s) / ((e - s) @ (e - s)), 0, 1) * (e - s))
        E = np.stack([b - a, c - a], axis=1)
        u, v = np.linalg.lstsq(E, p - a, rcond=None)[0]
        if u >= 0 and v >= 0 and u + v <= 1:
            candidates.append(a + E @ [u, v])
        best = min(best, min(np.linalg.norm(p - x) for x in candidates))
    return best


def winding(vertices, faces, p):
    """How often the surface goes round a point: solid angles by van Oosterom and Strackee 1983."""
    a, b, c = np.moveaxis(vertices[faces] - p, 1, 0)
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    over = np.sum(a * np.cross(b, c), axis=1)
    under = la * lb * lc + np.sum(a * b, axis=1) * lc + np.sum(b * c, axis=1) * la + np.sum(c * a, axis=1) * lb
    return np.sum(2.0 * np.arctan2(over, under)) / (4.0 * np.pi)


def test_the_mesh_of_a_box_is_the_box():
    rng = np.random.default_rng(1)
    X, size = pose((0.2, -0.1, 0.4), 0.6), (0.1, 0.14, 0.08)
    gap = solid_box(X, size)
    centres = X[:3, 3] + rng.uniform(-0.12, 0.12, (2000, 3))
    local = (centres - X[:3, 3]) @ X[:3, :3]
    room = np.sort(0.5 * np.array(size) - np.abs(local), axis=1)
    away = (gap(centres) > 1e-5) | (room[:, 1] - room[:, 0] > 1e-5)
    assert_agrees(Ground(box_mesh(size, X)), gap, centres, smooth=away)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_dented_solid_agrees_with_every_triangle_tried(seed):
    vertices, faces = star(seed)
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(120, 3))
    centres *= rng.uniform(0.0, 0.27, (120, 1)) / np.linalg.norm(centres, axis=1)[:, None]
    gap = np.array([nearest(vertices, faces, p) for p in centres])
    inside = np.array([winding(vertices, faces, p) > 0.5 for p in centres])
    assert 20 < inside.sum() < 110
    depth, _, point = probe(Ground(TriangleMesh(vertices, faces, SOFT)), centres)
    expected = np.maximum(0.04 - np.where(inside, -gap, gap), 0.0)
    np.testing.assert_allclose(depth, expected, atol=1e-12)
    touching = depth > 1e-9
    foot = centres + (centres - point) / 0.04 * (np.where(inside, gap, -gap))[:, None]
    for p in foot[touching][::5]:
        assert nearest(vertices, faces, p) < 1e-12  # the normal leads to the surface


def test_points_on_edges_and_vertices_are_pushed_along_the_mean_of_their_faces():
    ground = Ground(box_mesh((0.2, 0.2, 0.2)))
    depth, normal, _ = probe(ground, np.array([[0.1, 0.1, 0.0], [0.1, 0.1, 0.1], [0.1, 0.0, 0.0]]))
    np.testing.assert_allclose(depth, 0.04, atol=1e-12)
    np.testing.assert_allclose(normal, [[0.5**0.5, 0.5**0.5, 0], [3**-0.5] * 3, [1, 0, 0]], atol=1e-12)


def test_an_open_surface_has_its_solid_below_and_nothing_beyond_its_rim():
    sheet = TriangleMesh([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)], SOFT)
    assert not sheet.solid.closed and box_mesh((1, 1, 1)).solid.closed
    centres = np.array([[0.5, 0.5, 0.01], [0.5, 0.5, -0.3], [0.5, 0.2, -0.02], [1.02, 0.5, -0.01], [1.2, 0.5, -0.01]])
    depth, normal, _ = probe(Ground(sheet), centres)
    beyond = 0.04 - np.hypot(0.02, 0.01)
    np.testing.assert_allclose(depth, [0.03, 0.34, 0.06, beyond, 0.0], atol=1e-12)
    np.testing.assert_allclose(normal[:3], [[0, 0, 1]] * 3, atol=1e-12)


@pytest.mark.parametrize("law", [Compliant(), LeastConstraint()], ids=lambda law: type(law).__name__)
def test_a_box_falls_on_a_mesh_as_on_the_block(law):
    robot = box((0.2, 0.3, 0.1))
    start = [0.05, 0.02, 0.2, np.cos(0.15), np.sin(0.15), 0.0, 0.0]
    place = ts.pose((0.0, 0.0, -0.5))
    meshed, solid = (
        ts.simulate(robot, start, duration=1.0, ground=Ground(surface))
        for surface in (box_mesh((3.0, 3.0, 1.0), place, law), Block((3.0, 3.0, 1.0), place, law))
    )
    points = [k for k, name in enumerate(solid.contacts) if name in meshed.contacts]
    assert len(points) == 8
    np.testing.assert_allclose(meshed.q[-1, 2], solid.q[-1, 2], atol=1e-5)
    np.testing.assert_allclose(meshed.contact_force[-1].sum(axis=0), solid.contact_force[-1].sum(axis=0), atol=1e-2)


def test_a_ball_gains_nothing_from_rough_terrain():
    rng = np.random.default_rng(4)
    n, spacing = 30, 0.05
    x, y = np.meshgrid(spacing * np.arange(n), spacing * np.arange(n), indexing="ij")
    z = 0.01 * rng.normal(size=(n, n))
    vertices = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.concatenate([np.stack([a, a + n, a + n + 1], 1), np.stack([a, a + n + 1, a + 1], 1)])
    v0 = [1.0, 0.3, 0.0, 0.0, 0.0, 0.0]
    run = ts.simulate(
        ball(0.04), [0.2, 0.5, 0.08, 1, 0, 0, 0], v0, duration=1.0, ground=Ground(TriangleMesh(vertices, faces))
    )
    exchanged = run.energy["ground_dissipated"][-1] + run.energy["kinetic"][0]
    assert np.max(run.energy["integration"]) < 0.005 * exchanged
    assert run.contact_force[:, 0, 2].max() > 0 and run.q[-1, 2] > 0


def test_meshes_come_from_files_and_go_into_recordings(tmp_path):
    path = tmp_path / "cube.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in BOX_FACES]
    path.write_text("\n".join(lines))
    mesh = TriangleMesh.from_file(path, pose=ts.pose((0, 0, -0.05)), scale=0.1)
    np.testing.assert_allclose(np.asarray(mesh.vertices)[:, 2].max(), 0.0, atol=1e-15)
    assert mesh.name == "cube.obj"
    ground = Ground(mesh)
    run = ts.simulate(ball(0.02), [0, 0, 0.03, 1, 0, 0, 0], duration=0.2, ground=ground)
    assert run.contact_force[-1, 0, 2] > 0
    ts.save(run, tmp_path / "run.h5")
    back = ts.open_recording(tmp_path / "run.h5").ground.surfaces[0]
    np.testing.assert_array_equal(back.vertices, mesh.vertices)
    np.testing.assert_array_equal(back.faces, mesh.faces)
    assert len(ground.visuals) == 1


def test_what_is_no_solid_is_told(tmp_path):
    cube = np.asarray(box_mesh((1, 1, 1)).vertices)
    flipped = BOX_FACES.copy()
    flipped[0] = flipped[0][::-1]
    with pytest.raises(ArgumentError, match="at 3 edges of the mesh neighbouring triangles do not agree"):
        TriangleMesh(cube, flipped)
    with pytest.raises(ArgumentError, match="no triangle with an area"):
        TriangleMesh(cube, [(0, 0, 1)])
    with pytest.raises(ArgumentError, match="name the vertices 0 to 8; there are 8"):
        TriangleMesh(cube, [(0, 1, 8)])
    with pytest.raises(ArgumentError, match="not finite"):
        TriangleMesh(cube * np.nan, BOX_FACES)
    with pytest.raises(ArgumentError, match="whole numbers"):
        TriangleMesh(cube, BOX_FACES * 1.0)
    with pytest.raises(ShapeError, match=r"vertices of TriangleMesh has shape \(8, 2\)"):
        TriangleMesh(cube[:, :2], BOX_FACES)
    with pytest.raises(ArgumentError, match=r"missing.stl is no ground"):
        TriangleMesh.from_file(tmp_path / "missing.stl")
    with pytest.raises(ArgumentError, match="is a mesh, which the law Rigid does not know"):
        ts.simulate(ball(0.1), duration=0.1, ground=Ground(TriangleMesh(cube, BOX_FACES, Rigid())))
    document = ground_to_document(Ground(TriangleMesh(cube, BOX_FACES)))
    document[0]["mesh"]["faces"][0][0] = 99
    with pytest.raises(ArgumentError, match="name the vertices"):
        ground_from_document(document)
    document[0]["mesh"]["faces"][0][0] = 0.5
    with pytest.raises(ts.errors.ModelError, match="whole numbers"):
        ground_from_document(document)
    assert flat().surfaces
