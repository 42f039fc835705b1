"""Functions that tests of sweeps run, in this process and in others."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np


def square(x):
    return x * x


def drawn(x, seed):
    """Random numbers, linear algebra and special values: what must have the same bits everywhere."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(6, 6))
    return {
        "x": x,
        "inverse": np.linalg.inv(a),
        "single": rng.normal(size=3).astype(np.float32),
        "special": [float("nan"), float("-inf"), -0.0, 1e-310],
        "none": np.zeros((0, 3)),
        "large": int(rng.integers(2**62)),
        "product": rng.normal(size=(150, 150)) @ rng.normal(size=(150, 150)),
    }


def picky(x):
    """Raises for odd numbers."""
    if x % 2:
        raise ValueError(f"{x} is odd")
    return x


def killed_once(x, marks, victim):
    """The first time that the victim runs, its worker is killed."""
    mark = Path(marks) / "killed"
    if x == victim and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def always_killed(x, victim):
    """The victim ends its worker every time."""
    if x == victim:
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)
    return x * x


def leaves_marks(x, marks):
    """Counts its calls in a directory."""
    number = len(list(Path(marks).glob(f"{x}-*")))
    (Path(marks) / f"{x}-{number}").touch()
    return x * x


def waits(x, marks):
    """Fast for the first cases, then long."""
    leaves_marks(x, marks)
    if x >= 3:
        time.sleep(60.0)
    return x * x


def exits(x):
    raise SystemExit(f"case {x} wants to leave")


def object_value(x):
    return {"deep": [object()]}
