"""The picture of the robot itself: light, outlines, anti-aliasing."""

from __future__ import annotations

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.viewer.drawing.camera import SAMPLES, Camera, Window
from tarsus.viewer.drawing.raster import mesh_tables
from tarsus.viewer.drawing.scene import Scene

_LINE = np.array([0.10, 0.11, 0.14, 0.55])
"""Red, green, blue and opacity of outlines."""
_LINE_DEPTH = 0.012
"""Jump in depth that gets an outline, as part of the robot's extent."""


def robot_image(camera: Camera, window: Window, scene: Scene) -> FloatArray:
    """Picture (height, width, 4) of the triangles of a scene: red, green, blue, opacity.

    Lambert's law with a key light over the left shoulder, light from the sky and a faint highlight; every pixel is the
    mean of `SAMPLES` x `SAMPLES` samples; samples on the near side of a jump in depth between two shapes are darkened.
    """
    step = window.pixel / SAMPLES
    screen = camera.project(scene.points)
    screen[:, 0] = (screen[:, 0] - window.left) / step
    screen[:, 1] = (window.top - screen[:, 1]) / step
    tables = mesh_tables(screen, scene.faces, window.width * SAMPLES, window.height * SAMPLES)
    image: FloatArray = _native.shaded(
        tables
        | {
            "normals": np.ascontiguousarray(scene.normals, dtype=float),
            "colors": np.ascontiguousarray(scene.colors, dtype=float),
            "shape": np.ascontiguousarray(scene.shape, dtype=np.int32),
            "light": _light(camera),
            "line": _LINE,
            "samples": SAMPLES,
            "jump": _LINE_DEPTH * scene.extent,
        }
    )
    return image


def _light(camera: Camera) -> FloatArray:
    """Unit vectors to the key light, half way between it and the eye, and into the picture (3, 3), world axes."""
    key = -0.55 * camera.right + 0.65 * camera.up - 0.75 * camera.forward
    key /= np.linalg.norm(key)
    half = key - camera.forward
    return np.stack([key, half / np.linalg.norm(half), camera.forward])
