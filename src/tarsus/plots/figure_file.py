"""Axes that look alike, and pictures as files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tarsus.errors import ArgumentError
from tarsus.recording.atomic_file import write_file
from tarsus.recording.format import file_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURES = (".png", ".pdf", ".svg")
_DPI = 150


def clean(axes: Axes, x: str, y: str, title: str = "") -> None:
    """Labels with units, a light grid, no box."""
    axes.set_xlabel(x)
    axes.set_ylabel(y, fontsize=9)
    axes.tick_params(labelsize=8)
    if title:
        axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.margins(x=0.0)


def write_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a picture that appears complete or not at all; the format follows from the suffix."""
    suffix = os.path.splitext(file_path(path))[1].lower()
    if suffix not in PICTURES:
        raise ArgumentError(f"the picture {file_path(path)!r} must end in one of {', '.join(PICTURES)}")
    write_file(path, lambda stream: figure.savefig(stream, format=suffix[1:], dpi=_DPI))
