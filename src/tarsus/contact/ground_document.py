"""Grounds as plain JSON values, so that recordings remember what the robot stood on."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.ground import Block, Ground, HeightField, Plane
from tarsus.contact.laws import LAWS
from tarsus.contact.triangle_mesh import TriangleMesh
from tarsus.io.json_codec import NUMBER, NUMBERS, POSE, TEXT, Codec, either, list_of, record, refused, vector

MOST_HEIGHTS = 250_000
"""Points of height fields and triangles that a document holds: it is copied with every part of a trajectory."""

_LAW = either(
    "contact law",
    {law.__name__: (law, record(law, **{field.name: NUMBER for field in fields(law)})) for law in LAWS},
)


def _decode_heights(value: Any, place: str) -> FloatArray:
    rows = list_of(NUMBERS).decode(value, place)
    if len({len(row) for row in rows}) != 1:
        raise refused(place, value, "rows of equal length")
    return np.array(rows)


def _decode_faces(value: Any, place: str) -> Any:
    faces = _decode_heights(value, place)
    if not np.all(np.abs(faces) < 2**31) or np.any(faces != np.round(faces)):
        raise refused(place, value, "whole numbers of vertices")
    return faces.astype(np.intp)


_HEIGHTS = Codec(lambda heights: np.asarray(heights).tolist(), _decode_heights)
_VERTICES = Codec(lambda vertices: np.asarray(vertices).tolist(), _decode_heights)
_FACES = Codec(lambda faces: np.asarray(faces).tolist(), _decode_faces)
_MOVING = {"velocity": vector(3), "spin": NUMBER}
_MOTION = tuple(_MOVING)
_SURFACES = list_of(
    either(
        "surface",
        {
            "plane": (Plane, record(Plane, _MOTION, law=_LAW, point=vector(3), normal=vector(3), name=TEXT, **_MOVING)),
            "block": (Block, record(Block, _MOTION, size=vector(3), pose=POSE, law=_LAW, name=TEXT, **_MOVING)),
            "height field": (
                HeightField,
                record(HeightField, heights=_HEIGHTS, spacing=NUMBER, origin=vector(2), law=_LAW, name=TEXT),
            ),
            "mesh": (TriangleMesh, record(TriangleMesh, vertices=_VERTICES, faces=_FACES, law=_LAW, name=TEXT)),
        },
    )
)


def ground_to_document(ground: Ground) -> list[Any] | None:
    """Surfaces of a ground with their laws, as JSON values; None if points and triangles exceed `MOST_HEIGHTS`."""
    heights = sum(np.size(surface.heights) for surface in ground.surfaces if isinstance(surface, HeightField))
    triangles = sum(len(np.asarray(s.faces)) for s in ground.surfaces if isinstance(s, TriangleMesh))
    return None if heights + triangles > MOST_HEIGHTS else _SURFACES.encode(ground.surfaces)


def ground_from_document(document: Any) -> Ground:
    """The ground of a document, which may come from anywhere.

    Raises
    ------
    TarsusError
        If the document is not one of a ground, or its numbers make none.
    """
    return Ground(_SURFACES.decode(document, "ground"))
