"""Batches, threads and `out=`: the same numbers however they are asked for."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from dynamics.calls import CALLS
from dynamics.random_models import KINDS, random_model
from dynamics.states import State, assert_close, random_state

import tarsus as ts
from tarsus.arrays import FloatArray

SINGLE = 1e-12
"""One state against a batch: other instructions, the same formulas. Random trees lose two digits."""
ROWS = 11
"""Packs of two, four and eight lanes all leave a remainder."""
MANY = 300
"""Enough rows for three threads, which take 64 at a time."""
ANGLES = (0.3, 1e3, 99999.9, 100000.1, 1e7, -1e7, 12345678.9, 1e15, 1e99)
"""[rad], on both sides of where the reduction of angles changes its method."""


@cache
def robot(name: str) -> ts.Model:
    """Trees that take different ways through the core: all kinds of joints, hinges and limbs, couplings."""
    if name == "mixed":
        return random_model(KINDS, "free", seed=14, passive=True)
    if name == "hinges":
        return random_model(("revolute",) * 9, "free", seed=15, passive=True)
    builder = ts.ModelBuilder("coupled").add_link("body0")
    for k in (1, 2, 3):
        builder.add_link(f"body{k}", ts.Inertia.of_box(1.0 + k, (0.1, 0.2, 0.3), com=(0.1, 0.0, 0.2)))
        builder.add_joint(f"joint{k}", "revolute", f"body{k - 1}", f"body{k}", axis=(1, k, 0), position=(0, 0.1, 0.3))
        builder.add_frame(f"tool{k}", f"body{k}", ts.pose((0.1, 0.2, 0.3)))
    return builder.add_coupling("joint3", "joint1", -1.5, 0.2).build()


ROBOTS = ("mixed", "hinges", "coupled")


def rows_of(state: State, rows: slice | int | FloatArray) -> State:
    return State(*(x[rows] for x in state))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("which", ROBOTS)
def test_one_state_at_a_time_equals_the_batch(which: str, name: str) -> None:
    model, call = robot(which), CALLS[name]
    state = random_state(model, 16, (ROWS,))
    together = call(model, state)
    for row in range(ROWS):
        assert_close(call(model, rows_of(state, row)), together[row], SINGLE)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("which", ROBOTS)
def test_results_do_not_depend_on_size_of_the_batch_or_place_in_it(which: str, name: str) -> None:
    model, call = robot(which), CALLS[name]
    state = random_state(model, 17, (ROWS,))
    together = call(model, state)
    for part in (slice(0, 1), slice(3, 4), slice(1, 6), slice(2, 10), slice(None, None, -1), np.array([4, 4, 0])):
        np.testing.assert_array_equal(call(model, rows_of(state, part)), together[part])


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("which", ROBOTS)
def test_results_do_not_depend_on_the_number_of_threads(which: str, name: str) -> None:
    model, call = robot(which), CALLS[name]
    state = random_state(model, 18, (MANY,))
    one = call(model, state, threads=1)
    for threads in (2, 3):
        np.testing.assert_array_equal(call(model, state, threads=threads), one)


@pytest.mark.parametrize("name", CALLS)
def test_results_do_not_depend_on_what_was_asked_before(name: str) -> None:
    model, call = robot("mixed"), CALLS[name]
    state = random_state(model, 19, (ROWS,))
    before, single = call(model, state), call(model, rows_of(state, 3))
    for other in CALLS.values():
        other(model, random_state(model, 20, (3,)))
        other(model, random_state(model, 21))
    np.testing.assert_array_equal(call(model, state), before)
    np.testing.assert_array_equal(call(model, rows_of(state, 3)), single)


@pytest.mark.parametrize("name", CALLS)
def test_batch_axes_broadcast(name: str) -> None:
    model, call = robot("mixed"), CALLS[name]
    state = random_state(model, 22, (3,))
    wide = State(state.q[:, None], state.v, state.vdot[0], state.tau[:1], state.external[None])
    cores = {"external": 2}
    shapes = [getattr(wide, name).shape[: -cores.get(name, 1)] for name in call.arguments]
    batch = np.broadcast_shapes(*shapes)
    result = call(model, wide)
    assert result.shape[: len(batch)] == batch
    for index in np.ndindex(*batch):
        one = {
            name: np.broadcast_to(x, (*batch, *x.shape[-cores.get(name, 1) :]))[index][None]
            for name, x in zip(State._fields, wide, strict=True)
            if name in call.arguments
        }
        np.testing.assert_array_equal(result[index][None], call(model, wide._replace(**one)))


@pytest.mark.parametrize("batch", [(), (5,), (2, 3), (1, 1, 4)])
@pytest.mark.parametrize("name", CALLS)
def test_out_takes_the_result_and_is_returned(name: str, batch: tuple[int, ...]) -> None:
    model, call = robot("mixed"), CALLS[name]
    state = random_state(model, 23, batch)
    expected = np.asarray(call(model, state))
    out = np.full(expected.shape, np.nan)
    assert call(model, state, out=out) is out
    np.testing.assert_array_equal(out, expected)
    assert call(model, state, out=out) is out  # what was in it before does not matter
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("batch", [(0,), (3, 0), (0, 3)])
@pytest.mark.parametrize("name", CALLS)
def test_empty_batches_give_empty_results(name: str, batch: tuple[int, ...]) -> None:
    model, call = robot("mixed"), CALLS[name]
    one = np.asarray(call(model, random_state(model, 24)))
    result = call(model, random_state(model, 24, batch))
    assert result.shape == (*batch, *one.shape)
    assert result.dtype == np.float64


@pytest.mark.parametrize("name", CALLS)
def test_any_layout_in_memory_gives_the_same_numbers(name: str) -> None:
    model, call = robot("mixed"), CALLS[name]
    state = random_state(model, 25, (ROWS,))
    expected = call(model, state)

    def spread(x: FloatArray) -> FloatArray:
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]))
        wide[..., ::2] = x
        return wide[..., ::2]

    def frozen(x: FloatArray) -> FloatArray:
        x = x.copy()
        x.flags.writeable = False
        return x

    layouts = {
        "strided": spread,
        "Fortran": np.asfortranarray,
        "reversed": lambda x: x[::-1].copy()[::-1],
        "read-only": frozen,
        "big endian": lambda x: x.astype(">f8"),
        "lists": lambda x: x.tolist(),
        "unaligned": lambda x: np.frombuffer(b"." + x.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(x.shape),
    }
    for layout in layouts.values():
        np.testing.assert_array_equal(call(model, State(*(layout(x) for x in state))), expected)


def test_single_precision_and_integers_are_taken_as_they_are() -> None:
    model = robot("hinges")
    state = random_state(model, 26, (3,))
    rough = State(*(x.astype(np.float32) for x in state))
    exact = State(*(x.astype(np.float64) for x in rough))
    np.testing.assert_array_equal(ts.bias_force(model, rough.q, rough.v), ts.bias_force(model, exact.q, exact.v))
    whole = np.arange(model.nv)
    np.testing.assert_array_equal(
        ts.bias_force(model, state.q, whole), ts.bias_force(model, state.q, whole.astype(float))
    )


def test_results_are_new_arrays_and_inputs_stay_as_they_were() -> None:
    model = robot("mixed")
    for batch in ((), (5,)):
        state = random_state(model, 27, batch)
        kept = State(*(x.copy() for x in state))
        for call in CALLS.values():
            result = np.asarray(call(model, state))
            assert not any(np.shares_memory(result, x) for x in state)
        for now, before in zip(state, kept, strict=True):
            np.testing.assert_array_equal(now, before)


# Threads and processes


def _in_child(queue: "multiprocessing.Queue[bool]", state: State, expected: FloatArray) -> None:
    model = robot("mixed")
    found = ts.forward_dynamics(model, state.q, state.v, state.tau, threads=2)
    queue.put(bool(np.array_equal(found, expected)))


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_threads_work_after_a_fork() -> None:
    model = robot("mixed")
    state = random_state(model, 28, (MANY,))
    expected = ts.forward_dynamics(model, state.q, state.v, state.tau, threads=2)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=_in_child, args=(queue, state, expected)) for _ in range(2)]
    for child in children:
        child.start()
    assert [queue.get(timeout=60.0) for _ in children] == [True, True]
    for child in children:
        child.join(timeout=60.0)
        assert child.exitcode == 0
    np.testing.assert_array_equal(ts.forward_dynamics(model, state.q, state.v, state.tau, threads=2), expected)


def test_python_threads_may_share_a_model() -> None:
    model = robot("mixed")
    states = [random_state(model, 40 + i, (70,)) for i in range(6)]

    def work(state: State, threads: int) -> tuple[FloatArray, ...]:
        singles = np.array([ts.forward_dynamics(model, *rows_of(state, row)[:2], state.tau[row]) for row in range(20)])
        together = ts.forward_dynamics(model, state.q, state.v, state.tau, threads=threads)
        return (
            singles,
            together,
            ts.mass_matrix(model, state.q, threads=threads),
            ts.bias_force(model, state.q, state.v),
        )

    expected = [work(state, 1) for state in states]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            jobs = [pool.submit(work, state, 1 + i % 3) for i, state in enumerate(states)]
            for job, result in zip(jobs, expected, strict=True):
                for found, wanted in zip(job.result(timeout=60.0), result, strict=True):
                    np.testing.assert_array_equal(found, wanted)


# Extremes


@pytest.mark.parametrize("angle", ANGLES)
def test_huge_angles_have_the_sine_and_cosine_of_the_math_library(angle: float) -> None:
    builder = (
        ts.ModelBuilder("wheel").add_link("ground").add_link("wheel", ts.Inertia.of_sphere(1.0, 0.1, com=(0.3, 0, 0)))
    )
    model = builder.add_joint("axle", "continuous", "ground", "wheel", axis=(0, 0, 1)).build()
    c, s = np.cos(angle), np.sin(angle)
    for q in (np.array([angle]), np.array([[angle]]), np.array([[0.1], [angle], [0.2], [angle], [-angle]])):
        R = ts.frame_pose(model, q, "wheel").reshape(-1, 4, 4)[min(1, len(np.atleast_2d(q)) - 1)]
        np.testing.assert_allclose(R[:2, :2], [[c, -s], [s, c]], rtol=0.0, atol=4e-16)


def test_chain_of_ten_thousand_bodies_builds_and_evaluates() -> None:
    count = 10_000
    builder = ts.ModelBuilder("chain", gravity=(0, 0, -9.81)).add_link("link0")
    bar = ts.Inertia.of_box(1.0, (0.02, 0.02, 0.1), com=(0, 0, -0.05))
    for k in range(1, count + 1):
        builder.add_link(f"link{k}", bar)
        axis = (1.0, 0.0, 0.0) if k % 2 else (0.0, 1.0, 0.0)
        builder.add_joint(f"joint{k}", "revolute", f"link{k - 1}", f"link{k}", axis=axis, position=(0, 0, -0.1))
    model = builder.build()
    assert (model.nv, model.nb) == (count, count + 1)
    q = model.neutral()
    np.testing.assert_allclose(ts.body_poses(model, q)[-1, 2, 3], -0.1 * count, rtol=1e-12)
    still = np.zeros(count)
    np.testing.assert_allclose(ts.gravity_force(model, q), 0.0, atol=1e-9)
    np.testing.assert_allclose(ts.forward_dynamics(model, q, still, still), 0.0, atol=1e-9)
    assert ts.potential_energy(model, q) == pytest.approx(
        -9.81 * sum(0.1 * k + 0.05 for k in range(1, count + 1)), rel=1e-12
    )
    rng = np.random.default_rng(29)
    q, v, vdot = 0.01 * rng.normal(size=(3, count))
    tau = ts.inverse_dynamics(model, q, v, vdot)
    assert ts.kinetic_energy(model, q, v) > 0.0
    # Inertias along so long a chain differ by ten orders of magnitude: forces are reproduced, accelerations are not.
    back = ts.inverse_dynamics(model, q, v, ts.forward_dynamics(model, q, v, tau))
    np.testing.assert_allclose(back, tau, rtol=0.0, atol=1e-9 * np.abs(tau).max())
