"""The region in which the centre of mass could rest on the contacts of a moment."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Ground
from tarsus.contact.touched import touched_surfaces
from tarsus.control.stances.com_region import com_region
from tarsus.control.whole_body.contact import Contact
from tarsus.errors import TarsusError
from tarsus.model.model import Model
from tarsus.viewer.drawing.scene import along
from tarsus.viewer.live.stage import Stage

COLOR = (126, 34, 160)
MOST_CONTACTS = 40
"""More contacts at a time than this have no region drawn: it would hold up the motion."""
_SAME = 2e-3
"""Contacts that move by less keep their region [m]."""
_TOLERANCE = 1e-3
"""Of corners [m]: less than a line is wide."""


def region_of_contacts(model: Model, ground: Ground, position: FloatArray) -> FloatArray:
    """Corners (k, 2) of the region of the centre of mass on point contacts (n, 3), with the friction of the ground [m].

    Forces inside pyramids of eight sides (`tarsus.control.com_region`); none where nothing carries, or gravity does not
    point down.
    """
    surface = touched_surfaces(ground, position)
    try:
        contacts = [
            Contact(f"contact {k}", pose=along(z, p), friction=float(mu), sides=8)
            for k, (p, z, mu) in enumerate(zip(position, surface.normal, surface.friction, strict=True))
        ]
        return com_region(model, contacts, tolerance=_TOLERANCE)
    except TarsusError:
        return np.zeros((0, 2))


class RegionLayer:
    """Outline of the region in a stage, at the height of the contacts that carry the robot."""

    def __init__(self, server: Any, stage: Stage, ground: Ground, *, visible: bool = False) -> None:
        self._stage, self._ground, self.visible = stage, ground, visible
        self._known: dict[bytes, FloatArray] = {}
        self._lines = server.scene.add_line_segments(
            "/com_region", np.zeros((1, 2, 3)), COLOR, thickness=0.006 * stage.extent, visible=False
        )
        stage.followers.append(self._follow)

    def show(self, visible: bool) -> None:
        """Show or hide the region."""
        self.visible = visible
        self._follow(self._stage.q)

    def _follow(self, q: FloatArray) -> None:
        position = self._stage.contact_position[self._stage.pressed]
        corners = self._corners(position) if self.visible and 0 < len(position) <= MOST_CONTACTS else np.zeros((0, 2))
        self._lines.visible = len(corners) >= 3
        if self._lines.visible:
            level = np.full((len(corners), 1), position[:, 2].mean() + 0.003 * self._stage.extent)
            ring = np.hstack([corners, level])
            self._lines.points = np.stack([ring, np.roll(ring, -1, axis=0)], axis=1).astype(np.float32)

    def _corners(self, position: FloatArray) -> FloatArray:
        key = np.rint(position / _SAME).astype(np.int64).tobytes()
        if key not in self._known:
            self._known[key] = region_of_contacts(self._stage.model, self._ground, position)
        return self._known[key]
