"""Recordings as tables, arrays and logs for other programs: CSV, npz and MCAP."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable
from typing import IO, Any

import numpy as np

from tarsus.errors import ArgumentError, nearest
from tarsus.io.model_document import model_to_document
from tarsus.recording.atomic_file import write_file
from tarsus.recording.curves import curves_of, one_simulation, select_curves
from tarsus.recording.export_mcap import import_writer, write_mcap
from tarsus.recording.format import FORMAT_VERSION, file_path, stored_name
from tarsus.recording.trajectory import Trajectory

ROWS_AT_ONCE = 2000
"""Rows of a table that are made into text at once."""


def export(
    trajectory: Trajectory,
    path: str | os.PathLike[str],
    *,
    signals: Iterable[str] | None = None,
    simulation: int | None = None,
) -> None:
    """Write a trajectory for other programs; the format follows from the suffix.

    ``.csv``: one row for each sample, the first row holds the names of `tarsus.recording.curves`; one simulation.
    Numbers are written so that they are read back exactly. ``.npz``: the arrays of the trajectory under their own
    names, energies and signals as "energy.kinetic" and "signals.name", the model and the metadata as JSON text;
    `numpy.load` needs no pickles for it. ``.mcap``: a log of one simulation with JSON messages for programs such as
    Foxglove, see `tarsus.recording.export_mcap`; it needs the extra ``mcap``.

    Parameters
    ----------
    trajectory : Trajectory
    path : path-like
    signals : iterable of str, optional
        Columns of a CSV file, as for `tarsus.plot_signals`; all by default.
    simulation : int, optional
        Which simulation of a batch.

    Raises
    ------
    RecordingError
        If the file cannot be written; nothing is left behind then.
    """
    suffix = os.path.splitext(file_path(path))[1].lower()
    if suffix not in FORMATS:
        hint = nearest(suffix, FORMATS)
        raise ArgumentError(
            f"cannot export to {suffix or 'a file without suffix'!r}, expected {', '.join(FORMATS)}{hint}"
        )
    if suffix != ".csv" and signals is not None:
        raise ArgumentError(f"signals= chooses columns of a CSV file; a file {suffix} holds everything")
    if suffix == ".npz":
        chosen = trajectory if simulation is None else one_simulation(trajectory, simulation)
        write_file(path, lambda stream: _write_npz(stream, chosen))
        return
    one = one_simulation(trajectory, simulation)
    if suffix == ".mcap":
        import_writer()
        write_file(path, lambda stream: write_mcap(stream, one))
        return
    found = list(curves_of(one).values()) if signals is None else select_curves(one, signals)
    columns = [("time", one.time), *((curve.name, curve.values) for curve in found)]
    write_file(path, lambda stream: _write_csv(stream, columns))


def _write_csv(stream: IO[bytes], columns: list[tuple[str, Any]]) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([name for name, _ in columns])
    for start in range(0, len(columns[0][1]), ROWS_AT_ONCE):
        # tolist gives Python numbers, whose text is the shortest that is read back exactly.
        lists = [values[start : start + ROWS_AT_ONCE].tolist() for _, values in columns]
        writer.writerows(zip(*([int(x) if x is True or x is False else x for x in row] for row in lists), strict=True))
    text.detach()


def _write_npz(stream: IO[bytes], trajectory: Trajectory) -> None:
    document = model_to_document(trajectory.model)
    run = {"metadata": trajectory.metadata, "finished": trajectory.finished, "reason": trajectory.reason}
    arrays: dict[str, Any] = {
        "time": trajectory.time,
        "q": trajectory.q,
        "v": trajectory.v,
        "tau": trajectory.tau,
        "contacts": np.array(trajectory.contacts, dtype=np.str_),
        "contact_position": trajectory.contact_position,
        "contact_force": trajectory.contact_force,
        **{f"energy.{name}": value for name, value in trajectory.energy.items()},
        **{f"signals.{stored_name(name)}": value for name, value in trajectory.signals.items()},
        "run": np.array(json.dumps(run)),
        "model": np.array(json.dumps(document.content)),
        "format_version": np.array(FORMAT_VERSION),
    }
    for k, mesh in enumerate(document.meshes):
        arrays[f"mesh.{k}.vertices"], arrays[f"mesh.{k}.faces"] = mesh.vertices, mesh.faces
    save: Callable[..., None] = np.savez_compressed
    save(stream, **arrays)


FORMATS = (".csv", ".npz", ".mcap")
