"""Stances side by side, before a robot moves through them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tarsus.control.stances.stance import Stance
from tarsus.errors import ArgumentError
from tarsus.files import whole_file
from tarsus.model.model import Model
from tarsus.viewer.drawing.camera import Camera
from tarsus.viewer.drawing.picture import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL = 2.2
"""Width of a panel [inch]."""
_CARRIES, _MOVES = "#d1603d", "#1f6f8b"
"""Colours of contacts, and of the one that begins at a stance."""


def draw_stances(
    model: Model,
    stances: Sequence[Stance],
    *,
    path: str | os.PathLike[str] | None = None,
    columns: int = 6,
    view: tuple[float, float] = (65.0, 8.0),
    ground: bool | float = True,
    dpi: int = 110,
) -> Figure:
    """Postures of stances in rows, with their names, contacts, centres of mass and loads.

    Contacts that carry the robot from then on are outlined, the one that begins there in another colour.

    Parameters
    ----------
    stances : sequence of Stance
        Of `stance_sequence` or `search_stances`.
    path : str or path, optional
        Picture to write; the suffix chooses the format. It appears complete or not at all.
    columns : int
        Stances in a row.
    view, ground
        As of `tarsus.draw`.
    dpi : int

    Returns
    -------
    figure : matplotlib figure
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not stances:
        raise ArgumentError("stances is empty; expected at least one Stance")
    if not (isinstance(columns, (int, np.integer)) and columns >= 1):
        raise ArgumentError(f"columns is {columns!r}; expected a whole number of at least 1")
    columns = min(int(columns), len(stances))
    rows = -(-len(stances) // columns)
    figure = Figure(figsize=(_PANEL * columns, 1.25 * _PANEL * rows), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in panels:
        axes.set_axis_off()
    for number, (stance, axes) in enumerate(zip(stances, panels, strict=False)):
        draw(model, stance.q, view=view, com=True, ground=ground, size=(400, 500), ax=axes)
        _outline_contacts(axes, Camera.at(*view), stance)
        axes.set_aspect("equal")
        axes.set_title(f"{number}. {stance.name}\n{stance.equilibrium.load:.0%} of torque limits", fontsize=8)
    if path is not None:
        with whole_file(path) as unfinished:
            figure.savefig(unfinished, dpi=dpi, facecolor="white")
    return figure


def _outline_contacts(axes: Axes, camera: Camera, stance: Stance) -> None:
    """Points of contacts, joined where there are several."""
    for contact in stance.contacts:
        X = np.asarray(contact.pose)
        points = np.asarray(contact.points)
        middle = points.mean(axis=0)
        order = np.argsort(np.arctan2(*(points - middle)[:, 1::-1].T))
        corners = camera.project(points[order] @ X[:3, :3].T + X[:3, 3])[:, :2]
        closed = np.vstack([corners, corners[:1]])
        colour = _MOVES if contact.frame == stance.moved else _CARRIES
        axes.plot(closed[:, 0], closed[:, 1], "o-", color=colour, markersize=2.0, linewidth=1.2, zorder=10)
