"""Volumes and nearest pairs in the scene of the browser viewer."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.model.model import Model
from tarsus.model.volumes import Volumes
from tarsus.viewer.live.stage import Stage
from tarsus.viewer.parts import indexed
from tarsus.viewer.volumes.near_pairs import near_lines, scene_of
from tarsus.viewer.volumes.swept_surface import COLORS, OPACITY, swept_surface

MOST_PAIRS = 50
"""Nearest pairs that are shown at most."""
_LIFT = 0.001
"""By how much volumes are drawn larger, beside the robot's extent."""
_LINE = 0.004
"""Thickness of a line between nearest points, beside the robot's extent."""


class VolumeLayer:
    """Half-transparent volumes on the bodies of a stage, and lines between the nearest of them."""

    def __init__(self, server: Any, stage: Stage, *, visible: bool = False) -> None:
        self._scene, self._stage, self.visible = server.scene, stage, visible
        self._handles: dict[tuple[str, int], Any] = {}
        self._pairs: Any = None
        self._count = 0
        self._lines = server.scene.add_line_segments(
            "/near_pairs", np.zeros((1, 2, 3)), (200, 30, 20), thickness=_LINE * stage.extent, visible=False
        )
        self.replace(stage.model.volumes)
        stage.followers.append(self._follow)

    def replace(self, volumes: Volumes, link: str | None = None) -> None:
        """Show other volumes; only those of one link are made again where it is named."""
        for name, number in [key for key in self._handles if link is None or key[0] == link]:
            self._handles.pop((name, number)).remove()
        for name in volumes if link is None else [link]:
            for number, volume in enumerate(volumes.get(name, ())):
                self._handles[name, number] = self._added(name, number, volume)
        self._pairs = None
        self._volumes = volumes

    def show(self, visible: bool) -> None:
        """Show or hide the volumes."""
        self.visible = visible
        for handle in self._handles.values():
            handle.visible = visible

    def show_nearest(self, count: int) -> None:
        """Show the lines of this many nearest pairs."""
        self._count = min(max(count, 0), MOST_PAIRS)
        self._follow(self._stage.q)

    def place(self, link: str) -> tuple[int, FloatArray]:
        """Body that a link belongs to, and its pose X_BF there."""
        return place_of(self._stage.model, link)

    def _added(self, name: str, number: int, volume: SweptSphere) -> Any:
        body, X_BF = self.place(name)
        # A little larger than it is, so that a volume and a shape of the same surface do not flicker.
        larger = SweptSphere(volume.vertices, volume.radius + _LIFT * self._stage.extent)
        mesh = indexed(swept_surface(larger).placed(X_BF))
        # Names come from files: numbers keep the tree of the scene free of separators in them.
        order = list(self._stage.model.frames).index(name)
        return self._scene.add_mesh_simple(
            f"/robot/{body}/volumes/{order}_{number}",
            mesh.vertices,
            mesh.faces,
            color=tuple(round(255 * x) for x in COLORS[volume.kind]),
            opacity=OPACITY,
            cast_shadow=False,
            visible=self.visible,
        )

    def _follow(self, q: FloatArray) -> None:
        if self._count == 0 or not any(self._volumes.values()):
            self._lines.visible = False
            return
        if self._pairs is None:
            try:
                self._pairs = scene_of(self._stage.model.with_volumes(self._volumes))
            except ArgumentError:  # what is being edited cannot be looked at right now
                self._lines.visible = False
                return
        lines = near_lines(self._pairs, q, self._count)
        self._lines.visible = len(lines.points) > 0
        if self._lines.visible:
            self._lines.points = lines.points.astype(np.float32)
            self._lines.colors = np.repeat(np.rint(255 * lines.colors).astype(np.uint8)[:, None], 2, axis=1)


def place_of(model: Model, link: str) -> tuple[int, FloatArray]:
    """Number of the body that a frame belongs to, and the pose X_BF of the frame there."""
    frame = model.frames[link]
    return model.bodies[frame.body].index, frame.pose


def add_volume_switches(server: Any, layer: VolumeLayer) -> None:
    """Controls for volumes and nearest pairs."""
    shown = server.gui.add_checkbox("Volumes", layer.visible)
    count = server.gui.add_number("Nearest pairs", 0, min=0, max=MOST_PAIRS, step=1)
    shown.on_update(lambda _: layer.show(bool(shown.value)))
    count.on_update(lambda _: layer.show_nearest(int(count.value)))
