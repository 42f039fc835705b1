"""What user code is handed during a run, and what becomes of it."""

import re

import numpy as np
import pytest
from sample_models import double_pendulum
from simulation.bodies import ball
from simulation.told_simulator import told_simulator

import tarsus as ts
from tarsus import _native
from tarsus.contact import LeastConstraint, Rigid, flat
from tarsus.errors import SimulationError
from tarsus.simulation.runs.step_failure import STATUS

FALL = [0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0]
ROLLING = ts.ModelBuilder("free", base="free", rotation="roll-pitch-yaw")
RUNS = {
    "one robot": {"model": ball(), "q0": FALL, "ground": flat()},
    "many robots": {"model": ball(), "q0": np.tile(FALL, (3, 1)), "ground": flat()},
    "adaptive": {"model": ball(), "q0": FALL, "integrator": "dormand-prince"},
    "stiff": {"model": double_pendulum().build(), "q0": [0.3, -0.2], "integrator": "radau"},
    "least constraint": {"model": ball(), "q0": FALL, "ground": flat(LeastConstraint())},
    "rigid": {"model": ball(), "q0": FALL, "ground": flat(Rigid())},
    "other rotations": {
        "model": ROLLING.add_link("a", ts.Inertia.of_sphere(1, 0.1)).build(),
        "q0": [0.0, 0.0, 0.3, 0.1, 0.2, 0.3],
    },
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_what_a_controller_stores_stays_what_it_was(name):
    options = RUNS[name]
    seen = []

    def controller(t, q, v):
        seen.append((t, q, q.copy(), v, v.copy()))
        return np.zeros_like(v)

    run = ts.simulate(**options, duration=0.05, controller=controller, sample_dt=1e-3)
    assert len(seen) == 50
    for t, q, q_then, v, v_then in seen:
        assert q.tobytes() == q_then.tobytes()
        assert v.tobytes() == v_then.tobytes()
        k = int(np.searchsorted(run.time, t + 1e-9, side="right")) - 1
        np.testing.assert_allclose(q, run.q[k], rtol=0.0, atol=1e-12)  # dense output of adaptive integrators rounds
        np.testing.assert_allclose(v, run.v[k], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("what", ["q", "v"])
@pytest.mark.parametrize("name", RUNS)
def test_a_controller_that_writes_into_the_state_is_refused(name, what):
    def controller(t, q, v):
        if t > 0.0095:
            {"q": q, "v": v}[what][...] = 0.0
        return np.zeros_like(v)

    words = r"the controller failed at 0.01 s: ValueError: assignment destination is read-only"
    with pytest.raises(SimulationError, match=words):
        ts.simulate(**RUNS[name], duration=0.05, controller=controller)


def test_an_event_that_writes_into_the_state_is_refused():
    def event(t, q, v):
        q[0] = 1.0
        return 1.0

    words = "event 0 raised ValueError: assignment destination is read-only"
    with pytest.raises(SimulationError, match=re.escape(words)):
        ts.simulate(ball(), FALL, duration=0.1, integrator="dormand-prince", events=[event])


def test_what_an_event_stores_stays_what_it_was():
    seen = []

    def event(t, q, v):
        seen.append((q, q.copy(), v, v.copy()))
        return q[2] - 0.2

    ts.simulate(ball(), FALL, duration=0.2, integrator="dormand-prince", events=[event])
    assert len(seen) > 100
    assert all(q.tobytes() == then.tobytes() for q, then, *_ in seen)
    assert all(v.tobytes() == then.tobytes() for *_, v, then in seen)


def test_torques_are_those_returned_whatever_becomes_of_the_array():
    """An array that an event changes between two calls of the controller."""
    tau = np.zeros(2)

    def event(t, q, v):
        tau[:] = 100.0
        return 1.0

    def controller(t, q, v):
        tau[:] = 0.0
        return tau

    options = {"model": double_pendulum().build(), "q0": [0.3, -0.2], "integrator": "radau", "duration": 0.1}
    disturbed = ts.simulate(**options, controller=controller, control_dt=0.05, events=[event])
    options |= {"control_dt": 0.05, "controller": lambda t, q, v: np.zeros(2)}
    alone = ts.simulate(**options, events=[lambda t, q, v: 1.0])
    np.testing.assert_array_equal(disturbed.q, alone.q)


def test_a_step_without_a_solution_ends_the_run(monkeypatch):
    """Where the native core finds none after all halves, of the second robot at 0.02 s."""

    def unsolved(first_step, steps, answer):
        return answer if first_step + steps <= 20 else (STATUS["unsolved"], 1, 0.02, -1, 0)

    monkeypatch.setattr(_native, "SimulatorCore", told_simulator(unsolved))
    text = r"of robot \(1,\) failed at 0.02 s: no motion was found .* 1/64 of dt"
    with pytest.raises(SimulationError, match=text) as told:
        ts.simulate(ball(), np.tile(ball().neutral(), (2, 1)), duration=0.1)
    assert told.value.trajectory.time[-1] == 0.02
    assert not told.value.trajectory.finished
