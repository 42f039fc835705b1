"""Loading a model from a file of any known format."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy.typing as npt

from tarsus.errors import (
    ArgumentError,
    DtypeError,
    LoopError,
    ModelError,
    ModelFileError,
    ModelWarning,
    Problem,
    UnknownNameError,
    nearest,
)
from tarsus.io.wide_limits import without_wide_limits
from tarsus.io.xml import MAX_FILE_SIZE, parse_xml
from tarsus.model.coupling import CouplingMode, Loop
from tarsus.model.description import BaseKind, Description
from tarsus.model.joint import BASE_KINDS
from tarsus.model.loops.given import FramePair, as_given, with_given
from tarsus.model.validation import find_problems
from tarsus.spatial.parametrisations import PARAMETRISATIONS
from tarsus.untrusted_xml import refusal, tag_of

if TYPE_CHECKING:
    from tarsus.model.model import Model

Path = str | os.PathLike[str]
_Reader = Callable[..., tuple[Description, tuple[Problem, ...]]]

_FORMATS = {".urdf": "robot", ".mjcf": "mujoco", ".sdf": "sdf", ".world": "sdf"}
"""Root element that a file with this suffix must have; other files are judged by their root element."""


def load(
    path: Path,
    base: BaseKind | None = None,
    *,
    package_dirs: Iterable[Path] = (),
    rotation: str = "quaternion",
    couplings: CouplingMode = "reduce",
    strict: bool = False,
    repair: bool = False,
    max_size: int = MAX_FILE_SIZE,
    check_meshes: bool = False,
    loop_tolerance: Mapping[str, float] | None = None,
    srdf: Path | None = None,
    name: str | None = None,
    loops: Path | Iterable[Loop | Mapping[str, Any] | FramePair] = (),
    independent: Sequence[str] = (),
    reference: Mapping[str, npt.ArrayLike] | None = None,
    volumes: Path | Literal[False] | None = None,
) -> Model:
    """Load a robot from URDF, MJCF or SDF.

    The format follows from the suffix (``.urdf``, ``.mjcf``, ``.sdf``, ``.world``), for other suffixes from the root
    element. Reading resolves no entities, touches no network, and leaves the package of the file alone.

    Parameters
    ----------
    path : path-like
    base : {"free", "planar", "fixed"}, optional
        How the root is attached to the world; what the file says by default (URDF: fixed).
    package_dirs : iterable of path-like
        Where packages with meshes are looked for first; see `tarsus.io.packages`.
    rotation : str
        Parametrisation of the rotation of a free base in q; it never changes v.
    couplings : {"reduce", "cut", "lock"}
        Joints that depend on others are eliminated, freed, or fixed.
    strict : bool
        Treat warnings as errors.
    repair : bool
        Replace impossible inertias by the nearest possible ones.
    max_size : int
        Refuse larger files [bytes].
    check_meshes : bool
        Look into mesh files, too; otherwise they are only located.
    loop_tolerance : mapping of str to float, optional
        `Loop.tolerance` of loops by their names: by what share of its size a loop may miss and still be meant to move.
    srdf : path-like, optional
        SRDF file of the robot: its group states become `model.poses`, its pairs `model.collision_exclusions`.
    name : str, optional
        Which model of an SDF file that holds several; "*" for one `Model` of all of them, whose free ones have free
        joints and whose static ones are fixed to the world. By default the only model, or the only one that is not
        static; other files are refused with a list of the names. In other formats, the name the model must have.
    loops : path-like or iterable, optional
        What closes loops that the file does not tell of: a TOML file (see `tarsus.io.loop_file`), or for each of them
        two frames that coincide in their origins, with the kind of the joint where it is not "spherical", a mapping
        with the arguments of `Model.with_loop`, or a `Loop`.
    independent : sequence of str
        Joints that lead the loops they are in; chosen by default.
    reference : mapping of str to float or sequence
        Coordinates of joints near which loops are closed; four numbers (w, x, y, z) for a ball.
    volumes : path-like or False, optional
        TOML file of swept-sphere volumes (see `tarsus.io.volume_file`). By default the one beside the model's file is
        read where there is one: `robot.volumes.toml` beside `robot.urdf`; False reads none.

    Returns
    -------
    model : Model
        Its `warnings` lists what is suspicious; they are also told by one `ModelWarning`.

    Raises
    ------
    ModelFileError
        With all problems found, each with file, line, element, value and rule.
    """
    from tarsus.model.assembly import assemble

    if rotation not in PARAMETRISATIONS:
        raise UnknownNameError(f"rotation {rotation!r} is not known{nearest(rotation, PARAMETRISATIONS)}")
    file = _file(path)
    description, noted = _read(file, base, package_dirs, max_size, check_meshes, name)
    if srdf is not None:
        from tarsus.io.urdf.srdf import with_srdf

        description, told = with_srdf(description, srdf, max_size=max_size)
        noted = (*noted, *told)
    description = _with_loops(description, loops, independent, reference, max_size)
    description = _with_tolerances(replace(description, rotation=rotation), loop_tolerance or {})
    description = _with_volumes(description, file, volumes, max_size)
    if any(problem.severity == "error" or strict for problem in noted):
        problems = _merged(noted, find_problems(_repaired(description) if repair else description))
        raise ModelFileError([replace(p, severity="error") for p in problems] if strict else problems)
    try:
        model = assemble(description, couplings=couplings, strict=strict, repair=repair, warnings=noted)
    except LoopError:
        raise
    except ModelError as error:
        raise ModelFileError(_merged(noted, error.problems)) from None
    if model.warnings:
        warnings.warn(ModelWarning(_summary(file, model.warnings)), stacklevel=2)
    return model


def _with_loops(
    description: Description,
    loops: Path | Iterable[Loop | Mapping[str, Any] | FramePair],
    independent: Sequence[str],
    reference: Mapping[str, npt.ArrayLike] | None,
    max_size: int,
) -> Description:
    """The description with what was given of its loops; arguments win over a file of loops."""
    told = as_given((), independent, reference)
    if isinstance(loops, str | os.PathLike):
        from tarsus.io.loop_file import read_loop_file

        file = os.fspath(loops)
        read = read_loop_file(file, max_size=max_size)
        try:
            description = with_given(description, read)
        except ArgumentError as error:
            raise refusal("loop", str(error), file) from None
    else:
        told = told._replace(loops=as_given(loops).loops)
    return with_given(description, told)


def _with_volumes(description: Description, file: str, volumes: object, max_size: int) -> Description:
    """The description with the volumes of a file: the one named, or one beside the model's where there is one."""
    from tarsus.io.volume_file import volume_file_beside, with_volume_file

    if volumes is False:
        return description
    if volumes is not None and not isinstance(volumes, str | os.PathLike):
        raise ArgumentError(f"volumes: expected a file or False, found {volumes!r}")
    beside = volume_file_beside(file)
    if volumes is None and not beside.is_file():
        return description
    return with_volume_file(description, beside if volumes is None else volumes, max_size=max_size)


def _with_tolerances(description: Description, tolerances: Mapping[str, float]) -> Description:
    names = [loop.name for loop in description.loops]
    for name in tolerances:
        if name not in names:
            raise UnknownNameError(f"loop {name!r} of loop_tolerance not found{nearest(name, names)}")
    loops = (replace(loop, tolerance=tolerances.get(loop.name, loop.tolerance)) for loop in description.loops)
    return replace(description, loops=tuple(loops))


def inspect_file(
    path: Path,
    base: BaseKind | None = None,
    *,
    package_dirs: Iterable[Path] = (),
    max_size: int = MAX_FILE_SIZE,
    check_meshes: bool = True,
    name: str | None = None,
) -> tuple[Description | None, tuple[Problem, ...]]:
    """Read a model file for its problems, which are returned and never raised.

    Parameters are those of `load`.

    Returns
    -------
    description : Description or None
        None if the file cannot be read at all.
    problems : tuple of Problem
        Errors first, then warnings, each in the order of the file.
    """
    try:
        description, noted = _read(_file(path), base, package_dirs, max_size, check_meshes, name)
    except ModelError as error:
        return None, error.problems
    found = find_problems(description)
    try:
        _with_volumes(description, os.fspath(path), None, max_size)
    except ModelError as error:
        noted = (*noted, *error.problems)
    return description, _merged(noted, found)


def _file(path: Path) -> str:
    if not isinstance(path, str | os.PathLike):
        raise DtypeError(f"path is {path!r}; expected the path of a model file")
    return os.fspath(path)


def _read(
    file: str,
    base: BaseKind | None,
    package_dirs: Iterable[Path],
    max_size: int,
    check_meshes: bool,
    name: str | None,
) -> tuple[Description, tuple[Problem, ...]]:
    if base is not None and base not in BASE_KINDS:
        raise ArgumentError(f"base must be one of {sorted(BASE_KINDS)}, not {base!r}{nearest(base, BASE_KINDS)}")
    if name is not None and not isinstance(name, str):
        raise DtypeError(f"name is {name!r}; expected the name of a model")
    if isinstance(package_dirs, str | os.PathLike):
        package_dirs = (package_dirs,)
    reader, root = _reader(file, max_size)
    chosen = {"model_name": name} if root == "sdf" else {}
    description, noted = reader(file, tuple(package_dirs), base, max_size=max_size, check_meshes=check_meshes, **chosen)
    if name is not None and not chosen and name != description.name:
        raise UnknownNameError(f"{file} holds no model {name!r}; it is called {description.name!r}")
    if base is not None and description.base != base:
        description = replace(description, base=base)
    description, wide = without_wide_limits(description)
    return description, (*noted, *wide)


def _reader(name: str, max_size: int) -> tuple[_Reader, str]:
    suffix = os.path.splitext(name)[1].lower()
    if suffix == ".xacro":
        raise refusal("file-format", "xacro files must be expanded first: xacro robot.xacro > robot.urdf", name, suffix)
    root = _FORMATS.get(suffix)
    if root is None:
        root = tag_of(parse_xml(name, max_size=max_size)[0]).rpartition("}")[2]
    if root == "robot":
        from tarsus.io.urdf import read_urdf

        return read_urdf, root
    if root in ("mujoco", "mujocoinclude"):
        from tarsus.io.mjcf import read_mjcf

        return read_mjcf, root
    if root == "sdf":
        from tarsus.io.sdf import read_sdf

        return read_sdf, root
    message = f"unknown format: the root element is <{root[:40]}>, expected <robot>, <mujoco> or <sdf>"
    raise refusal("file-format", message, name, root[:40], line=1)


def _repaired(description: Description) -> Description:
    from tarsus.model.repair import repair

    return repair(description)


def _merged(noted: Iterable[Problem], found: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems of reader and validation, errors first, in the order of the file, without consequences of others."""
    known = {(problem.rule, problem.line) for problem in noted}
    echoes = {"unknown-parent": "missing-parent", "unknown-child": "missing-child", "self-parent": "missing-parent"}
    fresh = [p for p in found if p.value or (echoes.get(p.rule, ""), p.line) not in known]
    return tuple(sorted((*noted, *fresh), key=lambda p: (p.severity != "error", p.file, p.line)))


def _summary(name: str, problems: tuple[Problem, ...]) -> str:
    lead = problems[0].file or name
    shown = "; ".join(f"{_place(lead, p)}{p.message[:160]}" for p in problems[:3])
    more = f"; and {len(problems) - 3} more, see model.warnings" if len(problems) > 3 else ""
    return f"{lead}: {shown}{more}"


def _place(lead: str, problem: Problem) -> str:
    """Where a problem stands: the file only where it is another one than the first."""
    other = f"{problem.file}: " if problem.file not in ("", lead) else ""
    return f"{other}line {problem.line}: " if problem.line else other
