"""Large results take over the memory of freed ones, and stay ordinary arrays."""

import gc
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from dynamics.random_models import random_model
from dynamics.states import random_state

import tarsus as ts
from tarsus import _native
from tarsus.arrays import FloatArray

ROWS = 400
"""Mass matrices of so many states are far larger than what is taken from the heap."""
LIMIT = 64 * 2**20
"""Bytes that are kept at most."""


@pytest.fixture(scope="module")
def model() -> ts.Model:
    return random_model(("revolute",) * 9, "free", seed=15)


@pytest.fixture(scope="module")
def q(model: ts.Model) -> FloatArray:
    return random_state(model, 30, (ROWS,)).q


def test_results_that_are_kept_do_not_change_when_others_come_and_go(model: ts.Model, q: FloatArray) -> None:
    kept = [ts.mass_matrix(model, q[k:]) for k in range(5)]
    copies = [result.copy() for result in kept]
    for k in range(20):
        ts.mass_matrix(model, q[::-1])
        ts.joint_screws(model, np.roll(q, k, axis=0))
    for result, copy in zip(kept, copies, strict=True):
        np.testing.assert_array_equal(result, copy)


def test_results_are_ordinary_arrays(model: ts.Model, q: FloatArray) -> None:
    M = ts.mass_matrix(model, q)
    expected = M.copy()
    assert M.flags.owndata and M.flags.writeable and M.flags.c_contiguous and M.base is None
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(M)), expected)
    view = M[3:]
    del M
    gc.collect()
    ts.mass_matrix(model, q[::-1])
    np.testing.assert_array_equal(view, expected[3:])  # a view keeps the memory


def test_results_can_be_resized(model: ts.Model, q: FloatArray) -> None:
    nv = model.nv
    for rows in (1, ROWS // 3, ROWS - 1, ROWS, 2 * ROWS, 5 * ROWS):
        M = ts.mass_matrix(model, q)
        expected = M.copy()
        M.resize((rows, nv, nv), refcheck=False)
        common = min(rows, ROWS)
        np.testing.assert_array_equal(M[:common], expected[:common])
        assert not M[common:].any()  # NumPy fills what it adds
        M[:] = 1.0
    np.testing.assert_array_equal(ts.mass_matrix(model, q), expected)


def test_memory_of_freed_results_is_used_again_and_can_be_given_back(model: ts.Model, q: FloatArray) -> None:
    _native.release_memory()
    assert _native.kept_memory() == 0
    M = ts.mass_matrix(model, q)
    address, size = M.ctypes.data, M.nbytes
    del M
    assert size <= _native.kept_memory() <= size + 2**13
    again = ts.mass_matrix(model, q)
    assert again.ctypes.data == address
    assert _native.kept_memory() == 0
    del again
    _native.release_memory()
    assert _native.kept_memory() == 0


def test_kept_memory_is_bounded(model: ts.Model) -> None:
    q = random_state(model, 31, (3000,)).q
    results = [ts.body_jacobians(model, q[k:]) for k in range(8)]
    assert sum(result.nbytes for result in results) > 2 * LIMIT
    del results
    assert 0 < _native.kept_memory() <= LIMIT
    _native.release_memory()


def test_small_results_are_not_kept(model: ts.Model, q: FloatArray) -> None:
    _native.release_memory()
    for _ in range(10):
        ts.mass_matrix(model, q[0]), ts.mass_matrix(model, q[:4])
    assert _native.kept_memory() == 0


def test_threads_get_memory_of_their_own(model: ts.Model, q: FloatArray) -> None:
    expected = [ts.mass_matrix(model, q[k:]) for k in range(4)]

    def work(k: int) -> bool:
        kept = []
        for i in range(30):
            kept.append(ts.mass_matrix(model, q[k:], threads=1 + i % 2))
            if len(kept) > 3:
                kept.pop(0)
        return all(np.array_equal(found, expected[k]) for found in kept)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def _in_child(queue: "multiprocessing.Queue[bool]", model: ts.Model, q: FloatArray, expected: FloatArray) -> None:
    queue.put(all(np.array_equal(ts.mass_matrix(model, q), expected) for _ in range(5)))


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_children_of_a_fork_use_their_own_copy(model: ts.Model, q: FloatArray) -> None:
    expected = ts.mass_matrix(model, q).copy()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue, model, q, expected))
    child.start()
    assert queue.get(timeout=60.0)
    child.join(timeout=60.0)
    assert child.exitcode == 0
    np.testing.assert_array_equal(ts.mass_matrix(model, q), expected)


def test_batches_too_large_for_memory_are_an_error_not_a_crash(model: ts.Model, q: FloatArray) -> None:
    huge = np.broadcast_to(q[0], (2**34, model.nq))
    with pytest.raises((MemoryError, ts.errors.TarsusError)):
        ts.mass_matrix(model, huge)
