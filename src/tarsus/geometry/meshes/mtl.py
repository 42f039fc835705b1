"""MTL files: diffuse colours and pictures of the materials that OBJ files name."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tarsus.geometry.paint import Color, Material

MAX_LIBRARY_SIZE = 4 * 2**20
"""Largest library of materials that is looked into [bytes]."""
_WHITE: Color = (1.0, 1.0, 1.0, 1.0)


def read_libraries(mesh_path: str, names: Sequence[str]) -> dict[str, Material]:
    """Materials of libraries beside a mesh file, by name; libraries that cannot be read are passed over."""
    materials: dict[str, Material] = {}
    for name in names:
        path = os.path.join(os.path.dirname(mesh_path), os.path.basename(name.replace("\\", "/")))
        try:
            size = os.path.getsize(path) if os.path.isfile(path) else 0
            if 0 < size <= MAX_LIBRARY_SIZE:
                with open(path, "rb") as stream:
                    materials.update(parse_mtl(stream.read(size)))
        except (OSError, ValueError):
            continue
    return materials


def parse_mtl(data: bytes) -> dict[str, Material]:
    """Materials of a library by name; statements that make no sense are passed over."""
    materials: dict[str, Material] = {}
    name = ""
    for line in data.decode("utf-8", "replace").splitlines():
        key, _, rest = line.strip().partition(" ")
        words = rest.split()
        if key == "newmtl":
            name = rest.strip()
            materials[name] = Material()
        elif name not in materials or not words:
            continue
        elif key == "Kd":
            materials[name] = materials[name]._replace(color=_color(words))
        elif key == "map_Kd":
            # Options before the name start with a hyphen and have arguments: the last word is the name then.
            file = words[-1] if words[0].startswith("-") else rest.strip()
            color = materials[name].color
            # A black colour is what exporters write that mean the picture alone.
            materials[name] = Material(_WHITE if color is None or max(color[:3]) == 0.0 else color, file)
    return materials


def _color(words: Sequence[str]) -> Color | None:
    try:
        values = [min(max(float(word), 0.0), 1.0) for word in words[:3]]
    except ValueError:
        return None
    if len(values) not in (1, 3):
        return None
    r, g, b = values if len(values) == 3 else values * 3
    return r, g, b, 1.0
