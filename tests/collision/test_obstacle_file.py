"""Obstacles in files: what is read is what was written, and what is wrong is named."""

import numpy as np
import pytest
from collision.scenes import random_volumes

import tarsus as ts
from tarsus.collision import CollisionModel, obstacle_of, read_obstacle_file
from tarsus.errors import ArgumentError, ModelFileError
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Plane, Shape, Sphere

FILE = """
[[box]]
name = "top"
size = [0.8, 1.4, 0.04]
position = [0.7, 0.0, 0.72]
rpy_deg = [0, 0, 90]

[[sphere]]
radius = 0.1
position = [1, 2, 3]

[[capsule]]
name = "pipe"
radius = 0.03
length = 0.5

[[cylinder]]
name = "can"
radius = 0.04
length = 0.1
"""


def written(tmp_path, text):
    path = tmp_path / "around.toml"
    path.write_text(text)
    return path


def test_shapes_are_read_with_names_and_places(tmp_path):
    box, ball, pipe, can = read_obstacle_file(written(tmp_path, FILE))
    assert box.geometry == Box((0.8, 1.4, 0.04)) and box.name == "top"
    assert np.allclose(box.pose, ts.pose([0.7, 0, 0.72], [[0, -1, 0], [1, 0, 0], [0, 0, 1]]))
    assert ball.geometry == Sphere(0.1) and ball.name == "sphere 1" and np.allclose(ball.pose[:3, 3], [1, 2, 3])
    assert pipe.geometry == Capsule(0.03, 0.5) and can.geometry == Cylinder(0.04, 0.1)


BAD = [
    ("[[bax]]", "unknown key 'bax'; close: 'box'"),
    ("[box]\nsize = [1, 1, 1]", r"expected tables \[\[box\]\]"),
    ("[[box]]", "box 'box 0' has no size"),
    ("[[box]]\nname = 'a'\nsize = [1, 1, 0]", "box 'a': size is"),
    ("[[box]]\nname = 'a'\nsize = [1, 1]", "expected three numbers"),
    ("[[box]]\nsize = [1, 1, 1]\nposition = [0, nan, 0]", "expected three numbers"),
    ("[[sphere]]\nradius = -1", "radius is -1; expected a number above 0"),
    ("[[sphere]]\nradius = true", "radius is True"),
    ("[[sphere]]\nradius = 1\nlength = 2", "unknown key 'length'"),
    ("[[sphere]]\nname = ''\nradius = 1", "expected some text"),
    ("[[sphere]]\nname = 'a'\nradius = 1\n[[sphere]]\nname = 'a'\nradius = 1", "two shapes are called 'a'"),
    ("[[sphere", "this is no TOML"),
    ("[[sphere]]\nradius = 1" + "0" * 400, "radius is"),
]


@pytest.mark.parametrize(("text", "told"), BAD, ids=lambda value: value[:20])
def test_bad_files_are_refused_by_name(tmp_path, text, told):
    with pytest.raises(ModelFileError, match=told):
        read_obstacle_file(written(tmp_path, text))


def test_obstacles_are_as_far_away_as_their_shapes():
    model = ts.robots.crops9()
    point = {"link9": random_volumes(np.random.default_rng(0), model)["link9"][:1]}
    q = model.random(np.random.default_rng(1), 50)

    def distance(geometry):
        obstacle = obstacle_of(Shape(geometry, ts.pose([0.4, 0.3, 0.5]), name="thing"))
        return CollisionModel(model, point, [obstacle]).distances(q)[:, 0]

    ball, capsule, cylinder, box = map(distance, (Sphere(0.1), Capsule(0.1, 0.2), Cylinder(0.1, 0.2), Box((0.2,) * 3)))
    assert (capsule <= ball + 1e-12).all() and (capsule <= cylinder + 1e-3).all()
    assert (box <= cylinder + 1e-3).all()  # a box around a cylinder
    assert np.abs(ball).max() > 0.1
    with pytest.raises(ArgumentError, match="obstacle 'floor' is a Plane"):
        obstacle_of(Shape(Plane(), name="floor"))
