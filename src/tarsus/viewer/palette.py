"""Surfaces of many colours as some surfaces of one colour each, for renderers that give a mesh one colour."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tarsus.geometry.row_keys import row_keys
from tarsus.geometry.surface import Surface

Color = tuple[float, float, float, float]

COLORS = 48
"""Most colours of a surface; more are brought together by median cut."""


def by_color(surface: Surface, color: Color) -> Iterator[tuple[Surface, Color]]:
    """Parts of a surface with their colours; `color` is that of triangles without one, and gives the opacity."""
    if surface.colors is None:
        yield surface, color
        return
    levels = np.rint(255.0 * np.clip(surface.colors_over(color), 0.0, 1.0)).astype(np.uint8)
    _, first, number = np.unique(row_keys(levels), return_index=True, return_inverse=True)
    table, number = levels[first], number.reshape(-1)
    if len(table) > COLORS:
        from PIL import Image

        reduced = Image.fromarray(levels[None]).quantize(COLORS)
        number = np.asarray(reduced).reshape(-1)
        table = np.reshape(reduced.getpalette() or [], (-1, 3))
    for k in np.unique(number):
        own = number == k
        r, g, b = (table[k] / 255.0).tolist()
        yield Surface(surface.corners[own], surface.normals[own]), (r, g, b, color[3])
