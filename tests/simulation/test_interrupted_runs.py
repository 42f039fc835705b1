"""Signals at any moment: every run ends at once, every recording can be read, and nothing is torn apart."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from recording.runs import arrays
from sample_models import double_pendulum
from simulation.bodies import ball

import tarsus as ts
from tarsus.contact import Compliant, Rigid, flat
from tarsus.simulation import JointLaw
from tarsus.simulation.runs.robots import Robots

PACKAGE = str(Path(ts.__file__).parents[1])
TESTS = str(Path(__file__).parents[1])
RECORDINGS = 20
LAW = JointLaw(kd=0.01)

FORKS = """
import os, random, signal, sys, time, traceback
place, kind = sys.argv[1:3]
sys.path[:0] = sys.argv[3:]
import h5py, tarsus as ts
from sample_models import double_pendulum
from tarsus.recording import recorder

recorder.PENDING_BYTES = 2**13  # so that HDF5 is at work most of the time

class Ended(BaseException):
    pass

def end(number, frame):
    raise Ended

def simulate(path):
    run = ts.simulate(double_pendulum().build(), [0.3, -0.2], duration=1e5, sample_dt=1e-3, record=path,
                      controller=ts.simulation.JointLaw(kd=0.01))
    return run.finished

def append(path):
    model, t = double_pendulum().build(), 0
    whole = ts.simulate(model, [0.3, -0.2], duration=1.0, sample_dt=1e-3, controller=ts.simulation.JointLaw(kd=0.01))
    with ts.Recorder(path, model) as recording:
        while t < 10**7:
            one = whole[t % 1000 : t % 1000 + 1]
            recording.append([1e-3 * t], one.q, one.v, one.tau, energy=one.energy)
            t += 1
    return True

work, number = {"simulate": (simulate, signal.SIGINT), "twice": (simulate, signal.SIGINT),
                "append": (append, signal.SIGINT), "other": (simulate, signal.SIGTERM)}[kind]
chance = random.Random(1)
for k in range(20):
    path = f"{place}/{k}.h5"
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, end)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
        try:
            os._exit(2 if work(path) else 0)
        except (KeyboardInterrupt, Ended):  # the second signal may also come when the run has ended
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    while not any(os.path.exists(p) and os.path.getsize(p) > 20000 for p in (path, path + ".part")):
        time.sleep(0.001)
    time.sleep(chance.uniform(0.0, 0.1))
    os.kill(child, number)
    if kind == "twice":
        time.sleep(chance.uniform(0.0, 0.01))
        os.kill(child, number)
    deadline = time.monotonic() + 30.0
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        time.sleep(0.001)
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)  # the run went on
    print(k, ended[1], flush=True)
"""


@pytest.mark.parametrize(
    "kind", ["simulate", "append", *(pytest.param(kind, marks=pytest.mark.long) for kind in ("twice", "other"))]
)
def test_recordings_that_a_signal_ended_are_whole(tmp_path, kind):
    command = [sys.executable, "-c", FORKS, str(tmp_path), kind, PACKAGE, TESTS]
    result = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [f"{k} 0" for k in range(RECORDINGS)], result.stderr
    assert "Exception ignored" not in result.stderr  # where no exception can be raised it would be lost
    found = [ts.open_recording(tmp_path / f"{k}.h5") for k in range(RECORDINGS)]
    assert not any(run.finished for run in found)
    assert all(len(run) > 0 for run in found)
    if kind != "append":
        longest = max(len(run) for run in found)
        options = {"duration": 1e-3 * max(longest - 1, 1), "sample_dt": 1e-3, "controller": LAW}
        expected = ts.simulate(found[0].model, [0.3, -0.2], **options)
        for run in found:
            for name, array in arrays(expected).items():
                assert arrays(run)[name].tobytes() == array[: len(run)].tobytes(), name


RUNS = {
    "dormand-prince": {"integrator": "dormand-prince"},
    "dormand-prince with events": {"integrator": "dormand-prince", "events": [lambda t, q, v: 1.0], "dt": 500.0},
    "radau": {"integrator": "radau"},
    "bdf": {"integrator": "bdf"},
    "cvode": {"integrator": "cvode"},
    "rigid": {"ground": flat(Rigid(restitution=0.5))},
    "semi-implicit-euler": {},
}


class Stop(BaseException):
    """What a handler raises that nobody here knows."""


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Stop])
@pytest.mark.parametrize("name", RUNS)
def test_a_signal_ends_a_run_between_samples(name, kind):
    """One stretch from the start to the end, which would take minutes."""

    def end(number, frame):
        raise kind

    options = {"dt": 1e-3, "ground": flat(Compliant()), **RUNS[name]}
    model, q = (
        (ball(), [0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0]) if name == "rigid" else (double_pendulum().build(), [0.9, 1])
    )
    v = np.zeros(model.nv)
    if name == "rigid":
        v[:3] = (1.0, 0.0, 1.0)
    ts.simulate(model, q, v, duration=1e-3, **{**options, "dt": 1e-3})  # imports: Python loses signals amid them
    before = signal.signal(signal.SIGALRM, end)
    try:
        # Again after 5 s: Python loses what is raised while a weak reference is let go.
        signal.setitimer(signal.ITIMER_REAL, 0.3, 5.0)
        run = ts.simulate(model, q, v, duration=20000.0, sample_dt=20000.0, **options)
    except Stop:
        assert kind is Stop
    else:
        assert kind is KeyboardInterrupt
        assert (run.finished, run.reason[:14]) == (False, "interrupted at")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_a_signal_ends_a_stretch_of_many_robots(monkeypatch):
    """The first stretch is one of 64 steps, however many robots there are."""
    native = Robots.take_steps

    def take_steps(robots, steps):
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        return native(robots, steps)

    monkeypatch.setattr(Robots, "take_steps", take_steps)
    q = np.tile([0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0], (200_000, 1))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        run = ts.simulate(ball(), q, duration=1.0, ground=flat(), threads=2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert not run.finished
    np.testing.assert_array_equal(run.time[-1], 0.0)


FORKING = """
import os, sys
sys.path[:0] = sys.argv[3:]
import numpy as np, tarsus as ts
from sample_models import double_pendulum
path, way = sys.argv[1:3]
children = []

def leave():
    if way == "exits":
        sys.exit(0)
    if way == "raises":
        raise ValueError("in the child")
    if way == "interrupted":
        raise KeyboardInterrupt
    return np.zeros(2)  # goes on as its parent does

def controller(t, q, v):
    if round(1000 * t) == 50:
        child = os.fork()
        if child == 0:
            children.append(None)
            return leave()
        children.append(child)
        os.waitpid(child, 0)
    return np.zeros(2)

ts.simulate(double_pendulum().build(), [0.3, -0.2], duration=0.1, sample_dt=1e-3, controller=controller, record=path)
if None not in children:
    print("parent", len(children))
"""


@pytest.mark.parametrize("way", ["exits", "raises", "interrupted", "goes on"])
def test_a_forked_child_leaves_the_recording_of_its_parent_alone(tmp_path, way):
    path = tmp_path / "run.h5"
    command = [sys.executable, "-c", FORKING, str(path), way, PACKAGE, TESTS]
    result = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert (result.returncode, result.stdout) == (0, "parent 1\n"), result.stderr
    assert os.listdir(tmp_path) == ["run.h5"]
    run = ts.open_recording(path)
    assert run.finished
    assert len(run) == 101
    if way == "goes on":
        assert "belongs to process" in result.stderr
