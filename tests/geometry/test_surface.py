"""Triangles of shapes: volume, normals, simplification."""

import numpy as np
import pytest

from tarsus.geometry.surface import MeshError, Surface, simplified, smooth_surface, surface_of
from tarsus.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Sphere

POLYGON = 0.03  # a polygon with 32 sides has 0.6 % less area than its circle, a polyhedral sphere 2 % less volume
SHAPES = [
    (Box((0.2, 0.3, 0.5)), 0.03),
    (Sphere(0.4), 4.0 / 3.0 * np.pi * 0.4**3),
    (Cylinder(0.2, 0.7), np.pi * 0.04 * 0.7),
    (Capsule(0.2, 0.7), np.pi * 0.04 * 0.7 + 4.0 / 3.0 * np.pi * 0.2**3),
    (Ellipsoid((0.1, 0.2, 0.3)), 4.0 / 3.0 * np.pi * 0.006),
]


def volume(surface: Surface) -> float:
    a, b, c = np.moveaxis(surface.corners, 1, 0)
    return float(np.sum(a * np.cross(b, c))) / 6.0


@pytest.mark.parametrize(("geometry", "expected"), SHAPES)
def test_surface_encloses_the_volume_of_the_shape(geometry, expected):
    assert volume(surface_of(geometry)) == pytest.approx(expected, rel=POLYGON)


@pytest.mark.parametrize(("geometry", "expected"), SHAPES)
def test_normals_are_unit_vectors_that_point_outwards(geometry, expected):
    surface = surface_of(geometry)
    np.testing.assert_allclose(np.linalg.norm(surface.normals, axis=-1), 1.0, atol=1e-12)
    assert np.min(np.sum(surface.corners * surface.normals, axis=-1)) > 0.0


def test_extent_of_a_capsule_is_length_plus_diameter_along_z():
    np.testing.assert_allclose(np.ptp(surface_of(Capsule(0.1, 0.6)).corners.reshape(-1, 3), axis=0), [0.2, 0.2, 0.8])


def test_planes_and_meshes_without_a_file_have_no_surface():
    assert surface_of(Plane()) is None
    assert surface_of(Mesh("package://nowhere/x.stl")) is None


def test_placed_surface_moves_rigidly():
    X = np.array([[0.0, -1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0], [0.0, 0.0, 0.0, 1.0]])
    box = surface_of(Box((0.2, 0.4, 0.6)))
    placed = box.placed(X)
    np.testing.assert_allclose(placed.corners.reshape(-1, 3).min(axis=0), [0.8, 1.9, 2.7])
    np.testing.assert_allclose(np.sum(placed.normals * (placed.corners - X[:3, 3]), axis=-1).min(), 0.1)


def sphere_mesh() -> tuple[np.ndarray, np.ndarray]:
    corners = surface_of(Sphere(1.0)).corners
    return corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)


def test_equal_vertices_are_merged_and_nothing_else_changes_below_the_limit():
    vertices, faces = sphere_mesh()
    merged, kept, _ = simplified(vertices, faces)
    assert len(kept) == len(faces)
    assert len(merged) < len(vertices) / 4
    before, after = (volume(Surface(corners, corners)) for corners in (vertices[faces], merged[kept]))
    assert after == pytest.approx(before)


def test_large_meshes_are_simplified_below_the_limit_and_keep_their_shape():
    vertices, faces = sphere_mesh()
    coarse, kept, _ = simplified(vertices, faces, limit=300)
    assert 100 < len(kept) <= 300
    assert volume(Surface(coarse[kept], coarse[kept])) == pytest.approx(4.0 / 3.0 * np.pi, rel=0.15)


def test_smooth_shading_keeps_creases_sharp():
    corners = surface_of(Box((1.0, 1.0, 1.0))).corners
    surface = smooth_surface(*simplified(corners.reshape(-1, 3), np.arange(36).reshape(-1, 3))[:2])
    flat = np.cross(surface.corners[:, 1] - surface.corners[:, 0], surface.corners[:, 2] - surface.corners[:, 0])
    np.testing.assert_allclose(np.abs(np.sum(surface.normals * flat[:, None], axis=-1)), 1.0, atol=1e-12)


def test_smooth_shading_follows_a_sphere():
    surface = smooth_surface(*simplified(*sphere_mesh())[:2])
    cosine = np.abs(np.sum(surface.normals * surface.corners, axis=-1))
    assert cosine.min() > np.cos(np.radians(6.0))  # half of the 11.25 degrees between neighbouring vertices


def write_stl(path, corners):
    records = np.zeros(len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    records["corners"] = corners
    path.write_bytes(b" " * 80 + len(corners).to_bytes(4, "little") + records.tobytes())


def test_mesh_file_is_read_and_scaled(tmp_path):
    write_stl(tmp_path / "box.stl", surface_of(Box((1.0, 2.0, 3.0))).corners)
    surface = surface_of(Mesh("box.stl", str(tmp_path / "box.stl"), (0.1, 0.1, 0.2)))
    np.testing.assert_allclose(np.ptp(surface.corners.reshape(-1, 3), axis=0), [0.1, 0.2, 0.6], rtol=1e-6)


def test_defective_mesh_file_is_refused_with_its_name(tmp_path):
    write_stl(tmp_path / "short.stl", surface_of(Box((1.0, 2.0, 3.0))).corners)
    data = (tmp_path / "short.stl").read_bytes()
    (tmp_path / "short.stl").write_bytes(data[:-10])
    with pytest.raises(MeshError, match=r"short\.stl.*promises 12"):
        surface_of(Mesh("short.stl", str(tmp_path / "short.stl")))
