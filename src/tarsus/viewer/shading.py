"""The picture of the robot itself: light, outlines, anti-aliasing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.viewer.camera import SAMPLES, Camera, Window
from tarsus.viewer.raster import rasterise
from tarsus.viewer.scene import Scene

_LINE_COLOR = np.array([0.10, 0.11, 0.14])
_LINE_DEPTH = 0.012
"""Jump in depth that gets an outline, as part of the robot's extent."""


def robot_image(camera: Camera, window: Window, scene: Scene) -> FloatArray:
    """Picture (height, width, 4) of the triangles of a scene: red, green, blue, opacity."""
    width, height, step = window.width * SAMPLES, window.height * SAMPLES, window.pixel / SAMPLES
    screen = camera.project(scene.corners)
    screen[..., 0] = (screen[..., 0] - window.left) / step
    screen[..., 1] = (window.top - screen[..., 1]) / step
    raster = rasterise(screen, width, height)
    seen = raster.triangle >= 0
    index = raster.triangle[seen]
    normal = np.einsum("nk,nkc->nc", raster.weights[seen], scene.normals[index])
    normal *= -np.sign(normal @ camera.forward)[:, None]
    image = np.zeros((height, width, 4))
    image[seen, :3] = _lit(scene.colors[index], normal, camera)
    image[seen, 3] = 1.0
    shape = np.where(seen, scene.shape[raster.triangle], -1)
    edge = _outline(raster.depth, shape, _LINE_DEPTH * scene.extent) & seen
    image[edge, :3] = 0.45 * image[edge, :3] + 0.55 * _LINE_COLOR
    return _averaged(image)


def _lit(colors: FloatArray, normal: FloatArray, camera: Camera) -> FloatArray:
    """Lambert's law with a key light over the left shoulder, light from the sky, and a faint highlight."""
    key = -0.55 * camera.right + 0.65 * camera.up - 0.75 * camera.forward
    key /= np.linalg.norm(key)
    half = key - camera.forward
    half /= np.linalg.norm(half)
    diffuse = np.maximum(normal @ key, 0.0)
    sky = 0.5 + 0.5 * normal[:, 2]
    highlight = 0.10 * np.maximum(normal @ half, 0.0) ** 30
    light = 0.40 + 0.26 * sky + 0.42 * diffuse
    lifted = 0.06 + 0.94 * colors
    return np.clip(lifted * light[:, None] + highlight[:, None], 0.0, 1.0)


def _outline(depth: FloatArray, shape: npt.NDArray[np.intp], jump: float) -> npt.NDArray[np.bool_]:
    """Mark samples on the near side of a jump in depth between two shapes."""
    edge = np.zeros(depth.shape, dtype=bool)
    far = np.where(np.isfinite(depth), depth, 1e9)
    for axis in (0, 1):
        for shift in (1, -1):
            behind = np.roll(far, shift, axis=axis)
            edge |= (behind - far > jump) & (np.roll(shape, shift, axis=axis) != shape)
    return edge


def _averaged(image: FloatArray) -> FloatArray:
    """Mean over the samples of each pixel, colours weighted with their opacity."""
    height, width = image.shape[0] // SAMPLES, image.shape[1] // SAMPLES
    blocks = image.reshape(height, SAMPLES, width, SAMPLES, 4)
    alpha = blocks[..., 3].mean(axis=(1, 3))[..., None]
    colors = (blocks[..., :3] * blocks[..., 3:]).mean(axis=(1, 3))
    colors = np.divide(colors, alpha, out=np.zeros_like(colors), where=alpha > 0.0)
    mean: FloatArray = np.concatenate([colors, alpha], axis=-1)
    return np.clip(mean, 0.0, 1.0)
