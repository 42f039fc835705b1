"""`tarsus check`: every problem of a model file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.motions.target import NameOption
from tarsus.cli.options.text import counted, printable
from tarsus.errors import Problem
from tarsus.model.description import Description

MEGABYTE = 2**20


def check(
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="A URDF, MJCF or SDF file.", show_default=False)],
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="Where packages with meshes are looked for first; may be repeated."
        ),
    ] = None,
    name: NameOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    max_size: Annotated[float, typer.Option(min=0.0, max=4096.0, help="Refuse larger files [MB].")] = 64.0,
) -> None:
    """List every problem of a model file with its line; exit code 1 when there are errors.

    For example:

    `tarsus check robot.urdf`

    `tarsus check robot.xml --strict --json`

    `tarsus check robot.urdf --package-dir ~/ros/share`
    """
    from tarsus.io.load import inspect_file

    with one_line_errors(context):
        description, problems = inspect_file(
            file, package_dirs=package_dir or (), max_size=int(max_size * MEGABYTE), name=name
        )
    if strict:
        problems = tuple(replace(problem, severity="error") for problem in problems)
    errors = sum(problem.severity == "error" for problem in problems)
    if as_json:
        typer.echo(json.dumps(_report(file, problems, errors), indent=2))
    else:
        _print(file, description, problems, errors)
    raise typer.Exit(1 if errors else 0)


def _report(file: str, problems: Sequence[Problem], errors: int) -> dict[str, object]:
    return {
        "file": file,
        "ok": errors == 0,
        "errors": errors,
        "warnings": len(problems) - errors,
        "problems": [asdict(problem) for problem in problems],
    }


def _print(file: str, description: Description | None, problems: Sequence[Problem], errors: int) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for problem in problems:
        line = Text(printable(str(problem)))
        line.highlight_words([f"{problem.severity}:"], "bold red" if problem.severity == "error" else "bold yellow")
        console.print(line)
    warnings = len(problems) - errors
    parts = [counted(errors, "error")] if errors else []
    parts += [counted(warnings, "warning")] if warnings else []
    console.print(Text(f"{printable(file)}: {', '.join(parts) or 'no problems'}{_contents(description)}"))


def _contents(d: Description | None) -> str:
    if d is None:
        return ""
    parts = [counted(len(d.links), "link"), counted(len(d.joints), "joint")]
    parts += [counted(len(d.couplings), "coupling")] if d.couplings else []
    parts += [f"{counted(len(d.loops), 'kinematic loop')}, which couplings='cut' opens"] if d.loops else []
    return f" ({', '.join(parts)})"
