"""`tarsus sweep`: a function for many cases, with one file of results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.options.text import counted, printable

if TYPE_CHECKING:
    from tarsus.analysis import Sweep
    from tarsus.analysis.sweeps.sweep_file import SweepFile

Engine = Literal["serial", "processes", "joblib", "dask"]
_SHOWN = 20
"""Values that are printed."""
_INTERRUPTED = 130
"""Exit code of what Ctrl-C ended."""


def sweep(
    context: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="SWEEP", help="FILE.toml, or FILE.py::function, or package.module:function.", show_default=False
        ),
    ],
    axes: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            help="Values of an argument, NAME=1,2,3 or NAME=START:STOP:COUNT; may be repeated: all combinations.",
            show_default=False,
        ),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File of results, gone on with if it is there.", show_default=False),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Give every case its own `seed`, made of this.", show_default=False)
    ] = None,
    engine: Annotated[
        Engine | None, typer.Option(help="What runs the cases; processes unless the file says otherwise.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Cases at a time; one a core by default.", show_default=False)
    ] = None,
    retries: Annotated[
        int | None, typer.Option(min=0, help="How often a case is tried again whose worker ended [default: 2].")
    ] = None,
    client: Annotated[
        str | None, typer.Option(help="Address of a scheduler of Dask, with --engine dask.", show_default=False)
    ] = None,
    mixed: Annotated[bool, typer.Option("--mixed", help="Go on with results that other code computed.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Begin anew whatever the file holds.")] = False,
) -> None:
    """Run a function for many cases on all cores; what is done stays in a file, and the same command goes on.

    A Python file may list its cases as `cases`. A TOML file has `function`, and its cases as tables: `[grid]`,
    `[[cases]]`, `[arguments]`. Exit code 1 where a case has failed; 130 after Ctrl-C.

    For example:

    `tarsus sweep study.py::fall --grid height=0.05:0.2:4 --grid side=left,right --seed 1`

    `tarsus sweep study.toml --workers 8`

    `tarsus sweep study.toml --engine dask --client tcp://10.0.0.1:8786`
    """
    with one_line_errors(context):
        plan = _plan(target, axes)
        chosen: dict[str, Any] = {"engine": "processes", **plan.options}
        given = {"seed": seed, "engine": engine, "workers": workers, "retries": retries}
        chosen |= {key: value for key, value in given.items() if value is not None}
        _run(plan, results or plan.results, {**chosen, "client": client, "mixed": mixed, "overwrite": overwrite})


def _plan(target: str, axes: list[str] | None) -> SweepFile:
    from tarsus.analysis.sweeps.cases import grid
    from tarsus.analysis.sweeps.named_function import FileFunction, named_function
    from tarsus.analysis.sweeps.sweep_file import SweepFile, read_sweep_file

    if target.endswith(".toml"):
        if axes:
            raise typer.BadParameter("a TOML file has its own [grid]; --grid is for functions")
        return read_sweep_file(target)
    function = named_function(target)
    listed = function.attribute("cases") if isinstance(function, FileFunction) else None
    if axes:
        found = [_axis(text) for text in axes]
        if len({name for name, _ in found}) < len(found):
            raise typer.BadParameter("--grid: an argument is given twice; expected each once, with all of its values")
        cases = grid(**dict(found))
    elif listed is not None:
        cases = list(listed)
    else:
        raise typer.BadParameter("there are no cases: --grid NAME=VALUES gives some, or a list `cases` in the file")
    name = target.rpartition(":")[2]
    return SweepFile(function, cases, Path(f"{name}.jsonl"))


def _axis(text: str) -> tuple[str, list[Any]]:
    """Name and values of ``NAME=1,2,3`` or ``NAME=START:STOP:COUNT``."""
    import numpy as np

    name, found, values = text.partition("=")
    if not (found and name and values):
        raise typer.BadParameter(f"--grid {text!r}: expected NAME=1,2,3 or NAME=START:STOP:COUNT")
    ends = values.split(":")
    if len(ends) == 2 and all(re.fullmatch(r"[-+0-9.eE]+", end) for end in ends):
        raise typer.BadParameter(f"--grid {text!r}: expected NAME=START:STOP:COUNT, COUNT is missing")
    if len(ends) != 3:
        return name, [_value(part) for part in values.split(",")]
    try:
        return name, [float(x) for x in np.linspace(float(ends[0]), float(ends[1]), int(ends[2]))]
    except ValueError:
        raise typer.BadParameter(f"--grid {text!r}: expected numbers START:STOP and a whole number COUNT") from None


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _run(plan: SweepFile, path: Path, options: dict[str, Any]) -> None:
    from tarsus.analysis import sweep as run_sweep

    try:
        found = run_sweep(plan.function, plan.cases, results=path, **options)
    except KeyboardInterrupt:
        typer.echo(f"tarsus: interrupted; {_so_far(path, len(plan.cases))}; the same command goes on", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    _tell(found)
    if found.failures:
        raise typer.Exit(1)


def _so_far(path: Path, count: int) -> str:
    from tarsus.analysis import read_results

    return f"{printable(str(path))} has {len(read_results(path))} of {counted(count, 'case')}"


def _tell(found: Sweep) -> None:
    for outcome in found.outcomes[:_SHOWN]:
        if outcome.status == "done":
            typer.echo(printable(f"{_words(outcome.case)}: {_shown(outcome.value)}"))
    if len(found) > _SHOWN:
        typer.echo(f"... {len(found) - _SHOWN} more")
    for outcome in found.failures:
        typer.echo(printable(f"{outcome.status}: {_words(outcome.case)}: {outcome.error}"), err=True)
    failed = len(found.failures)
    typer.echo(f"{printable(str(found.path))}: {counted(len(found), 'case')}, {failed or 'none'} without a value")


def _words(case: dict[str, Any]) -> str:
    return " ".join(f"{name}={_shown(value)}" for name, value in case.items())


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return _words(value)
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
