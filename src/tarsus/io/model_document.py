"""A model as a document of plain JSON values, from which it is rebuilt bit by bit.

The document holds what the model was made from (`Description`), not what was computed from it, so that it stays
readable when the library changes. Numbers are written so that they are read back exactly; infinite ones are the texts
"inf" and "-inf". Triangles of meshes are kept beside the document, which refers to them by number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tarsus.errors import ArgumentError, ModelError, ModelFileError, Problem
from tarsus.geometry.meshes.read import triangles_of
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.geometry.triangles import Triangles, merged
from tarsus.io.json_codec import (
    FLAG,
    LINE,
    NUMBER,
    NUMBERS,
    POSE,
    TEXT,
    TEXTS,
    VALUES,
    Codec,
    either,
    list_of,
    mapping_of,
    matrix,
    one_of,
    optional,
    record,
    refused,
    row,
    vector,
)
from tarsus.model.assembly import assemble
from tarsus.model.coupling import Coupling, Loop, Source
from tarsus.model.description import Description, FrameSpec, JointSpec, LinkSpec
from tarsus.model.joint import BASE_KINDS, JOINT_SIZES
from tarsus.model.model import Model
from tarsus.model.tendons import Tendon
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.parametrisations import PARAMETRISATIONS

DOCUMENT_VERSION = 1
"""Grows when documents change so that older programs would misread them."""


_SOURCE = Codec(
    lambda source: [str(source.file), int(source.line)],
    lambda value, place: Source(*row(TEXT, LINE).decode(value, place)),
)
_INERTIA = record(
    Inertia,
    mass=NUMBER,
    com=Codec(vector(3).encode, lambda value, place: np.array(vector(3).decode(value, place))),
    moments=matrix(3, 3),
)
_PRIMITIVES: dict[str, tuple[type, Codec]] = {
    "box": (Box, record(Box, size=vector(3))),
    "sphere": (Sphere, record(Sphere, radius=NUMBER)),
    "cylinder": (Cylinder, record(Cylinder, radius=NUMBER, length=NUMBER)),
    "capsule": (Capsule, record(Capsule, radius=NUMBER, length=NUMBER)),
    "ellipsoid": (Ellipsoid, record(Ellipsoid, radii=vector(3))),
    "plane": (Plane, record(Plane, size=vector(2))),
}


def _decode_volume(value: Any, place: str) -> SweptSphere:
    read = record(dict, vertices=list_of(vector(3)), radius=NUMBER).decode(value, place)
    try:
        return SweptSphere(**read)
    except ArgumentError as error:
        raise refused(place, value, f"a swept sphere: {error}") from None


_VOLUME = Codec(record(SweptSphere, vertices=list_of(vector(3)), radius=NUMBER).encode, _decode_volume)


class MeshTable:
    """Meshes of a model with their triangles, each once; `problems` tells which could not be read."""

    def __init__(self, contents: Sequence[Triangles] = ()) -> None:
        self.contents = list(contents)
        self.problems: list[str] = []
        self._known: dict[tuple[str | None, Triangles | None, str | None, bool], int | None] = {}

    def number(self, mesh: Mesh) -> int | None:
        """Place of the triangles of a mesh, None where there are none."""
        key = (mesh.path, mesh.content, mesh.part, mesh.centered)
        if key not in self._known:
            content = triangles_of(mesh)
            if isinstance(content, Triangles):
                self._known[key] = len(self.contents)
                self.contents.append(merged(content) if mesh.content is None else content)
            else:
                self._known[key] = None
                self.problems += [f"{mesh.uri}: {problem.message}" for problem in content]
        return self._known[key]

    def codec(self) -> Codec:
        """Codec of geometries whose meshes are in this table."""
        return either("geometry", {"mesh": (Mesh, Codec(self._encode_mesh, self._mesh)), **_PRIMITIVES})

    def _encode_mesh(self, mesh: Mesh) -> dict[str, Any]:
        return {"uri": mesh.uri, "scale": vector(3).encode(mesh.scale), "triangles": self.number(mesh)}

    def _mesh(self, value: Any, place: str) -> Mesh:
        mesh = record(dict, uri=TEXT, scale=vector(3), triangles=optional(LINE)).decode(value, place)
        number = mesh["triangles"]
        if number is not None and number >= len(self.contents):
            raise refused(f"{place}.triangles", number, f"less than {len(self.contents)}")
        content = None if number is None else self.contents[number]
        return Mesh(mesh["uri"], None, mesh["scale"], content)


def _description_codec(table: MeshTable) -> Codec:
    shape = record(Shape, geometry=table.codec(), pose=POSE, color=vector(4), name=TEXT)
    shapes = list_of(shape)
    link = record(
        LinkSpec,
        ("carried",),
        name=TEXT,
        inertia=optional(_INERTIA),
        visuals=shapes,
        collisions=shapes,
        virtual=FLAG,
        source=_SOURCE,
        carried=NUMBER,
    )
    properties = "q_min q_max v_max tau_max damping friction armature stiffness rest".split()
    joint = record(
        JointSpec,
        name=TEXT,
        kind=one_of(tuple(JOINT_SIZES)),
        parent=TEXT,
        child=TEXT,
        pose=POSE,
        child_pose=POSE,
        axis=vector(3),
        axis2=vector(3),
        pitch=NUMBER,
        **dict.fromkeys(properties, VALUES),
        actuated=FLAG,
        source=_SOURCE,
    )
    frame = record(FrameSpec, name=TEXT, link=TEXT, pose=POSE, source=_SOURCE)
    coupling = record(
        Coupling,
        joint=TEXT,
        leader=TEXT,
        ratio=NUMBER,
        offset=NUMBER,
        source=_SOURCE,
        further=list_of(row(TEXT, NUMBER)),
    )
    loop = record(
        Loop,
        name=TEXT,
        kind=TEXT,
        link_a=TEXT,
        link_b=TEXT,
        pose_a=POSE,
        pose_b=POSE,
        axis=vector(3),
        coefficients=NUMBERS,
        source=_SOURCE,
        independent=TEXTS,
        axis2=vector(3),
        pitch=NUMBER,
    )
    forces = "offset minimum maximum stiffness rest damping friction armature".split()
    tendon = record(
        Tendon, name=TEXT, terms=list_of(row(TEXT, NUMBER)), **dict.fromkeys(forces, NUMBER), source=_SOURCE
    )
    return record(
        Description,
        ("poses", "collision_exclusions", "volumes", "tendons", "base_forces"),
        name=TEXT,
        links=list_of(link),
        joints=list_of(joint),
        frames=list_of(frame),
        couplings=list_of(coupling),
        loops=list_of(loop),
        base=one_of(tuple(BASE_KINDS)),
        rotation=one_of(tuple(PARAMETRISATIONS)),
        gravity=vector(3),
        reference=mapping_of(VALUES),
        poses=mapping_of(mapping_of(VALUES)),
        collision_exclusions=list_of(row(TEXT, TEXT)),
        volumes=mapping_of(list_of(_VOLUME)),
        tendons=list_of(tendon),
        base_forces=mapping_of(VALUES),
        source=_SOURCE,
    )


_WARNING = record(
    Problem,
    severity=one_of(("warning", "error")),
    rule=TEXT,
    message=TEXT,
    element=TEXT,
    value=TEXT,
    file=TEXT,
    line=LINE,
)


class ModelDocument(NamedTuple):
    """A model ready to be stored.

    Attributes
    ----------
    content : dict
        Plain JSON values.
    meshes : list of Triangles
        Triangles that `content` refers to by number.
    problems : list of str
        Meshes that could not be read; only their names are stored.
    """

    content: dict[str, Any]
    meshes: list[Triangles]
    problems: list[str]


def model_to_document(model: Model) -> ModelDocument:
    """Document of a model; mesh files are read so that it stands alone."""
    table = MeshTable()
    content = {
        "version": DOCUMENT_VERSION,
        "couplings": model.coupling_mode,
        "description": _description_codec(table).encode(model.description),
        "warnings": list_of(_WARNING).encode(model.warnings),
    }
    return ModelDocument(content, table.contents, table.problems)


def model_from_document(content: Mapping[str, Any], meshes: Sequence[Triangles] = ()) -> Model:
    """Rebuild the model of a document.

    Raises
    ------
    ModelError
        If the document is not well-formed, or what it describes is not a valid model.
    """
    version = content.get("version") if isinstance(content, Mapping) else None
    if type(version) is not int or version < 1:
        raise refused("version", version, "a version of a model document")
    if version > DOCUMENT_VERSION:
        raise refused("version", version, f"at most {DOCUMENT_VERSION}: a newer tarsus wrote this model")
    expected = {"version", "couplings", "description", "warnings"}
    if content.keys() != expected:
        raise refused("the model document", sorted(content), f"an object with {', '.join(sorted(expected))}")
    description = _description_codec(MeshTable(meshes)).decode(content["description"], "description")
    warnings = list_of(_WARNING).decode(content["warnings"], "warnings")
    couplings = one_of(("reduce", "cut", "lock")).decode(content["couplings"], "couplings")
    try:
        return assemble(description, couplings=couplings, warnings=warnings)
    except ModelFileError as error:
        raise ModelError(error.problems) from None
