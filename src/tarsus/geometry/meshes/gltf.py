"""glTF 2.0 files, as text (.gltf) and binary (.glb): triangles of the scene, base colours and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.geometry.meshes.gltf_document import Beside, Document, is_integer, mapping, sequence, vector, wrong
from tarsus.geometry.meshes.problem import DefectiveMesh, bad_indices, not_finite, refuse
from tarsus.geometry.paint import Material, Paint
from tarsus.geometry.triangles import Triangles

_MAX_DEPTH = 100
_MAX_NODES = 100_000
"""Nodes that a scene may have; one that is a child of several counts for each."""
_MAX_VERTICES = 2**25
"""Vertices, and corners of triangles, that the copies of a scene may have together."""
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""From the axes of glTF, y up, to those of robots, z up."""


class _Part(NamedTuple):
    """Triangles of one primitive, in the frame of its node.

    Attributes
    ----------
    vertices : ndarray, shape (n, 3)
    faces : ndarray of int, shape (m, 3)
    uv : ndarray, shape (m, 3, 2), or None
        From the lower left corner of the picture.
    material : int
        -1 where it has none.
    """

    vertices: FloatArray
    faces: IndexArray
    uv: FloatArray | None
    material: int


def parse_gltf(data: bytes, beside: Beside) -> Triangles:
    """Triangles of the scene in metres, z up.

    The format has y up; as RViz (ros2/rviz pull request 1482), Drake and Blender do, the scene is turned by 90 degrees
    about x. Skins and animations are passed over. Colours are base colours, in the sRGB values of screens.

    Parameters
    ----------
    data : bytes
        Contents of the file.
    beside : callable
        Reads files beside it.

    Raises
    ------
    DefectiveMesh
    """
    document = Document(data, beside)
    meshes: dict[int, list[_Part]] = {}
    vertices, faces, names = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.intp)], []
    drawn: list[_Part] = []
    count = corners = 0
    with np.errstate(all="ignore"):  # the result is judged instead
        for name, mesh, X in _instances(document):
            if mesh not in meshes:
                meshes[mesh] = [
                    part
                    for entry in sequence(document.entry("meshes", mesh), "primitives")
                    if (part := _primitive(document, entry)) is not None
                ]
            for part in meshes[mesh]:
                corners += 3 * len(part.faces)
                if max(count + len(part.vertices), corners) > _MAX_VERTICES:
                    message = f"the scene has more than {_MAX_VERTICES} vertices or corners"
                    raise DefectiveMesh.because("mesh-size", message)
                vertices.append((part.vertices @ X[:3, :3].T + X[:3, 3]) @ _Z_UP.T)
                mirrored = np.linalg.det(X[:3, :3]) < 0.0
                faces.append((part.faces[:, ::-1] if mirrored else part.faces) + count)
                drawn.append(part._replace(uv=part.uv[:, ::-1]) if mirrored and part.uv is not None else part)
                names.append((name, len(part.faces)))
                count += len(part.vertices)
    points = np.concatenate(vertices)
    if sum(map(len, faces)) == 0:
        raise DefectiveMesh.because("mesh-empty", "the scene holds no triangles")
    refuse(not_finite(points))
    return Triangles(points, np.concatenate(faces), paint=_paint(document, drawn), parts=tuple(names))


def _instances(document: Document) -> Iterator[tuple[str, int, FloatArray]]:
    """Name of the node, number of the mesh, and pose of every mesh of the scene."""
    nodes = sequence(document.root, "nodes")
    if sequence(document.root, "scenes"):
        roots = sequence(document.entry("scenes", document.root.get("scene", 0)), "nodes")
    else:
        inner = [child for node in nodes if isinstance(node, dict) for child in sequence(node, "children")]
        below = {child for child in inner if is_integer(child)}
        roots = [k for k in range(len(nodes)) if k not in below]
    waiting = [(k, np.eye(4), 0) for k in reversed(roots)]
    followed = 0
    while waiting:
        index, X, depth = waiting.pop()
        node = document.entry("nodes", index)
        followed += 1
        if depth > _MAX_DEPTH:
            raise wrong(f"nodes are nested more than {_MAX_DEPTH} deep")
        children = sequence(node, "children")
        if followed + len(waiting) + len(children) > _MAX_NODES:
            raise DefectiveMesh.because("mesh-size", f"the scene has more than {_MAX_NODES} nodes")
        X = X @ _pose(node)
        if "mesh" in node:
            document.entry("meshes", node["mesh"])
            yield str(node.get("name", ""))[:200], node["mesh"], X
        waiting += [(child, X, depth + 1) for child in reversed(children)]


def _pose(node: dict[str, Any]) -> FloatArray:
    """Transformation (4, 4) of a node: a matrix by columns, or translation, rotation (x, y, z, w) and scale."""
    if "matrix" in node:
        X: FloatArray = vector(node, "matrix", tuple(np.eye(4).ravel())).reshape(4, 4).T
        return X
    x, y, z, w = vector(node, "rotation", (0.0, 0.0, 0.0, 1.0))
    n = x * x + y * y + z * z + w * w
    if n == 0.0:
        raise wrong("a rotation is zero")
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    X = np.eye(4)
    X[:3, :3] = (np.eye(3) + 2.0 / n * (w * K + K @ K)) * vector(node, "scale", (1.0, 1.0, 1.0))
    X[:3, 3] = vector(node, "translation", (0.0, 0.0, 0.0))
    return X


def _primitive(document: Document, entry: Any) -> _Part | None:
    """Triangles of a primitive; None for points and lines."""
    if not isinstance(entry, dict):
        raise wrong("a primitive is not an object")
    mode = entry.get("mode", _TRIANGLES)
    attributes = mapping(entry, "attributes")
    if mode not in (_TRIANGLES, _STRIP, _FAN) or "POSITION" not in attributes:
        return None
    points = document.numbers(attributes["POSITION"], 3).astype(float)
    refuse(not_finite(points))
    if "indices" in entry:
        indices = document.numbers(entry["indices"], 1)[:, 0]
        if indices.dtype.kind != "u":
            raise wrong("indices are not unsigned integers")
        corners = indices.astype(np.intp)
    else:
        corners = np.arange(len(points))
    refuse(bad_indices(corners, 0, len(points) - 1))
    faces = _faces(corners, mode)
    uv = _texture_coordinates(document, entry, attributes, len(points))
    material = entry.get("material", -1)
    if material != -1:
        document.entry("materials", material)
    return _Part(points, faces, None if uv is None else uv[faces], material)


def _faces(corners: IndexArray, mode: int) -> IndexArray:
    if mode == _TRIANGLES:
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    if len(corners) < 3:
        return np.zeros((0, 3), dtype=np.intp)
    if mode == _FAN:
        return np.stack([np.full(len(corners) - 2, corners[0]), corners[1:-1], corners[2:]], axis=-1)
    strip = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=-1)
    strip[1::2] = strip[1::2][:, [1, 0, 2]]  # every other triangle turns the other way
    return strip


def _base(document: Document, material: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Base colour and its texture of a material."""
    look = mapping(document.entry("materials", material), "pbrMetallicRoughness")
    return look, mapping(look, "baseColorTexture")


def _texture_coordinates(
    document: Document, entry: dict[str, Any], attributes: dict[str, Any], count: int
) -> FloatArray | None:
    """Coordinates (n, 2) in the base picture, from its lower left corner; None where there is none."""
    if "material" not in entry:
        return None
    texture = _base(document, entry["material"])[1]
    if not texture:
        return None
    moved = mapping(mapping(texture, "extensions"), "KHR_texture_transform")
    name = f"TEXCOORD_{moved.get('texCoord', texture.get('texCoord', 0))}"
    if name not in attributes:
        return None
    uv = document.numbers(attributes[name], 2).astype(float)
    if len(uv) != count or not np.isfinite(uv).all():
        return None
    if moved.get("rotation", 0.0) != 0.0:
        return None  # a picture that is turned is left out, its colour stays
    uv = uv * vector(moved, "scale", (1.0, 1.0)) + vector(moved, "offset", (0.0, 0.0))
    return np.stack([uv[:, 0], 1.0 - uv[:, 1]], axis=-1)


def _paint(document: Document, drawn: list[_Part]) -> Paint | None:
    """Materials and texture coordinates of the triangles, one part after the other."""
    used = {material: k for k, material in enumerate(dict.fromkeys(p.material for p in drawn if p.material != -1))}
    if not used:
        return None
    materials = tuple(_material(document, material) for material in used)
    numbers = np.concatenate([np.full(len(p.faces), used.get(p.material, -1), dtype=np.intp) for p in drawn])
    uv = None
    if any(part.uv is not None for part in drawn):
        uv = np.concatenate([np.zeros((len(p.faces), 3, 2)) if p.uv is None else p.uv for p in drawn])
    return Paint(numbers, materials, uv)


def _material(document: Document, index: int) -> Material:
    look, texture = _base(document, index)
    r, g, b, a = np.clip(vector(look, "baseColorFactor", (1.0, 1.0, 1.0, 1.0)), 0.0, 1.0).tolist()
    picture: bytes | str | None = None
    if texture:
        source = document.entry("textures", texture.get("index")).get("source")
        picture = None if source is None else document.bytes_of(document.entry("images", source))
    return Material((_srgb(r), _srgb(g), _srgb(b), a), unquote(picture) if isinstance(picture, str) else picture)


def _srgb(linear: float) -> float:
    """Value of a screen (IEC 61966-2-1) for an intensity."""
    return float(12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1.0 / 2.4) - 0.055)
