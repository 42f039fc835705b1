"""What a simulation returns: states, inputs, contacts and energies over time."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import AnyArray, FloatArray
from tarsus.contact import Ground
from tarsus.contact.frame_wrench import contacts_on, frame_wrench
from tarsus.contact.ground_document import ground_from_document
from tarsus.errors import ArgumentError, NonFiniteError
from tarsus.model.model import Model
from tarsus.recording import energies as audit
from tarsus.recording.samples import Layout, checked_samples, plain_json

CONTACT_BODIES = "contact_bodies"
"""Entry of the metadata with the body that each contact is on."""


class Sample(NamedTuple):
    """One moment of a trajectory; shapes are those of `Trajectory` without the sample axis.

    Attributes
    ----------
    time : float
        [s].
    q : ndarray, shape (*batch, nq)
    v, tau : ndarray, shape (*batch, nv)
    contact_position, contact_force : ndarray, shape (*batch, nc, 3)
        World axes [m] and [N].
    energy : dict of ndarray, shape (*batch)
        [J].
    signals : dict of ndarray, shape (*batch, ...)
    """

    time: float
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    contact_position: FloatArray
    contact_force: FloatArray
    energy: dict[str, FloatArray]
    signals: dict[str, AnyArray]


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """States, inputs, contacts and energies at the moments of a simulation.

    The sample axis comes first, the batch axes of many simulations second. Arrays are read-only.

    Attributes
    ----------
    model : Model
    time : ndarray, shape (N,)
        Moments of the samples [s], never falling; a moment may occur twice, before and after an impact.
    q : ndarray, shape (N, *batch, nq)
        Configurations.
    v : ndarray, shape (N, *batch, nv)
        Velocities.
    tau : ndarray, shape (N, *batch, nv)
        Joint forces applied [N m or N]; zero by default.
    contacts : tuple of str
        Names of the nc contacts.
    contact_position : ndarray, shape (N, *batch, nc, 3)
        Where they act, world [m].
    contact_force : ndarray, shape (N, *batch, nc, 3)
        Forces on the robot, world axes [N]; zero where there is no contact.
    energy : dict of ndarray, shape (N, *batch)
        Parts of the energy audit [J] by the names of `tarsus.recording.energies.ENERGY_SIGNS`: "kinetic", "potential",
        "ground_stored", "ground_dissipated", "actuator", "joint_stored", "joint_dissipated", "impact", "external",
        "constraint".
    signals : dict of ndarray, shape (N, *batch, ...)
        Further quantities by name: readings of sensors, references.
    metadata : dict
        Plain JSON values.
    finished : bool
        Whether the simulation reached its end.
    reason : str
        What stopped it; empty when it finished.
    """

    model: Model
    time: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray = None  # type: ignore[assignment]
    contacts: tuple[str, ...] = ()
    contact_position: FloatArray = None  # type: ignore[assignment]
    contact_force: FloatArray = None  # type: ignore[assignment]
    energy: dict[str, FloatArray] = field(default_factory=dict)
    signals: dict[str, AnyArray] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    finished: bool = True
    reason: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.model, Model):
            raise ArgumentError(f"model is a {type(self.model).__name__}, expected a tarsus.Model")
        layout = Layout.of(self.model, self.contacts, self.q, self.energy, self.signals)
        arrays = checked_samples(
            layout,
            time=self.time,
            q=self.q,
            v=self.v,
            tau=self.tau,
            contact_position=self.contact_position,
            contact_force=self.contact_force,
            energy=self.energy,
            signals=self.signals,
        )
        falling = np.flatnonzero(np.diff(arrays.time) < 0.0)
        if falling.size:
            k = int(falling[0])
            raise ArgumentError(
                f"time falls from {arrays.time[k]:g} s to {arrays.time[k + 1]:g} s at sample {k + 1}, expected rising"
            )
        for name, value in arrays._asdict().items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "contacts", layout.contacts)
        object.__setattr__(self, "metadata", plain_json(self.metadata))
        object.__setattr__(self, "finished", bool(self.finished))
        object.__setattr__(self, "reason", str(self.reason))

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        parts = [f"{len(self)} samples"]
        if len(self) > 1:
            parts[0] += f" from {self.time[0]:g} to {self.time[-1]:g} s"
        if self.batch_shape:
            parts.append(f"batch {'x'.join(map(str, self.batch_shape))}")
        if self.contacts:
            parts.append(f"{len(self.contacts)} contacts")
        if self.energy:
            parts.append(f"{len(self.energy)} energies")
        if self.signals:
            parts.append(f"{len(self.signals)} signals")
        parts.append("finished" if self.finished else f"stopped: {self.reason or 'no reason given'}")
        return f"<tarsus.Trajectory of {self.model.name!r}: {', '.join(parts)}>"

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch of simulations; empty for one."""
        return self.q.shape[1:-1]

    @property
    def duration(self) -> float:
        """Time from the first to the last sample [s]."""
        return float(self.time[-1] - self.time[0]) if len(self) else 0.0

    @property
    def ground(self) -> Ground | None:
        """The ground of the simulation, from ``metadata["ground"]``; None where there was none."""
        document = self.metadata.get("ground")
        return ground_from_document(document) if isinstance(document, list) else None

    @property
    def total_energy(self) -> FloatArray:
        """Sum of the parts of the energy audit, shape (N, *batch) [J]; constant up to the error of integration."""
        if not self.energy:
            raise ArgumentError("the trajectory holds no energies, so that there is no total")
        return audit.total_energy(self.energy)

    def wrench(self, frame: str) -> FloatArray:
        """Wrench of all contacts on the body of a frame, world axes; what the ground does to the robot.

        Parameters
        ----------
        frame : str
            A frame, or a body.

        Returns
        -------
        wrench : ndarray, shape (N, *batch, 6)
            Force [N], moment about the origin of the frame [N m].
        """
        bodies = self.metadata.get(CONTACT_BODIES)
        if not isinstance(bodies, list) or len(bodies) != len(self.contacts):
            if self.contacts:
                raise ArgumentError("the trajectory does not tell which body each contact is on; `simulate` keeps that")
            bodies = []
        index = contacts_on(self.model, bodies, frame)
        force, position = self.contact_force[..., index, :], self.contact_position[..., index, :]
        return frame_wrench(self.model, self.q, frame, position, force)

    def __getitem__(self, key: slice) -> Trajectory:
        """Part of the trajectory: `trajectory[10:20]` by samples, `trajectory[1.0:2.0]` by time [s].

        A slice with a float bound holds the samples with start <= time < stop.
        """
        if not isinstance(key, slice):
            raise ArgumentError(f"a trajectory is cut by slices, not by {key!r}; `at(t)` gives one moment")
        if any(isinstance(bound, float | np.floating) for bound in (key.start, key.stop)):
            if key.step is not None:
                raise ArgumentError(f"a slice by time takes no step, not {key.step!r}; use `resampled`")
            low, high = (None if x is None else np.searchsorted(self.time, x, "left") for x in (key.start, key.stop))
            key = slice(low, high)
        elif key.step is not None and operator.index(key.step) < 1:
            raise ArgumentError(f"the step of a slice is {key.step}, expected 1 or more: time does not run backwards")
        return self._mapped(lambda a: a[key], self.time[key])

    def simulation(self, *index: int) -> Trajectory:
        """One simulation of a batch, without its batch axes."""
        if len(index) != len(self.batch_shape):
            raise ArgumentError(f"got {len(index)} indices of a simulation, expected {len(self.batch_shape)}")
        for i, count in zip(index, self.batch_shape, strict=True):
            if not -count <= operator.index(i) < count:
                raise ArgumentError(f"there is no simulation {i}: the batch has shape {self.batch_shape}")
        return self._mapped(lambda a: a[(slice(None), *index)], self.time)

    def at(self, t: float) -> Sample:
        """State and everything else at time t [s], between the samples by interpolation.

        Configurations follow the geodesic between the neighbouring samples, integrate(q_k, s difference(q_k, q_k+1)),
        so that rotations stay rotations; joint forces, booleans and integers keep the value of the sample before,
        as a sampled controller does; everything else is linear. At a moment that occurs twice the later sample counts.
        """
        moment = self.resampled([t])
        return Sample(
            float(moment.time[0]),
            moment.q[0],
            moment.v[0],
            moment.tau[0],
            moment.contact_position[0],
            moment.contact_force[0],
            {name: value[0] for name, value in moment.energy.items()},
            {name: value[0] for name, value in moment.signals.items()},
        )

    def resampled(self, times: npt.ArrayLike) -> Trajectory:
        """The trajectory at other moments, interpolated as by `at`.

        Parameters
        ----------
        times : array_like, shape (n,)
            Rising moments between the first and the last sample [s].
        """
        t = np.atleast_1d(np.asarray(times, dtype=float))
        if not len(self):
            raise ArgumentError("the trajectory has no samples")
        if not np.isfinite(t).all():
            raise NonFiniteError(f"times contains {t[~np.isfinite(t)][0]}, expected finite moments")
        outside = t[(t < self.time[0]) | (t > self.time[-1])]
        if outside.size:
            raise ArgumentError(
                f"time {outside[0]:g} s is outside the trajectory, which lasts from {self.time[0]:g} to "
                f"{self.time[-1]:g} s"
            )
        before = np.searchsorted(self.time, t, "right") - 1
        after = np.minimum(before + 1, len(self) - 1)
        span = self.time[after] - self.time[before]
        share = np.divide(t - self.time[before], span, out=np.zeros_like(t), where=span > 0.0)

        def blended(a: AnyArray) -> AnyArray:
            if a.dtype.kind != "f":
                return a[before]
            s = share.reshape(-1, *[1] * (a.ndim - 1))
            # A neighbour with no weight must not matter, not even where it is not finite.
            return np.where(s > 0.0, (1.0 - s) * a[before] + s * a[after], a[before])

        result = self._mapped(blended, t, q=self._geodesic(before, after, share), tau=self.tau[before])
        if not self.contacts:
            return result
        touching = np.any(self.contact_force != 0.0, axis=-1, keepdims=True)
        between = (share > 0.0).reshape(-1, *[1] * (self.contact_force.ndim - 1))
        only_after = between & touching[after] & ~touching[before]
        only_before = between & touching[before] & ~touching[after]
        place = np.where(only_after, self.contact_position[after], result.contact_position)
        return replace(result, contact_position=np.where(only_before, self.contact_position[before], place))

    def _geodesic(self, before: AnyArray, after: AnyArray, share: FloatArray) -> FloatArray:
        """Configurations between samples; the samples themselves, bit by bit, where `share` is zero."""
        q = self.q[before]
        inside = share > 0.0
        if inside.any():
            start = q[inside]
            way = self.model.difference(start, self.q[after[inside]])
            q[inside] = self.model.integrate(start, way, share[inside].reshape(-1, *[1] * (self.q.ndim - 2)))
        return q

    def _mapped(self, change: Any, time: FloatArray, **others: Any) -> Trajectory:
        """The trajectory with the same change applied to every array."""
        arrays: dict[str, Any] = {
            name: change(getattr(self, name))
            for name in ("q", "v", "tau", "contact_position", "contact_force")
            if name not in others
        }
        groups: dict[str, Mapping[str, AnyArray]] = {"energy": self.energy, "signals": self.signals}
        for group, parts in groups.items():
            arrays[group] = {name: change(value) for name, value in parts.items()}
        return replace(self, time=time, **arrays, **others)
