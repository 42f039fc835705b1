"""What all pictures of trajectories share: axes that look alike, titles, and files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tarsus.errors import ArgumentError
from tarsus.recording.atomic_file import write_file
from tarsus.recording.format import file_path
from tarsus.recording.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURES = (".png", ".pdf", ".svg")
"""Suffixes of pictures that can be written."""
_DPI = 150
"""Resolution of pictures made of pixels [1/inch]."""


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


def finish_figure(figure: Figure, run: Trajectory, subject: str, path: str | os.PathLike[str] | None) -> None:
    """Give a picture of a run its title, with what stopped the run early, and write it where a path is given.

    Parameters
    ----------
    subject : str
        What follows the name of the model, such as ": energy audit".
    path : path-like or None
        Picture that appears complete or not at all; the format follows from the suffix.
    """
    stopped = "" if run.finished else f" (stopped: {run.reason[:60]})"
    figure.suptitle(f"{run.model.name}{subject}{stopped}", x=0.01, ha="left", fontsize=11)
    write_figure(figure, path)


def write_figure(figure: Figure, path: str | os.PathLike[str] | None) -> None:
    """Write a picture where a path is given; it appears complete or not at all, and its suffix tells the format."""
    if path is None:
        return
    suffix = os.path.splitext(file_path(path))[1].lower()
    if suffix not in PICTURES:
        raise ArgumentError(f"the picture {file_path(path)!r} must end in one of {', '.join(PICTURES)}")
    write_file(path, lambda stream: figure.savefig(stream, format=suffix[1:], dpi=_DPI))
