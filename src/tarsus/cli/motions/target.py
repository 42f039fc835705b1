"""The MODEL argument of commands: a model file or one of the built-in robots."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tarsus.errors import LoopError, ModelWarning, nearest
from tarsus.model.model import Model

ROBOT_PREFIX = "robot:"

BaseOption = Literal["free", "planar", "fixed"]

TARGET_HELP = "A URDF, MJCF or SDF file, or a built-in robot such as robot:hrp2 or robot:coil:16."

LoopsOption = Annotated[
    Path | None,
    typer.Option(
        "--loops",
        exists=True,
        dir_okay=False,
        help="A TOML file that tells which frames coincide, which joints lead, and a reference: loops of a robot.",
        show_default=False,
    ),
]

VolumesOption = Annotated[
    Path | None,
    typer.Option(
        "--volumes",
        exists=True,
        dir_okay=False,
        help="A TOML file of swept-sphere volumes; by default the one beside the model's (robot.volumes.toml).",
        show_default=False,
    ),
]

SrdfOption = Annotated[
    Path | None,
    typer.Option(
        "--srdf",
        exists=True,
        dir_okay=False,
        help="An SRDF file of the robot: poses by name, and pairs of links that may touch.",
        show_default=False,
    ),
]
NameOption = Annotated[str | None, typer.Option("--name", help="Which model of an SDF file with several; '*': all.")]


def open_model(
    target: str,
    base: BaseOption | None,
    package_dirs: Sequence[Path] = (),
    name: str | None = None,
    loops: Path | None = None,
    volumes: Path | Literal[False] | None = None,
    srdf: Path | None = None,
) -> Model:
    """Load the model that a person named on the command line; loops that cannot be closed are opened.

    `volumes` and `srdf` are those of `tarsus.load`; a built-in robot takes the volumes of a file, too.

    Loops that were asked for (`loops`) are not opened: what is wrong with them is an error. Warnings stay in
    `model.warnings`; they are not printed here.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        if target.startswith(ROBOT_PREFIX):
            if name is not None:
                raise typer.BadParameter("--name chooses a model of an SDF file; a built-in robot is one already")
            if loops is not None:
                raise typer.BadParameter("--loops is for robots of a file; built-in ones have their loops")
            if srdf is not None:
                raise typer.BadParameter("--srdf is for robots of a file; built-in ones have their poses")
            return _with_file(_robot(target[len(ROBOT_PREFIX) :], base), volumes)
        _refuse_bare_robot(target)
        from tarsus.io.load import load

        given: dict[str, Any] = {"package_dirs": package_dirs, "name": name, "volumes": volumes, "srdf": srdf}
        if loops is not None:
            return load(target, base, loops=loops, **given)
        try:
            return load(target, base, **given)
        except LoopError:
            return load(target, base, couplings="cut", **given)


def _with_file(model: Model, volumes: Path | Literal[False] | None) -> Model:
    """A built-in robot with the volumes of a file, where one was named."""
    if volumes is None or volumes is False:
        return model
    from tarsus.io.volume_file import read_volume_file

    return model.with_volumes(read_volume_file(volumes))


def _refuse_bare_robot(target: str) -> None:
    from tarsus import robots

    if target.partition(":")[0] in robots.__all__ and not Path(target).exists():
        raise typer.BadParameter(f"there is no file {target!r}; the built-in robot is {ROBOT_PREFIX}{target}")


def _robot(text: str, base: BaseOption | None) -> Model:
    from tarsus import robots

    name, _, size = text.partition(":")
    if name not in robots.__all__:
        hint = nearest(name, robots.__all__) or f"; there are {', '.join(robots.__all__)}"
        raise typer.BadParameter(f"no built-in robot {name!r}{hint}")
    make = getattr(robots, name)
    parameters = inspect.signature(make).parameters
    sized = any(p.default is p.empty for p in parameters.values())
    if sized and not size.isdecimal():
        raise typer.BadParameter(f"{ROBOT_PREFIX}{name} needs a size, for example {ROBOT_PREFIX}{name}:4")
    if size and not sized:
        raise typer.BadParameter(f"{ROBOT_PREFIX}{name} has no size")
    if base is not None and "base" not in parameters:
        raise typer.BadParameter(f"{ROBOT_PREFIX}{name} has no choice of base")
    model: Model = make(*([int(size)] if sized else []), **({} if base is None else {"base": base}))
    return model
