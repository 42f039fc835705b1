"""Tables of what sensors of a model sense, evaluated by the native core in one call for all of them and all robots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.model.lowering import to_native
from tarsus.model.model import Model
from tarsus.spatial.inertia import Inertia

_KINDS = _native.enumeration("SensedKind")


@final
class NativeTruth:
    """Channels of several sensors, one after the other; sensors add theirs, then `sense` evaluates them.

    Parameters
    ----------
    model : Model
    contacts : int
        Contacts of the robot.

    Attributes
    ----------
    channels : int
        So far.
    """

    def __init__(self, model: Model, contacts: int) -> None:
        self.model, self.channels = model, 0
        self._contacts = contacts
        self._shift = to_native(model, model.reference).shape[-1] - model.nq
        self._frames: dict[str, int] = {}
        self._entries: list[tuple[int, ...]] = []
        self._parts: list[tuple[int, FloatArray]] = []
        self._numbers: list[float] = []
        self._listed: list[int] = []
        self._core: _native.SensorCore | None = None

    def add_position(self, place: int) -> None:
        """An entry of q behind the base's rotation."""
        self._add("position", 1, place + self._shift)

    def add_inertial(self, frame: str, gyroscope_matrix: npt.ArrayLike, accelerometer_matrix: npt.ArrayLike) -> None:
        """Angular velocity and specific force of a frame in its axes, each times its matrix (3, 3)."""
        number = len(self._numbers)
        for matrix in (gyroscope_matrix, accelerometer_matrix):
            self._numbers.extend(np.asarray(matrix, dtype=float).ravel())
        self._add("inertial", 6, self._frame(frame), number)

    def add_wrench(self, frame: str, parts: Iterable[tuple[str, Inertia]], contacts: Sequence[int]) -> None:
        """Wrench about a frame's origin in its axes: of contacts, less what parts fixed to frames need to move."""
        self._add("wrench", 6, self._frame(frame), 0, *self._behind(parts, contacts))

    def add_component(
        self, frame: str, weights: npt.ArrayLike, parts: Iterable[tuple[str, Inertia]], contacts: Sequence[int]
    ) -> None:
        """Six weights times such a wrench."""
        number = len(self._numbers)
        self._numbers.extend(np.asarray(weights, dtype=float))
        self._add("component", 1, self._frame(frame), number, *self._behind(parts, contacts))

    def add_force(self, contacts: Sequence[int]) -> None:
        """Magnitude of the sum of contact forces."""
        self._add("force", 1, 0, 0, *self._behind((), contacts))

    def sense(
        self, q: FloatArray, v: FloatArray, vdot: FloatArray, position: FloatArray, force: FloatArray
    ) -> FloatArray | None:
        """What is sensed, (*batch, channels), of states (*batch, nq), (*batch, nv); None where one is refused.

        `position` and `force` of the contacts have the shape (*batch, nc, 3). All arrays are plain: float64, C order.
        """
        if self._core is None:
            self._core = self._lowered()
        out = np.empty((*v.shape[:-1], self.channels))
        return out if self._core.sense(to_native(self.model, q), v, vdot, position, force, out) else None

    def _lowered(self) -> _native.SensorCore:
        table: dict[str, Any] = {
            "entries": len(self._entries),
            "channels": self.channels,
            "contacts": self._contacts,
            "parts": len(self._parts),
            "numbers": len(self._numbers),
            "listed": len(self._listed),
            "entry": np.array(self._entries, dtype=np.int32).reshape(-1),
            "part_frame": np.array([frame for frame, _ in self._parts], dtype=np.int32),
            "part": np.array([numbers for _, numbers in self._parts], dtype=float).reshape(-1),
            "number": np.array(self._numbers, dtype=float),
            "contact": np.array(self._listed, dtype=np.int32),
        }
        return _native.SensorCore(self.model, list(self._frames), table)

    def _add(self, kind: str, channels: int, *numbers: int) -> None:
        self._entries.append((_KINDS[kind], self.channels, *numbers, *[0] * (6 - len(numbers))))
        self.channels += channels

    def _frame(self, name: str) -> int:
        return self._frames.setdefault(name, len(self._frames))

    def _behind(self, parts: Iterable[tuple[str, Inertia]], contacts: Sequence[int]) -> tuple[int, int, int, int]:
        """Where parts and contacts stand in the table, and how many there are."""
        first, contact = len(self._parts), len(self._listed)
        for fixed_to, inertia in parts:
            numbers = np.concatenate([[inertia.mass], inertia.com, np.ravel(inertia.moments)])
            self._parts.append((self._frame(fixed_to), numbers))
        self._listed.extend(contacts)
        return first, len(self._parts) - first, contact, len(contacts)
