"""Whole-body control as a controller of simulations: reads a state, commands drives, tells how it went."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.control.whole_body.answer import SOLVED, STATUSES, Command
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.fading import Fading
from tarsus.control.whole_body.names import task_names
from tarsus.control.whole_body.position_drives import DesiredMotion, PositionDrives
from tarsus.control.whole_body.whole_body import WholeBody
from tarsus.errors import ArgumentError, ControlWarning, ShapeError
from tarsus.tasks import Task


class Estimator(Protocol):
    """What makes a state of what sensors tell, such as `tarsus.control.BaseEstimator`."""

    def update(self, observation: Observation) -> tuple[FloatArray, FloatArray]:
        """Estimate of q (nq,) and v (nv,) at an observation."""


Tasks = Sequence[Task] | Sequence[Sequence[Task]]


class WholeBodyController:
    """Whole-body control for `tarsus.simulate(controller=...)`.

    Each call takes the references of the moment, reads the state, solves, logs, and returns torques or what position
    drives follow. Signals of the trajectory are "whole_body/status" (a number: place in `STATUSES`),
    "whole_body/iterations", "error/TASK", the size of what a task misses of the acceleration that it asks for (NaN
    while it is not there), and "wrench/FRAME" (6,), what the command expects at a contact.

    Parameters
    ----------
    body : WholeBody or Fading
        With tasks and contacts of the beginning.
    tasks : callable, optional
        tasks(t): those of a time [s], where they change.
    contacts : callable, optional
        contacts(t), likewise.
    estimator : object, optional
        Whose update(observation) is taken for the state; the true one by default.
    drives : PositionDrives, optional
        Of a robot whose drives follow positions; torques by default.
    frames : sequence of str, optional
        Contacts whose wrenches are logged; those of the beginning by default.

    Attributes
    ----------
    command : Command or None
        The last one.
    counts : Counter
        Of the statuses of all commands.
    first : dict of str to tuple of float and str
        Time [s] and reason of the first command of each status.
    """

    def __init__(
        self,
        body: WholeBody | Fading,
        *,
        tasks: Callable[[float], Tasks] | None = None,
        contacts: Callable[[float], Sequence[Contact]] | None = None,
        estimator: Estimator | None = None,
        drives: PositionDrives | None = None,
        frames: Sequence[str] | None = None,
    ) -> None:
        if not isinstance(body, WholeBody | Fading):
            raise ArgumentError(f"body is {body!r}; expected a tarsus.control.WholeBody or Fading")
        for name, value in (("tasks", tasks), ("contacts", contacts)):
            if value is not None and not callable(value):
                raise ArgumentError(f"{name} is {value!r}; expected a function of time, {name}(t)")
        if estimator is not None and not callable(getattr(estimator, "update", None)):
            raise ArgumentError(f"estimator is {estimator!r}; expected an object with update(observation)")
        if drives is not None and not isinstance(drives, PositionDrives):
            raise ArgumentError(f"drives is {drives!r}; expected tarsus.control.PositionDrives")
        self.body, self.estimator, self._tasks, self._contacts = body, estimator, tasks, contacts
        self._motion = None if drives is None else DesiredMotion(body.model, drives)
        first = [contact.frame for contact in body.contacts] if frames is None else list(frames)
        self._frames = tuple(dict.fromkeys(first))
        self._names = task_names([task for level in body.levels for task in level])
        self.command: Command | None = None
        self.counts: Counter[str] = Counter()
        self.first: dict[str, tuple[float, str]] = {}

    def __call__(self, observation: Observation) -> FloatArray | JointLaw:
        """Torques (nv,), or the law of position drives."""
        if observation.q.ndim != 1:
            raise ShapeError(f"q of the observation: found shape {observation.q.shape}, expected that of one robot")
        t = observation.t
        if self._tasks is not None or self._contacts is not None:
            self.body.update(
                tasks=None if self._tasks is None else self._tasks(t),
                contacts=None if self._contacts is None else self._contacts(t),
            )
        q, v = (observation.q, observation.v) if self.estimator is None else self.estimator.update(observation)
        self.command = self.body.solve(t, q, v) if isinstance(self.body, Fading) else self.body.solve(q, v)
        self._tell(t, self.command)
        observation.log(**self._signals(self.command))
        return self.command.tau if self._motion is None else self._motion.law(t, q, v, self.command)

    @property
    def unsolved(self) -> int:
        """Number of commands in which not everything held."""
        return self.counts.total() - self.counts[SOLVED]

    def summary(self) -> str:
        """How many commands were not solved, with the first reason of each kind."""
        told = [
            f"{self.counts[status]} {status}, first at {t:g} s: {reason}"
            for status, (t, reason) in self.first.items()
            if status != SOLVED
        ]
        return "; ".join([f"{self.unsolved} of {self.counts.total()} commands were not solved", *told])

    def _tell(self, t: float, command: Command) -> None:
        self.counts[command.status] += 1
        if command.status in self.first:
            return
        self.first[command.status] = t, command.reason
        if command.status != SOLVED:
            warnings.warn(
                f"whole-body control at {t:g} s: {command.status}, {command.reason}", ControlWarning, stacklevel=3
            )

    def _signals(self, command: Command) -> dict[str, FloatArray | float]:
        found: dict[str, FloatArray | float] = {
            "whole_body/status": float(STATUSES.index(command.status)),
            "whole_body/iterations": float(command.iterations),
        }
        for name in self._names:
            found[f"error/{name}"] = float(np.linalg.norm(command.errors.get(name, np.nan)))
        for frame in self._frames:
            found[f"wrench/{frame}"] = command.wrenches.get(frame, np.zeros(6))
        return found
