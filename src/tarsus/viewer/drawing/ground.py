"""The ground of a picture: grid lines and the soft shadow of the robot."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.geometry.bounding_box import box_around
from tarsus.viewer.drawing.camera import Camera, Window
from tarsus.viewer.drawing.raster import rasterise
from tarsus.viewer.drawing.scene import Scene

_SHADOW_SHIFT = np.array([-0.12, -0.10])
"""Horizontal shift of the shadow per height."""
_SHADOW_CELLS = 320
"""Cells of the shadow map along its longer side."""
_BLUR_RADIUS = 7
"""Radius of the blur [cells]."""
GROUND_COLOR = 0.25
"""Grey of shadow and grid lines."""
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
    darkness = ground_darkness(camera, window, scene, level, grid=grid, shade=shade)
    image = np.full((window.height, window.width, 4), GROUND_COLOR)
    image[..., 3] = darkness
    return image


def ground_darkness(
    camera: Camera, window: Window, scene: Scene, level: float, *, grid: bool = True, shade: bool = True
) -> FloatArray:
    """Opacity (height, width) of a layer of `GROUND_COLOR` that shows shadow and grid lines."""
    if camera.forward[2] > -_LOWEST_VIEW:
        return np.zeros((window.height, window.width))
    right = window.left + (np.arange(window.width) + 0.5) * window.pixel
    up = (window.top - (np.arange(window.height) + 0.5) * window.pixel)[:, None]
    # Rays along `forward` meet the ground where their height is the level: x and y are linear in the pixel.
    slope = camera.forward[:2] / camera.forward[2]
    over, rise = (axis[:2] - axis[2] * slope for axis in (camera.right, camera.up))
    x, y = (over[k] * right + (rise[k] * up + level * slope[k]) for k in (0, 1))
    shadow, low, cell = _shadow_map(scene, level)
    middle = low + 0.5 * cell * np.array(shadow.shape)
    reach = 0.5 * scene.extent + 0.35 * cell * max(shadow.shape)
    fade = float(grid) * np.clip(1.35 - np.hypot(x - middle[0], y - middle[1]) / reach, 0.0, 1.0) ** 2
    clear = (1.0 - 0.22 * fade * _grid_lines((x, y), camera, window.pixel, reach)) * (1.0 - 0.05 * fade)
    if shade:
        # A border of light around the map stands for everything outside it.
        column, row = (np.clip((p - low[k]) / cell + 1.0, 0.0, shadow.shape[k] + 1.0) for k, p in enumerate((x, y)))
        clear *= 1.0 - 0.42 * np.pad(shadow, 1)[column.astype(np.intp), row.astype(np.intp)]
    # Filters leave rounding beside zero, of which matplotlib would complain.
    darkness: FloatArray = np.clip(1.0 - clear, 0.0, 1.0)
    return darkness


def _grid_lines(ground: tuple[FloatArray, FloatArray], camera: Camera, pixel: float, reach: float) -> FloatArray:
    """Coverage of each pixel by grid lines, whose spacing is 1, 2 or 5 times a power of ten."""
    raw = reach / 3.0
    power = 10.0 ** np.floor(np.log10(raw))
    spacing = power * max(k for k in (1.0, 2.0, 5.0) if k * power <= raw)
    distances = []
    for axis, place in enumerate(ground):
        # Width of one pixel on the ground, across the line.
        width = pixel * np.hypot(camera.right[axis], camera.up[axis] / max(camera.forward[2] ** 2, 1e-3))
        cells = place / spacing
        distances.append(np.abs(cells - np.rint(cells)) * (spacing / max(float(width), 1e-9)))
    lines: FloatArray = np.maximum(1.0 - np.minimum(*distances), 0.0)
    return lines


def _shadow_map(scene: Scene, level: float) -> tuple[FloatArray, FloatArray, float]:
    """Blurred silhouette from above: darkness (nx, ny), corner (2,) and cell size [m]."""
    from scipy.ndimage import uniform_filter

    points = cast(scene.points, level)
    lowest, highest = (corner[:2] for corner in box_around(points))
    span = float((highest - lowest).max()) or scene.extent
    low = lowest - 0.25 * span
    cell = span / _SHADOW_CELLS
    cells = np.ceil((highest - lowest) / cell).astype(int) + _SHADOW_CELLS // 2
    points[:, :2] = (points[:, :2] - low) / cell
    shadow = (rasterise(points, scene.faces, int(cells[0]), int(cells[1])).triangle >= 0).T.astype(float)
    for _ in range(3):
        shadow = uniform_filter(shadow, 2 * _BLUR_RADIUS + 1, mode="constant")
    return shadow, low, cell
