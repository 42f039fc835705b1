"""Static pictures of robots."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import tarsus
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.files import whole_file
from tarsus.model.model import Model
from tarsus.viewer.configurations import configurations
from tarsus.viewer.drawing.camera import Camera, Window, check_size
from tarsus.viewer.drawing.ground import cast, ground_image
from tarsus.viewer.drawing.scene import Scene, build_scene
from tarsus.viewer.drawing.shading import robot_image
from tarsus.viewer.volumes.overlay import draw_near_lines, draw_volumes, volume_scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DPI = 100


def draw(
    model: Model,
    q: npt.ArrayLike | None = None,
    *,
    path: str | os.PathLike[str] | None = None,
    view: tuple[float, float] = (35.0, 12.0),
    size: tuple[int, int] = (800, 800),
    frames: Sequence[str] = (),
    com: bool = False,
    ground: bool | float = True,
    volumes: bool = False,
    witnesses: int = 0,
    position: npt.ArrayLike = (0.0, 0.0, 0.0),
    ax: Axes | None = None,
) -> Axes:
    """Draw a robot in one or more configurations.

    Every visual shape of the model is drawn, shaded and with hidden parts hidden; a model without visuals gets a
    skeleton. The projection is orthographic: the axes of the picture are metres.

    Parameters
    ----------
    q : array_like, shape (nq,) or (n, nq), optional
        Configurations; the reference pose by default.
    path : str or path, optional
        Picture to write; the suffix chooses the format. It appears complete or not at all.
    view : tuple of float
        Azimuth of the camera, 0 in front of the robot (on +x) and 90 on its left side (+y), and elevation above the
        horizon [deg].
    size : tuple of int
        Width and height in pixels. With `ax`, upper bounds for the part that shows the robot.
    frames : sequence of str
        Frames to show as triads: x red, y green, z blue.
    com : bool
        Mark the centre of mass.
    ground : bool or float
        Show ground with shadow: at the given height [m]; True means z = 0 or, if the robot reaches lower, its lowest
        point.
    volumes : bool
        Show the model's swept-sphere volumes, half transparent: points orange, lines blue, triangles green.
    witnesses : int
        Show the lines between the nearest points of this many nearest pairs of volumes, red where they touch, green
        from 0.3 m on.
    position : array_like, shape (3,)
        Shift of the whole robot [m].
    ax : matplotlib axes, optional
        Draw into these axes, to which more robots can be added; the ground is then shown by the shadow alone.

    Returns
    -------
    ax : matplotlib axes
    """
    check_size(size)
    camera = Camera.at(*view)
    offset = np.asarray(position, dtype=float)
    shown = configurations(model, q, several=True)
    X_WB = np.array(tarsus.body_poses(model, shown))
    X_WB[..., :3, 3] += offset
    scene = build_scene(model, X_WB)
    around = volume_scene(model, X_WB) if volumes and model.volumes else None
    if volumes and around is None:
        raise ArgumentError(f"volumes: {model.name!r} has none; `tarsus fit` or ts.collision.fit makes some")
    if isinstance(witnesses, bool) or witnesses < 0:
        raise ArgumentError(f"witnesses = {witnesses!r} found, expected a number of pairs")
    level = _ground_level(scene, ground)
    seen = scene if around is None else around
    window = Window.around(_outline(camera, seen, level), size, fill=ax is None)
    axes = _new_axes(size) if ax is None else ax
    before = (axes.get_xlim(), axes.get_ylim()) if axes.images else None
    if level is not None:
        axes.imshow(ground_image(camera, window, scene, level, grid=ax is None), extent=window.extent, zorder=1)
    axes.imshow(robot_image(camera, window, scene), extent=window.extent, zorder=2)
    if around is not None:
        draw_volumes(axes, camera, window, around)
    _fit(axes, window, before)
    if witnesses:
        draw_near_lines(axes, camera, model, shown, offset, witnesses)
    for name in frames:
        frame = model.frames[name]
        _draw_triads(axes, camera, X_WB[:, model.bodies[frame.body].index] @ frame.pose, 0.1 * scene.extent)
    if com:
        p_WC = np.asarray(tarsus.center_of_mass(model, shown)) + offset
        _draw_com(axes, camera, p_WC, level, 0.016 * scene.extent)
    if path is not None:
        _save(axes, Path(path))
    return axes


def _ground_level(scene: Scene, ground: bool | float) -> float | None:
    if isinstance(ground, bool | np.bool_):
        return min(0.0, float(scene.points[:, 2].min())) if ground else None
    return float(ground)


def _outline(camera: Camera, scene: Scene, level: float | None) -> FloatArray:
    """Projected points (n, 2) that the picture must show: the robot and its shadow."""
    points = scene.points
    if level is not None:
        points = np.concatenate([points, cast(points, level)])
    return camera.project(points)[:, :2]


def _new_axes(size: tuple[int, int]) -> Axes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(size[0] / _DPI, size[1] / _DPI), dpi=_DPI)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    return axes


def _fit(axes: Axes, window: Window, before: tuple[tuple[float, float], tuple[float, float]] | None) -> None:
    """Show the window and what was shown before."""
    left, right, bottom, top = window.extent
    if before is not None:
        (x0, x1), (y0, y1) = before
        left, right, bottom, top = min(left, x0), max(right, x1), min(bottom, y0), max(top, y1)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_aspect("equal")


def _draw_triads(axes: Axes, camera: Camera, X_WF: FloatArray, length: float) -> None:
    for X in X_WF:
        origin = camera.project(X[:3, 3])
        tips = camera.project(X[:3, 3] + length * X[:3, :3].T)
        for k in np.argsort(-tips[:, 2]):
            color = ("#d62728", "#2ca02c", "#1f4fd8")[k]
            axes.plot(*zip(origin[:2], tips[k, :2], strict=True), color=color, lw=2.2, zorder=4, solid_capstyle="round")


def _draw_com(axes: Axes, camera: Camera, p_WC: FloatArray, level: float | None, radius: float) -> None:
    """Draw the usual quartered disc and, with ground, a dashed line down to it."""
    from matplotlib.patches import Wedge

    for p in p_WC:
        x, y, _ = camera.project(p)
        if level is not None:
            foot = camera.project(np.array([p[0], p[1], level]))
            axes.plot([x, foot[0]], [y, foot[1]], color="black", lw=1.0, ls=(0, (4, 3)), zorder=5)
        for k in range(4):
            color = ("black", "white")[k % 2]
            wedge = Wedge((x, y), radius, 90.0 * k, 90.0 * (k + 1), facecolor=color, edgecolor="black", lw=0.8)
            wedge.set_zorder(6)
            axes.add_patch(wedge)


def _save(axes: Axes, path: Path) -> None:
    figure = axes.get_figure(root=True)
    assert figure is not None
    with whole_file(path) as unfinished:
        figure.savefig(unfinished, dpi=_DPI, facecolor="white")
