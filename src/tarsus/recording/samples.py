"""Arrays of samples: their layout, and the checks that trajectories and recorders share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tarsus.arrays import AnyArray, FloatArray, read_only
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError, UnknownNameError, nearest
from tarsus.model.model import Model
from tarsus.recording.energies import ENERGY_SIGNS


class Samples(NamedTuple):
    """Arrays of N samples; names and shapes are those of `Trajectory`."""

    time: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    contact_position: FloatArray
    contact_force: FloatArray
    energy: dict[str, FloatArray]
    signals: dict[str, AnyArray]


class Layout(NamedTuple):
    """What is constant over the samples of one run: sizes and names."""

    nq: int
    nv: int
    contacts: tuple[str, ...]
    batch: tuple[int, ...]
    energy: tuple[str, ...]
    signals: dict[str, tuple[tuple[int, ...], np.dtype[Any]]]
    """Shape of one sample without the batch, and type."""

    @classmethod
    def of(
        cls,
        model: Model,
        contacts: Iterable[str],
        q: npt.ArrayLike,
        energy: Mapping[str, npt.ArrayLike],
        signals: Mapping[str, npt.ArrayLike],
    ) -> Self:
        """Layout that these arrays have; the batch is read off q."""
        names = checked_contacts(contacts)
        shape = np.shape(np.asarray(q))
        if len(shape) < 2 or shape[-1] != model.nq:
            raise ShapeError(f"q has shape {shape}, expected (samples, *batch, {model.nq})")
        batch = shape[1:-1]
        for name in energy:
            if name not in ENERGY_SIGNS:
                hint = nearest(name, ENERGY_SIGNS) or f"; there are {', '.join(ENERGY_SIGNS)}"
                raise UnknownNameError(f"energy {name!r} is not a part of the audit{hint}")
        found = {name: numbers(f"signal {name!r}", value) for name, value in signals.items()}
        for name, value in found.items():
            if not isinstance(name, str) or not name or not name.isprintable():
                raise ArgumentError(f"a signal is named {name!r}, expected printable text")
            if value.shape[: 1 + len(batch)] != (shape[0], *batch):
                raise ShapeError(f"signal {name!r} has shape {value.shape}, expected {(shape[0], *batch)} and more")
        kinds = {name: (value.shape[1 + len(batch) :], value.dtype) for name, value in found.items()}
        ordered = tuple(name for name in ENERGY_SIGNS if name in energy)
        return cls(model.nq, model.nv, names, batch, ordered, kinds)


def checked_contacts(contacts: Iterable[str]) -> tuple[str, ...]:
    """Names of contacts, refused where they are not text or not unique."""
    if isinstance(contacts, str):
        raise ArgumentError(f"contacts is the text {contacts!r}, expected a sequence of names")
    names = tuple(contacts)
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(f"contacts holds {name!r}, expected names")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ArgumentError(f"contact {twice!r} is named twice")
    return names


def numbers(name: str, value: npt.ArrayLike) -> AnyArray:
    """Array of float64, int64 or bool, refused where it holds anything else."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise DtypeError(f"{name} has dtype {array.dtype}, expected real numbers or booleans")
    return np.asarray(array, dtype={"f": np.float64, "b": np.bool_}.get(array.dtype.kind, np.int64))


def checked_samples(
    layout: Layout,
    *,
    time: npt.ArrayLike,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike | None,
    contact_position: npt.ArrayLike | None,
    contact_force: npt.ArrayLike | None,
    energy: Mapping[str, npt.ArrayLike],
    signals: Mapping[str, npt.ArrayLike],
) -> Samples:
    """All arrays as read-only views of the right type, or an error that names the first that does not fit."""
    t = _real("time", time)
    if t.ndim != 1:
        raise ShapeError(f"time has shape {t.shape}, expected (samples,)")
    lead = (len(t), *layout.batch)
    points = (*lead, len(layout.contacts), 3)

    def given(name: str, value: npt.ArrayLike | None, shape: tuple[int, ...], finite: bool = True) -> FloatArray:
        array = np.zeros(shape) if value is None else _real(name, value)
        if array.shape != shape:
            raise ShapeError(f"{name} has shape {array.shape}, expected {shape}")
        if finite:
            _refuse_non_finite(name, array)
        return read_only(array)

    _refuse_non_finite("time", t)
    return Samples(
        time=read_only(t),
        q=given("q", q, (*lead, layout.nq)),
        v=given("v", v, (*lead, layout.nv)),
        tau=given("tau", tau, (*lead, layout.nv)),
        contact_position=given("contact_position", contact_position, points, finite=False),
        contact_force=given("contact_force", contact_force, points),
        energy={name: given(f"energy {name!r}", energy[name], lead, finite=False) for name in layout.energy},
        signals=_checked_signals(layout, lead, signals),
    )


def split_samples(chunk: Samples, at: int) -> tuple[Samples, Samples]:
    """The samples before a place, and those from there on; views."""
    return _combined([chunk], lambda arrays: arrays[0][:at]), _combined([chunk], lambda arrays: arrays[0][at:])


def copied_samples(chunk: Samples) -> Samples:
    """Samples in arrays of their own."""
    return _combined([chunk], lambda arrays: arrays[0].copy())


def joined_samples(chunks: Sequence[Samples]) -> Samples:
    """Samples one after the other; all chunks have the energies and signals of the first."""
    return _combined(chunks, np.concatenate)


def _combined(chunks: Sequence[Samples], combine: Callable[[list[AnyArray]], AnyArray]) -> Samples:
    """One of the arrays of all chunks for each of their names."""

    def by_name(tables: list[dict[str, AnyArray]]) -> dict[str, AnyArray]:
        return {name: combine([table[name] for table in tables]) for name in tables[0]}

    return Samples(
        time=combine([chunk.time for chunk in chunks]),
        q=combine([chunk.q for chunk in chunks]),
        v=combine([chunk.v for chunk in chunks]),
        tau=combine([chunk.tau for chunk in chunks]),
        contact_position=combine([chunk.contact_position for chunk in chunks]),
        contact_force=combine([chunk.contact_force for chunk in chunks]),
        energy=by_name([chunk.energy for chunk in chunks]),
        signals=by_name([chunk.signals for chunk in chunks]),
    )


def empty_samples(layout: Layout) -> Samples:
    """No samples, for one simulation."""
    return checked_samples(
        layout,
        time=np.empty(0),
        q=np.empty((0, layout.nq)),
        v=np.empty((0, layout.nv)),
        tau=None,
        contact_position=None,
        contact_force=None,
        energy={},
        signals={},
    )


def _checked_signals(
    layout: Layout, lead: tuple[int, ...], signals: Mapping[str, npt.ArrayLike]
) -> dict[str, AnyArray]:
    checked = {}
    for name, (shape, dtype) in layout.signals.items():
        array = numbers(f"signal {name!r}", signals[name])
        if array.shape != (*lead, *shape):
            raise ShapeError(f"signal {name!r} has shape {array.shape}, expected {(*lead, *shape)}")
        if array.dtype != dtype:
            raise DtypeError(f"signal {name!r} has dtype {array.dtype}, expected {dtype} as before")
        checked[name] = read_only(array)
    return checked


def _real(name: str, value: npt.ArrayLike) -> FloatArray:
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise DtypeError(f"{name} has dtype {array.dtype}, expected real numbers")
    return np.asarray(array, dtype=np.float64)


def _refuse_non_finite(name: str, array: FloatArray) -> None:
    bad = ~np.isfinite(array)
    if bad.any():
        place = tuple(int(k) for k in np.argwhere(bad)[0])
        raise NonFiniteError(f"{name} holds {array[place]} at sample {place[0]}, expected finite numbers")


def plain_json(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Copy of metadata made of plain JSON values; anything else is refused."""
    if not isinstance(metadata, Mapping):
        raise ArgumentError(f"metadata is a {type(metadata).__name__}, expected a dictionary")
    try:
        copy: dict[str, Any] = json.loads(json.dumps(dict(metadata), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"metadata must be made of plain JSON values: {error}") from None
    return copy
