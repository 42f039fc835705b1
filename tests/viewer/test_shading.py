"""Light, outlines and anti-aliasing against the same law written with NumPy, sample by sample."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.viewer.camera import SAMPLES, Camera, Window
from tarsus.viewer.raster import rasterise
from tarsus.viewer.scene import Scene, build_scene
from tarsus.viewer.shading import robot_image

ROUND_OFF = 1e-9
LINE = np.array([0.10, 0.11, 0.14])


def oracle(camera, window, scene):
    """Picture (height, width, 4)."""
    width, height, step = window.width * SAMPLES, window.height * SAMPLES, window.pixel / SAMPLES
    screen = scene.points @ np.column_stack([camera.right, camera.up, camera.forward])
    screen[:, 0] = (screen[:, 0] - window.left) / step
    screen[:, 1] = (window.top - screen[:, 1]) / step
    triangle, depth = rasterise(screen, scene.faces, width, height)
    rows, columns = np.nonzero(triangle >= 0)
    image = np.zeros((height, width, 4))
    far = np.pad(np.where(np.isfinite(depth), depth, 1e9), 1, constant_values=-1e9)
    shape = np.pad(np.where(triangle >= 0, scene.shape[triangle], -1), 1)
    for j, i in zip(rows, columns, strict=True):
        face = scene.faces[triangle[j, i]]
        A = np.vstack([screen[face, :2].T, np.ones(3)])
        normal = np.linalg.solve(A, [i + 0.5, j + 0.5, 1.0]) @ scene.normals[face]
        color = _lit(scene.colors[triangle[j, i]], -np.sign(normal @ camera.forward) * normal, camera)
        for dj, di in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            there = (j + 1 + dj, i + 1 + di)
            if far[there] - depth[j, i] > 0.012 * scene.extent and shape[there] != shape[j + 1, i + 1]:
                color = 0.45 * color + 0.55 * LINE
                break
        image[j, i] = [*color, 1.0]
    blocks = image.reshape(window.height, SAMPLES, window.width, SAMPLES, 4)
    alpha = blocks[..., 3].mean(axis=(1, 3))[..., None]
    return np.concatenate([blocks[..., :3].mean(axis=(1, 3)) / np.maximum(alpha, 1e-12), alpha], axis=-1)


def _lit(color, normal, camera):
    key = -0.55 * camera.right + 0.65 * camera.up - 0.75 * camera.forward
    key /= np.linalg.norm(key)
    half = (key - camera.forward) / np.linalg.norm(key - camera.forward)
    light = 0.40 + 0.26 * (0.5 + 0.5 * normal[2]) + 0.42 * max(normal @ key, 0.0)
    return np.clip((0.06 + 0.94 * color) * light + 0.10 * max(normal @ half, 0.0) ** 30, 0.0, 1.0)


@pytest.mark.parametrize("view", [(35.0, 12.0), (200.0, -20.0), (90.0, 90.0)])
def test_picture_of_a_robot_is_that_of_the_oracle(view):
    model = ts.robots.hrp2()
    scene = build_scene(model, np.asarray(ts.body_poses(model, model.reference))[None])
    camera = Camera.at(*view)
    window = Window.around(camera.project(scene.points)[:, :2], (48, 48), fill=True)
    found, expected = robot_image(camera, window, scene), oracle(camera, window, scene)
    assert 0.05 < expected[..., 3].mean() < 0.95
    np.testing.assert_allclose(found, expected, atol=ROUND_OFF)


def test_a_triangle_that_faces_the_light_has_its_colour_times_a_known_brightness():
    """Normal along the key light: 0.40 + 0.26 sky + 0.42, highlight 0.1 cos(half the angle to the eye)^30."""
    camera = Camera.at(0.0, 0.0)
    key = -0.55 * camera.right + 0.65 * camera.up - 0.75 * camera.forward
    key /= np.linalg.norm(key)
    points = np.array([(0.0, -9.0, -9.0), (0.0, 9.0, -9.0), (0.0, 0.0, 18.0)])
    color = np.array([[0.2, 0.4, 0.6]])
    scene = Scene(points, np.tile(key, (3, 1)), np.array([[0, 1, 2]], np.int32), color, np.zeros(1, np.int32))
    image = robot_image(camera, Window(-0.5, 0.5, -0.5, 0.5, 3, 3), scene)
    half_angle = 0.5 * np.arccos(-key @ camera.forward)
    expected = (0.06 + 0.94 * color[0]) * (0.82 + 0.26 * (0.5 + 0.5 * key[2])) + 0.1 * np.cos(half_angle) ** 30
    np.testing.assert_allclose(image[1, 1], [*expected, 1.0], atol=ROUND_OFF)


def test_nothing_in_the_window_is_transparent():
    camera = Camera.at(0.0, 0.0)
    robot = Scene(
        np.ones((3, 3)), np.ones((3, 3)), np.array([[0, 1, 2]], np.int32), np.ones((1, 3)), np.zeros(1, np.int32)
    )
    assert not robot_image(camera, Window(5.0, 6.0, 5.0, 6.0, 4, 4), robot).any()
