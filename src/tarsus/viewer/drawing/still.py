"""Pictures of moments of a motion, by the software renderer: robot, ground, forces, support polygon, centre of mass."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

import tarsus
from tarsus.arrays import ByteArray, FloatArray
from tarsus.errors import ArgumentError
from tarsus.files import whole_file
from tarsus.geometry.support_polygon import support_polygon
from tarsus.geometry.surface import Surface, cone
from tarsus.recording.recorded import Recorded
from tarsus.viewer.drawing.camera import Camera, Window, check_size
from tarsus.viewer.drawing.ground import GROUND_COLOR, cast, ground_darkness
from tarsus.viewer.drawing.pieces import Piece, Pieces, joined, piece_of_mesh, piece_of_surface
from tarsus.viewer.drawing.scene import Scene, along
from tarsus.viewer.drawing.shading import robot_image
from tarsus.viewer.parts import parts_of
from tarsus.viewer.playback import Playback, focus_of, playback_of
from tarsus.viewer.terrain import Terrain, terrain_of

_FORCE_COLOR = (0.84, 0.24, 0.16)
_PUSH_COLOR = (0.16, 0.36, 0.82)
_SUPPORT_COLOR = (0.35, 0.68, 0.45)
_FOOTSTEP_COLOR = (0.85, 0.55, 0.1)
_FRAME_WIDTH = 0.012
"""Of lines around planned footsteps, measured at their corners, beside the robot's extent."""
_TERRAIN_COLOR = (0.77, 0.75, 0.72)
_FOLLOWED_WAY = 0.75
"""Way of the centre of mass, as part of the robot's extent, from which the camera follows it."""
_WINDOW_SAMPLES = 12
"""Samples that decide how much the camera must show."""


class Renderer:
    """Pictures of one motion with one camera.

    Parameters
    ----------
    playback : Playback
    terrain : Terrain
        The ground.
    view : tuple of float
        Azimuth and elevation of the camera [deg], as in `tarsus.draw`.
    size : tuple of int
        Width and height in pixels.
    samples : sequence of int, optional
        Samples that will be drawn: the camera shows all of them, or follows the robot where it goes far.
    """

    def __init__(
        self,
        playback: Playback,
        terrain: Terrain = Terrain(),  # noqa: B008 (immutable)
        *,
        view: tuple[float, float] = (35.0, 12.0),
        size: tuple[int, int] = (640, 480),
        samples: Sequence[int] | None = None,
    ) -> None:
        check_size(size)
        self._playback = playback
        self._camera = Camera.at(*view)
        parts = parts_of(playback.model)
        self._robot = Pieces([piece_of_mesh(part.body, part.mesh, part.color) for part in parts])
        self._shapes = len(parts)
        self._terrain = [
            piece_of_mesh(None, mesh, color or _TERRAIN_COLOR)
            for mesh, color in zip_longest(terrain.meshes, terrain.colors)
        ]
        self._grid = terrain.grid
        used = np.arange(len(playback)) if samples is None else np.asarray(samples, dtype=np.intp)
        used = used[np.unique(np.linspace(0, len(used) - 1, _WINDOW_SAMPLES).astype(int))]
        scenes = [self._robot_scene(int(k)) for k in used]
        self._extent = scenes[0].extent
        self._scale = playback.force_scale(self._extent)
        self._pushes = playback.push_segments(parts, self._extent)
        p_WC = focus_of(playback.model, playback.q[used])
        self._follows = float(np.ptp(p_WC[:, :2], axis=0).max()) > _FOLLOWED_WAY * self._extent
        shifts = [self._shift(p) for p in p_WC]
        outlines = [self._outline(scene) - shift for scene, shift in zip(scenes, shifts, strict=True)]
        self._window = Window.around(np.concatenate(outlines), size, fill=True)

    def picture(self, k: int) -> ByteArray:
        """Picture (height, width, 3) of sample k: red, green, blue."""
        p_WC = focus_of(self._playback.model, self._playback.q[k])
        right, up = self._shift(p_WC)
        w = self._window
        window = Window(w.left + right, w.right + right, w.bottom + up, w.top + up, w.width, w.height)
        corners = support_polygon(self._playback.contact_position[k], self._playback.contact_force[k])
        robot = self._robot_scene(k)
        gray = np.ones((window.height, window.width))
        if self._grid:
            # Surfaces above the grid would catch the shadow.
            level, shade = min(0.0, _lowest(robot)), not self._terrain
            gray -= (1.0 - GROUND_COLOR) * ground_darkness(self._camera, window, robot, level, shade=shade)
        extras = [*self._terrain, *self._footsteps(), *self._arrows(k), *self._support(corners)]
        everything = joined([robot, Pieces(extras, self._shapes).placed(np.zeros((0, 4, 4)))])
        image = _over(gray, robot_image(self._camera, window, everything))
        if self._playback.model.total_mass > 0.0:
            self._mark_com(image, window, p_WC, float(corners[:, 2].mean()) if len(corners) else 0.0)
        bytes_: ByteArray = np.rint(255.0 * image).astype(np.uint8)
        return bytes_

    def _robot_scene(self, k: int) -> Scene:
        return self._robot.placed(np.asarray(tarsus.body_poses(self._playback.model, self._playback.q[k])))

    def _shift(self, p_WC: FloatArray) -> FloatArray:
        """Where the picture's origin goes (2,) when the camera follows the centre of mass."""
        ground = np.array([p_WC[0], p_WC[1], 0.0])
        return self._camera.project(ground)[:2] if self._follows else np.zeros(2)

    def _outline(self, scene: Scene) -> FloatArray:
        points = np.concatenate([scene.points, cast(scene.points, min(0.0, _lowest(scene)))])
        return self._camera.project(points)[:, :2]

    def _arrows(self, k: int) -> list[Piece]:
        """Forces of contacts, from where they act; pushes, to where they act."""
        shown = self._playback
        pieces = []
        for p, f in zip(shown.contact_position[k], self._scale * shown.contact_force[k], strict=True):
            pieces += self._arrow(p, f, _FORCE_COLOR)
        for tail, tip in self._pushes[k]:
            pieces += self._arrow(tail, tip - tail, _PUSH_COLOR)
        return pieces

    def _arrow(self, p: FloatArray, f: FloatArray, color: tuple[float, float, float]) -> list[Piece]:
        """Arrow of the vector f [m] that begins at p; none where it would be too short to be seen."""
        size, whole = self._extent, float(np.linalg.norm(f))
        if whole < 1e-3 * size:
            return []
        head = min(0.05 * size, 0.5 * whole)
        direction = f / whole
        rod, tip = cone(0.006 * size, 0.006 * size, whole - head), cone(0.017 * size, 0.0, head)
        neck = p + (whole - head) * direction
        return [
            piece_of_surface(rod.placed(along(direction, p)), color),
            piece_of_surface(tip.placed(along(direction, neck)), color),
        ]

    def _footsteps(self) -> list[Piece]:
        """Frames on the ground where feet were to land; the robot hides those under it."""
        outlines = self._playback.footsteps
        if not len(outlines):
            return []
        outer = outlines + np.array([0.0, 0.0, 5e-4 * self._extent])
        middle = outer.mean(axis=1, keepdims=True)
        way = middle - outer
        inner = outer + _FRAME_WIDTH * self._extent * way / np.linalg.norm(way, axis=2, keepdims=True)
        a, b, c, d = outer, np.roll(outer, -1, axis=1), np.roll(inner, -1, axis=1), inner
        triangles = np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(-1, 3, 3)
        normals = np.broadcast_to([0.0, 0.0, 1.0], triangles.shape)
        return [piece_of_surface(Surface(triangles, np.array(normals)), _FOOTSTEP_COLOR)]

    def _support(self, corners: FloatArray) -> list[Piece]:
        if len(corners) < 3:
            return []
        points = corners + np.array([0.0, 0.0, 1e-3 * self._extent])
        triangles = np.stack([np.stack([points[0], points[i], points[i + 1]]) for i in range(1, len(points) - 1)])
        normals = np.broadcast_to([0.0, 0.0, 1.0], triangles.shape)
        return [piece_of_surface(Surface(triangles, np.array(normals)), _SUPPORT_COLOR)]

    def _mark_com(self, image: FloatArray, window: Window, p_WC: FloatArray, level: float) -> None:
        """Draw the centre of mass over everything: a disc in quarters, a line down and its projection."""
        radius = 0.016 * self._extent
        x = window.left + (np.arange(window.width) + 0.5) * window.pixel
        y = window.top - (np.arange(window.height) + 0.5) * window.pixel
        center = self._camera.project(p_WC)
        foot = self._camera.project(np.array([p_WC[0], p_WC[1], level]))
        dx, dy = x[None, :] - center[0], y[:, None] - center[1]
        line = (np.abs(x[None, :] - foot[0]) < 0.6 * window.pixel) & (dy < 0.0) & (y[:, None] > foot[1])
        image[line] = 0.15
        squash = max(abs(float(self._camera.forward[2])), 0.05)
        image[np.hypot(x[None, :] - foot[0], (y[:, None] - foot[1]) / squash) < 0.8 * radius] = 0.1
        distance = np.hypot(dx, dy)
        image[distance < radius + window.pixel] = 0.0
        image[(distance < radius) & (dx * dy < 0.0)] = 1.0


def draw_moment(
    trajectory: Recorded,
    time: float,
    path: str | os.PathLike[str],
    *,
    ground: Any = None,
    view: tuple[float, float] = (35.0, 12.0),
    size: tuple[int, int] = (800, 800),
    simulation: int = 0,
) -> None:
    """Write a picture of one moment of a trajectory.

    Parameters
    ----------
    time : float
        Time after the first sample [s]; the nearest sample is drawn.
    path : str or path
        Picture to write; the suffix chooses the format. It appears complete or not at all.
    ground : object, optional
        Surfaces, as in `show`.
    view, size, simulation
        As in `write_video`.
    """
    playback = playback_of(trajectory, simulation)
    if not 0.0 <= time <= playback.duration + 1e-9:
        raise ArgumentError(f"time = {time} s found, expected 0 to {playback.duration:g} s")
    k = playback.index_at(time)
    terrain = terrain_of(getattr(trajectory, "ground", None) if ground is None else ground)
    write_image(Renderer(playback, terrain, view=view, size=size, samples=[k]).picture(k), Path(path))


def write_image(image: ByteArray, path: Path) -> None:
    """Write an image (height, width, 3); the suffix chooses the format."""
    from PIL import Image

    with whole_file(path) as unfinished:
        Image.fromarray(image).save(unfinished)


def _lowest(scene: Scene) -> float:
    return float(scene.points[:, 2].min())


def _over(gray: FloatArray, layer: FloatArray) -> FloatArray:
    """Picture (h, w, 3) of a layer (h, w, 4) of colour and opacity over a grey background (h, w)."""
    image = np.empty((*gray.shape, 3))
    alpha = np.ascontiguousarray(layer[..., 3])
    behind = gray * (1.0 - alpha)
    for k in range(3):
        image[..., k] = layer[..., k] * alpha + behind
    return image
