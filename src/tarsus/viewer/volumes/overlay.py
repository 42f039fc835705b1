"""Volumes and nearest pairs over the picture of a robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.arrays import FloatArray
from tarsus.model.model import Model
from tarsus.viewer.drawing.camera import Camera, Window
from tarsus.viewer.drawing.scene import Scene, scene_of
from tarsus.viewer.drawing.shading import robot_image
from tarsus.viewer.volumes.near_pairs import near_lines
from tarsus.viewer.volumes.near_pairs import scene_of as pairs_of
from tarsus.viewer.volumes.swept_surface import COLORS, OPACITY, swept_surface

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def volume_scene(model: Model, X_WB: FloatArray) -> Scene:
    """Surfaces of the volumes of a model in poses X_WB (poses, nb, 4, 4); see `build_scene`."""
    return scene_of(
        [
            (surface.placed(X), COLORS[volume.kind])
            for name, volumes in model.volumes.items()
            for frame in (model.frames[name],)
            for volume in volumes
            for surface in (swept_surface(volume),)
            for X in X_WB[:, model.bodies[frame.body].index] @ frame.pose
        ]
    )


def draw_volumes(axes: Axes, camera: Camera, window: Window, scene: Scene) -> None:
    """Volumes over the robot, half transparent: those in front are seen."""
    image = robot_image(camera, window, scene)
    image[..., 3] *= OPACITY
    axes.imshow(image, extent=window.extent, zorder=3)


def draw_near_lines(axes: Axes, camera: Camera, model: Model, q: FloatArray, offset: FloatArray, count: int) -> None:
    """Lines between the nearest points of the `count` nearest pairs in configurations q (n, nq)."""
    scene = pairs_of(model)
    for one in q:
        lines = near_lines(scene, one, count)
        for points, color in zip(lines.points, lines.colors, strict=True):
            x, y, _ = camera.project(points + offset).T
            axes.plot(x, y, color=color, lw=2.0, marker="o", ms=3.0, zorder=7, solid_capstyle="round")
