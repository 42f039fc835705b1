"""Orthographic camera and the part of its picture plane that is drawn."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.geometry.bounding_box import box_around

SAMPLES = 2
"""Samples per pixel in each direction."""
MOST_PIXELS = 16_000
"""Pixels of a picture along one side."""
_MARGIN = 0.06
"""Free space around the robot as part of its extent."""


def check_size(size: tuple[int, int]) -> None:
    """Refuse sizes of pictures, width and height in pixels, that cannot be drawn."""
    if not 1 <= min(size) <= max(size) <= MOST_PIXELS:
        raise ArgumentError(f"size = {size} found, expected 1 to {MOST_PIXELS} pixels in each direction")


class Camera(NamedTuple):
    """Unit vectors to the right, up and into the picture, world axes."""

    right: FloatArray
    up: FloatArray
    forward: FloatArray

    @classmethod
    def at(cls, azimuth_deg: float, elevation_deg: float) -> Self:
        """Camera that looks at the origin from azimuth (0: from +x, 90: from +y) and elevation above the horizon."""
        if not np.isfinite(azimuth_deg):
            raise ArgumentError(f"view has an azimuth of {azimuth_deg} degrees, expected a finite number")
        if not abs(elevation_deg) <= 90.0:
            raise ArgumentError(f"view has an elevation of {elevation_deg} degrees, expected -90 to 90")
        azimuth, elevation = np.radians((azimuth_deg, elevation_deg))
        c, s = np.cos(azimuth), np.sin(azimuth)
        right = np.array([-s, c, 0.0])
        forward = -np.array([c * np.cos(elevation), s * np.cos(elevation), np.sin(elevation)])
        return cls(right, np.cross(right, forward), forward)

    def project(self, points: FloatArray) -> FloatArray:
        """World points (..., 3) to (right, up, depth) (..., 3) [m]."""
        # Not by "@": BLAS would start threads for so small a product, which costs ten times as much.
        projected: FloatArray = np.einsum("...j,kj->...k", points, np.stack(self))
        return projected


class Window(NamedTuple):
    """Rectangle of the picture plane [m] and its size in pixels."""

    left: float
    right: float
    bottom: float
    top: float
    width: int
    height: int

    @classmethod
    def around(cls, points: FloatArray, size: tuple[int, int], *, fill: bool) -> Self:
        """Window around projected points (n, 2), tight in one direction and, without `fill`, in both.

        `size` is the width and height in pixels that may be used.
        """
        low, high = box_around(points)
        span = np.maximum(high - low, 1e-3) + 2.0 * _MARGIN * float((high - low).max())
        pixels = np.array(size)
        pixel = float((span / pixels).max())
        if not fill:
            pixels = np.ceil(span / pixel).astype(int)
        middle, half = (low + high) / 2.0, pixels * pixel / 2.0
        (left, bottom), (right, top) = (middle - half).tolist(), (middle + half).tolist()
        return cls(left, right, bottom, top, int(pixels[0]), int(pixels[1]))

    @property
    def pixel(self) -> float:
        """Size of a pixel [m]."""
        return (self.right - self.left) / self.width

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom, top [m]."""
        return self.left, self.right, self.bottom, self.top
