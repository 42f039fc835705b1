"""What `tarsus bench papers` does: measure figures, write them, and tell what the text states and what was found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from benchmarks.machine import machine_facts
from benchmarks.papers.figure import Outcome, PaperFigure, Run
from benchmarks.papers.files import as_json as figure_as_json
from benchmarks.papers.files import write_figure
from benchmarks.papers.registry import select_figures
from tarsus.cli.options.text import counted, printable

WIDTH = 140
"""Of the table where there is no terminal."""

Results = list[tuple[PaperFigure, Outcome]]
"""Figures with what was measured."""


def reproduce(names: Sequence[str], output: Path, *, quick: bool, as_json: bool) -> None:
    """Measure the named figures, or all of them, and print the comparison with the text.

    Parameters
    ----------
    output : Path
        Directory for pictures and numbers; it is made where it does not exist.
    quick : bool
        Small sizes and few rounds.
    as_json : bool
        Print one JSON object instead of the table.
    """
    selected = select_figures(names)
    machine = machine_facts(("numpy", "scipy", "matplotlib"))
    output.mkdir(parents=True, exist_ok=True)
    results = _measure(selected, output, machine, quick)
    if as_json:
        typer.echo(json.dumps(_report(machine, output, results, quick), indent=1))
    else:
        console = Console(highlight=False)
        _print(console if console.is_terminal else Console(width=WIDTH, highlight=False), results, output)


def _measure(selected: list[PaperFigure], output: Path, machine: dict[str, Any], quick: bool) -> Results:
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
    figures: list[dict[str, Any]] = []
    for figure, result in results:
        files = {"picture": f"{figure.stem}.png", "numbers": f"{figure.stem}.json"}
        figures.append(figure_as_json(figure, result, quick) | files)
    return {"machine": machine, "output": str(output), "figures": figures}


def _reporter(progress: Progress, task: TaskID, label: str) -> Any:
    return lambda text: progress.update(task, description=f"{label}  {text}")


def _print(console: Console, results: Results, output: Path) -> None:
    table = Table(title="Buschmann 2014", title_justify="left", show_lines=False)
    for name, ratio in (("", None), ("what the text states", 5), ("found here", 5), ("verdict", 4)):
        table.add_column(name, ratio=ratio, no_wrap=ratio is None, overflow="fold")
    for figure, result in results:
        for i, claim in enumerate(result.claims):
            color = {True: "green", False: "yellow", None: "dim"}[claim.agrees]
            label = figure.label if i == 0 else ""
            table.add_row(label, claim.states, claim.found, Text(claim.verdict, color))
        table.add_section()
    console.print(table)
    pictures = counted(len(results), "picture")
    console.print(f"{printable(str(output))}: {pictures} with the numbers as JSON beside", soft_wrap=True)
