"""Recorders: growing files, and what is left when something goes wrong."""

import errno
import itertools
import os
import resource
import signal
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from recording.runs import append, assert_same, random_run
from recording.test_committed_file import DyingSystem, Killed
from sample_models import double_pendulum

import tarsus as ts
from tarsus.errors import ArgumentError, NonFiniteError, RecordingError, RecordingWarning, ShapeError, UnknownNameError
from tarsus.recording import committed_file

TESTS = Path(__file__).parents[1]
CHUNKS = [0, 7, 40]
"""Where the runs below are cut."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.h5"


def record(path, run, **options):
    """Record a run in chunks with a flush after each; returns nothing."""
    with ts.Recorder(path, run.model, contacts=run.contacts, metadata=run.metadata, **options) as recorder:
        for start, stop in itertools.pairwise(CHUNKS):
            append(recorder, run[start:stop])
            recorder.flush()


@pytest.mark.parametrize("end", ["close", "discard"])
def test_nothing_of_h5py_outlives_the_end_of_a_recording(path, end):
    """What is freed later runs callbacks of h5py while signals are no longer deferred, and swallows Ctrl-C."""
    recorder = ts.Recorder(path, double_pendulum().build())
    file = weakref.ref(recorder._h5.id)
    getattr(recorder, end)()
    assert recorder.closed
    assert file() is None


@pytest.mark.parametrize("end", ["close", "discard"])
def test_a_recorder_that_has_ended_dies_without_code_in_which_a_signal_would_be_lost(path, end):
    recorder = ts.Recorder(path, double_pendulum().build())
    getattr(recorder, end)()
    called: list[str] = []
    sys.setprofile(lambda frame, event, argument: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        del recorder
    finally:
        sys.setprofile(None)
    assert not called


def test_chunks_come_back_as_one(path):
    run = random_run(batch=(2,))
    record(path, run)
    assert_same(ts.open_recording(path), run)
    assert ts.open_recording(path).finished
    assert os.listdir(path.parent) == ["run.h5"]


def test_chunks_that_were_never_flushed_are_written_at_the_end(path):
    run = random_run()
    with ts.Recorder(path, run.model, contacts=run.contacts, metadata=run.metadata, interval=np.inf) as recorder:
        for k in range(len(run)):
            append(recorder, run[k : k + 1])
        assert recorder.flushed == 0
        assert recorder.samples == len(run)
    assert_same(ts.open_recording(path), run)


def test_interval_brings_samples_to_the_disk(path):
    run = random_run()
    with ts.Recorder(path, run.model, contacts=run.contacts, interval=0.0) as recorder:
        append(recorder, run)
        assert recorder.flushed == len(run)


def test_arrays_may_be_used_again_after_append(path):
    run = random_run()
    q = run.q.copy()
    with ts.Recorder(path, run.model, interval=np.inf) as recorder:
        recorder.append(run.time, q, run.v)
        q[:] = 0.0
    np.testing.assert_array_equal(ts.open_recording(path).q, run.q)


def test_metadata_and_reason_may_be_set_until_the_end(path):
    with ts.Recorder(path, double_pendulum().build(), metadata={"a": 1}) as recorder:
        recorder.metadata["steps"] = 12
        recorder.close(finished=False, reason="fell")
        assert recorder.closed
    run = ts.open_recording(path)
    assert (run.metadata, run.finished, run.reason) == ({"a": 1, "steps": 12}, False, "fell")


def test_exception_leaves_everything_up_to_it(path):
    run = random_run()
    with (
        pytest.raises(ZeroDivisionError) as caught,
        ts.Recorder(path, run.model, contacts=run.contacts, metadata=run.metadata) as recorder,
    ):
        append(recorder, run)
        raise ZeroDivisionError("gain is zero")
    found = ts.open_recording(path)
    assert_same(found, run)
    assert found.reason == "ZeroDivisionError: gain is zero"
    assert not found.finished
    assert str(path) in caught.value.__notes__[0]


def test_exception_does_not_replace_an_older_recording(path):
    older, newer = random_run(samples=5), random_run(samples=40)
    ts.save(older, path)
    with pytest.raises(KeyboardInterrupt), ts.Recorder(path, newer.model, contacts=newer.contacts) as recorder:
        append(recorder, newer)
        raise KeyboardInterrupt
    with pytest.warns(RecordingWarning):
        assert_same(ts.open_recording(path), older)
    found = ts.open_recording(f"{path}.part")
    np.testing.assert_array_equal(found.q, newer.q)
    assert found.reason == "KeyboardInterrupt"


def test_interrupt_while_samples_are_handed_over_loses_none(path, monkeypatch):
    import h5py

    run, calls = random_run(), []
    resize = h5py.Dataset.resize

    def interrupted(self, *arguments, **options):
        calls.append(self.name)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return resize(self, *arguments, **options)

    monkeypatch.setattr(h5py.Dataset, "resize", interrupted)
    with (
        pytest.raises(KeyboardInterrupt),
        ts.Recorder(path, run.model, contacts=run.contacts, metadata=run.metadata, interval=0.0) as recorder,
    ):
        append(recorder, run)
    assert len(calls) > 5
    assert_same(ts.open_recording(path), run)


def test_older_recording_stays_whole_until_the_new_one_is_complete(path):
    older = random_run(samples=5)
    ts.save(older, path)
    run = random_run()
    with ts.Recorder(path, run.model, contacts=run.contacts) as recorder:
        append(recorder, run)
        recorder.flush()
        with pytest.warns(RecordingWarning):
            assert_same(ts.open_recording(path), older)
    assert len(ts.open_recording(path)) == len(run)


def test_unfinished_recording_of_an_earlier_run_is_set_aside(path):
    run = random_run()
    recorder = ts.Recorder(path, run.model, contacts=run.contacts, metadata=run.metadata)
    append(recorder, run)
    recorder.flush()
    del recorder
    with pytest.warns(RecordingWarning, match=r"renamed to .*run\.h5\.part\.1"):
        ts.save(random_run(samples=3), path)
    assert_same(ts.open_recording(f"{path}.part.1"), run)
    assert len(ts.open_recording(path)) == 3


def test_two_recorders_of_one_file_are_refused(path):
    model = double_pendulum().build()
    with ts.Recorder(path, model):
        with pytest.raises(RecordingError, match="another recording to this file is running"):
            ts.Recorder(path, model)
    assert ts.open_recording(path).finished


def test_metadata_that_cannot_be_stored_loses_no_samples(path):
    run = random_run()
    with pytest.raises(ArgumentError, match="plain JSON"), ts.Recorder(path, run.model) as recorder:
        recorder.append(run.time, run.q, run.v)
        recorder.metadata["when"] = {1, 2}
    del recorder
    np.testing.assert_array_equal(ts.open_recording(path).q, run.q)


def test_nothing_is_there_before_the_first_commit(path, monkeypatch):
    seen = []
    commit = committed_file.CommittedFile.commit

    def watched(self):
        seen.append(os.listdir(path.parent))
        commit(self)

    monkeypatch.setattr(committed_file.CommittedFile, "commit", watched)
    ts.save(random_run(), path)
    assert seen[0] == []
    assert seen[-1] == ["run.h5.part"]


def test_system_without_files_without_names(path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE")
    run = random_run()
    record(path, run)
    assert_same(ts.open_recording(path), run)
    assert os.listdir(path.parent) == ["run.h5"]
    with pytest.raises(ArgumentError):
        ts.Recorder(path, run.model, metadata={"x": 1}, compression=11)
    recorder = ts.Recorder(path, run.model)
    recorder.discard()
    assert os.listdir(path.parent) == ["run.h5"]


def test_recording_that_appears_meanwhile_is_not_touched(path, monkeypatch):
    from tarsus.recording import part_file

    model = double_pendulum().build()
    first = ts.Recorder(path, model)
    monkeypatch.setattr(part_file, "_make_room", lambda path, part: None)
    with pytest.raises(RecordingError, match="another recording to this file is running"):
        ts.Recorder(path, model)
    first.close()
    assert os.listdir(path.parent) == ["run.h5"]


def test_closed_recorder_takes_nothing(path):
    run = random_run()
    recorder = ts.Recorder(path, run.model)
    recorder.close()
    recorder.close()
    for call in (lambda: recorder.append(run.time, run.q, run.v), recorder.flush):
        with pytest.raises(RecordingError, match="closed"):
            call()


def test_discard_leaves_nothing(path):
    run = random_run()
    recorder = ts.Recorder(path, run.model, contacts=run.contacts)
    append(recorder, run)
    recorder.flush()
    recorder.discard()
    assert not os.listdir(path.parent)


WRONG = [
    ({"q": np.zeros((2, 3, 2))}, ShapeError, "q has shape"),
    ({"time": [0.5, 0.6]}, ArgumentError, "time falls from 1 s to 0.5 s"),
    ({"v": np.full((2, 2), np.nan)}, NonFiniteError, "v holds nan"),
    ({"energy": {"kinetic": np.zeros(2)}}, UnknownNameError, "energy 'kinetic' was not in the first samples"),
    ({"signals": {}}, ArgumentError, "signal 'x' is missing"),
    ({"signals": {"x": np.zeros((2, 2))}}, ShapeError, "signal 'x' has shape"),
    ({"signals": {"x": np.zeros(2, bool)}}, ArgumentError, "signal 'x' has dtype bool, expected float64 as before"),
    ({"signals": {"x": np.zeros(2), "y": np.zeros(2)}}, UnknownNameError, "signal 'y' was not"),
]


@pytest.mark.parametrize(("change", "error", "message"), WRONG)
def test_chunk_unlike_the_first_is_refused_and_the_recording_goes_on(path, change, error, message):
    good = {"time": [0.0, 1.0], "q": np.zeros((2, 2)), "v": np.zeros((2, 2)), "signals": {"x": np.zeros(2)}}
    with ts.Recorder(path, double_pendulum().build()) as recorder:
        recorder.append(**good)
        with pytest.raises(error, match=message):
            recorder.append(**{**good, "time": [1.0, 2.0], **change})
        recorder.append(**{**good, "time": [1.0, 2.0]})
    np.testing.assert_array_equal(ts.open_recording(path).time, [0.0, 1.0, 1.0, 2.0])


@pytest.mark.parametrize("options", [{"compression": 10}, {"contacts": ("a", "a")}, {"metadata": {"x": {1}}}])
def test_wrong_options_leave_nothing(path, options):
    with pytest.raises(ArgumentError):
        ts.Recorder(path, double_pendulum().build(), **options)
    assert not os.listdir(path.parent)


# Killed processes


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_killed_at_any_system_call_it_is_readable_up_to_a_flush(path, monkeypatch, share):
    run = ts.Trajectory(random_run().model, random_run().time, random_run().q, random_run().v)
    counter = DyingSystem(10**9, share)
    monkeypatch.setattr(committed_file, "os", counter)
    record(path, run)
    calls = 10**9 - counter.left
    path.unlink()
    part = Path(f"{path}.part")
    found = []
    for last in range(calls):
        monkeypatch.setattr(committed_file, "os", DyingSystem(last, share))
        with pytest.raises(Killed):
            record(path, run)
        monkeypatch.setattr(committed_file, "os", os)
        if part.exists():
            kept = ts.open_recording(part)
            found.append(len(kept))
            np.testing.assert_array_equal(kept.q, run.q[: len(kept)])
            np.testing.assert_array_equal(kept.time, run.time[: len(kept)])
            part.unlink()
    assert found == sorted(found)
    assert set(found) == set(CHUNKS)


WRITER = """
import sys, numpy as np, tarsus as ts
sys.path.insert(0, sys.argv[2])
from recording.runs import append, random_run
run = random_run(samples=4000)
with ts.Recorder(sys.argv[1], run.model, contacts=run.contacts, metadata=run.metadata) as recorder:
    for k in range(400):
        append(recorder, run[10 * k : 10 * k + 10])
        recorder.flush()
        print(recorder.flushed, flush=True)
"""


@pytest.mark.parametrize("flushes", [1, 40])
def test_kill_9_leaves_what_was_flushed(path, flushes):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path, TESTS], stdout=subprocess.PIPE, text=True)
    try:
        for _ in range(flushes):
            promised = int(writer.stdout.readline())
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
    found = ts.open_recording(path)
    assert len(found) >= promised
    assert not found.finished
    assert_same(found, random_run(samples=4000)[: len(found)])


# Full disks


def test_full_disk_keeps_what_was_flushed(path, monkeypatch):
    class FullDisk(DyingSystem):
        def pwrite(self, descriptor, data, offset):
            raise OSError(errno.ENOSPC, "No space left on device")

    run = random_run()
    with (
        pytest.raises(
            RecordingError, match=r"No space left on device\); 20 samples up to t = 0.019 s are kept: .*run\.h5"
        ),
        ts.Recorder(path, run.model, contacts=run.contacts, metadata=run.metadata) as recorder,
    ):
        append(recorder, run[:20])
        recorder.flush()
        monkeypatch.setattr(committed_file, "os", FullDisk(10**9, 0.0))
        append(recorder, run[20:])
        recorder.flush()
    assert recorder.closed
    assert os.listdir(path.parent) == ["run.h5"]
    assert_same(ts.open_recording(path), run[:20])
    assert not ts.open_recording(path).finished


LIMITED = """
import resource, sys, tarsus as ts
sys.path.insert(0, sys.argv[2])
from recording.runs import append, random_run
run = random_run(samples=20000)
ts.save(run[:10], sys.argv[1] + ".good")
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    with ts.Recorder(sys.argv[1], run.model, contacts=run.contacts, metadata=run.metadata) as recorder:
        for k in range(400):
            append(recorder, run[50 * k : 50 * k + 50])
            recorder.flush()
except ts.errors.RecordingError as error:
    print(recorder.flushed, error)
try:
    ts.save(run, sys.argv[1] + ".good")
except ts.errors.RecordingError as error:
    print(error)
"""


def test_limit_of_the_file_size_keeps_what_fits_and_the_older_file(path):
    command = [sys.executable, "-c", LIMITED, path, TESTS]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    first, second = result.stdout.splitlines()
    flushed = int(first.split()[0])
    assert "File too large" in first
    assert "File too large" in second
    assert 0 < flushed < 20000
    run = random_run(samples=20000)
    assert_same(ts.open_recording(path), run[:flushed])
    assert_same(ts.open_recording(f"{path}.good"), run[:10])
    assert sorted(os.listdir(path.parent)) == ["run.h5", "run.h5.good"]
    assert result.stderr == ""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 300_000


def test_disk_that_is_full_from_the_start_leaves_nothing(path, monkeypatch):
    class FullDisk(DyingSystem):
        def pwrite(self, descriptor, data, offset):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(committed_file, "os", FullDisk(10**9, 0.0))
    with pytest.raises(RecordingError, match="No space left"):
        ts.save(random_run(), path)
    assert not os.listdir(path.parent)
