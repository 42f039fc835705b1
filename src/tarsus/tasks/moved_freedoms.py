"""Which freedoms of a robot tasks depend on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.model import Model
from tarsus.tasks.task import Task

PROBES = 5
"""Random postures at which Jacobians are looked at."""
NOTHING = 1e-9
"""Entries of Jacobians that are rounding."""


def moved_freedoms(model: Model, tasks: Sequence[Task], q: FloatArray) -> BoolArray:
    """Freedoms that change any of the tasks at q (nq,) or at random postures, shape (nv,)."""
    moving = np.zeros(model.nv, dtype=bool)
    probes = np.concatenate([q[None], model.random(np.random.default_rng(0), (PROBES,))])
    for task in tasks:
        batch = task.batch_shape()
        if 0 in batch:
            continue
        single = task.of_rows(batch, np.zeros(1, dtype=np.intp)) if batch else task
        moving |= (np.abs(single.jacobian(model, probes)) > NOTHING).any(axis=(0, 1))
    return moving
