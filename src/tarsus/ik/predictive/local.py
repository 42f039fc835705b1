"""Redundancy resolved at each instant alone, to compare with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.ik.predictive.costs import Costs
from tarsus.ik.predictive.motion import Plan
from tarsus.ik.predictive.native_horizon import Method, NativeHorizon
from tarsus.ik.predictive.optimize import one_configuration
from tarsus.ik.predictive.task_path import Tasks, task_path
from tarsus.model import Model


def local(
    model: Model,
    tasks: Tasks,
    q0: npt.ArrayLike,
    *,
    dt: float,
    duration: float | None = None,
    costs: Costs | None = None,
) -> Plan:
    """Follow tasks with u = -grad H / w_v: Liegeois 1977, Buschmann 2014 (5.14).

    H is the sum of the terms of `costs` other than that of velocities, w_v the weight of these; nothing of what comes
    later is known. Parameters are those of `optimize`.

    Returns
    -------
    Plan
        Without gradient and adjoint, which are zero; `status` is "local".
    """
    path = task_path(model, tasks, dt, duration)
    horizon = NativeHorizon(model, Costs() if costs is None else costs)
    start = one_configuration(model, q0)
    return horizon.run(path, start, np.zeros((path.steps, model.nv)), Method(local=True), 0)
