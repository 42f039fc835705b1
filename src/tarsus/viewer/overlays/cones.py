"""Friction cones at the contacts that press."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Ground
from tarsus.contact.touched import touched_surfaces
from tarsus.viewer.drawing.scene import along
from tarsus.viewer.live.stage import Stage

COLOR = (224, 168, 20)
OPACITY = 0.45
LENGTH = 0.07
"""Of a cone along its side, beside the robot's extent."""
_SIDES = 20
MOST_CONES = 200
"""More contacts than this, of soles made of meshes, are not drawn."""


def cone_points(position: FloatArray, normal: FloatArray, friction: FloatArray, length: float) -> FloatArray:
    """Tips and rims of cones, shape (n, 1 + 20, 3) [m]: every force inside has a tangential part below friction.

    Parameters
    ----------
    position, normal : ndarray, shape (n, 3)
        Where the tips are [m], and the axes.
    friction : ndarray, shape (n,)
        Tangent of half the angle at the tip.
    length : float
        From the tip to the rim [m].
    """
    turn = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    points = np.repeat(position[:, None], 1 + _SIDES, axis=1)
    for k, (z, mu) in enumerate(zip(normal, friction, strict=True)):
        axes = along(z, np.zeros(3))[:3, :3]
        height = length / np.hypot(1.0, mu)
        rim = np.stack([mu * height * np.cos(turn), mu * height * np.sin(turn), np.full(_SIDES, height)], axis=1)
        points[k, 1:] += rim @ axes.T
    return points


class ConeLayer:
    """Half-transparent cones in a stage, for the ground that is touched."""

    def __init__(self, server: Any, stage: Stage, ground: Ground, *, visible: bool = False) -> None:
        self._stage, self._ground, self.visible = stage, ground, visible
        self._count = min(stage.contacts, MOST_CONES)
        k = np.arange(_SIDES)
        one = np.stack([np.zeros_like(k), 1 + k, 1 + (k + 1) % _SIDES], axis=1)
        faces = (one[None] + (1 + _SIDES) * np.arange(self._count)[:, None, None]).reshape(-1, 3)
        self._mesh = server.scene.add_mesh_simple(
            "/cones",
            np.zeros((self._count * (1 + _SIDES), 3), np.float32),
            faces.astype(np.uint32),
            color=COLOR,
            opacity=OPACITY,
            side="double",
            cast_shadow=False,
            visible=False,
        )
        stage.followers.append(self._follow)

    def show(self, visible: bool) -> None:
        """Show or hide the cones."""
        self.visible = visible
        self._follow(self._stage.q)

    def _follow(self, q: FloatArray) -> None:
        position, pressed = self._stage.contact_position, self._stage.pressed
        shown = np.flatnonzero(pressed)[: self._count]
        self._mesh.visible = bool(self.visible and len(shown))
        if self._mesh.visible:
            surface = touched_surfaces(self._ground, position[shown])
            points = np.zeros((self._count, 1 + _SIDES, 3))
            points[:] = position[shown[0]]  # cones that are not shown are folded into a tip
            length = LENGTH * self._stage.extent
            points[: len(shown)] = cone_points(position[shown], surface.normal, surface.friction, length)
            self._mesh.vertices = points.reshape(-1, 3).astype(np.float32)
