"""Fewer threads than asked for, where the system gives no more."""

import subprocess
import sys
from pathlib import Path

import pytest

import tarsus as ts

PACKAGE = str(Path(ts.__file__).parents[1])
TESTS = str(Path(__file__).parents[1])

LIMITED = """
import os, resource, sys
sys.path[:0] = sys.argv[2:]
import numpy as np, tarsus as ts
from sample_models import double_pendulum

model = double_pendulum().build()
q, v = model.random(np.random.default_rng(0), 5000), np.zeros((5000, 2))
expected = ts.mass_matrix(model, q)
moved = ts.simulate(model, q[:200], duration=0.01)

before = len(os.listdir("/proc/self/task"))
pages = int(open("/proc/self/statm").read().split()[0])
stack = 2**23  # each thread wants that much address space for its stack
resource.setrlimit(resource.RLIMIT_STACK, (stack, resource.getrlimit(resource.RLIMIT_STACK)[1]))
room = 2**20 * int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + room,) * 2)
for _ in range(2):
    assert ts.mass_matrix(model, q, threads=64).tobytes() == expected.tobytes()
    assert ts.simulate(model, q[:200], duration=0.01, threads=64).q.tobytes() == moved.q.tobytes()
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.parametrize(("room", "most"), [(7, 0), (128, 16)])
def test_batches_are_computed_by_as_many_threads_as_there_can_be(room, most):
    """Under a limit of memory [MiB], which holds for every user; one of processes fails in the same place."""
    command = [sys.executable, "-c", LIMITED, str(room), PACKAGE, TESTS]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert min(most, 1) <= int(result.stdout) <= most
