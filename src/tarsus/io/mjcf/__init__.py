"""Reading MJCF, the model files of MuJoCo.

Bodies, joints, inertias (also those that follow from geoms), geoms, sites, default classes, compiler settings,
includes, attached models, replicas, actuators, key frames, equality constraints, tendons along joints, materials and
textures are read; what only matters to contact and sensors is ignored, and what bends is left out with a warning.
Masses, poses and limits come out as MuJoCo's compiler has them.

- A body with several joints becomes a chain of virtual links called "body/joint" in MuJoCo's order.
- Sites become frames. Geoms with contype = conaffinity = 0 are visual, unless a <pair> lets them touch a geom of the
  world; the others collide; colliding geoms of groups 0 to 2 are visual, too.
- A single top-level body with a free joint makes a free base; the joint is called "base" then; bodies of the world
  beside it that carry nothing, such as a frame of reference, are passed over. A single top-level body
  at the world origin without joints is a fixed root. Otherwise there is a link "world".
- The reference pose is the key frame "home", else the first key frame, else the pose as drawn.
- Equality constraints: see `tarsus.io.mjcf.forces.equalities`; actuators: see `tarsus.io.mjcf.forces.actuators`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from tarsus.errors import Problem
from tarsus.io.mjcf.expansion.document import open_document
from tarsus.io.mjcf.reader import describe
from tarsus.io.packages import PackageFinder
from tarsus.io.xml import MAX_FILE_SIZE, read_bytes
from tarsus.model.description import BaseKind, Description

__all__ = ["read_mjcf", "read_mjcf_text"]


def read_mjcf(
    path: str | os.PathLike[str],
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    base: BaseKind | None = None,
    *,
    max_size: int = MAX_FILE_SIZE,
    check_meshes: bool = False,
) -> tuple[Description, tuple[Problem, ...]]:
    """Read an MJCF file.

    Parameters
    ----------
    path : path-like
    package_dirs : iterable of path-like
        Directories beside the file's own that includes and meshes may be read from; see `tarsus.io.packages`.
    base : {"free", "planar", "fixed"}, optional
        How the root is attached to the world; what the file says by default.
    max_size : int
        Refuse larger files, included ones counted [bytes].
    check_meshes : bool
        Look into all mesh files; otherwise only into those that an inertia is computed from.

    Returns
    -------
    description : Description
    problems : tuple of Problem
        What only the file can tell; `find_problems` judges the description. With an error among them the description
        is incomplete.

    Raises
    ------
    ModelFileError
        If the file cannot be read or parsed at all, or its includes or replicas are out of bounds.
    """
    name = os.fspath(path)
    data = read_bytes(name, max_size=max_size)
    return _read(data, name, PackageFinder(path, package_dirs), base, max_size, check_meshes)


def read_mjcf_text(
    text: str | bytes,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    base: BaseKind | None = None,
    *,
    name: str = "<string>",
    max_size: int = MAX_FILE_SIZE,
    check_meshes: bool = False,
) -> tuple[Description, tuple[Problem, ...]]:
    """Read MJCF from a string; see `read_mjcf`. `name` stands for the file in messages."""
    return _read(text, name, PackageFinder(None, package_dirs), base, max_size, check_meshes)


def _read(
    data: str | bytes, name: str, finder: PackageFinder, base: BaseKind | None, max_size: int, check_meshes: bool
) -> tuple[Description, tuple[Problem, ...]]:
    root, report = open_document(data, name, finder, max_size)
    # Numbers that are finite each may overflow together; what comes out infinite is refused by validation.
    with np.errstate(over="ignore", invalid="ignore"):
        description = describe(root, report, finder, base, check_meshes)
    return description, tuple(report.problems)
