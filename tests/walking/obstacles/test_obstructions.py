"""What stands in the way, and scene files."""

from pathlib import Path

import numpy as np
import pytest
from walking.obstacles.scenes import box

import tarsus as ts
from tarsus.errors import ArgumentError, ModelFileError
from tarsus.geometry.closest_on_triangle import closest_weights
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Shape, Sphere
from tarsus.spatial import pose, rotation_z
from tarsus.walking.obstacles.experiments import beam, triangle

EXAMPLES = Path(__file__).parents[3] / "examples" / "obstacles"
SHAPES = [Box((0.1, 0.4, 0.2)), Sphere(0.1), Capsule(0.05, 0.3), Cylinder(0.08, 0.2)]


@pytest.mark.parametrize("one", [beam(), triangle(), *(
    ts.walking.Obstruction(Shape(shape, pose((1.0, 0.2, 0.1), rotation_z(0.3)), name="thing")) for shape in SHAPES
)])  # fmt: skip
def test_swept_spheres_enclose_the_true_shape(one):
    facets = one._facets
    # Points of the surface are within a radius of a vertex, a segment or a triangle.
    u = np.random.default_rng(0).dirichlet(np.ones(3), 200)
    points = np.einsum("uk,fkj->fuj", u, facets.corners).reshape(-1, 3)
    away = np.min([_distance(points, volume) for volume in one.volumes.volumes], axis=0)
    assert (away + facets.radius.max() <= 1e-9).all()


def _distance(points, volume):
    """To a swept sphere, negative inside, shape (n,)."""
    corners = volume.vertices[np.minimum(np.arange(3), len(volume.vertices) - 1)]
    _, away = closest_weights(corners[None], points[None])
    return np.linalg.norm(away[0], axis=-1) - volume.radius


def test_box_of_an_obstacle_is_that_of_its_corners():
    low, high = beam(1.5, -0.115).box()
    np.testing.assert_allclose(low, [1.46, -0.29, 0.0], atol=1e-12)
    np.testing.assert_allclose(high, [1.54, 0.06, 0.161], atol=1e-12)
    low, high = triangle(1.5, -0.03).box()
    np.testing.assert_allclose(high - low, [0.09, 0.13, 0.3], atol=1e-12)
    turned = box((0.1, 0.3, 0.2), (1.0, 0.0), np.pi / 2)
    np.testing.assert_allclose(turned.box()[1] - turned.box()[0], [0.3, 0.1, 0.2], atol=1e-12)


def test_box_of_an_obstacle_that_moves_is_that_of_its_way():
    one = box((0.1, 0.3, 0.2), (1.0, 0.0), velocity=(0.1, -0.2, 0.0))
    low, high = one.box((1.0, 3.0))
    np.testing.assert_allclose(low, [1.05, -0.75, 0.0], atol=1e-12)
    np.testing.assert_allclose(high, [1.35, -0.05, 0.2], atol=1e-12)
    np.testing.assert_allclose(one.pose(2.0)[:3, 3], [1.2, -0.4, 0.1])
    np.testing.assert_allclose(one.poses(np.array([0.0, 2.0]))[1], one.pose(2.0))


@pytest.mark.parametrize(("name", "own"), [("beam", beam()), ("triangle", triangle())])
def test_scene_files_of_the_examples_are_the_experiments(name, own):
    (found,) = ts.walking.read_scene_file(EXAMPLES / f"{name}.toml")
    assert found.name == own.name
    np.testing.assert_allclose(np.stack(found.box()), np.stack(own.box()), atol=1e-12)
    assert not found.moving


def test_obstacles_are_parts_of_the_ground_that_can_be_bumped_into():
    for one in (beam(), triangle()):
        ground = ts.contact.Ground(ts.contact.Plane(), one.surface())
        assert len(ground.surfaces) == 2


def test_velocity_of_a_scene_file_is_read(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text('[[sphere]]\nname = "ball"\nradius = 0.1\nposition = [1, 0, 0.1]\nvelocity = [0.1, 0, 0]\n')
    (ball,) = ts.walking.read_scene_file(path)
    np.testing.assert_allclose(ball.velocity, [0.1, 0.0, 0.0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[box]\nname = "a"', "line 1"),
        ('[[box]]\nname = "a"\nsize = [1, 2]', "'a': size is"),
        ('[[box]]\nname = "a"\nsize = [1, 2, nan]', "'a': size is"),
        ('[[box]]\nname = "a"\nsize = [1, 1, 1]\nvelocity = [1, 2]', "'a': velocity is"),
        ('[[box]]\nname = "a"\nsize = [1, 1, 1]\nvelocity = [1, nan, 0]', "velocity of obstruction 'a'"),
        ('[[box]]\nname = "a"\nsize = [1, 1, 1]\nvelocity = "fast"', "'a': velocity is 'fast'"),
        ('[[box]]\nname = "a"\nsize = [1, 1, 1]\nspeed = 1', "unknown key 'speed'"),
        ('[[cone]]\nname = "a"', "unknown key 'cone'"),
        ("box = 3", r"expected tables \[\[box\]\]"),
        ('[[hull]]\nname = "a"\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]', "'a': points are in a plane"),
        ('[[hull]]\nname = "a"\npoints = [[0, 0, 0]]', "expected four points or more"),
        ('[[hull]]\nname = "a"\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, "x", 1]]', "'a': a point is"),
    ],
)
def test_malformed_scene_files_are_refused_with_line_or_key(tmp_path, text, message):
    path = tmp_path / "scene.toml"
    path.write_text(text)
    with pytest.raises(ModelFileError, match=message):
        ts.walking.read_scene_file(path)


@pytest.mark.parametrize(
    ("shape", "velocity", "message"),
    [
        (Shape(Box((1.0, 1.0, 1.0))), (0, 0, 0), "a Shape with a name"),
        (Shape(Box((1.0, 1.0, 1.0)), name="a"), (0, np.nan, 0), "velocity of obstruction 'a'"),
        (Shape(Box((1.0, 1.0, 1.0)), np.full((4, 4), np.nan), name="a"), (0, 0, 0), "pose of obstruction 'a'"),
    ],
)
def test_obstructions_that_are_none_are_refused_by_name(shape, velocity, message):
    with pytest.raises(ArgumentError, match=message):
        ts.walking.Obstruction(shape, velocity)
