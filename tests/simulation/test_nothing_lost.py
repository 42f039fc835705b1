"""Whatever ends a simulation early: what was computed until then is handed over, and is in the recording."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from recording.runs import arrays, assert_same
from sample_models import double_pendulum
from simulation.bodies import ball

import tarsus as ts
from tarsus.contact import flat
from tarsus.errors import ArgumentError, RecordingError, SimulationError
from tarsus.simulation import JointLaw

TESTS = str(Path(__file__).parents[1])
PACKAGE = str(Path(ts.__file__).parents[1])
NV = 2


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.h5"


def failing(answer):
    """A controller that answers properly until t = 0.5 s."""

    def controller(t, q, v):
        if t < 0.4999:
            return -0.1 * v
        return answer() if callable(answer) else answer

    return controller


def raising():
    raise KeyError("no such gait")


def interrupt():
    raise KeyboardInterrupt


def start():
    return {"model": double_pendulum().build(), "q0": [0.3, -0.2], "duration": 1.0, "control_dt": 0.01}


def until_half():
    """The same motion, ended properly at 0.5 s."""
    return ts.simulate(**start() | {"duration": 0.5}, controller=lambda t, q, v: -0.1 * v)


def check_samples(found, expected):
    """All arrays the same, whatever is said about the end."""
    for name, array in arrays(expected).items():
        assert arrays(found)[name].tobytes() == array.tobytes(), name


def check_recording(path, expected, reason):
    """The recording holds the same as the trajectory, and why it ended."""
    recorded = ts.open_recording(path)
    assert_same(recorded, expected)
    assert not recorded.finished
    assert reason in recorded.reason


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (raising, "the controller failed at 0.5 s: KeyError: 'no such gait'"),
        ([0.0, np.nan], "the controller returned nan at 0.5 s, entry [1]"),
        (np.zeros(NV + 1), "the controller returned torques of shape (3,) at 0.5 s; expected (2,)"),
        ("stand up", "the controller returned str at 0.5 s, not torques"),
        (JointLaw(kp=-1.0), "a law that does not fit at 0.5 s: kp of JointLaw must be finite and not negative"),
    ],
    ids=["raises", "NaN", "wrong shape", "wrong type", "impossible law"],
)
def test_a_controller_that_fails_leaves_everything_until_then(path, answer, words):
    with pytest.raises(SimulationError, match=re.escape(words)) as caught:
        ts.simulate(**start(), controller=failing(answer), record=path)
    run = caught.value.trajectory
    assert not run.finished
    assert words in run.reason
    assert run.time[-1] == 0.5
    check_samples(run, until_half())
    check_recording(path, run, words)
    assert os.listdir(path.parent) == ["run.h5"]


def test_an_interrupt_returns_what_is_there(path):
    run = ts.simulate(**start(), controller=failing(interrupt), record=path)
    assert (run.finished, run.reason) == (False, "interrupted at 0.5 s")
    check_samples(run, until_half())
    check_recording(path, run, "interrupted at 0.5 s")


def test_an_interrupt_between_native_steps_returns_what_is_there(path):
    """Ctrl-C in a run of hours under a native law."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        run = ts.simulate(**start() | {"duration": 1e6}, controller=JointLaw(kd=0.1), sample_dt=1.0, record=path)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert not run.finished
    assert run.reason.startswith("interrupted at")
    assert len(run.time) >= 1
    check_recording(path, run, "interrupted at")


def test_motion_that_grows_without_bound_is_kept_up_to_its_last_step(path):
    """Gains far too stiff for explicit steps."""
    law = JointLaw(kp=2e5, limited=False)
    with pytest.raises(SimulationError, match=r"simulation failed at 0.\d+ s: .* motion grew without bound") as caught:
        ts.simulate(**start(), controller=law, integrator="runge-kutta-4", sample_dt=1e-3, record=path)
    run = caught.value.trajectory
    assert len(run.time) > 3
    assert all(np.isfinite(array).all() for array in arrays(run).values())
    check_recording(path, run, "motion grew without bound")


def test_one_lost_robot_of_a_batch_takes_no_samples_of_the_others_along(path):
    """Samples of all robots end with the last step before."""
    model = ball()
    q = np.tile([0.0, 0.0, 0.3, 1, 0, 0, 0], (5, 1))

    def controller(t, q, v):
        tau = np.zeros((5, 6))
        tau[3, 0] = 1e200 if t > 0.0495 else 0.0
        return tau

    with pytest.raises(SimulationError, match=r"simulation of robot \(3,\) failed at 0.0\d+ s") as caught:
        ts.simulate(model, q, controller=controller, ground=flat(), duration=0.2, sample_dt=1e-3, record=path)
    run = caught.value.trajectory
    assert run.time[-1] >= 0.05
    good = ts.simulate(model, q, ground=flat(), duration=float(run.time[-1]), sample_dt=1e-3)
    np.testing.assert_array_equal(run.q[:, [0, 1, 2, 4]], good.q[:, [0, 1, 2, 4]])
    check_recording(path, run, "robot (3,)")


RUN = """
import sys
sys.path[:0] = sys.argv[2:]
import tarsus as ts
from sample_models import double_pendulum
from tarsus.recording import recorder

class Telling(recorder.Recorder):
    def _commit(self):
        super()._commit()
        print(self.flushed, flush=True)

recorder.PENDING_BYTES = 2**15  # bytes in memory before a flush
recorder.Recorder = Telling
law = ts.simulation.JointLaw(kd=0.1)
print("ready", flush=True)
ts.simulate(double_pendulum().build(), [0.3, -0.2], duration=1e6, controller=law, sample_dt=0.1, record=sys.argv[1])
"""


@pytest.mark.parametrize("least", [0, 200])
def test_kill_9_leaves_what_was_flushed_or_nothing(path, least):
    """At the start, and after that many samples have reached the disk."""
    child = subprocess.Popen([sys.executable, "-c", RUN, str(path), PACKAGE, TESTS], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        promised = 0
        while promised < least:
            promised = int(child.stdout.readline())
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    if not os.listdir(path.parent):
        assert promised == 0
        return
    found = ts.open_recording(path)
    assert not found.finished
    assert len(found) >= promised
    if promised > 0:
        law, end = JointLaw(kd=0.1), float(found.time[-1])
        check_samples(found, ts.simulate(found.model, [0.3, -0.2], duration=end, controller=law, sample_dt=0.1))


LIMITED = """
import resource, sys
sys.path[:0] = sys.argv[2:]
import numpy as np, tarsus as ts
from sample_models import double_pendulum
from tarsus.recording import recorder
recorder.PENDING_BYTES = 2**15  # bytes in memory before a flush
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    ts.simulate(double_pendulum().build(), [0.3, -0.2], duration=200.0, sample_dt=1e-3, record=sys.argv[1])
except ts.errors.RecordingError as error:
    kept = error.trajectory
    again = ts.simulate(double_pendulum().build(), [0.3, -0.2], duration=float(kept.time[-1]), sample_dt=1e-3)
    print(len(kept.time), kept.q.tobytes() == again.q.tobytes(), kept.finished, error)
"""


def test_a_full_disk_keeps_what_fits_and_the_error_holds_the_rest(path):
    command = [sys.executable, "-c", LIMITED, str(path), PACKAGE, TESTS]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    computed, same, finished, message = result.stdout.split(maxsplit=3)
    assert (same, finished) == ("True", "False")
    assert "File too large" in message
    recorded = ts.open_recording(path)
    assert 0 < len(recorded) < int(computed)
    assert not recorded.finished
    expected = ts.simulate(recorded.model, [0.3, -0.2], duration=float(recorded.time[-1]), sample_dt=1e-3)
    check_samples(recorded, expected)


def never(t, q, v):
    pytest.fail("the simulation has begun")


@pytest.mark.parametrize("place", ["missing/run.h5", "."])
def test_a_place_that_cannot_be_written_is_refused_before_the_run(tmp_path, place):
    with pytest.raises(RecordingError, match=r"No such file|is a directory"):
        ts.simulate(**start(), controller=never, record=tmp_path / place)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("bad", [{"sample_dt": 3e-4}, {"q0": [1.0]}, {"integrator": "rk5"}, {"threads": 0}])
def test_refused_arguments_leave_the_older_recording_alone(path, bad):
    ts.simulate(**start() | {"duration": 0.1}, record=path)
    before = path.read_bytes()
    with pytest.raises(ArgumentError):
        ts.simulate(**start() | bad, controller=never, record=path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["run.h5"]


def test_a_run_that_fails_leaves_the_older_recording_and_its_own_beside_it(path):
    ts.simulate(**start() | {"duration": 0.1}, record=path)
    before = path.read_bytes()
    with pytest.raises(SimulationError, match="no such gait") as caught:
        ts.simulate(**start(), controller=failing(raising), record=path)
    assert path.read_bytes() == before
    check_recording(f"{path}.part", caught.value.trajectory, "no such gait")
