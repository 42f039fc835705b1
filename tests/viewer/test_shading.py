"""Light, outlines and anti-aliasing against the same law written with NumPy, sample by sample."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.geometry.shapes import Shape, Sphere
from tarsus.viewer.drawing.camera import SAMPLES, Camera, Window
from tarsus.viewer.drawing.raster import rasterise
from tarsus.viewer.drawing.scene import Scene, build_scene
from tarsus.viewer.drawing.shading import robot_image

ROUND_OFF = 1e-9
LINE = np.array([0.10, 0.11, 0.14])


def oracle(camera, window, scene):
    """Picture (height, width, 4): what is solid, and over it the films of transparent shapes, the farthest first."""
    width, height, step = window.width * SAMPLES, window.height * SAMPLES, window.pixel / SAMPLES
    screen = scene.points @ np.column_stack([camera.right, camera.up, camera.forward])
    screen[:, 0] = (screen[:, 0] - window.left) / step
    screen[:, 1] = (window.top - screen[:, 1]) / step
    opacity, jump = scene.colors[:, 3], 0.012 * scene.extent

    def layer(chosen):
        """Triangle numbers (height, width), -1 for none, and depths of the chosen triangles alone."""
        numbers = np.append(np.flatnonzero(chosen), -1)
        triangle, depth = rasterise(screen, scene.faces[chosen], width, height)
        return numbers[triangle], depth

    def lit(number, j, i, dark):
        face = scene.faces[number]
        A = np.vstack([screen[face, :2].T, np.ones(3)])
        normal = np.linalg.solve(A, [i + 0.5, j + 0.5, 1.0]) @ scene.normals[face]
        color = _lit(scene.colors[number, :3], -np.sign(normal @ camera.forward) * normal, camera)
        return 0.45 * color + 0.55 * LINE if dark else color

    def neighbours(j, i):
        around = ((j, i + 1), (j, i - 1), (j + 1, i), (j - 1, i))
        return [(r, c) for r, c in around if 0 <= r < height and 0 <= c < width]

    solid, depth = layer(opacity >= 1.0)
    far = np.where(np.isfinite(depth), depth, 1e9)
    shape = np.where(solid >= 0, scene.shape[solid], -1)
    image = np.zeros((height, width, 4))
    for j, i in np.argwhere(solid >= 0):
        dark = any(far[n] - depth[j, i] > jump and shape[n] != shape[j, i] for n in neighbours(j, i))
        image[j, i] = [*lit(solid[j, i], j, i, dark), 1.0]
    films = [layer(scene.shape == s) for s in np.unique(scene.shape[(opacity > 0.0) & (opacity < 1.0)])]
    for j, i in np.ndindex(height, width):
        here = [film for film in films if film[0][j, i] >= 0 and film[1][j, i] <= depth[j, i]]
        for number, film_depth in sorted(here, key=lambda film: -film[1][j, i]):
            dark = any(
                far[n] - film_depth[j, i] > jump and not (number[n] >= 0 and film_depth[n] <= depth[n])
                for n in neighbours(j, i)
            )
            part = opacity[number[j, i]]
            over = np.append(lit(number[j, i], j, i, dark), 1.0)
            image[j, i] = part * over + (1.0 - part) * image[j, i]
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


def test_picture_of_a_robot_with_transparent_shapes_is_that_of_the_oracle():
    model = ts.robots.hrp2()
    scene = build_scene(model, np.asarray(ts.body_poses(model, model.reference))[None])
    rng = np.random.default_rng(0)
    part = np.where(rng.random(scene.shape.max() + 1) < 0.5, rng.random(scene.shape.max() + 1), 1.0)
    colors = np.column_stack([scene.colors[:, :3], part[scene.shape]])
    scene = scene._replace(colors=colors)
    camera = Camera.at(35.0, 12.0)
    window = Window.around(camera.project(scene.points)[:, :2], (24, 24), fill=True)
    found, expected = robot_image(camera, window, scene), oracle(camera, window, scene)
    assert np.any((expected[..., 3] > 0.05) & (expected[..., 3] < 0.95))
    np.testing.assert_allclose(found, expected, atol=ROUND_OFF)


def _plates(*plates):
    """Scene of large squares across the view along -x: place along x, colour and opacity of each."""
    corners = np.array([(0.0, -9.0, -9.0), (0.0, 9.0, -9.0), (0.0, 9.0, 9.0), (0.0, -9.0, 9.0)])
    faces = np.array([(0, 1, 2), (0, 2, 3)], np.int32)
    return Scene(
        np.concatenate([corners + np.array([x, 0.0, 0.0]) for x, _ in plates]),
        np.tile([1.0, 0.0, 0.0], (4 * len(plates), 1)),
        np.concatenate([faces + np.int32(4 * k) for k in range(len(plates))]),
        np.repeat([color for _, color in plates], 2, axis=0),
        np.repeat(np.arange(len(plates), dtype=np.int32), 2),
    )


def test_transparent_plates_are_blended_from_the_back_whatever_their_order():
    camera, window = Camera.at(0.0, 0.0), Window(-0.5, 0.5, -0.5, 0.5, 3, 3)
    red, green, blue = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

    def seen(*plates):
        return robot_image(camera, window, _plates(*plates))[1, 1]

    towards = -float(camera.forward[0])  # plates nearer to the eye have a larger place times this
    alone = [seen((0.0, (*color, 1.0)))[:3] for color in (red, green, blue)]
    back, middle, front = (-towards, (*red, 1.0)), (0.0, (*green, 0.25)), (towards, (*blue, 0.5))
    expected = 0.5 * alone[2] + 0.5 * (0.25 * alone[1] + 0.75 * alone[0])
    for plates in ((back, middle, front), (front, middle, back), (middle, front, back)):
        np.testing.assert_allclose(seen(*plates), [*expected, 1.0], atol=ROUND_OFF)
    np.testing.assert_allclose(seen(front), [*alone[2], 0.5], atol=ROUND_OFF)  # over nothing
    np.testing.assert_allclose(seen((2.0 * towards, (*red, 1.0)), front), [*alone[0], 1.0], atol=ROUND_OFF)
    np.testing.assert_allclose(seen(back, (towards, (*blue, 0.0))), [*alone[0], 1.0], atol=ROUND_OFF)


def test_near_and_far_side_of_a_transparent_shape_count_once():
    shape = Shape(Sphere(1.0), color=(0.2, 0.4, 0.6, 0.3))
    model = ts.ModelBuilder("ball").add_link("ball", ts.Inertia.of_sphere(1.0, 1.0), visuals=[shape]).build()
    scene = build_scene(model, np.eye(4)[None, None])
    image = robot_image(Camera.at(0.0, 0.0), Window(-0.2, 0.2, -0.2, 0.2, 3, 3), scene)
    np.testing.assert_allclose(image[..., 3], 0.3, atol=ROUND_OFF)


def test_a_triangle_that_faces_the_light_has_its_colour_times_a_known_brightness():
    """Normal along the key light: 0.40 + 0.26 sky + 0.42, highlight 0.1 cos(half the angle to the eye)^30."""
    camera = Camera.at(0.0, 0.0)
    key = -0.55 * camera.right + 0.65 * camera.up - 0.75 * camera.forward
    key /= np.linalg.norm(key)
    points = np.array([(0.0, -9.0, -9.0), (0.0, 9.0, -9.0), (0.0, 0.0, 18.0)])
    color = np.array([[0.2, 0.4, 0.6, 1.0]])
    scene = Scene(points, np.tile(key, (3, 1)), np.array([[0, 1, 2]], np.int32), color, np.zeros(1, np.int32))
    image = robot_image(camera, Window(-0.5, 0.5, -0.5, 0.5, 3, 3), scene)
    half_angle = 0.5 * np.arccos(-key @ camera.forward)
    expected = (0.06 + 0.94 * color[0, :3]) * (0.82 + 0.26 * (0.5 + 0.5 * key[2])) + 0.1 * np.cos(half_angle) ** 30
    np.testing.assert_allclose(image[1, 1], [*expected, 1.0], atol=ROUND_OFF)


def test_nothing_in_the_window_is_transparent():
    camera = Camera.at(0.0, 0.0)
    robot = Scene(
        np.ones((3, 3)), np.ones((3, 3)), np.array([[0, 1, 2]], np.int32), np.ones((1, 4)), np.zeros(1, np.int32)
    )
    assert not robot_image(camera, Window(5.0, 6.0, 5.0, 6.0, 4, 4), robot).any()
