"""`tarsus bench`: measurements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.text import counted, printable

if TYPE_CHECKING:
    from rich.console import Console

    from tarsus.bench.papers.figure import Outcome, PaperFigure

FILE_WIDTH = 140
"""Width of the table where there is no terminal [characters]."""

bench = typer.Typer(help="Measure this library on this machine.", no_args_is_help=True, rich_markup_mode="markdown")

Results = list[tuple["PaperFigure", "Outcome"]]
"""Figures with what was measured."""


@bench.callback()
def _group() -> None:
    pass


@bench.command()
def papers(
    context: typer.Context,
    figure: Annotated[
        list[str] | None, typer.Option(help="Figure to reproduce, such as 3.5 or table-3.1; may be repeated.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", file_okay=False, help="Directory for pictures and numbers.")
    ] = Path("papers"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sizes and few rounds: seconds instead of minutes.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")] = False,
) -> None:
    """Reproduce figures of Buschmann 2014 as pictures and numbers, next to what the text states.

    For example:

    `tarsus bench papers`

    `tarsus bench papers --figure 3.5 --figure table-3.1 --output results`

    `tarsus bench papers --quick --json`
    """
    from rich.console import Console

    from tarsus.bench.machine import machine_facts
    from tarsus.bench.papers.registry import select_figures

    with one_line_errors(context):
        selected = select_figures(figure or [])
        machine = machine_facts(("numpy", "scipy", "matplotlib"))
        output.mkdir(parents=True, exist_ok=True)
        results = _measure(selected, output, machine, quick)
    if as_json:
        typer.echo(json.dumps(_report(machine, output, results, quick), indent=1))
    else:
        console = Console(highlight=False)
        _print(console if console.is_terminal else Console(width=FILE_WIDTH, highlight=False), results, output)


def _measure(selected: list[PaperFigure], output: Path, machine: dict[str, Any], quick: bool) -> Results:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from tarsus.bench.papers.figure import Run
    from tarsus.bench.papers.files import write_figure

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    results: Results = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(selected))
        run = Run(quick)
        for figure in selected:
            run.say = _reporter(progress, task, figure.label)
            run.say("")
            outcome = figure.measure(run)
            write_figure(output, figure, outcome, machine, quick)
            results.append((figure, outcome))
            progress.advance(task)
    return results


def _report(machine: dict[str, Any], output: Path, results: Results, quick: bool) -> dict[str, Any]:
    from tarsus.bench.papers.files import as_json

    figures: list[dict[str, Any]] = []
    for figure, result in results:
        files = {"picture": f"{figure.stem}.png", "numbers": f"{figure.stem}.json"}
        figures.append(as_json(figure, result, quick) | files)
    return {"machine": machine, "output": str(output), "figures": figures}


def _reporter(progress: Any, task: Any, label: str) -> Any:
    return lambda text: progress.update(task, description=f"{label}  {text}")


def _print(console: Console, results: Results, output: Path) -> None:
    from rich.table import Table

    from tarsus.bench.papers.files import verdict

    table = Table(title="Buschmann 2014", title_justify="left", show_lines=False)
    for name, ratio in (("", None), ("what the text states", 5), ("found here", 6), ("", None)):
        table.add_column(name, ratio=ratio, no_wrap=ratio is None, overflow="fold")
    for figure, result in results:
        for i, claim in enumerate(result.claims):
            color = {True: "green", False: "yellow", None: "default"}[claim.agrees]
            label = figure.label if i == 0 else ""
            table.add_row(label, claim.states, claim.found, f"[{color}]{verdict(claim)}[/]")
        table.add_section()
    console.print(table)
    pictures = counted(len(results), "picture")
    console.print(f"{printable(str(output))}: {pictures} with the numbers as JSON beside", soft_wrap=True)
