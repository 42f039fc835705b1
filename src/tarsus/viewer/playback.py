"""One simulation of a trajectory as a viewer plays it: poses, forces and curves by sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

import tarsus
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.model.model import Model
from tarsus.recording.curves import coordinate_names
from tarsus.recording.energies import total_energy
from tarsus.recording.recorded import Recorded
from tarsus.recording.recorded_pushes import RecordedPush, pushes_of
from tarsus.viewer.parts import Part
from tarsus.viewer.pushes import push_segments
from tarsus.walking.walker.walk_record import recorded_walk

_LONGEST_ARROW = 0.5
"""Length of the longest force arrow as part of the robot's extent."""


class Curves(NamedTuple):
    """Signals that are plotted together.

    Attributes
    ----------
    unit : str
    labels : list of str
    values : ndarray, shape (N, labels)
    """

    unit: str
    labels: list[str]
    values: FloatArray


@final
@dataclass(frozen=True, eq=False)
class Playback:
    """One simulation to be drawn, sample by sample.

    Attributes
    ----------
    model : Model
    time : ndarray, shape (N,)
        [s], rising.
    q : ndarray, shape (N, nq)
    contacts : tuple of str
    contact_position : ndarray, shape (N, nc, 3)
        World [m].
    contact_force : ndarray, shape (N, nc, 3)
        On the robot, world axes [N].
    pushes : tuple of RecordedPush
        From outside.
    curves : dict of str to Curves
        What can be plotted.
    footsteps : ndarray, shape (n, 4, 3)
        Outlines of the footsteps that were planned, where it is a walk, world [m].
    """

    model: Model
    time: FloatArray
    q: FloatArray
    contacts: tuple[str, ...]
    contact_position: FloatArray
    contact_force: FloatArray
    pushes: tuple[RecordedPush, ...]
    curves: dict[str, Curves]
    footsteps: FloatArray = field(default_factory=lambda: np.zeros((0, 4, 3)))

    def __len__(self) -> int:
        return len(self.time)

    @property
    def duration(self) -> float:
        """Time from the first to the last sample [s]."""
        return float(self.time[-1] - self.time[0])

    def index_at(self, t: float) -> int:
        """Sample nearest to the time t [s] after the first one."""
        at = float(self.time[0]) + t
        right = int(np.clip(np.searchsorted(self.time, at), 0, len(self.time) - 1))
        left = max(right - 1, 0)
        return left if at - self.time[left] < self.time[right] - at else right

    def samples(self, rate: float) -> npt.NDArray[np.intp]:
        """Samples nearest to equally spaced times, `rate` a second at most; the last sample is among them."""
        count = min(len(self), round(self.duration * rate) + 1)
        times = np.linspace(0.0, self.duration, max(count, 1))
        indices = np.array([self.index_at(float(t)) for t in times], dtype=np.intp)
        return np.unique(np.append(indices, len(self) - 1))

    @cached_property
    def largest_force(self) -> float:
        """Largest contact force in time [N]; 0 without contact."""
        return float(np.linalg.norm(self.contact_force, axis=-1).max(initial=0.0))

    def force_scale(self, extent: float) -> float:
        """Length of a force arrow per force [m/N], for a robot of the given extent [m]."""
        return _LONGEST_ARROW * extent / self.largest_force if self.largest_force > 0.0 else 0.0

    def push_segments(self, parts: Sequence[Part], extent: float) -> FloatArray:
        """Arrows of pushes (N, pushes, 2, 3) on a robot of these parts and extent [m], see `push_segments`."""
        return push_segments(self.model, self.time, self.q, self.pushes, parts, extent)


def focus_of(model: Model, q: FloatArray) -> FloatArray:
    """Point (..., 3) that a camera follows [m]: the centre of mass, or the root's origin of a model without mass."""
    if model.total_mass > 0.0:
        return np.asarray(tarsus.center_of_mass(model, q))
    return np.asarray(tarsus.body_poses(model, q))[..., 0, :3, 3]


def simulation_count(trajectory: Recorded) -> int:
    """How many simulations a trajectory holds."""
    return math.prod(np.shape(trajectory.q)[1:-1])


def playback_of(trajectory: Recorded, simulation: int = 0) -> Playback:
    """Pick one simulation of a trajectory.

    Parameters
    ----------
    simulation : int
        Number among all simulations, the last batch axis fastest.
    """
    model, q = trajectory.model, np.asarray(trajectory.q, dtype=float)
    count = len(trajectory.time)
    if count == 0:
        raise ArgumentError("the trajectory has no samples, expected at least one")
    if q.ndim < 2 or len(q) != count or q.shape[-1] != model.nq:
        raise ShapeError(f"q of the trajectory has shape {q.shape}, expected ({count}, ..., {model.nq})")
    total = simulation_count(trajectory)
    if not 0 <= simulation < total:
        raise ArgumentError(f"simulation = {simulation} found, expected 0 to {total - 1}")
    batch = q.shape[1:-1]

    def picked(array: npt.ArrayLike) -> FloatArray:
        whole = np.asarray(array, dtype=float)
        one: FloatArray = whole.reshape(count, total, *whole.shape[1 + len(batch) :])[:, simulation]
        return one

    nc = len(trajectory.contacts)
    q = picked(q)
    if not np.isfinite(q).all():
        raise NonFiniteError(f"q of the trajectory is not finite at sample {int(np.argmin(np.isfinite(q).all(-1)))}")
    force = np.nan_to_num(picked(trajectory.contact_force).reshape(count, nc, 3))
    # There may be thousands between bodies, named "a|b", of which most never touch.
    shown = [i for i, name in enumerate(trajectory.contacts) if "|" not in name or force[:, i].any()]
    contacts = tuple(trajectory.contacts[i] for i in shown)
    return Playback(
        model=model,
        time=np.asarray(trajectory.time, dtype=float),
        q=q,
        contacts=contacts,
        contact_position=picked(trajectory.contact_position).reshape(count, nc, 3)[:, shown],
        contact_force=force[:, shown],
        pushes=pushes_of(trajectory),
        curves=_curves(trajectory, q, contacts, force[:, shown], picked),
        footsteps=_footsteps(trajectory),
    )


def _footsteps(trajectory: Recorded) -> FloatArray:
    walk = recorded_walk(trajectory)
    return np.zeros((0, 4, 3)) if walk is None else walk.outlines


def playback_of_configurations(model: Model, q: FloatArray, time: FloatArray) -> Playback:
    """Motion through configurations (N, nq) at given times, without forces."""
    none = np.zeros((len(q), 0, 3))
    positions = Curves("rad, m", coordinate_names(model, "q"), q)
    return Playback(model, time, q, (), none, none, (), {"joint positions": positions})


def _curves(
    trajectory: Recorded,
    q: FloatArray,
    contacts: tuple[str, ...],
    force: FloatArray,
    picked: Callable[[npt.ArrayLike], FloatArray],
) -> dict[str, Curves]:
    model = trajectory.model
    curves = {}
    if trajectory.energy:
        parts = {name: picked(array) for name, array in trajectory.energy.items()}
        parts["total"] = total_energy(parts)
        table = np.column_stack(list(parts.values()))
        # The height above which potential energy is counted is arbitrary: changes are what can be compared.
        curves["energy since the start"] = Curves("J", list(parts), table - table[0])
    if contacts:
        curves["contact forces"] = Curves("N", list(contacts), np.linalg.norm(force, axis=-1))
    curves["joint positions"] = Curves("rad, m", coordinate_names(model, "q"), q)
    curves["joint velocities"] = Curves("rad/s, m/s", coordinate_names(model, "v"), picked(trajectory.v))
    curves["joint forces"] = Curves("N m, N", coordinate_names(model, "tau"), picked(trajectory.tau))
    if model.total_mass > 0.0:
        curves["centre of mass"] = Curves("m", ["x", "y", "z"], np.asarray(tarsus.center_of_mass(model, q)))
    for name, array in trajectory.signals.items():
        values = picked(array).reshape(len(q), -1)
        labels = [name] if values.shape[1] == 1 else [f"{name} [{k}]" for k in range(values.shape[1])]
        curves[name] = Curves("", labels, values)
    return curves
