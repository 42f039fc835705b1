"""Materials and textures of MJCF: the colour of geoms, and pictures that are wrapped around meshes."""

from __future__ import annotations

import ntpath
import os

import numpy as np
from lxml import etree

from tarsus.errors import nearest
from tarsus.io.mjcf.settings.compiler import Compiler
from tarsus.io.mjcf.settings.defaults import Defaults, Element
from tarsus.io.numbers import shown
from tarsus.io.packages import PackageFinder, outside_message
from tarsus.io.xml import Report

Color = tuple[float, float, float, float]

_DEFAULT_COLOR: Color = (0.5, 0.5, 0.5, 1.0)
_WHITE: Color = (1.0, 1.0, 1.0, 1.0)
_BUILTINS = ("none", "gradient", "checker", "flat")


class Materials:
    """All materials of a document."""

    def __init__(
        self, root: etree._Element, compiler: Compiler, defaults: Defaults, finder: PackageFinder, report: Report
    ) -> None:
        self._report = report
        self._finder = finder
        self._compiler = compiler
        self._colors: dict[str, Color] = {}
        self._textures: dict[str, tuple[float, float, float] | str | None] = {}
        self._wrapped: dict[str, str] = {}
        sections = list(root.iterchildren("asset"))
        for section in sections:
            for node in section.iterchildren("texture"):
                self._read_texture(Element(node, report, None))
        for section in sections:
            for node in section.iterchildren("material"):
                self._read_material(defaults.element(node, None))

    def color(self, element: Element) -> Color:
        """Colour of a geom: its own, else that of its material; the mean of a texture that has no picture."""
        color = self._rgba(element, _DEFAULT_COLOR)
        material = element.text("material")
        if not material or color != _DEFAULT_COLOR:
            return color
        if material not in self._colors:
            message = f"material {shown(material)!r} is not an asset{nearest(material[:100], self._colors)}"
            self._report.warning("unknown-material", message, element.node, shown(material))
        return self._colors.get(material, color)

    def picture(self, element: Element) -> str | None:
        """Path of the picture that a geom's material wraps around meshes."""
        return self._wrapped.get(element.text("material"))

    def _read_texture(self, element: Element) -> None:
        node = element.node
        file = node.get("file")
        name = node.get("name") or os.path.splitext(ntpath.basename(file or ""))[0]
        if file:
            self._textures[name] = self._located(node, file)
            return
        builtin = element.keyword("builtin", _BUILTINS, "none")
        first = element.numbers("rgb1", 3, (0.8, 0.8, 0.8))
        second = element.numbers("rgb2", 3, (0.5, 0.5, 0.5))
        if builtin == "none" or first is None or second is None:
            return
        r, g, b = np.clip(first if builtin == "flat" else 0.5 * (first + second), 0.0, 1.0).tolist()
        self._textures[name] = (r, g, b)

    def _located(self, node: etree._Element, file: str) -> str | None:
        """Path of a picture, None after a warning; a model lacks nothing but looks without it."""
        settings = self._compiler.of(node)
        name = ntpath.basename(file) if settings.strippath else file
        found = self._finder.resolve(name, settings.texturedir)
        if found.verdict == "outside":
            self._report.warning("picture-outside-package", outside_message("picture", name, found), node, shown(name))
        elif found.path is None:
            self._report.warning("picture-not-found", f"picture {shown(name)!r} not found", node, shown(name))
        return found.path if found.verdict == "found" else None

    def _read_material(self, element: Element) -> None:
        name = element.node.get("name", "")
        texture = element.text("texture")
        for layer in element.node.iterchildren("layer"):
            if layer.get("role") in ("rgb", "rgba"):
                texture = layer.get("texture", texture)
        color = self._rgba(element, _WHITE)
        found = self._textures.get(texture)
        if isinstance(found, str):
            self._wrapped[name] = found
        elif found is not None:
            r, g, b = (value * part for value, part in zip(color, found, strict=False))
            color = (r, g, b, color[3])
        self._colors[name] = color

    def _rgba(self, element: Element, default: Color) -> Color:
        values = element.numbers("rgba", 4) if element.text("rgba").strip() else None
        if values is None:
            return default
        r, g, b, a = np.clip(values, 0.0, 1.0).tolist()
        return r, g, b, a
