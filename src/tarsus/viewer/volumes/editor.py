"""The page where a person moves vertices of volumes, changes radii, adds, deletes, fits again and saves."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.fitting.enclosure import protrusion
from tarsus.collision.fitting.facets import facets_of
from tarsus.collision.fitting.fit import fit
from tarsus.collision.fitting.union_volume import union_volume
from tarsus.errors import ArgumentError, TarsusError
from tarsus.geometry.shapes import Plane
from tarsus.geometry.swept_sphere import KINDS, Sweep, SweptSphere
from tarsus.io.volume_file import write_volume_file
from tarsus.spatial.pose import inverse_pose
from tarsus.viewer.live.stage import Stage
from tarsus.viewer.volumes.layer import VolumeLayer, place_of

LARGEST_RADIUS = 10.0
"""That the page offers [m]."""
_NEW_RADIUS = 0.05
"""Of a new volume beside the robot's extent."""
_NONE = "none"


class VolumeEditor:
    """Controls for the volumes of a model, of which one is selected.

    Attributes
    ----------
    path : Path
        File that is written.
    volumes : dict of str to list of SweptSphere
        As they are now, by link.
    """

    def __init__(self, server: Any, stage: Stage, layer: VolumeLayer, path: Path) -> None:
        self._server, self._stage, self._layer, self.path = server, stage, layer, path
        self._lock = threading.RLock()
        self.volumes = {name: list(several) for name, several in stage.model.volumes.items()}
        self._points: list[Any] = []
        gui = server.gui
        with gui.add_folder("Edit volumes"):
            links = tuple(dict.fromkeys((*stage.model.bodies, *self.volumes)))
            self._links = frozenset(links)
            self._link = gui.add_dropdown("Link", links, initial_value=next(iter(self.volumes), links[0]))
            self._number = gui.add_dropdown("Volume", (_NONE,), initial_value=_NONE)
            self._kind = gui.add_dropdown("Kind", KINDS, initial_value="point")
            self._radius = gui.add_number("Radius [m]", 0.0, min=0.0, max=LARGEST_RADIUS, step=0.001)
            self._add = gui.add_button("Add")
            self._delete = gui.add_button("Delete")
            self._fit = gui.add_button("Fit this link again")
            self._state = gui.add_text("Encloses", "", disabled=True)
            self._save = gui.add_button("Save")
            self._message = gui.add_text("File", str(path), disabled=True)
        self._link.on_update(self._from_client(lambda: self.select(self._link.value)))
        self._number.on_update(self._from_client(lambda: self.select(self._link.value, self._number.value)))
        self._kind.on_update(self._from_client(lambda: self.set_kind(self._kind.value)))
        self._radius.on_update(self._from_client(lambda: self.set_radius(float(self._radius.value))))
        for button, act in ((self._add, self.add), (self._delete, self.delete), (self._fit, self.fit),
                            (self._save, self.save)):  # fmt: skip
            button.on_click(lambda _, act=act: act())
        self.select(self._link.value)

    def _from_client(self, act: Callable[[], object]) -> Callable[[Any], None]:
        """A callback that leaves out what was changed from here."""

        def called(event: Any) -> None:
            if event.client_id is not None:
                act()

        return called

    @property
    def selected(self) -> SweptSphere | None:
        """The volume that is being edited."""
        several = self.volumes.get(self._link.value, [])
        number = self._number.value
        return several[int(number) - 1] if number != _NONE and int(number) <= len(several) else None

    def select(self, link: str, number: str | None = None) -> None:
        """Edit one volume of a link, the first by default."""
        with self._lock:
            if link not in self._links:  # what a client sends need not be in the list
                link = next(iter(self.volumes), next(iter(self._stage.model.bodies)))
            count = len(self.volumes.get(link, []))
            options = tuple(str(k + 1) for k in range(count)) or (_NONE,)
            self._link.value, self._number.options = link, options
            self._number.value = number if number in options else options[0]
            self._show_selected()

    def add(self) -> None:
        """One more volume of the link: a sphere in the middle of its shapes."""
        with self._lock:
            link = self._link.value
            corners = self._shapes_of(link)
            middle = (corners.min(axis=0) + corners.max(axis=0)) / 2.0 if len(corners) else np.zeros(3)
            self.volumes.setdefault(link, []).append(SweptSphere(middle, _NEW_RADIUS * self._stage.extent))
            self._changed()
            self.select(link, str(len(self.volumes[link])))

    def delete(self) -> None:
        """Remove the volume that is selected."""
        with self._lock:
            if self.selected is not None:
                link = self._link.value
                del self.volumes[link][int(self._number.value) - 1]
                self._changed()
                self.select(link)

    def set_radius(self, radius: float) -> None:
        """Another radius of the volume that is selected [m]."""
        with self._lock:
            if self.selected is not None and math.isfinite(radius):
                self._replace(SweptSphere(self.selected.vertices, min(max(radius, 0.0), LARGEST_RADIUS)))

    def set_kind(self, kind: Sweep) -> None:
        """Make the volume a point, a line or a triangle: vertices are dropped, or new ones put beside the last."""
        with self._lock:
            if self.selected is None or kind not in KINDS:
                return
            count, vertices = KINDS.index(kind) + 1, self.selected.vertices
            step = max(self.selected.radius, 0.02 * self._stage.extent)
            beside = [vertices[-1] + step * np.eye(3)[k] for k in range(count - len(vertices))]
            self._replace(SweptSphere(np.concatenate([vertices, *(row[None] for row in beside)])[:count],
                                      self.selected.radius))  # fmt: skip
            self._show_selected()

    def move(self, number: int, position: FloatArray) -> None:
        """Put a vertex of the volume somewhere else, in the frame of its link [m]."""
        with self._lock:
            if self.selected is None or not np.isfinite(position).all() or number >= len(self.selected.vertices):
                return
            vertices = np.array(self.selected.vertices)
            vertices[number] = position
            self._replace(SweptSphere(vertices, self.selected.radius))

    def fit(self) -> None:
        """Replace the volumes of the link by fitted ones."""
        with self._lock:
            link = self._link.value
            try:
                found = fit(self._stage.model, links=[link])
            except TarsusError as error:
                self._message.value = str(error)
                return
            self.volumes[link] = list(found[link])
            self._changed()
            self.select(link)

    def save(self) -> None:
        """Write the file."""
        with self._lock:
            comment = f"Swept-sphere volumes of {self._stage.model.name}, edited in the viewer [m]."
            try:
                write_volume_file(self.path, self.volumes, comment=comment)
            except OSError as error:
                self._message.value = f"not saved: {error}"
                return
            count = sum(map(len, self.volumes.values()))
            self._message.value = f"saved {count} volumes: {self.path}"

    def _replace(self, volume: SweptSphere) -> None:
        self.volumes[self._link.value][int(self._number.value) - 1] = volume
        self._changed()

    def _changed(self) -> None:
        """Draw the link again, and say whether it is enclosed."""
        self._layer.replace({name: tuple(several) for name, several in self.volumes.items()}, self._link.value)
        self._message.value = f"not saved yet: {self.path}"
        self._tell()
        self._stage.show(self._stage.q)

    def _show_selected(self) -> None:
        """Controls and handles of the volume that is selected."""
        for handle in self._points:
            handle.remove()
        self._points = []
        volume = self.selected
        for control in (self._kind, self._radius, self._delete):
            control.disabled = volume is None
        self._tell()
        if volume is None:
            return
        self._kind.value, self._radius.value = volume.kind, volume.radius
        body, X_BF = place_of(self._stage.model, self._link.value)
        for number, vertex in enumerate(volume.vertices):
            handle = self._server.scene.add_transform_controls(
                f"/robot/{body}/vertex_{number}",
                scale=0.1 * self._stage.extent,
                disable_rotations=True,
                depth_test=False,
                position=X_BF[:3, :3] @ vertex + X_BF[:3, 3],
            )
            handle.on_update(self._dragged(number, X_BF))
            self._points.append(handle)

    def _dragged(self, number: int, X_BF: FloatArray) -> Callable[[Any], None]:
        back = inverse_pose(X_BF)

        def moved(event: Any) -> None:
            self.move(number, back[:3, :3] @ np.asarray(event.target.position, dtype=float) + back[:3, 3])

        return moved

    def _tell(self) -> None:
        """Whether the volumes of the link enclose its collision shapes."""
        link = self._link.value
        several = self.volumes.get(link, [])
        try:
            outside = protrusion(several, self._facets(link), tolerance=1e-6)
        except ArgumentError as error:
            self._state.value = str(error)
            return
        size = f"{1000 * union_volume(several, samples=2000):.3g} l" if several else "no volumes"
        self._state.value = (
            f"all of it, {size}" if outside <= 1e-6 else f"not all: {1000 * outside:.3g} mm stick out, {size}"
            if math.isfinite(outside) else "nothing: no volumes"
        )  # fmt: skip

    def _facets(self, link: str) -> Any:
        """What the link's volumes are to enclose, in the frame of the link."""
        if link not in self._stage.model.bodies:
            return facets_of((), link)
        shapes = self._stage.model.bodies[link].collisions
        return facets_of([shape for shape in shapes if not isinstance(shape.geometry, Plane)], f"link {link!r}")

    def _shapes_of(self, link: str) -> FloatArray:
        try:
            return np.asarray(self._facets(link).corners.reshape(-1, 3))
        except ArgumentError:
            return np.zeros((0, 3))
