"""Finding the files that a model file refers to, without leaving the packages it may read.

A reference is one of

- ``package://name/path`` or ``model://name/path``: `path` in the package `name`, looked for in `package_dirs`, in and
  beside the directories above the model file, and in the directories of ROS_PACKAGE_PATH, AMENT_PREFIX_PATH
  (``share/name``) and, for models, the resource paths of Gazebo. Above the package of the model file, a directory is a
  package only if it holds a ``package.xml`` or ``model.config``; ``package:///path`` is a path in the file's own;
- ``file:///path``, an absolute path, or a path relative to the model file.

A file outside the package is never touched, wherever ``..`` or symbolic links lead. The package of a model file is the
nearest directory above it with a ``package.xml`` or ``model.config``, else its own directory, or the one above where
its own has a name such as ``urdf`` or ``robots``. `package_dirs` adds directories that may be read as well. Nothing is
ever fetched from the network.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from lxml import etree

from tarsus.io.report import Report

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?://)?")
_PACKAGE_MARKS = ("package.xml", "model.config")
_SUBDIRECTORIES = frozenset({"urdf", "robots", "robot", "models", "model", "xml", "mjcf", "sdf", "sdfs", "worlds"})
_GAZEBO_PATHS = ("GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH")


@dataclass(frozen=True, slots=True)
class Resolution:
    """What became of a reference.

    Attributes
    ----------
    verdict : {"found", "missing", "outside", "remote"}
    path : str or None
        The file with symbolic links resolved, if it was found.
    tried : tuple of str
        Paths that were looked at, in this order.
    place : str
        Of a file outside, the directory that would have to be named for it, and for others near it.
    """

    verdict: Literal["found", "missing", "outside", "remote"]
    path: str | None
    tried: tuple[str, ...] = ()
    place: str = ""


class PackageFinder:
    """Resolves the references of one model file.

    Parameters
    ----------
    file : path-like or None
        The model file; None for a model that is not in a file.
    package_dirs : iterable of path-like
        Directories that contain packages, or packages themselves.
    """

    def __init__(
        self, file: str | os.PathLike[str] | None, package_dirs: Iterable[str | os.PathLike[str]] = ()
    ) -> None:
        if isinstance(package_dirs, str | os.PathLike):
            package_dirs = (package_dirs,)
        self._given = tuple(os.path.abspath(os.fspath(directory)) for directory in package_dirs)
        self.directory = None if file is None else os.path.dirname(os.path.abspath(os.fspath(file)))
        self._searched = (*self._given, *_environment_paths("ROS_PACKAGE_PATH"))
        self._prefixes = tuple(os.path.join(prefix, "share") for prefix in _environment_paths("AMENT_PREFIX_PATH"))
        self._models = tuple(path for name in _GAZEBO_PATHS for path in _environment_paths(name))
        self._trusted: tuple[str, ...] | None = None
        self._packages: dict[str, tuple[str, ...]] = {}
        self._resolutions: dict[tuple[str, str], Resolution] = {}
        self._reported: set[str] = set()
        self._outside: set[str] = set()
        self._real_directories: dict[str, str] = {}

    def locate(
        self, report: Report, node: etree._Element, uri: str, *, directory: str = "", what: str = "mesh"
    ) -> str | None:
        """Path of the file that `uri` refers to, or None after a note in `report`.

        There is one note for each `uri`, of files outside the package one for each place they branch off at.

        `directory`, relative to the model file, is where relative paths start. `what` names the kind of file.
        """
        resolution = self.resolve(uri, directory)
        if resolution.verdict == "found" or uri in self._reported:
            return resolution.path
        self._reported.add(uri)
        if resolution.verdict == "missing":
            report.warning(f"{what}-not-found", f"{what} {missing_message(uri, resolution)}", node, uri)
        elif resolution.verdict == "remote":
            report.warning(f"{what}-remote", f"{what} {uri!r} is not a local file; nothing is fetched", node, uri)
        else:
            if resolution.place not in self._outside:
                self._outside.add(resolution.place)
                report.error("path-outside-package", outside_message(what, uri, resolution), node, uri)
        return None

    def resolve(self, uri: str, directory: str = "") -> Resolution:
        """Resolve a reference; `directory`, relative to the model file, is where relative paths start."""
        key = (uri, directory)
        if key not in self._resolutions:
            self._resolutions[key] = self._resolved(uri.strip(), directory)
        return self._resolutions[key]

    def _resolved(self, uri: str, directory: str) -> Resolution:
        if not uri or "\0" in unquote(uri):
            return Resolution("missing", None)
        match = _SCHEME.match(uri)
        if match is None:
            return self._resolve_path(uri, directory)
        scheme, rest = match[1].lower(), uri[match.end() :]
        if scheme in ("package", "model"):
            found = self._resolve_in_packages(rest.lstrip("/"), scheme)
            if found.verdict == "missing" and rest.startswith("/") and self.directory is not None:
                return self._resolve_path(rest.lstrip("/"), _package_of(self.directory))
            return found
        if scheme == "file":
            rest = rest.removeprefix("localhost") if rest.startswith("localhost/") else rest
            found = self._resolve_path(rest, directory)
            return self._resolve_path(unquote(rest), directory) if found.verdict == "missing" else found
        return Resolution("remote", None)

    def _resolve_path(self, path: str, directory: str) -> Resolution:
        if self.directory is None and not os.path.isabs(path):
            return Resolution("missing", None)
        candidate = os.path.normpath(os.path.join(self.directory or "", directory, path))
        inside = self._is_trusted(candidate)
        if not inside and os.path.isabs(path) and not os.path.lexists(candidate):
            return Resolution("missing", None, (candidate,))  # a path of somebody else's machine
        if not inside:
            return Resolution("outside", None, (candidate,), self._place_outside(candidate))
        if os.path.isfile(candidate):
            return Resolution("found", self._real_path(candidate), (candidate,))
        return Resolution("missing", None, (candidate,))

    def _resolve_in_packages(self, rest: str, scheme: str) -> Resolution:
        package, _, path = rest.partition("/")
        tried = []
        for name in dict.fromkeys((path, unquote(path))):
            inner = os.path.normpath(name)
            if package in ("", ".", "..") or os.path.isabs(inner) or inner.split(os.sep)[0] == "..":
                return Resolution("outside", None, (rest,))
            for root in self._package_roots(package, scheme):
                candidate = os.path.join(root, inner)
                tried.append(candidate)
                if not os.path.isfile(candidate):
                    continue
                real = self._real_path(candidate)
                if not _is_inside(real, self._real_path(root)) and not self._is_trusted(real):
                    return Resolution("outside", None, (real,), self._place_outside(real))
                return Resolution("found", real, tuple(tried))
        return Resolution("missing", None, tuple(tried))

    def _package_roots(self, package: str, scheme: str) -> tuple[str, ...]:
        """Directories that are, or would be, the package, in the order of the search."""
        key = f"{scheme}:{package}"
        if key not in self._packages:
            ancestors = () if self.directory is None else tuple(_ancestors(self.directory))
            places = (*self._given, *ancestors, *self._searched[len(self._given) :])
            roots = []
            for place in (*places, *(self._models if scheme == "model" else ())):
                named = [place] if os.path.basename(place) == package else []
                named.append(os.path.join(place, package))
                roots += [root for root in named if place not in ancestors or self._is_package(root)]
            roots += [os.path.join(prefix, package) for prefix in self._prefixes]
            self._packages[key] = tuple(dict.fromkeys(roots))
        return self._packages[key]

    def _place_outside(self, path: str) -> str:
        """Directory to name for a file outside: where it branches off from the package, or else its own.

        Meshes in several directories beside the package have one place, and are told once.
        """
        parent = os.path.dirname(path)
        own = "" if self.directory is None else _package_of(self.directory)
        shared = os.path.commonpath([own, parent]) if own else os.sep
        if os.path.dirname(shared) in ("", os.sep) or parent == shared:  # nothing in common but the disk or a home
            return parent
        return os.path.join(shared, os.path.relpath(parent, shared).split(os.sep)[0])

    def _is_package(self, directory: str) -> bool:
        """Whether a directory that nobody named may be read: it says that it is a package, or is part of the own."""
        return _is_marked(directory) or self._is_trusted(directory)

    def _is_trusted(self, path: str) -> bool:
        """Whether a path with its symbolic links resolved lies in a directory that may be read."""
        if self._trusted is None:
            own = () if self.directory is None else (_package_of(self.directory),)
            places = (*own, *self._searched, *self._prefixes, *self._models)
            self._trusted = tuple(os.path.realpath(place) for place in places)
        real = self._real_path(path)
        return any(_is_inside(real, place) for place in self._trusted)

    def _real_path(self, path: str) -> str:
        """`os.path.realpath` of a normalised path, fast for many files in a few directories."""
        if os.path.islink(path):
            return os.path.realpath(path)
        directory, name = os.path.split(path)
        if directory not in self._real_directories:
            self._real_directories[directory] = os.path.realpath(directory)
        return os.path.join(self._real_directories[directory], name)


def _environment_paths(name: str) -> tuple[str, ...]:
    return tuple(os.path.abspath(path) for path in os.environ.get(name, "").split(os.pathsep) if path)


def _ancestors(directory: str) -> Iterator[str]:
    """`directory` and the directories above it, without the root of the file system."""
    while (parent := os.path.dirname(directory)) != directory:
        yield directory
        directory = parent


def _package_of(directory: str) -> str:
    """Directory of the package that a file in `directory` belongs to."""
    for ancestor in _ancestors(directory):
        if _is_marked(ancestor):
            return ancestor
    return os.path.dirname(directory) if os.path.basename(directory).lower() in _SUBDIRECTORIES else directory


def _is_marked(directory: str) -> bool:
    return any(os.path.isfile(os.path.join(directory, mark)) for mark in _PACKAGE_MARKS)


def _is_inside(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def missing_message(uri: str, resolution: Resolution) -> str:
    """What to tell of a file that is not there: where it was looked for, and of a package how to name it."""
    tried = "; tried: " + ", ".join(resolution.tried) if resolution.tried else ""
    match = _SCHEME.match(uri.strip())
    if match is None or match[1].lower() not in ("package", "model"):
        return f"{uri!r} not found{tried}"
    return f"{uri!r} not found{tried}; package_dirs= (--package-dir) names directories with packages"


def outside_message(what: str, uri: str, resolution: Resolution) -> str:
    """What to tell of a file that lies outside the package of the model: which option lets it be read."""
    where = resolution.place or "the directory"
    return (
        f"{what} {uri!r} lies outside the package of the file, in {where}: package_dirs=[{where!r}] "
        "(--package-dir on the command line) lets everything there be read"
    )
