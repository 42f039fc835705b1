"""Materials of COLLADA files: the diffuse colour or picture of their effects."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from tarsus.geometry.meshes.collada_mesh import name_of, target
from tarsus.geometry.paint import Color, Material

_SHADERS = ("phong", "lambert", "blinn", "constant")


class Library:
    """Materials of one document, looked up by their ids."""

    def __init__(self, root: Any) -> None:
        self._materials = {str(node.get("id")): node for node in root.iterfind("{*}library_materials/{*}material")}
        self._effects = {str(node.get("id")): node for node in root.iterfind("{*}library_effects/{*}effect")}
        self._images = {str(node.get("id")): node for node in root.iterfind("{*}library_images/{*}image")}

    def material(self, name: str) -> Material | None:
        """Material of an id; None where the file says nothing about its colour."""
        node = self._materials.get(name)
        instance = None if node is None else node.find("{*}instance_effect")
        effect = None if instance is None else self._effects.get(target(instance, "url"))
        if effect is None:
            return None
        diffuse = self._diffuse(effect)
        if diffuse is None:
            return None
        for part in diffuse:
            if name_of(part) == "color":
                color = _color(part.text)
                return None if color is None else Material(color)
            if name_of(part) == "texture":
                picture = self._picture(effect, str(part.get("texture", "")))
                return None if picture is None else Material(None, picture)
        return None

    def _diffuse(self, effect: Any) -> Any:
        for shader in effect.iterfind("{*}profile_COMMON/{*}technique/*"):
            if name_of(shader) in _SHADERS:
                return (
                    shader.find("{*}diffuse") if shader.find("{*}diffuse") is not None else shader.find("{*}emission")
                )
        return None

    def _picture(self, effect: Any, sampler: str) -> str | None:
        """File of a texture: its sampler names a surface, which names an image; some files name the image at once."""
        parameters = {str(node.get("sid")): node for node in effect.iterfind("{*}profile_COMMON/{*}newparam")}
        surface = _text(parameters.get(sampler), "{*}sampler2D/{*}source")
        image = _text(parameters.get(surface or ""), "{*}surface/{*}init_from") or sampler
        node = self._images.get(image)
        file = None if node is None else _text(node, "{*}init_from") or _text(node, "{*}init_from/{*}ref")
        return None if file is None else unquote(file).removeprefix("file://")


def _text(node: Any, path: str) -> str | None:
    found = None if node is None else node.find(path)
    text = "" if found is None or found.text is None else found.text.strip()
    return text or None


def _color(text: str | None) -> Color | None:
    try:
        values = [min(max(float(word), 0.0), 1.0) for word in (text or "").split()[:4]]
    except ValueError:
        return None
    if len(values) < 3:
        return None
    r, g, b = values[:3]
    return r, g, b, 1.0
