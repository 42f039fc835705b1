"""Reading SDF, the model files of Gazebo and Drake.

Links, joints, frames, nested models and local includes are read; sensors, plugins and physics settings are ignored.

- A joint that closes a cycle is kept as a `Loop`: one whose child has a parent already, else the last one of it in the
  order of the file. Where such a joint closes none, it belongs to the tree: the tree grows from the world, or from
  the first link that is nobody's child, and joints that point towards that root are turned round with the sign of
  their coordinates kept. A gearbox between two hinges becomes a `Coupling`.
- A model that no joint ties to the world has a free base (a fixed one if it is static), and the root is the link
  without a parent. Otherwise there is a link "world", unless one link is fixed at the very origin of the world.
- Of several models one is chosen by name; together they hang on a link "world", free ones on free joints, static ones
  fixed, with names such as ``robot::link``.
- Names in nested models are joined by ``::``. Links without <inertial> weigh 1 kg, as the format says, with a warning.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from tarsus.errors import Problem
from tarsus.io.packages import PackageFinder
from tarsus.io.sdf.document import open_document
from tarsus.io.sdf.reader import ModelReader
from tarsus.io.xml import MAX_FILE_SIZE, read_bytes
from tarsus.model.description import BaseKind, Description

__all__ = ["read_sdf", "read_sdf_text"]


def read_sdf(
    path: str | os.PathLike[str],
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    base: BaseKind | None = None,
    *,
    model_name: str | None = None,
    max_size: int = MAX_FILE_SIZE,
    check_meshes: bool = False,
) -> tuple[Description, tuple[Problem, ...]]:
    """Read an SDF file.

    Parameters
    ----------
    path : path-like
    package_dirs : iterable of path-like
        Directories beside the file's own that includes and meshes may be read from; see `tarsus.io.packages`.
    base : {"free", "planar", "fixed"}, optional
        How the root is attached to the world; what the file says by default.
    model_name : str, optional
        Which model of several; "*" for a description of all of them. By default the only one, or the only one that is
        not static.
    max_size : int
        Refuse larger files, included ones counted [bytes].
    check_meshes : bool
        Look into mesh files, too; otherwise they are only located.

    Returns
    -------
    description : Description
    problems : tuple of Problem
        What only the file can tell; `find_problems` judges the description. With an error among them the description
        is incomplete.

    Raises
    ------
    ModelFileError
        If the file cannot be read or parsed at all, or does not hold one model.
    """
    name = os.fspath(path)
    data = read_bytes(name, max_size=max_size)
    return _read(data, name, PackageFinder(path, package_dirs), base, model_name, max_size, check_meshes)


def read_sdf_text(
    text: str | bytes,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    base: BaseKind | None = None,
    *,
    name: str = "<string>",
    model_name: str | None = None,
    max_size: int = MAX_FILE_SIZE,
    check_meshes: bool = False,
) -> tuple[Description, tuple[Problem, ...]]:
    """Read SDF from a string; see `read_sdf`. `name` stands for the file in messages."""
    return _read(text, name, PackageFinder(None, package_dirs), base, model_name, max_size, check_meshes)


def _read(
    data: str | bytes,
    name: str,
    finder: PackageFinder,
    base: BaseKind | None,
    model_name: str | None,
    max_size: int,
    check_meshes: bool,
) -> tuple[Description, tuple[Problem, ...]]:
    # Numbers that are finite each may overflow together; what comes out infinite is refused by validation.
    with np.errstate(over="ignore", invalid="ignore"):
        document, report = open_document(data, name, finder, max_size, model_name)
        description = ModelReader(document, report, finder, check_meshes).describe(base)
    return description, tuple(report.problems)
