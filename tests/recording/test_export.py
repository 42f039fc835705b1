"""Tables and arrays for other programs hold the same numbers."""

import csv
import errno
import json
import os

import numpy as np
import pytest
from recording.runs import random_run
from sample_models import zoo

import tarsus as ts
from tarsus.errors import ArgumentError, RecordingError, UnknownNameError
from tarsus.io.model_document import model_from_document
from tarsus.recording.curves import curves_of


def table(path):
    with open(path, newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    return rows[0], np.array(rows[1:], dtype=float)


def test_csv_holds_every_curve_exactly(tmp_path):
    run = random_run(zoo().build(), samples=2500)
    ts.export(run, tmp_path / "run.csv")
    header, numbers = table(tmp_path / "run.csv")
    curves = curves_of(run)
    assert header == ["time", *curves]
    np.testing.assert_array_equal(numbers[:, 0], run.time)
    for k, curve in enumerate(curves.values(), start=1):
        np.testing.assert_array_equal(numbers[:, k], curve.values.astype(float))


def test_csv_of_chosen_signals_of_one_simulation(tmp_path):
    run = random_run(batch=(3,))
    ts.export(run, tmp_path / "run.csv", signals=["q.elbow"], simulation=2)
    header, numbers = table(tmp_path / "run.csv")
    assert header == ["time", "q.elbow"]
    np.testing.assert_array_equal(numbers[:, 1], run.q[:, 2, 1])
    with pytest.raises(ArgumentError, match="3 simulations"):
        ts.export(run, tmp_path / "other.csv")
    assert os.listdir(tmp_path) == ["run.csv"]


def test_csv_of_names_with_commas_and_quotes(tmp_path):
    run = random_run()
    run = ts.Trajectory(run.model, run.time, run.q, run.v, signals={'a,"b"': run.time})
    ts.export(run, tmp_path / "run.csv", signals=['a,"b"'])
    assert table(tmp_path / "run.csv")[0] == ["time", 'signals.a,"b"']


def test_npz_holds_the_arrays_and_the_model_without_pickles(tmp_path):
    run = random_run(batch=(2,))
    ts.export(run, tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        for name in ("time", "q", "v", "tau", "contact_position", "contact_force"):
            np.testing.assert_array_equal(file[name], getattr(run, name))
        assert tuple(file["contacts"]) == run.contacts
        np.testing.assert_array_equal(file["energy.kinetic"], run.energy["kinetic"])
        np.testing.assert_array_equal(file["signals.imu%2Facceleration"], run.signals["imu/acceleration"])
        assert json.loads(str(file["run"]))["metadata"] == run.metadata
        model = model_from_document(json.loads(str(file["model"])))
    assert model.nv == run.model.nv


@pytest.mark.parametrize("name", ["run.xlsx", "run", "run.cvs"])
def test_unknown_format_is_told(tmp_path, name):
    with pytest.raises(ArgumentError, match=r"expected \.csv, \.npz, \.mcap"):
        ts.export(random_run(), tmp_path / name)
    assert not os.listdir(tmp_path)


def test_unknown_signal_leaves_an_older_file_alone(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("older")
    with pytest.raises(UnknownNameError):
        ts.export(random_run(), path, signals=["nose"])
    assert path.read_text() == "older"


def test_full_disk_leaves_an_older_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    path.write_text("older")

    def full(stream, **arrays):
        stream.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(RecordingError, match=r"run\.npz: cannot be written \(No space left on device\)"):
        ts.export(random_run(), path)
    assert path.read_text() == "older"
    assert os.listdir(tmp_path) == ["run.npz"]
