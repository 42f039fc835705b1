"""Ground of a picture against rays, one pixel after the other."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.viewer.drawing.camera import Camera, Window
from tarsus.viewer.drawing.ground import GROUND_COLOR, cast, ground_darkness, ground_image
from tarsus.viewer.drawing.raster import rasterise
from tarsus.viewer.drawing.scene import build_scene

ROUND_OFF = 1e-9
BLUR, CELLS = 7, 320
"""Radius of the blur and size of the shadow map [cells]."""


def shadow_map(scene, level):
    """Darkness (nx, ny), corner and cell size: a silhouette from above, blurred three times by running means."""
    points = cast(scene.points, level)
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    span = (high - low).max()
    corner, cell = low - 0.25 * span, span / CELLS
    cells = np.ceil((high - low) / cell).astype(int) + CELLS // 2
    points[:, :2] = (points[:, :2] - corner) / cell
    dark = (rasterise(points, scene.faces, *cells.tolist()).triangle >= 0).T.astype(float)
    kernel = np.ones(2 * BLUR + 1) / (2 * BLUR + 1)
    for _ in range(3):
        for axis in (0, 1):
            dark = np.apply_along_axis(np.convolve, axis, dark, kernel, "same")
    return dark, corner, cell


def oracle(camera, window, scene, level):
    """Opacity (height, width)."""
    shadow, corner, cell = shadow_map(scene, level)
    middle = corner + 0.5 * cell * np.array(shadow.shape)
    reach = 0.5 * scene.extent + 0.35 * cell * max(shadow.shape)
    spacing = max(k * 10.0**p for k in (1.0, 2.0, 5.0) for p in range(-6, 6) if k * 10.0**p <= reach / 3.0)
    found = np.zeros((window.height, window.width))
    for j in range(window.height):
        for i in range(window.width):
            x, y = window.left + (i + 0.5) * window.pixel, window.top - (j + 0.5) * window.pixel
            p = x * camera.right + y * camera.up
            p = p + (level - p[2]) / camera.forward[2] * camera.forward
            lines = 0.0
            for k in (0, 1):
                away = abs((p[k] / spacing + 0.5) % 1.0 - 0.5) * spacing
                width = window.pixel * np.hypot(camera.right[k], camera.up[k] / max(camera.forward[2] ** 2, 1e-3))
                lines = max(lines, 1.0 - away / width)
            fade = np.clip(1.35 - np.linalg.norm(p[:2] - middle) / reach, 0.0, 1.0) ** 2
            place = np.floor((p[:2] - corner) / cell).astype(int)
            inside = (place >= 0).all() and (place < shadow.shape).all()
            dark = shadow[tuple(place)] if inside else 0.0
            found[j, i] = 1.0 - (1.0 - 0.22 * lines * fade) * (1.0 - 0.42 * dark) * (1.0 - 0.05 * fade)
    return found


@pytest.fixture(name="scene", scope="module")
def _scene():
    model = ts.robots.hrp2()
    return build_scene(model, np.asarray(ts.body_poses(model, model.reference))[None])


@pytest.mark.parametrize("view", [(35.0, 12.0), (-80.0, 60.0)])
@pytest.mark.parametrize("level", [0.0, -0.3])
def test_shadow_and_grid_are_those_of_rays_that_meet_the_ground(scene, view, level):
    camera = Camera.at(*view)
    shown = np.concatenate([scene.points, cast(scene.points, level)])
    window = Window.around(camera.project(shown)[:, :2], (48, 36), fill=True)
    found, expected = ground_darkness(camera, window, scene, level), oracle(camera, window, scene, level)
    assert expected.max() > 0.3
    np.testing.assert_allclose(found, expected, atol=ROUND_OFF)
    image = ground_image(camera, window, scene, level)
    np.testing.assert_array_equal(image[..., 3], found)
    assert (image[..., :3] == GROUND_COLOR).all()


def test_ground_seen_from_below_is_not_drawn(scene):
    camera = Camera.at(0.0, -10.0)
    assert not ground_darkness(camera, Window(-1.0, 1.0, -1.0, 1.0, 8, 8), scene, 0.0).any()
