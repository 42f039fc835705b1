"""Model files and tables: reading URDF, MJCF and SDF, writing URDF, Denavit-Hartenberg parameters.

Every reader returns the description of the model and the problems that only the file can tell;
`tarsus.model.validation.find_problems` judges the description, and `load` does all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.io.dh import DHRow, dh_transform, from_dh
    from tarsus.io.load import inspect_file, load
    from tarsus.io.mjcf import read_mjcf, read_mjcf_text
    from tarsus.io.sdf import read_sdf, read_sdf_text
    from tarsus.io.urdf.reader import read_urdf, read_urdf_text
    from tarsus.io.urdf.writer import write_urdf

_HOMES = {
    "DHRow": "dh",
    "dh_transform": "dh",
    "from_dh": "dh",
    "inspect_file": "load",
    "load": "load",
    "read_mjcf": "mjcf",
    "read_mjcf_text": "mjcf",
    "read_sdf": "sdf",
    "read_sdf_text": "sdf",
    "read_urdf": "urdf.reader",
    "read_urdf_text": "urdf.reader",
    "write_urdf": "urdf.writer",
}
"""Modules of the public names, imported when they are first used."""

__getattr__ = lazy_names(__name__, _HOMES)

__all__ = [
    "DHRow",
    "dh_transform",
    "from_dh",
    "inspect_file",
    "load",
    "read_mjcf",
    "read_mjcf_text",
    "read_sdf",
    "read_sdf_text",
    "read_urdf",
    "read_urdf_text",
    "write_urdf",
]
