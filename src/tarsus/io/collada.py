"""Triangles of COLLADA files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.io.mesh_problem import MeshProblem
from tarsus.io.meshes import MAX_MESH_SIZE
from tarsus.io.triangles import Triangles

_MAX_DEPTH = 100


def read_collada(path: str | os.PathLike[str]) -> Triangles | list[MeshProblem]:
    """Triangles of the scene in a COLLADA file in metres, or what is wrong with it.

    The unit of the file is applied; its up-axis is ignored, as robot programs do.
    """
    try:
        with open(path, "rb") as stream:
            data = stream.read(MAX_MESH_SIZE + 1)
        triangles = _scene(_parsed(data))
    except (OSError, ValueError, LookupError, StopIteration, AttributeError) as error:
        return [MeshProblem("mesh-unreadable", f"cannot be read: {error}")]
    if len(triangles.faces) == 0:
        return [MeshProblem("mesh-empty", "the scene holds no triangles")]
    if triangles.faces.min() < 0 or triangles.faces.max() >= len(triangles.vertices):
        return [MeshProblem("mesh-index", "there are no triangles with valid corners")]
    if not np.isfinite(triangles.vertices).all():
        return [MeshProblem("mesh-nan", "a vertex is not finite")]
    return triangles


def _parsed(data: bytes) -> Any:
    """Root element; no entities, no network, no document type, but numbers without end."""
    from lxml import etree

    if len(data) > MAX_MESH_SIZE:
        raise ValueError(f"larger than the limit of {MAX_MESH_SIZE} bytes")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"not well-formed XML: {error}") from None
    document: Any = root.getroottree().docinfo
    if document.doctype:
        raise ValueError("it has a document type declaration")
    return root


def _scene(root: Any) -> Triangles:
    unit = root.find("{*}asset/{*}unit")
    meter = float(unit.get("meter", "1")) if unit is not None else 1.0
    geometries = {g.get("id"): _geometry(g) for g in root.iterfind("{*}library_geometries/{*}geometry")}
    vertices, faces = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.intp)]
    count = 0
    for name, X in _instances(root):
        part = geometries[name]
        vertices.append(meter * (part.vertices @ X[:3, :3].T + X[:3, 3]))
        faces.append(part.faces + count)
        count += len(part.vertices)
    return Triangles(np.concatenate(vertices), np.concatenate(faces))


def _geometry(geometry: Any) -> Triangles:
    """Positions and triangles of one <geometry>."""
    by_id = {element.get("id"): element for element in geometry.iter("{*}source", "{*}vertices")}
    points, faces = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.intp)]
    count = 0
    for primitive in geometry.iter("{*}triangles", "{*}polylist", "{*}polygons"):
        inputs = list(primitive.iterfind("{*}input"))
        vertex = next(i for i in inputs if i.get("semantic") == "VERTEX")
        position = next(i for i in by_id[_target(vertex, "source")] if i.get("semantic") == "POSITION")
        table = _numbers(by_id[_target(position, "source")].find("{*}float_array")).reshape(-1, 3)
        stride = 1 + max(int(i.get("offset", "0")) for i in inputs)
        lists = [_numbers(p).astype(np.intp).reshape(-1, stride) for p in primitive.iterfind("{*}p")]
        corners = [p[:, int(vertex.get("offset", "0"))] for p in lists]
        faces.extend(count + part for part in _triangles(primitive, corners))
        points.append(table)
        count += len(table)
    return Triangles(np.concatenate(points), np.concatenate(faces))


def _triangles(primitive: Any, corners: list[IndexArray]) -> list[IndexArray]:
    """Cut the polygons of a primitive into fans of triangles (n, 3)."""
    if primitive.tag.endswith("triangles"):
        return [p.reshape(-1, 3) for p in corners]
    sizes = primitive.find("{*}vcount")
    if sizes is not None and corners:
        count = _numbers(sizes).astype(np.intp)
        if (count == 3).all():
            return [corners[0].reshape(-1, 3)]
        corners = np.split(corners[0], np.cumsum(count)[:-1])
    return [np.stack([np.full(len(p) - 2, p[0]), p[1:-1], p[2:]], axis=-1) for p in corners if len(p) > 2]


def _instances(root: Any) -> Iterator[tuple[str, FloatArray]]:
    """Geometries of the scene with their pose."""
    library = {node.get("id"): node for node in root.iterfind("{*}library_nodes/{*}node")}
    waiting = [(node, np.eye(4), 0) for node in root.iterfind("{*}library_visual_scenes/{*}visual_scene/{*}node")]
    while waiting:
        node, X, depth = waiting.pop()
        if depth > _MAX_DEPTH:
            raise ValueError(f"nodes are nested more than {_MAX_DEPTH} deep")
        for element in node.iterchildren(tag="{*}*"):
            tag = element.tag.rpartition("}")[2]
            if tag in ("matrix", "translate", "rotate", "scale"):
                X = X @ _transform(tag, _numbers(element))
            elif tag == "instance_geometry":
                yield _target(element, "url"), X
            elif tag == "node":
                waiting.append((element, X, depth + 1))
            elif tag == "instance_node":
                waiting.append((library[_target(element, "url")], X, depth + 1))


def _transform(tag: str, x: FloatArray) -> FloatArray:
    X = np.eye(4)
    if tag == "matrix":
        return x.reshape(4, 4)
    if tag == "translate":
        X[:3, 3] = x
    elif tag == "scale":
        X[:3, :3] = np.diag(x)
    else:
        axis, angle = x[:3] / np.linalg.norm(x[:3]), np.radians(x[3])
        K = np.cross(np.eye(3), axis)
        X[:3, :3] = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
    return X


def _target(element: Any, attribute: str) -> str:
    """Name that a reference "#name" points to."""
    return str(element.get(attribute, "")).removeprefix("#")


def _numbers(element: Any) -> FloatArray:
    return np.array((element.text or "").split(), dtype=float)
