"""The scene of the browser viewer: robot, ground, frames, centre of mass, forces and support polygon."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, Literal

import numpy as np

import tarsus
from tarsus.arrays import BoolArray, FloatArray
from tarsus.errors import ArgumentError
from tarsus.geometry.support_polygon import support_polygon
from tarsus.model.model import Model
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix
from tarsus.viewer.parts import bounds, parts_of
from tarsus.viewer.playback import focus_of
from tarsus.viewer.terrain import Terrain

FrameChoice = Literal["none", "named", "bodies", "joints"]
FRAME_CHOICES: tuple[FrameChoice, ...] = ("none", "named", "bodies", "joints")
_FRAME_KINDS = {"none": (), "named": ("frame", "link"), "bodies": ("body",), "joints": ("joint",)}

FORCE_COLOR = (190, 22, 8)
PUSH_COLOR = (14, 50, 190)
SUPPORT_COLOR = (60, 150, 90)
COM_COLOR = (20, 20, 24)
GROUND_COLOR = (196, 192, 184)
TRANSPARENT_OPACITY = 0.35
"""Opacity of a transparent robot."""


class Stage:
    """What a viser server shows of one model.

    Parameters
    ----------
    server : viser.ViserServer
    model : Model
    terrain : Terrain
        The ground.
    contacts : int
        Number of contacts that may carry force.
    start : ndarray, shape (nq,), optional
        Configuration to begin with, at which the camera looks; the reference by default.
    stand : bool
        Whether the grid is put under a robot that reaches below z = 0, as in pictures.

    Attributes
    ----------
    force_scale : float
        Length of an arrow per force [m/N].
    q : ndarray, shape (nq,)
        Configuration that is shown.
    extent : float
        Longest edge of the robot's bounding box in the reference pose [m].
    parts : list of Part
        What is drawn of it.
    followers : list of callable
        Called with each configuration that is shown.
    """

    def __init__(
        self,
        server: Any,
        model: Model,
        terrain: Terrain = Terrain(),  # noqa: B008 (immutable)
        contacts: int = 0,
        *,
        start: FloatArray | None = None,
        stand: bool = False,
    ) -> None:
        self._server = server
        self._scene = server.scene
        self.model = model
        self.force_scale = 0.0
        self.show_forces = self.show_support = True
        self.q = np.array(model.reference if start is None else start)
        self.contacts = contacts
        self.followers: list[Callable[[FloatArray], object]] = []
        self._position = self._force = np.zeros((contacts, 3))
        self._segments = np.zeros((0, 2, 3))
        X_WB = np.asarray(tarsus.body_poses(model, model.reference))
        self.parts = parts = parts_of(model)
        low, high = bounds(X_WB, parts)
        self.extent = float((high - low).max()) or 1.0
        self._floor = min(0.0, float(low[2])) if stand else 0.0
        self._scene.set_up_direction("+z")
        self._add_lights()
        self._add_ground(terrain)
        self._bodies = self._add_robot(parts)
        self._add_marks(contacts)
        self._frames: Any = None
        self._frame_names: list[str] = []
        self._labels: list[Any] = []
        self._point_camera(np.asarray(tarsus.body_poses(model, self.q)))
        self.show_com(True)
        self.show(self.q)

    def show(
        self,
        q: FloatArray,
        position: FloatArray | None = None,
        force: FloatArray | None = None,
        pushes: FloatArray | None = None,
    ) -> None:
        """Move everything to a configuration.

        Parameters
        ----------
        q : ndarray, shape (nq,)
        position, force : ndarray, shape (contacts, 3), optional
            Contact points [m] and forces on the robot [N], world axes.
        pushes : ndarray, shape (pushes, 2, 3), optional
            Tails and tips of their arrows, world [m].
        """
        X_WB = np.asarray(tarsus.body_poses(self.model, q))
        p_WC = focus_of(self.model, q)
        wxyz = quaternion_from_rotation_matrix(X_WB[:, :3, :3])
        self.q = np.array(q)
        if position is not None and force is not None:
            self._position, self._force = position, force
        if pushes is not None:
            self._segments = pushes
        with self._server.atomic():
            for handle, X, rotation in zip(self._bodies, X_WB, wxyz, strict=True):
                handle.position = X[:3, 3]
                handle.wxyz = rotation
            self._move_frames(X_WB)
            corners = support_polygon(self._position, self._force)
            self._move_com(p_WC, float(corners[:, 2].mean()) if len(corners) else self._floor)
            self._move_forces()
            self._move_support(corners)
            for follow in self.followers:
                follow(self.q)

    @property
    def contact_position(self) -> FloatArray:
        """Where contacts are at the moment that is shown, shape (contacts, 3), world [m]."""
        return self._position

    @property
    def pressed(self) -> BoolArray:
        """Which contacts carry force at the moment that is shown, shape (contacts,)."""
        return np.asarray(np.any(self._force != 0.0, axis=1))

    def show_frames(self, choice: FrameChoice, *, names: bool = False) -> None:
        """Show frames of one sort as triads (x red, y green, z blue), with their names if wanted."""
        if choice not in FRAME_CHOICES:
            raise ArgumentError(f"frames = {choice!r} found, expected one of {', '.join(FRAME_CHOICES)}")
        for handle in [*self._labels, *([self._frames] if self._frames is not None else [])]:
            handle.remove()
        self._labels, self._frames = [], None
        self._frame_names = [f.name for f in self.model.frames.values() if f.kind in _FRAME_KINDS[choice]]
        if not self._frame_names:
            return
        count = len(self._frame_names)
        self._frames = self._scene.add_batched_axes(
            "/frames",
            np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
            np.zeros((count, 3)),
            axes_length=0.07 * self.extent,
            axes_radius=0.003 * self.extent,
        )
        if names:
            self._labels = [
                self._scene.add_label(f"/frame_names/{k}", name, font_screen_scale=0.8)
                for k, name in enumerate(self._frame_names)
            ]
        self.show(self.q)

    def show_com(self, visible: bool) -> None:
        """Show or hide the centre of mass and its projection."""
        shown = visible and self.model.total_mass > 0.0
        self._com.visible = self._com_line.visible = self._com_ground.visible = shown

    def set_transparent(self, transparent: bool) -> None:
        """Let the robot be seen through, or not."""
        for handle, opacity in self._meshes:
            handle.opacity = TRANSPARENT_OPACITY if transparent else opacity

    def _add_lights(self) -> None:
        # Without a picture of surroundings, whose preparation takes many seconds where there is no graphics processor.
        self._scene.configure_environment_map(None)
        self._scene.add_light_hemisphere(
            "/lights/sky", sky_color=(255, 255, 255), ground_color=(170, 165, 160), intensity=2.2
        )

    def _add_ground(self, terrain: Terrain) -> None:
        self._scene.add_grid(
            "/ground/grid",
            cell_size=0.1,
            section_size=1.0,
            infinite_grid=True,
            fade_distance=12.0,
            position=(0.0, 0.0, self._floor),
            visible=terrain.grid,
        )
        for k, (mesh, paint) in enumerate(zip_longest(terrain.meshes, terrain.colors)):
            color, opacity = GROUND_COLOR, None
            if paint is not None:
                red, green, blue = (round(255 * float(np.clip(x, 0.0, 1.0))) for x in paint[:3])
                color, opacity = (red, green, blue), None if paint[3] >= 1.0 else float(paint[3])
            self._scene.add_mesh_simple(
                f"/ground/{k}",
                mesh.vertices,
                mesh.faces,
                color=color,
                opacity=opacity,
                side="double",
                cast_shadow=False,
            )

    def _add_robot(self, parts: Sequence[Any]) -> list[Any]:
        # Names come from files: numbers keep the tree of the scene free of separators in them.
        bodies = [self._scene.add_frame(f"/robot/{i}", show_axes=False) for i in range(self.model.nb)]
        self._meshes: list[tuple[Any, float | None]] = []
        for k, part in enumerate(parts):
            red, green, blue, alpha = part.color
            opacity = None if alpha >= 1.0 else float(alpha)
            mesh = self._scene.add_mesh_simple(
                f"/robot/{part.body}/{k}",
                part.mesh.vertices,
                part.mesh.faces,
                color=tuple(round(255 * float(np.clip(x, 0.0, 1.0))) for x in (red, green, blue)),
                opacity=opacity,
                side="double",
            )
            self._meshes.append((mesh, opacity))
        return bodies

    def _add_marks(self, contacts: int) -> None:
        scene, size = self._scene, self.extent
        self._com = scene.add_icosphere("/com/centre", 0.018 * size, color=COM_COLOR, subdivisions=2)
        self._com_ground = scene.add_cylinder("/com/ground", 0.02 * size, 0.002 * size, color=COM_COLOR)
        self._com_line = scene.add_line_segments("/com/line", np.zeros((1, 2, 3)), COM_COLOR, thickness=0.003 * size)
        self._arrows, self._pushes = (
            scene.add_arrows(
                name,
                np.zeros((count, 2, 3)),
                color,
                shaft_radius=0.006 * size,
                head_radius=0.013 * size,
                head_length=0.025 * size,
                visible=False,
            )
            for name, count, color in (("/forces", max(contacts, 1), FORCE_COLOR), ("/pushes", 1, PUSH_COLOR))
        )
        # A fan with a corner per contact: where the polygon has fewer, the last one is repeated.
        fan = np.array([(0, k, k + 1) for k in range(1, max(contacts - 1, 2))], dtype=np.uint32)
        self._support = scene.add_mesh_simple(
            "/support",
            np.zeros((max(contacts, 3), 3), np.float32),
            fan,
            color=SUPPORT_COLOR,
            opacity=0.55,
            side="double",
            cast_shadow=False,
            visible=False,
        )

    def _move_frames(self, X_WB: FloatArray) -> None:
        if self._frames is None:
            return
        frames = [self.model.frames[name] for name in self._frame_names]
        X_WF = np.stack([X_WB[self.model.bodies[f.body].index] @ f.pose for f in frames])
        self._frames.batched_positions = X_WF[:, :3, 3].astype(np.float32)
        self._frames.batched_wxyzs = quaternion_from_rotation_matrix(X_WF[:, :3, :3]).astype(np.float32)
        for label, X in zip(self._labels, X_WF, strict=False):
            label.position = X[:3, 3]

    def _move_com(self, p_WC: FloatArray, level: float) -> None:
        foot = np.array([p_WC[0], p_WC[1], level])
        self._com.position = p_WC
        self._com_ground.position = foot + np.array([0.0, 0.0, 0.002 * self.extent])
        self._com_line.points = np.stack([p_WC, foot])[None].astype(np.float32)

    def _move_forces(self) -> None:
        forces = np.stack([self._position, self._position + self.force_scale * self._force], axis=1)
        for arrows, segments in ((self._arrows, forces), (self._pushes, self._segments)):
            acting = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1) > 1e-3 * self.extent
            arrows.visible = bool(self.show_forces and acting.any())
            if arrows.visible:
                arrows.points = segments[acting].astype(np.float32)

    def _move_support(self, corners: FloatArray) -> None:
        self._support.visible = bool(self.show_support and len(corners) >= 3)
        if self._support.visible:
            missing = len(self._support.vertices) - len(corners)
            padded = np.concatenate([corners, np.repeat(corners[-1:], missing, axis=0)])
            self._support.vertices = (padded + np.array([0.0, 0.0, 0.001 * self.extent])).astype(np.float32)

    def _point_camera(self, X_WB: FloatArray) -> None:
        origins = X_WB[:, :3, 3]
        middle = (origins.min(axis=0) + origins.max(axis=0)) / 2.0
        camera = self._server.initial_camera
        camera.look_at = middle
        camera.position = middle + 1.5 * self.extent * np.array([0.85, 0.6, 0.3])
