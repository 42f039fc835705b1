"""Pictures and JSON files of reproduced figures; a file appears complete or not at all."""

from __future__ import annotations

import io
import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.papers.figure import SOURCE, Outcome, PaperFigure
from tarsus.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI = 150
_LINE = 0.165
"""Height of a line of the caption [inch]."""
_CHARACTERS = 15.2
"""Of the caption in an inch."""


def write_figure(
    directory: Path, figure: PaperFigure, outcome: Outcome, machine: dict[str, Any], quick: bool
) -> tuple[Path, Path]:
    """Write the picture and the numbers of one figure; returns their paths."""
    directory.mkdir(parents=True, exist_ok=True)
    picture, numbers = directory / f"{figure.stem}.png", directory / f"{figure.stem}.json"
    text = json.dumps({"machine": machine} | as_json(figure, outcome, quick), indent=1, allow_nan=False)
    image = render(figure, outcome)
    write_whole(numbers, f"{text}\n".encode())
    write_whole(picture, image)
    return picture, numbers


def as_json(figure: PaperFigure, outcome: Outcome, quick: bool) -> dict[str, Any]:
    """Everything about one figure as plain data."""
    head = {"figure": figure.name, "title": figure.title, "source": SOURCE, "quick": quick}
    plain: dict[str, Any] = _finite(head | outcome.as_json())
    return plain


def render(figure: PaperFigure, outcome: Outcome) -> bytes:
    """The picture as PNG: the plot above, what the text states and what was found below."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = outcome.size
    lines = _caption(figure, outcome, int(width * _CHARACTERS))
    caption = _LINE * (len(lines) + 1.5)
    canvas = Figure(figsize=(width, height + caption), layout="constrained")
    FigureCanvasAgg(canvas)
    engine = canvas.get_layout_engine()
    assert engine is not None
    engine.set(rect=(0.0, caption / (height + caption), 1.0, height / (height + caption)))  # type: ignore[call-arg]
    outcome.draw(canvas)
    _write_caption(canvas, lines, width, height + caption)
    buffer = io.BytesIO()
    canvas.savefig(buffer, format="png", dpi=_DPI)
    return buffer.getvalue()


def _caption(figure: PaperFigure, outcome: Outcome, characters: int) -> list[tuple[str, str]]:
    """Lines of the caption, each with its kind: "head", "note", "text", "found" or "verdict"."""
    lines = [("head", f"{figure.label} of {SOURCE}: {figure.title}")]
    lines += [("note", line) for line in textwrap.wrap(outcome.note, characters)]
    for claim in outcome.claims:
        lines += [("text", line) for line in _wrapped("The text: ", claim.states, characters)]
        lines += [("found", line) for line in _wrapped("    Here: ", claim.found, characters)]
        if claim.verdict:
            lines += [("verdict", line) for line in _wrapped("          ", claim.verdict, characters)]
    return lines


def _wrapped(label: str, text: str, characters: int) -> list[str]:
    return textwrap.wrap(text, characters, initial_indent=label, subsequent_indent=" " * len(label))


def _write_caption(canvas: Figure, lines: list[tuple[str, str]], width: float, height: float) -> None:
    colors = {"head": "#000000", "note": "#555555", "text": "#333333", "found": "#1f6f8b", "verdict": "#8e5bb5"}
    y = _LINE * (len(lines) + 0.3)
    for kind, line in lines:
        weight = "bold" if kind == "head" else "normal"
        canvas.text(
            0.12 / width, y / height, line, va="center", size=7.0, family="monospace", color=colors[kind], weight=weight
        )
        y -= _LINE


def _finite(value: Any) -> Any:
    """Plain JSON: numbers that are not finite become null."""
    if isinstance(value, dict):
        return {str(key): _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    if isinstance(value, np.generic):
        return _finite(value.item())
    if isinstance(value, float) and not (-float("inf") < value < float("inf")):
        return None
    return value
