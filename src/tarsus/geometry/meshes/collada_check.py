"""Checking COLLADA meshes, which are XML and parsed by the same rules as model files."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from lxml import etree

from tarsus.geometry.meshes.problem import MeshProblem, bad_indices, not_finite
from tarsus.untrusted_xml import parse_untrusted

_PRIMITIVES = ("triangles", "polylist", "polygons", "trifans", "tristrips", "lines", "linestrips")


def check_collada(data: npt.NDArray[np.uint8]) -> list[MeshProblem]:
    """Defects of a COLLADA file given as bytes.

    Raises
    ------
    ModelFileError
        If it is not well-formed XML.
    """
    root, _ = parse_untrusted(data.tobytes(), max_size=len(data), long_text=True)
    if etree.QName(root).localname != "COLLADA":
        return [MeshProblem("mesh-header", f"expected <COLLADA>, found <{etree.QName(root).localname}>")]
    meshes = root.findall(".//{*}geometry/{*}mesh")
    if not meshes:
        return [MeshProblem("mesh-empty", "there is no mesh")]
    problems: list[MeshProblem] = []
    try:
        for mesh in meshes:
            problems += _check_geometry(mesh)
    except (ValueError, OverflowError) as error:
        problems.append(MeshProblem("mesh-syntax", f"not numbers: {error}"))
    return problems


def _check_geometry(mesh: etree._Element) -> list[MeshProblem]:
    problems: list[MeshProblem] = []
    positions = {
        reference.get("source", "")[1:]
        for reference in mesh.iterfind("{*}vertices/{*}input")
        if reference.get("semantic") == "POSITION"
    }
    rows: dict[str, int] = {}
    for source in mesh.iterfind("{*}source"):
        values = source.find("{*}float_array")
        if values is None:
            continue
        tokens = (values.text or "").split()
        promised = int(values.get("count", "-1"))
        if promised != len(tokens):
            message = f"<float_array> promises {promised} numbers, there are {len(tokens)}"
            problems.append(MeshProblem("mesh-header", message))
        if source.get("id", "") in positions:
            problems += not_finite(np.array(tokens, dtype=float))
        accessor = source.find("{*}technique_common/{*}accessor")
        stride = 1 if accessor is None else max(int(accessor.get("stride", "1")), 1)
        rows[source.get("id", "")] = len(tokens) // stride
    for vertices in mesh.iterfind("{*}vertices"):
        rows[vertices.get("id", "")] = min((rows[name] for name in positions if name in rows), default=0)
    for primitive in mesh:
        if isinstance(primitive.tag, str) and etree.QName(primitive).localname in _PRIMITIVES:
            problems += _check_primitive(primitive, rows)
    return problems


def _check_primitive(primitive: etree._Element, rows: dict[str, int]) -> list[MeshProblem]:
    inputs = [(int(i.get("offset", "0")), i.get("source", "")[1:]) for i in primitive.iterfind("{*}input")]
    stride = 1 + max((offset for offset, _ in inputs), default=0)
    problems: list[MeshProblem] = []
    for p in primitive.iterfind("{*}p"):
        indices = np.array((p.text or "").split(), dtype=np.int64)
        if len(indices) % stride:
            problems.append(MeshProblem("mesh-index", f"{len(indices)} indices do not come in groups of {stride}"))
            continue
        for offset, source in inputs:
            if source in rows and offset >= 0:
                problems += bad_indices(indices[offset::stride], 0, rows[source] - 1)
    return problems
