"""Resolved acceleration control: accelerations made by the inverse model (Luh, Walker and Paul 1980)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.driven_model import require_drives, within_limits
from tarsus.ik.acceleration.acceleration import TaskLevels, acceleration
from tarsus.ik.acceleration.cost import Minimised
from tarsus.ik.acceleration.limits import SecondOrderLimits
from tarsus.ik.objectives import Objective
from tarsus.model import Model


@final
class ResolvedAcceleration:
    """A controller ``law(t, q, v)`` for `tarsus.simulate`: torques of `tarsus.ik.acceleration`, with all it can do.

    Parameters
    ----------
    tasks : callable
        ``tasks(t)`` gives the tasks at time t, or levels of them.
    minimise, damping, objectives, limits
        As for `tarsus.ik.acceleration`.
    limited : bool
        Cut torques to `model.tau_max`.

    Attributes
    ----------
    status : str
        Of the last call.
    """

    def __init__(
        self,
        model: Model,
        tasks: TaskLevels | Callable[[float], TaskLevels],
        *,
        minimise: Minimised = "acceleration",
        damping: float = 10.0,
        objectives: Objective | Sequence[Objective] = (),
        limits: SecondOrderLimits | None = None,
        limited: bool = True,
    ) -> None:
        require_drives(model, "ResolvedAcceleration")
        self.model, self.tasks, self.minimise, self.damping = model, tasks, minimise, damping
        self.objectives, self.limits, self.limited = objectives, limits, limited
        self.status = ""

    def __call__(self, t: float, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Torques at one moment, shape (..., nv)."""
        answer = acceleration(
            self.model,
            self.tasks(t) if callable(self.tasks) else self.tasks,
            q,
            v,
            minimise=self.minimise,
            damping=self.damping,
            objectives=self.objectives,
            limits=self.limits,
        )
        self.status = answer.status
        return within_limits(self.model, answer.tau) if self.limited else answer.tau
