"""Layout of recordings (HDF5), shared by the writer and the reader.

===================== =============================== =======================================================
place                 type, shape                     content
===================== =============================== =======================================================
attributes of /       text, int                       ``format``, ``format_version``, ``tarsus_version``
/run                  text (JSON)                     ``metadata``, ``finished``, ``reason``
/model/document       text (JSON)                     the model, see `tarsus.io.model_document`
/model/meshes/<k>/... float (n, 3), int32 (m, 3)      ``vertices`` and ``faces`` of mesh number k
/time                 float64 (N,)                    moments [s]
/q, /v, /tau          float64 (N, *batch, nq or nv)   states and joint forces
/contacts/names       text (JSON)                     list of nc names
/contacts/position    float64 (N, *batch, nc, 3)      world [m]
/contacts/force       float64 (N, *batch, nc, 3)      on the robot, world axes [N]
/energy/<name>        float64 (N, *batch)             parts of the energy audit [J]
/signals/<name>       float64, int64 or bool (N, ...) further quantities
===================== =============================== =======================================================

Every array and text has the attribute ``crc32``, the checksum of its bytes (little-endian, row by row).
Names of signals that HDF5 cannot take are written as in addresses of the web ("a/b" as "a%2Fb").
"""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import quote, unquote

from tarsus.arrays import AnyArray
from tarsus.recording.samples import Samples
from tarsus.recording.trajectory import Trajectory

FORMAT = "tarsus recording"
FORMAT_VERSION = 1
"""Grows when the layout changes so that older programs would misread it."""
CHECKSUM = "crc32"
PART_SUFFIX = ".part"
"""Added to the name of a recording until it is complete."""
NOT_CLOSED = "the recording was not closed: the program that made it ended early"

_PLAIN = "".join(chr(code) for code in range(32, 127) if chr(code) not in "%/")


def part_path(path: str) -> str:
    """Path under which a recording is written until it is complete."""
    return path + PART_SUFFIX


def file_path(path: str | os.PathLike[str]) -> str:
    """Path as text."""
    return os.fsdecode(os.fspath(path))


def stored_name(name: str) -> str:
    """Name of a signal as HDF5 can take it."""
    return quote(name, safe=_PLAIN) if name.strip(".") else name.replace(".", "%2E")


def original_name(name: str) -> str:
    """Name of a signal from the one it is stored under."""
    return unquote(name, errors="strict")


def stored_arrays(chunk: Samples | Trajectory) -> dict[str, AnyArray]:
    """Arrays of a chunk by the places where they are stored."""
    return {
        "time": chunk.time,
        "q": chunk.q,
        "v": chunk.v,
        "tau": chunk.tau,
        "contacts/position": chunk.contact_position,
        "contacts/force": chunk.contact_force,
        **{f"energy/{name}": value for name, value in chunk.energy.items()},
        **{f"signals/{stored_name(name)}": value for name, value in chunk.signals.items()},
    }


def import_h5py() -> Any:
    """The module h5py, imported when a recording is first touched."""
    import h5py

    return h5py
