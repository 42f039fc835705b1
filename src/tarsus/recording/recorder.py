"""Writing a recording while a simulation runs."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time as clock
import warnings
import zlib
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tarsus.arrays import AnyArray
from tarsus.deferred_signals import deferred_signals
from tarsus.errors import ArgumentError, RecordingError, RecordingWarning, UnknownNameError, nearest
from tarsus.io.model_document import model_to_document
from tarsus.model.model import Model
from tarsus.recording.committed_file import CommittedFile
from tarsus.recording.format import (
    CHECKSUM,
    FORMAT,
    FORMAT_VERSION,
    NOT_CLOSED,
    file_path,
    import_h5py,
    stored_arrays,
)
from tarsus.recording.part_file import PartFile
from tarsus.recording.samples import (
    Layout,
    Samples,
    checked_contacts,
    checked_samples,
    copied_samples,
    empty_samples,
    plain_json,
)
from tarsus.recording.trajectory import Trajectory

PENDING_BYTES = 8 * 2**20
"""Samples are written at the latest when they fill this many bytes of memory."""
PIECE_BYTES = 2**18
"""Size of the pieces in which arrays are stored [bytes]."""
PIECE_ROWS = 1024
"""Samples in such a piece at most."""


class Recorder:
    """Recording that grows chunk by chunk; use it in a `with` statement.

    Until it is closed the recording is the file `path` + ".part", which is readable at every moment up to the last
    flush, even if the process is killed. Closing moves it to `path` in one step; a file that was there stays whole
    until then. If the `with` block ends by an exception, the recording is closed as unfinished with the exception as
    its reason, and replaces no older file: it stays at `path` + ".part" then.

    Signals (Ctrl-C) that come while the file is changed are handled when that is done. A recorder belongs to the
    process that made it: in a forked child it refuses to write, and the end of the child leaves it alone.

    Parameters
    ----------
    path : path-like
        File to write, usually with the suffix ".h5". A symbolic link is followed; what is there and is no file (a
        directory, a device, a pipe) is refused.
    model : Model
        Stored in full, with the triangles of its meshes.
    contacts : iterable of str
        Names of the contacts, in the order of the arrays.
    metadata : mapping, optional
        Plain JSON values; the attribute `metadata` may be changed until the recording is closed.
    interval : float
        Samples reach the disk after at most this many seconds of wall time (checked by `append`).
    compression : int
        0 (none) to 9 (smallest, slowest) of gzip.
    keep_unfinished : bool
        Whether what was recorded until an error is kept.

    Raises
    ------
    RecordingError
        If the file cannot be written, here or later: the error says what was kept.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        model: Model,
        *,
        contacts: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
        interval: float = 2.0,
        compression: int = 1,
        keep_unfinished: bool = True,
    ) -> None:
        if not isinstance(model, Model):
            raise ArgumentError(f"model is a {type(model).__name__}, expected a tarsus.Model")
        if compression not in range(10):
            raise ArgumentError(f"compression is {compression!r}, expected 0 to 9")
        self.path = file_path(path)
        self.model = model
        self.contacts = checked_contacts(contacts)
        self.metadata = plain_json(metadata or {})
        self.samples = 0
        """Samples that were appended."""
        self.flushed = 0
        """Samples that are safe on the disk."""
        self._interval = float(interval)
        self._compression = compression
        self._keep_unfinished = keep_unfinished
        self._layout: Layout | None = None
        self._buffer: list[Samples] = []
        self._bytes = 0
        self._written = 0
        self._sums: dict[str, int] = {}
        self._last_time = -np.inf
        self._flushed_time = np.nan
        self._flushed_at = clock.monotonic()
        self._open = False
        self._owner = os.getpid()
        self._h5: Any = None
        try:
            with deferred_signals():
                self._part = PartFile(self.path)
                self._unclosed: _Unclosed | None = _Unclosed(self._part)
                self._file = CommittedFile(self._part.descriptor)
                self._open = True
                self._start()
        except BaseException:  # Ctrl-C meanwhile: nobody has this recorder
            self.discard()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._open or self._is_foreign:
            return
        if error is None:
            self.close()
            return
        if not self._keep_unfinished:
            self.discard()
            return
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        try:
            place = self._close(False, text, replace=False)
        except RecordingError as second:
            error.add_note(f"the recording could not be closed either: {second}")
        else:
            error.add_note(f"the recording up to this moment is kept: {place}")

    @property
    def closed(self) -> bool:
        """Whether nothing can be appended any more."""
        return not self._open

    @property
    def _is_foreign(self) -> bool:
        """Whether this is a forked child of the process that the recording belongs to."""
        return os.getpid() != self._owner

    def _check_open(self) -> None:
        if not self._open:
            raise RecordingError(f"{self.path}: the recording is closed")
        if self._is_foreign:
            raise RecordingError(
                f"{self.path}: the recording belongs to process {self._owner}, of which this one is a fork"
            )

    def append(
        self,
        time: npt.ArrayLike,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        contact_position: npt.ArrayLike | None = None,
        contact_force: npt.ArrayLike | None = None,
        energy: Mapping[str, npt.ArrayLike] | None = None,
        signals: Mapping[str, npt.ArrayLike] | None = None,
    ) -> None:
        """Add n samples; shapes are those of `Trajectory` with n for N.

        Batch shape, energies and signals must be the same in every call. The arrays are copied.
        """
        self._check_open()
        energy, signals = energy or {}, signals or {}
        layout = self._layout or Layout.of(self.model, self.contacts, q, energy, signals)
        _same_names("energy", energy, layout.energy)
        _same_names("signal", signals, layout.signals)
        chunk = checked_samples(
            layout,
            time=time,
            q=q,
            v=v,
            tau=tau,
            contact_position=contact_position,
            contact_force=contact_force,
            energy=energy,
            signals=signals,
        )
        moments = np.concatenate([[self._last_time], chunk.time])
        if (np.diff(moments) < 0.0).any():
            k = int(np.flatnonzero(np.diff(moments) < 0.0)[0])
            raise ArgumentError(f"time falls from {moments[k]:g} s to {moments[k + 1]:g} s, expected rising")
        with deferred_signals():
            self._layout = layout
            self._buffer.append(copied_samples(chunk))
            self._bytes += sum(array.nbytes for array in stored_arrays(chunk).values())
            self.samples += len(chunk.time)
            self._last_time = float(moments[-1])
            if self._bytes >= PENDING_BYTES or clock.monotonic() - self._flushed_at >= self._interval:
                self.flush()

    def append_whole(self, trajectory: Trajectory) -> None:
        """Add all samples of a trajectory of the same model and contacts, without a copy of all of them in memory."""
        row = sum(array[:1].nbytes for array in stored_arrays(trajectory).values())
        rows = max(PENDING_BYTES // max(row, 1), 1)
        for start in range(0, max(len(trajectory), 1), rows):
            piece = trajectory[start : start + rows]
            self.append(
                piece.time,
                piece.q,
                piece.v,
                piece.tau,
                contact_position=piece.contact_position,
                contact_force=piece.contact_force,
                energy=piece.energy,
                signals=piece.signals,
            )

    def discard(self) -> None:
        """Give the recording up and leave nothing of it behind."""
        if not self._open or self._is_foreign:
            return
        with deferred_signals():
            with contextlib.suppress(Exception):
                self._h5.close()
            self._part.remove()
            self._release()

    def flush(self) -> None:
        """Bring everything appended so far to the disk."""
        self._check_open()
        with deferred_signals():
            self._write_buffer()
            self._h5.flush()
            self._commit()

    def close(self, *, finished: bool = True, reason: str = "") -> None:
        """Complete the recording and move it to its place; what was there is replaced.

        Parameters
        ----------
        finished : bool
            Whether the simulation reached its end.
        reason : str
            What stopped it.
        """
        if self._open:
            self._close(finished, reason, replace=True)

    def _close(self, finished: bool, reason: str, *, replace: bool) -> str:
        """Complete the file and return where it is."""
        with deferred_signals():
            return self._complete(finished, reason, replace=replace)

    def _complete(self, finished: bool, reason: str, *, replace: bool) -> str:
        self.flush()  # before anything that may be refused
        run = {"metadata": plain_json(self.metadata), "finished": bool(finished), "reason": str(reason)}
        if self._layout is None:
            self._buffer = [empty_samples(Layout.of(self.model, self.contacts, np.empty((0, self.model.nq)), {}, {}))]
        self._write_buffer()
        del self._h5["run"]
        self._write_text("run", run)
        self._h5.close()
        self._commit()
        try:
            return self._part.put_in_place(replace=replace)
        except OSError as error:
            message = f"{self.path}: cannot be put in place ({error.strerror}); it is kept as {self._part.part}"
            raise RecordingError(message) from error
        finally:
            self._release()

    def _start(self) -> None:
        """Write everything that is known before the first sample."""
        try:
            document = model_to_document(self.model)
            for problem in document.problems:
                warnings.warn(f"mesh not recorded: {problem}", RecordingWarning, stacklevel=3)
            # v108: checksums of the metadata, and no mark of an open file that a killed process would leave behind.
            self._h5 = import_h5py().File(self._file, "w", libver=("v108", "v108"))
            if self._unclosed is not None:
                self._unclosed.h5 = self._h5
            self._h5.attrs["format"] = np.bytes_(FORMAT)
            self._h5.attrs["format_version"] = FORMAT_VERSION
            self._h5.attrs["tarsus_version"] = np.bytes_(sys.modules["tarsus"].__version__)
            self._write_text("run", {"metadata": self.metadata, "finished": False, "reason": NOT_CLOSED})
            self._write_text("model/document", document.content)
            self._write_text("contacts/names", list(self.contacts))
            for group in ("energy", "signals", "model/meshes"):
                self._h5.create_group(group)
            for k, mesh in enumerate(document.meshes):
                single = mesh.vertices.astype(np.float32)
                exact = np.array_equal(single.astype(float), mesh.vertices)
                self._write_mesh(f"model/meshes/{k}/vertices", single if exact else mesh.vertices)
                self._write_mesh(f"model/meshes/{k}/faces", mesh.faces.astype(np.int32))
            self._h5.flush()
            self._commit()
            self._part.publish()
        except FileExistsError:
            self._abandon()
            raise RecordingError(f"{self.path}: another recording to this file is running") from None
        except BaseException:
            if self._open:
                self._abandon()
            raise

    def _write_text(self, name: str, value: Any) -> None:
        text = json.dumps(value, allow_nan=False).encode("ascii")
        self._h5.create_dataset(name, data=np.bytes_(text)).attrs[CHECKSUM] = np.uint32(zlib.crc32(text))

    def _write_mesh(self, name: str, array: AnyArray) -> None:
        dataset = self._h5.create_dataset(name, data=array, chunks=True if array.size else None, **self._filters(array))
        dataset.attrs[CHECKSUM] = np.uint32(zlib.crc32(array.tobytes()))

    def _filters(self, array: AnyArray) -> dict[str, Any]:
        if array.ndim and not array[:1].size:
            return {}
        packed = {"compression": "gzip", "compression_opts": self._compression, "shuffle": True}
        return {"fletcher32": True, **(packed if self._compression else {})}

    def _write_buffer(self) -> None:
        """Hand the samples in memory to HDF5; done again from the start if it was interrupted."""
        if not self._buffer:
            return
        columns = {
            name: np.concatenate([stored_arrays(chunk)[name] for chunk in self._buffer])
            for name in stored_arrays(self._buffer[0])
        }
        end = self._written + len(columns["time"])
        sums = {name: zlib.crc32(array.tobytes(), self._sums.get(name, 0)) for name, array in columns.items()}
        for name, array in columns.items():
            if name not in self._h5:
                self._create(name, array)
            dataset = self._h5[name]
            dataset.resize(end, axis=0)
            dataset[self._written : end] = array
            dataset.attrs.modify(CHECKSUM, np.uint32(sums[name]))
        self._written, self._buffer, self._bytes, self._sums = end, [], 0, sums

    def _create(self, name: str, array: AnyArray) -> None:
        shape = array.shape[1:]
        longest = [None, *(n or None for n in shape)]  # a piece must not be larger than what an array may become
        row = max(int(np.prod(shape)) * array.itemsize, 1)
        rows = int(np.clip(PIECE_BYTES // row, 1, PIECE_ROWS))
        chunks = (rows, *(max(n, 1) for n in shape))
        self._h5.create_dataset(
            name, shape=(0, *shape), maxshape=longest, chunks=chunks, dtype=array.dtype, **self._filters(array)
        )

    def _commit(self) -> None:
        try:
            self._file.commit()
        except OSError as error:
            kept = self._abandon()
            raise RecordingError(f"{self.path}: cannot be written ({error.strerror or error}); {kept}") from error
        self.flushed, self._flushed_time = self._written, self._last_time
        self._flushed_at = clock.monotonic()

    def _abandon(self) -> str:
        """Give up after a failed write; the last committed state stays. Returns what that is."""
        with contextlib.suppress(Exception):
            self._h5.close()
        if self.flushed and self._keep_unfinished:
            place = self._part.part
            with contextlib.suppress(OSError):
                place = self._part.put_in_place(replace=False)
            kept = f"{self.flushed} samples up to t = {self._flushed_time:g} s are kept: {place}"
        else:
            self._part.remove()
            kept = "nothing is left of it"
        self._release()
        return kept

    def _release(self) -> None:
        """Let go of the file, while signals wait: what dies here runs code in which Ctrl-C would be lost."""
        self._open = False
        self._buffer = []
        if self._unclosed is not None:
            self._unclosed.h5 = None
        self._unclosed = None
        self._h5 = None
        self._part.close()


class _Unclosed:
    """The file of a recorder, closed with the last reference where nobody has closed it.

    It is not a method of the recorder, because a recorder that was closed shall die without any code of ours: an
    exception of Ctrl-C that meets such code is printed and lost.
    """

    def __init__(self, part: PartFile) -> None:
        self.h5: Any = None
        self._part = part
        self._owner = os.getpid()

    def __del__(self) -> None:
        if self.h5 is not None and os.getpid() == self._owner:
            with deferred_signals():
                with contextlib.suppress(Exception):
                    self.h5.close()
                self.h5 = None
                self._part.close()


def _same_names(what: str, given: Mapping[str, Any], expected: Iterable[str]) -> None:
    expected = tuple(expected)
    for name in given:
        if name not in expected:
            raise UnknownNameError(f"{what} {name!r} was not in the first samples{nearest(name, expected)}")
    for name in expected:
        if name not in given:
            raise ArgumentError(f"{what} {name!r} is missing, it was in the first samples")
