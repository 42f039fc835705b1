"""Swept-sphere volumes of a robot in a small TOML file beside the robot's own.

`robot.urdf` has its volumes in `robot.volumes.toml`, where `tarsus.load` finds them. A file lists them one by one, each
with the link (or joint, or named frame) in whose coordinates its vertices are [m]:

    [[volume]]
    link = "forearm"
    radius = 0.05
    vertices = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.3]]

One vertex is a sphere, two are a line, three a triangle.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tarsus.errors import ArgumentError, ModelFileError, nearest
from tarsus.files import write_whole
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.model.description import Description
from tarsus.model.volumes import GivenVolumes, Volumes, as_volumes
from tarsus.untrusted_xml import read_bytes, refusal

SUFFIX = ".volumes.toml"
KEYS = ("link", "radius", "vertices")
"""Of a volume."""
MAX_SIZE = 16 * 2**20
"""Largest file that is read [bytes]."""
MAX_VOLUMES = 20_000
"""Of a robot."""


def volume_file_beside(path: str | os.PathLike[str]) -> Path:
    """Where the volumes of a model file are looked for: `robot.volumes.toml` for `robot.urdf`."""
    return Path(os.fsdecode(path)).with_suffix(SUFFIX)


def read_volume_file(path: str | os.PathLike[str], *, max_size: int = MAX_SIZE) -> dict[str, tuple[SweptSphere, ...]]:
    """Volumes of a TOML file by link.

    Raises
    ------
    ModelFileError
        If the file cannot be read, is no TOML, or holds something else; it names the volume and what is wrong.
    """
    name = os.fspath(path)
    try:
        content = tomllib.loads(read_bytes(name, max_size=min(max_size, MAX_SIZE)).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise refusal("file-format", f"this is no TOML: {error}", name) from None
    for key in content:
        if key != "volume":
            raise refusal("unknown-key", f"unknown key {key!r}; expected tables [[volume]]", name, key)
    entries = content.get("volume", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise refusal("volume", "expected tables [[volume]]", name)
    if len(entries) > MAX_VOLUMES:
        raise refusal("volume", f"{len(entries)} volumes are more than the limit of {MAX_VOLUMES}", name)
    found: dict[str, list[SweptSphere]] = {}
    for number, entry in enumerate(entries):
        link, volume = _volume(entry, number, name)
        found.setdefault(link, []).append(volume)
    return {link: tuple(volumes) for link, volumes in found.items()}


def _volume(entry: Mapping[str, Any], number: int, file: str) -> tuple[str, SweptSphere]:
    link = entry.get("link")
    place = f"volume {number + 1}" + (f", of link {link!r}" if isinstance(link, str) else "")
    for key in entry:
        if key not in KEYS:
            raise refusal("unknown-key", f"{place}: unknown key {key!r}{nearest(key, KEYS)}", file, key)
    for key in KEYS:
        if key not in entry:
            raise refusal("volume", f"{place}: {key} is missing", file, key)
    if not isinstance(link, str):
        raise refusal("volume", f"{place}: link is {link!r}, expected a name", file, str(link)[:40])
    vertices, radius = entry["vertices"], entry["radius"]
    if not isinstance(vertices, list) or not 1 <= len(vertices) <= 3 or not all(map(_is_point, vertices)):
        shown = repr(vertices)[:60]
        raise refusal("volume", f"{place}: vertices are {shown}, expected one to three points of three numbers", file)
    if not _is_number(radius):
        raise refusal("volume", f"{place}: radius is {radius!r}, expected a number", file, str(radius)[:40])
    try:
        return link, SweptSphere(vertices, float(radius))
    except (ArgumentError, OverflowError) as error:
        raise refusal("volume", f"{place}: {error}", file) from None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_point(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(_is_number, value))


def with_volume_file(
    description: Description, path: str | os.PathLike[str], *, max_size: int = MAX_SIZE
) -> Description:
    """The description with the volumes of a file.

    Raises
    ------
    ModelFileError
        Also where the file names a link that the robot does not have.
    """
    volumes = read_volume_file(path, max_size=max_size)
    parts = (description.links, description.joints, description.frames)
    known = {spec.name for group in parts for spec in group}
    for link in volumes:
        if link not in known:
            message = f"volumes of the unknown link {link!r}{nearest(link, known)}"
            raise refusal("unknown-link", message, os.fspath(path), link)
    return replace(description, volumes=volumes)


def write_volume_file(path: str | os.PathLike[str], volumes: GivenVolumes, *, comment: str = "") -> None:
    """Write volumes by link to a TOML file, which `read_volume_file` reads back bit by bit.

    Parameters
    ----------
    path : path-like
        An older file is replaced when the new one is complete.
    volumes : mapping of str to SweptSphere or iterable of them
    comment : str
        Put at the top, line by line.
    """
    write_whole(path, _text(as_volumes(volumes), comment).encode())


def _text(volumes: Volumes, comment: str) -> str:
    lines = [f"# {line}".rstrip() for line in comment.splitlines() if line.isprintable()]
    for link, several in volumes.items():
        for volume in several:
            points = ", ".join(f"[{', '.join(map(repr, point))}]" for point in volume.vertices.tolist())
            lines += ["", "[[volume]]", f"link = {_quoted(link)}", f"radius = {volume.radius!r}"]
            lines.append(f"vertices = [{points}]")
    return "\n".join(lines).lstrip("\n") + "\n"


def _quoted(name: str) -> str:
    """Text as TOML writes it: as JSON does, and with its last control character escaped, too."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
