"""The page of a report: one file of text and pictures that asks for nothing else."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from tarsus.plots.report.section import Missing, Section

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0.2rem; } h2 { font-size: 1.15rem; margin: 2rem 0 0.3rem; }
p { margin: 0.2rem 0 0.6rem; } p.warning { color: #b71c1c; font-weight: 600; }
img.figure { width: 100%; } figure { margin: 0; display: inline-block; width: 32%; vertical-align: top; }
figure img { width: 100%; border: 1px solid #d0d7de; border-radius: 4px; }
figcaption { font-size: 0.8rem; color: #57606a; }
table { border-collapse: collapse; font-size: 0.85rem; } td, th { padding: 0.1rem 0.8rem 0.1rem 0; text-align: right; }
td:first-child, th:first-child { text-align: left; } th { border-bottom: 1px solid #d0d7de; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; font-size: 0.9rem; }
dt { color: #57606a; } dd { margin: 0; overflow-wrap: anywhere; }
details summary { cursor: pointer; color: #57606a; font-size: 0.85rem; }
"""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""What the page may load: nothing but the pictures inside it."""
_FEW_ROWS = 8
"""Longer tables are folded."""


class Picture(NamedTuple):
    """A picture of the robot, as PNG, with its caption."""

    caption: str
    png: bytes


def page(
    title: str,
    facts: Sequence[tuple[str, str]],
    pictures: Sequence[Picture],
    parts: Sequence[Section | Missing],
) -> str:
    """The whole page; every text in it is escaped."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">',
            f"<style>{_STYLE}</style></head><body>",
            f"<h1>{escape(title)}</h1>",
            "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts) + "</dl>",
            *(_picture(picture) for picture in pictures),
            *(line for part in parts if isinstance(part, Section) for line in _section(part)),
            *_missing([part for part in parts if isinstance(part, Missing)]),
            "</body></html>\n",
        ]
    )


def _picture(picture: Picture) -> str:
    caption = escape(picture.caption)
    image = f'<img src="{_data("image/png", picture.png)}" alt="{caption}">'
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


def _section(part: Section) -> Iterator[str]:
    yield f"<section><h2>{escape(part.title)}</h2>"
    yield f'<p class="{"warning" if part.warning else "note"}">{escape(part.note)}</p>'
    if part.figure is not None:
        yield f'<img class="figure" src="{_data("image/svg+xml", _svg(part.figure))}" alt="{escape(part.title)}">'
    if part.rows:
        table = _table(part.header, part.rows)
        folded = f"<details><summary>{len(part.rows)} rows</summary>{table}</details>"
        yield folded if len(part.rows) > _FEW_ROWS else table
    yield "</section>"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _missing(parts: Sequence[Missing]) -> Iterator[str]:
    if parts:
        yield "<section><h2>Not in this recording</h2><dl>"
        yield "".join(f"<dt>{escape(part.title)}</dt><dd>{escape(part.reason)}</dd>" for part in parts)
        yield "</dl></section>"


def _svg(figure: Figure) -> bytes:
    """A figure as SVG; names are drawn as they are, dollars and all."""
    stream = io.BytesIO()
    figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


def _data(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
