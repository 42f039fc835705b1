"""Meshes on bodies."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ModelWarning
from tarsus.geometry.surface import Surface, surface_of
from tarsus.model.shapes import Box, Mesh, Shape, Sphere
from tarsus.spatial import pose
from tarsus.viewer.drawing.scene import build_scene
from tarsus.viewer.parts import indexed, parts_of

SINGLE = 1e-6  # meshes are kept in single precision, at about one metre


def volume(mesh):
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces].astype(float), 1, 0)
    return float(np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0)


def test_parts_placed_on_bodies_are_the_triangles_of_pictures():
    model = ts.robots.hrp2()
    q = model.random(np.random.default_rng(3))
    X_WB = np.asarray(ts.body_poses(model, q))
    scene = build_scene(model, X_WB[None])
    placed = []
    for part in parts_of(model):
        corners = part.mesh.vertices[part.mesh.faces]
        placed.append(corners @ X_WB[part.body, :3, :3].T + X_WB[part.body, :3, 3])
    np.testing.assert_allclose(np.concatenate(placed), scene.points[scene.faces], atol=SINGLE * 2.0)


def test_box_keeps_its_edges_and_a_sphere_shares_its_vertices():
    box, sphere = indexed(surface_of(Box((1.0, 2.0, 3.0)))), indexed(surface_of(Sphere(0.5)))
    assert len(box.vertices) == 24
    assert volume(box) == pytest.approx(6.0, rel=SINGLE)
    assert len(sphere.vertices) < 0.6 * len(sphere.faces) + 40
    # A polyhedron of 32 segments inside the sphere is a few per cent smaller.
    assert 0.95 < volume(sphere) / (np.pi / 6.0) < 1.0


def test_empty_surface_gives_an_empty_mesh():
    assert len(indexed(Surface(np.zeros((0, 3, 3)), np.zeros((0, 3, 3)))).faces) == 0


def test_model_without_visuals_gets_bones_that_end_at_the_joints():
    builder = ts.ModelBuilder("bare").add_link("a").add_link("b", ts.Inertia.of_sphere(1.0, 0.1))
    builder.add_joint("hinge", "revolute", "a", "b", position=(0.0, 0.0, -1.0))
    parts = parts_of(builder.build())
    assert [part.body for part in parts] == [0, 0, 1] or [part.body for part in parts] == [0, 1, 0]
    lowest = min(float(p.mesh.vertices[:, 2].min()) for p in parts if p.body == 0)
    assert -1.05 < lowest < -1.0  # the bone is rounded with a radius of 2 % of the extent


def test_colours_come_along():
    builder = ts.ModelBuilder("red", base="free")
    builder.add_link("a", visuals=[Shape(Sphere(1.0), color=(1.0, 0.2, 0.1, 0.5))])
    assert parts_of(builder.build())[0].color == (1.0, 0.2, 0.1, 0.5)


def write_stl(path, mesh):
    record = np.zeros(len(mesh.faces), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    record["corners"] = mesh.vertices[mesh.faces]
    path.write_bytes(bytes(80) + len(record).to_bytes(4, "little") + record.tobytes())


def test_large_meshes_are_simplified_when_asked(tmp_path):
    sphere = indexed(surface_of(Sphere(0.5)))
    write_stl(tmp_path / "ball.stl", sphere)
    builder = ts.ModelBuilder("ball", base="free")
    model = builder.add_link("a", visuals=[Shape(Mesh("ball.stl", str(tmp_path / "ball.stl")))]).build()
    (full,), (small,) = parts_of(model), parts_of(model, mesh_faces=300)
    assert len(full.mesh.faces) == len(sphere.faces) > 900
    assert 50 < len(small.mesh.faces) <= 300
    assert volume(small.mesh) == pytest.approx(volume(full.mesh), rel=0.2)


def test_unreadable_mesh_is_left_out_with_a_warning(tmp_path):
    path = tmp_path / "broken.stl"
    path.write_bytes(b"nothing")
    builder = ts.ModelBuilder("broken", base="free")
    builder.add_link("a", visuals=[Shape(Mesh("broken.stl", str(path))), Shape(Sphere(1.0), pose((0, 0, 1)))])
    model = builder.build()
    with pytest.warns(ModelWarning, match="broken.stl"):
        assert len(parts_of(model)) == 1
