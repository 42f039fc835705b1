"""The ground of a picture: grid lines and the soft shadow of the robot."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.viewer.camera import Camera, Window
from tarsus.viewer.raster import rasterise
from tarsus.viewer.scene import Scene

_SHADOW_SHIFT = np.array([-0.12, -0.10])
"""Horizontal shift of the shadow per height."""
_SHADOW_CELLS = 320
"""Cells of the shadow map along its longer side."""
_BLUR_RADIUS = 7
"""Radius of the blur [cells]."""
_LOWEST_VIEW = 0.03
"""Sine of the elevation below which the ground is not drawn."""


def cast(points: FloatArray, level: float) -> FloatArray:
    """Shadow (..., 3) of points (..., 3) on the ground at height `level`."""
    height = points[..., 2:] - level
    return np.concatenate([points[..., :2] + height * _SHADOW_SHIFT, np.full_like(height, level)], axis=-1)


def ground_image(
    camera: Camera, window: Window, scene: Scene, level: float, *, grid: bool = True, shade: bool = True
) -> FloatArray:
    """Picture (height, width, 4) of the shadow, if wanted, and of grid lines that fade out away from the robot."""
    image = np.zeros((window.height, window.width, 4))
    if camera.forward[2] > -_LOWEST_VIEW:
        return image
    x = window.left + (np.arange(window.width) + 0.5) * window.pixel
    y = window.top - (np.arange(window.height) + 0.5) * window.pixel
    flat = x[None, :, None] * camera.right + y[:, None, None] * camera.up
    ground = (flat + ((level - flat[..., 2]) / camera.forward[2])[..., None] * camera.forward)[..., :2]
    shadow, low, cell = _shadow_map(scene, level)
    middle = low + 0.5 * cell * np.array(shadow.shape)
    reach = 0.5 * scene.extent + 0.35 * cell * max(shadow.shape)
    fade = float(grid) * np.clip(1.35 - np.linalg.norm(ground - middle, axis=-1) / reach, 0.0, 1.0) ** 2
    lines = _grid_lines(ground, camera, window.pixel, reach)
    place = np.floor((ground - low) / cell).astype(int)
    inside = ((place >= 0) & (place < shadow.shape)).all(axis=-1)
    dark = np.zeros(lines.shape)
    dark[inside] = float(shade) * shadow[place[inside][:, 0], place[inside][:, 1]]
    image[..., :3] = 0.25
    image[..., 3] = 1.0 - (1.0 - 0.22 * lines * fade) * (1.0 - 0.42 * dark) * (1.0 - 0.05 * fade)
    return image


def _grid_lines(ground: FloatArray, camera: Camera, pixel: float, reach: float) -> FloatArray:
    """Coverage of each pixel by grid lines, whose spacing is 1, 2 or 5 times a power of ten."""
    raw = reach / 3.0
    power = 10.0 ** np.floor(np.log10(raw))
    spacing = power * max(k for k in (1.0, 2.0, 5.0) if k * power <= raw)
    lines = np.zeros(ground.shape[:2])
    for axis in (0, 1):
        distance = np.abs((ground[..., axis] / spacing + 0.5) % 1.0 - 0.5) * spacing
        # Width of one pixel on the ground, across the line.
        width = pixel * np.hypot(camera.right[axis], camera.up[axis] / max(camera.forward[2] ** 2, 1e-3))
        lines = np.maximum(lines, np.clip(1.0 - distance / max(float(width), 1e-9), 0.0, 1.0))
    return lines


def _shadow_map(scene: Scene, level: float) -> tuple[FloatArray, FloatArray, float]:
    """Blurred silhouette from above: darkness (nx, ny), corner (2,) and cell size [m]."""
    corners = cast(scene.corners, level)
    points = corners.reshape(-1, 3)[:, :2]
    span = float(np.ptp(points, axis=0).max()) or scene.extent
    low = points.min(axis=0) - 0.25 * span
    cell = span / _SHADOW_CELLS
    cells = np.ceil(np.ptp(points, axis=0) / cell).astype(int) + _SHADOW_CELLS // 2
    corners[..., :2] = (corners[..., :2] - low) / cell
    shadow = (rasterise(corners, int(cells[0]), int(cells[1])).triangle >= 0).T.astype(float)
    for _ in range(3):
        shadow = _blurred(_blurred(shadow).T).T
    return shadow, low, cell


def _blurred(image: FloatArray) -> FloatArray:
    """Blur by a running mean along the first axis."""
    padded = np.pad(image, ((_BLUR_RADIUS + 1, _BLUR_RADIUS), (0, 0)))
    total = np.cumsum(padded, axis=0)
    return (total[2 * _BLUR_RADIUS + 1 :] - total[: -2 * _BLUR_RADIUS - 1]) / (2 * _BLUR_RADIUS + 1)
