"""The same simulation gives the same bits: again, in another process, on any threads, in any company, resumed."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from loop_models import four_bar
from recording.runs import arrays, assert_same
from simulation.repeated_runs import OTHERS, ROBOTS, WALKERS, arguments, digest

import tarsus as ts
from tarsus.simulation import JointLaw

TESTS = Path(__file__).parents[1]
EVERY = pytest.mark.parametrize("name", [*WALKERS, *OTHERS])


@pytest.fixture(scope="module")
def whole():
    """Runs by name, each made once."""
    made = {}

    def get(name):
        if name not in made:
            made[name] = ts.simulate(**arguments(name), resumable=True)
        return made[name]

    return get


def in_another_process(name, seed):
    """Digest of a run in a fresh interpreter with other hashes of strings."""
    package = str(Path(ts.__file__).parents[1])
    environment = os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join([package, str(TESTS)])}
    answer = subprocess.run([sys.executable, "-m", "simulation.repeated_runs", name], capture_output=True, text=True,
                            cwd=TESTS, env=environment, check=True)  # fmt: skip
    return answer.stdout.strip()


@EVERY
def test_robots_touch_the_ground(whole, name):
    """Otherwise the tests below would say little."""
    touches = (whole(name).contact_force[..., 2] > 0).any(axis=(0, 2))
    assert touches.mean() > 0.6


@EVERY
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_a_bit(whole, name, threads):
    assert_same(ts.simulate(**arguments(name), threads=threads, resumable=True), whole(name))


@EVERY
def test_chunks_of_steps_do_not_change_a_bit(whole, name, monkeypatch):
    """Their length follows the clock: here every step is one."""
    monkeypatch.setattr("tarsus.simulation.driver._STRETCH_WALL_TIME", 0.0)
    assert_same(ts.simulate(**arguments(name), resumable=True), whole(name))


@EVERY
def test_robots_do_not_depend_on_their_company(whole, name):
    """Some of the robots, in another order, in packs with other neighbours."""
    some = np.random.default_rng(3).permutation(ROBOTS)[:11]
    given = arguments(name)
    few = ts.simulate(**given | {"q0": given["q0"][some], "v0": given["v0"][some]}, resumable=True)
    for key, expected in arrays(whole(name)).items():
        chosen = expected if key == "time" else expected[:, some]
        assert arrays(few)[key].tobytes() == np.ascontiguousarray(chosen).tobytes(), key


@EVERY
def test_runs_resumed_from_a_recording_go_on_bit_by_bit(whole, name, tmp_path):
    given, path = arguments(name), tmp_path / "first.h5"
    samples = round(given["duration"] / given["sample_dt"])
    first = samples // 2 * given["sample_dt"]
    ts.simulate(**given | {"duration": first}, record=path, resumable=True)
    recorded = ts.open_recording(path)
    rest = {key: value for key, value in given.items() if key not in ("model", "q0", "v0")}
    rest["duration"] = (samples - samples // 2) * given["sample_dt"]
    second = ts.simulate(recorded.model, resume=recorded, resumable=True, **rest)
    for key, expected in arrays(whole(name)).items():
        joined = np.concatenate([arrays(recorded)[key], arrays(second)[key]])
        assert joined.tobytes() == expected.tobytes(), key


def test_recordings_with_forces_of_solved_contacts_among_the_contact_states_go_on_bit_by_bit():
    given = arguments(WALKERS[-1]) | {"duration": 0.1}
    first = ts.simulate(**given, resumable=True)
    assert first.metadata["integrator"] == "least-constraint" and np.any(first.contact_force[-1])
    before = replace(first, signals=first.signals | {"contact_state": first.contact_force / 2**40})
    rest = {key: value for key, value in given.items() if key not in ("model", "q0", "v0")}
    assert_same(*(ts.simulate(first.model, resume=run, resumable=True, **rest) for run in (first, before)))


@pytest.mark.parametrize("name", [WALKERS[0], WALKERS[-1], *OTHERS])
def test_other_processes_give_the_same_bits(whole, name):
    assert {in_another_process(name, seed) for seed in (1, 2)} == {digest(whole(name))}


def test_a_hundred_thousand_steps_in_contact_are_the_same_again_and_elsewhere():
    run = ts.simulate(**arguments("long"), resumable=True)
    assert run.contact_force[-1, :, 2].sum() > 0.5 * run.model.total_mass * 9.81
    again = ts.simulate(**arguments("long"), resumable=True)
    assert {digest(again), in_another_process("long", 5)} == {digest(run)}


def pendulum():
    builder = ts.ModelBuilder("wheel").add_link("ground")
    builder.add_link("wheel", ts.Inertia.of_box(1.0, (0.1, 0.2, 0.3), com=(0.1, 0.0, -0.2)))
    return builder.add_joint("turn", "continuous", "ground", "wheel", axis=(0, 1, 0)).build()


def test_angles_beyond_the_fast_reduction_do_not_change_their_neighbours():
    """Sines beyond 1e5 rad are computed another way, which may differ in the last bit."""
    model = pendulum()
    q = np.random.default_rng(2).uniform(-9e4, 9e4, (1024, 1))
    far = q.copy()
    far[::8] = 3.7e5
    near = np.arange(1024) % 8 != 0
    expected, found = ts.frame_pose(model, q, "wheel"), ts.frame_pose(model, far, "wheel")
    np.testing.assert_array_equal(found[near], expected[near])
    np.testing.assert_allclose(found[~near][:, 0, 0], np.cos(3.7e5), rtol=0.0, atol=1e-15)
    runs = [ts.simulate(model, start, duration=0.02, integrator="runge-kutta-4") for start in (q, far)]
    np.testing.assert_array_equal(runs[1].q[:, near], runs[0].q[:, near])


def test_four_bars_do_not_depend_on_what_was_computed_before():
    """Angles of dependent joints that no one asked for are not read."""
    q, v = np.linspace(0.2, 2.0, 9)[:, None], np.ones((9, 1))
    fresh, used = four_bar().build(), four_bar().build()
    used.joint_positions(q + 2.0e6 * np.pi)
    used.joint_positions(q[0] - 2.0e6 * np.pi)
    for batch in (True, False):
        a, b = (
            ts.forward_dynamics(m, q, v, 0.0 * v)
            if batch
            else np.array([ts.forward_dynamics(m, x, v[0], np.zeros(1)) for x in q])
            for m in (fresh, used)
        )
        assert a.tobytes() == b.tobytes()


def test_a_controller_in_python_does_not_change_that():
    """Torques and laws in turn, random numbers from a seed."""
    model, law = ts.robots.shah7(), JointLaw(kp=200.0, kd=10.0)

    def run():
        rng = np.random.default_rng(1)

        def noisy(t, q, v):
            return law if t < 0.05 else 0.1 * rng.normal(size=v.shape)

        return ts.simulate(model, controller=noisy, ground=arguments(WALKERS[0])["ground"], duration=0.2)

    assert_same(run(), run())
