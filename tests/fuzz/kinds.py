"""Kinds of files that are fuzzed: how one is made, and what reading it comes to."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import binary_seeds
import numpy as np
from mutations import BYTE_MUTATIONS, JSON_MUTATIONS, MUTATIONS, changed
from xml_seeds import MJCF_SEEDS, SDF_SEEDS, SRDF_SEEDS, URDF_SEEDS

import tarsus as ts
from tarsus.errors import ModelError, Problem, RecordingError
from tarsus.geometry.meshes.read import read_mesh
from tarsus.geometry.triangles import Triangles
from tarsus.io.mjcf import read_mjcf_text
from tarsus.io.model_document import model_from_document
from tarsus.io.sdf import read_sdf_text
from tarsus.io.urdf import read_urdf_text
from tarsus.io.urdf.srdf import with_srdf
from tarsus.model.assembly import assemble
from tarsus.model.description import Description
from tarsus.model.validation import find_problems


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes
    ----------
    make : callable (rng) -> (suffix, bytes)
    verdict : callable (bytes, path) -> str
        What reading comes to; `path` is where the bytes may be written.
    weight : int
        Its share of all files, smaller where reading takes longer.
    """

    make: Callable[[random.Random], tuple[str, bytes]]
    verdict: Callable[[bytes, Path], str]
    weight: int = 4


def _judged(description: Description, noted: tuple[Problem, ...]) -> str:
    """Judge and assemble what was read."""
    errors = [problem for problem in (*noted, *find_problems(description)) if problem.severity == "error"]
    if errors:
        return f"refused: {errors[0].rule}"
    return _finite(assemble(description))


def _finite(model: ts.Model) -> str:
    if not np.isfinite(model.total_mass) or not np.isfinite(model.neutral()).all():
        raise AssertionError("the model is not finite")
    return "loaded"


def _model_kind(read: Callable[[bytes], tuple[Description, tuple[Problem, ...]]], seeds: list[bytes]) -> Kind:
    def verdict(data: bytes, _: Path) -> str:
        try:
            return _judged(*read(data))
        except ModelError as error:
            return f"refused: {error.first.rule}"

    return Kind(lambda rng: (".xml", changed(rng, seeds, MUTATIONS)), verdict)


def _read_sdf(data: bytes) -> tuple[Description, tuple[Problem, ...]]:
    """The model of a file, or all of them where there are several."""
    try:
        return read_sdf_text(data)
    except ModelError as error:
        if error.first.rule != "several-models":
            raise
        return read_sdf_text(data, model_name="*")


def _document_verdict(data: bytes, _: Path) -> str:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return "refused: no JSON"
    try:
        return _finite(model_from_document(document, []))
    except ModelError as error:
        return f"refused: {error.first.rule}"


_ARM = read_urdf_text(URDF_SEEDS[0])[0]


def _srdf_verdict(data: bytes, path: Path) -> str:
    path.write_bytes(data)
    try:
        return _judged(*with_srdf(_ARM, path))
    except ModelError as error:
        return f"refused: {error.first.rule}"


def _make_mesh(rng: random.Random) -> tuple[str, bytes]:
    seeds, mutations = rng.choice(
        [(binary_seeds.TEXT_MESHES, MUTATIONS), (binary_seeds.TEXT_MESHES, BYTE_MUTATIONS)]
        + [(binary_seeds.BINARY_MESHES, BYTE_MUTATIONS)] * 2
    )
    suffix = rng.choice(list(seeds))
    return suffix, changed(rng, [seeds[suffix]], mutations)


def _mesh_verdict(data: bytes, path: Path) -> str:
    path.write_bytes(data)
    found = read_mesh(path)
    if not isinstance(found, Triangles):
        return f"refused: {found[0].rule}"
    if not np.isfinite(found.vertices).all() or (found.faces.size and found.faces.max() >= len(found.vertices)):
        raise AssertionError("the mesh is not sound")
    return "loaded"


def _recording_verdict(data: bytes, path: Path) -> str:
    path.write_bytes(data)
    try:
        run = ts.open_recording(path)
    except RecordingError:
        return "refused: recording"
    if not (len(run.time) == len(run.q) == len(run.v)):
        raise AssertionError("the recording is not whole")
    return "loaded"


def _make_recording(rng: random.Random) -> tuple[str, bytes]:
    return ".h5", changed(rng, binary_seeds.recordings(), BYTE_MUTATIONS)


def _make_document(rng: random.Random) -> tuple[str, bytes]:
    return ".json", changed(rng, binary_seeds.documents(), JSON_MUTATIONS)


KINDS = {
    "urdf": _model_kind(read_urdf_text, URDF_SEEDS),
    "mjcf": _model_kind(read_mjcf_text, MJCF_SEEDS),
    "sdf": _model_kind(_read_sdf, SDF_SEEDS),
    "srdf": Kind(lambda rng: (".srdf", changed(rng, SRDF_SEEDS, MUTATIONS)), _srdf_verdict),
    "mesh": Kind(_make_mesh, _mesh_verdict),
    "recording": Kind(_make_recording, _recording_verdict, weight=1),
    "document": Kind(_make_document, _document_verdict, weight=3),
}


def made(kind: str, seed: int, number: int) -> tuple[str, bytes]:
    """Suffix and contents of file number `number` of the run with the given seed."""
    return KINDS[kind].make(random.Random(f"{kind} {seed} {number}"))
