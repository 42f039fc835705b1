"""All overlays of a stage, and their switches."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tarsus.arrays import FloatArray
from tarsus.contact import Ground
from tarsus.errors import UnknownNameError, nearest
from tarsus.viewer.live.stage import Stage
from tarsus.viewer.overlays.cones import ConeLayer
from tarsus.viewer.overlays.region import RegionLayer
from tarsus.viewer.overlays.stances import StanceLayer
from tarsus.viewer.overlays.walk import PlannedWalk, WalkLayer

OVERLAYS = ("cones", "region", "stances", "strip", "footsteps", "plan")
"""Friction cones, region of the centre of mass, planned stances where they will be, or in a strip; of a walk its
footsteps and the ways of centre of mass and pressure, which are shown to begin with."""
_CHOICES = ("none", "where they will be", "strip")


def check_overlays(names: Collection[str]) -> None:
    """Refuse names of overlays that do not exist."""
    for name in names:
        if name not in OVERLAYS:
            known = ", ".join(OVERLAYS)
            raise UnknownNameError(f"there is no overlay {name!r}{nearest(name, OVERLAYS)}; known: {known}")


class Overlays:
    """Overlays that a stage has data for.

    Parameters
    ----------
    ground : Ground or None
        What is touched; without it there are no cones and no region.
    stances : ndarray, shape (n, nq)
    shown : collection of str
        Names of `OVERLAYS` that are shown to begin with.
    walk : PlannedWalk, optional
        Of a recorded walk.
    """

    def __init__(
        self,
        server: Any,
        stage: Stage,
        ground: Ground | None,
        stances: FloatArray,
        shown: Collection[str] = (),
        walk: PlannedWalk | None = None,
    ) -> None:
        self._server = server
        touches = ground is not None and stage.contacts > 0
        self.cones = ConeLayer(server, stage, ground, visible="cones" in shown) if touches and ground else None
        heavy = touches and stage.model.total_mass > 0.0
        self.region = RegionLayer(server, stage, ground, visible="region" in shown) if heavy and ground else None
        ghosts, strip = "stances" in shown, "strip" in shown
        self.stances = StanceLayer(server, stage, stances, ghosts=ghosts, strip=strip) if len(stances) else None
        self.footsteps = WalkLayer(server, stage, walk, "footsteps") if walk is not None else None
        self.plan = WalkLayer(server, stage, walk, "plan") if walk is not None else None
        self._place = _CHOICES[2 if strip else 1 if ghosts else 0]

    def add_switches(self) -> None:
        """Controls of the overlays that are there."""
        gui = self._server.gui
        for layer, label in (
            (self.cones, "Friction cones"),
            (self.region, "Region of the centre of mass"),
            (self.footsteps, "Footsteps"),
            (self.plan, "Planned ways"),
        ):
            if layer is not None:
                switch = gui.add_checkbox(label, layer.visible)
                switch.on_update(lambda _, layer=layer, switch=switch: layer.show(bool(switch.value)))
        if self.stances is not None:
            stances, choice = self.stances, gui.add_dropdown("Planned stances", _CHOICES, initial_value=self._place)
            choice.on_update(
                lambda _: stances.show(ghosts=choice.value == _CHOICES[1], strip=choice.value == _CHOICES[2])
            )
