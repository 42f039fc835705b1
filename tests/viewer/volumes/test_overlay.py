"""Volumes and nearest pairs in pictures: where they are, in which colours, and what is refused."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.collision import SweptSphere
from tarsus.errors import ArgumentError
from tarsus.viewer.volumes.near_pairs import FAR, distance_colors, near_lines, scene_of
from tarsus.viewer.volumes.overlay import volume_scene
from tarsus.viewer.volumes.swept_surface import COLORS


def robot():
    builder = ts.ModelBuilder("robot").add_link("ground").add_link("arm", ts.Inertia.of_sphere(1.0, 0.1))
    builder.add_link("hand", ts.Inertia.of_sphere(1.0, 0.1))
    builder.add_joint("shoulder", "revolute", "ground", "arm", axis=(0, 1, 0), position=(0, 0, 1.0))
    builder.add_joint("wrist", "revolute", "arm", "hand", axis=(0, 1, 0), position=(0, 0, 0.5))
    line = SweptSphere([[0, 0, 0], [0, 0, 0.4]], 0.05)
    builder.volumes = {"ground": SweptSphere([0, 0, 0], 0.1), "arm": line, "hand": SweptSphere([0, 0, 0], 0.07)}
    return builder.build()


def test_volumes_stand_where_their_links_are():
    model = robot()
    q = np.array([np.pi / 2, 0.0])
    scene = volume_scene(model, ts.body_poses(model, q)[None])
    hand = scene.points[scene.faces[scene.shape == 2]].reshape(-1, 3)
    np.testing.assert_allclose((hand.min(axis=0) + hand.max(axis=0)) / 2, [0.5, 0, 1.0], atol=1e-3)
    np.testing.assert_allclose(np.ptp(hand, axis=0), 0.14, atol=2e-3)
    assert tuple(scene.colors[scene.shape == 1][0]) == (*COLORS["line"], 1.0)


def test_pictures_show_volumes_and_lines(tmp_path):
    model = robot()
    plain, volumes, lines = (
        ts.draw(model, size=(200, 200), **more) for more in ({}, {"volumes": True}, {"volumes": True, "witnesses": 1})
    )
    assert [len(axes.images) for axes in (plain, volumes, lines)] == [2, 3, 3]
    (line,) = [one for one in lines.lines if one.get_marker() == "o"]
    np.testing.assert_allclose(line.get_color(), distance_colors(np.array([1.5 - 0.17]))[0])
    image = volumes.images[2].get_array()
    assert 0.3 < image[..., 3].max() < 0.5  # seen through


def test_lines_join_the_nearest_points():
    model = robot()
    found = near_lines(scene_of(model), np.zeros(2), 3)
    np.testing.assert_allclose(found.points, [[[0, 0, 0.1], [0, 0, 1.43]]], atol=1e-12)


def test_colours_go_from_red_to_green():
    near, touching, far = distance_colors(np.array([-0.1, 0.0, 2 * FAR]))
    np.testing.assert_array_equal(near, touching)
    assert near[0] > 4 * near[1] and far[1] > 2 * far[0]


def test_what_cannot_be_drawn_is_told():
    bare = ts.robots.rabbit()
    with pytest.raises(ArgumentError, match="volumes: 'rabbit' has none; `tarsus fit`"):
        ts.draw(bare, volumes=True)
    with pytest.raises(ArgumentError, match="'rabbit' has no volumes to look at"):
        ts.draw(bare, witnesses=3)
    with pytest.raises(ArgumentError, match="witnesses = -1 found, expected a number of pairs"):
        ts.draw(robot(), witnesses=-1)
