"""Constraints that a simulation keeps: checked at the start, their given motions told to the native core."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.laws import LeastConstraint
from tarsus.dynamics.constraints.constrained_dynamics import constrained_dynamics
from tarsus.dynamics.constraints.constraint import Constraint
from tarsus.dynamics.constraints.evaluation import rows_of
from tarsus.dynamics.constraints.joints import Gear
from tarsus.dynamics.constraints.lock import Lock
from tarsus.dynamics.constraints.projection import project_position, project_velocity
from tarsus.dynamics.constraints.table import constraint_table
from tarsus.errors import ArgumentError, DtypeError
from tarsus.recording.trajectory import Trajectory

if TYPE_CHECKING:
    from tarsus.model import Model

START_VIOLATION = 1e-6
"""Violation at the start [m, rad, m/s, rad/s] that the first step may close without a word."""
KEPT_BY = ("semi-implicit-euler", "runge-kutta-4", "dormand-prince", "implicit-midpoint", LeastConstraint.method)
"""Integrators that keep constraints."""
LOCK_ENGAGED = "lock_engaged"
"""Signal of runs that can be resumed: which locks are engaged, 1 or 0 of each."""


@final
class HeldConstraints:
    """Constraints of all robots of a simulation.

    Attributes
    ----------
    table : ConstraintTable
    rows : int
        Of all constraints together.
    locks : tuple of int
        Places of those that engage and release at events.
    """

    def __init__(self, model: Model, constraints: Iterable[Constraint]) -> None:
        if isinstance(constraints, str) or not isinstance(constraints, Iterable):
            raise DtypeError(f"constraints is {constraints!r}; expected a list of constraints, as ts.constraints has")
        self._model = model
        self.table = constraint_table(model, constraints)
        self.rows = self.table.size
        self.locks = tuple(i for i, c in enumerate(self.table.constraints) if isinstance(c, Lock))

    def described(self) -> list[dict[str, Any]]:
        """Labels of the constraints and their places among the rows, plain JSON values."""
        first = self.table.first
        return [
            {"label": c.label, "first": int(first[i]), "rows": int(first[i + 1] - first[i])}
            for i, c in enumerate(self.table.constraints)
        ]

    def at_start(self) -> npt.NDArray[np.int32]:
        """Rows that act at the start, (rows,): 1, and 0 of locks that are off."""
        engaged = np.ones(self.rows, dtype=np.int32)
        for i in self.locks:
            lock = self.table.constraints[i]
            engaged[self.table.first[i] : self.table.first[i + 1]] = isinstance(lock, Lock) and lock.engaged
        return engaged

    def lock_states(self, engaged: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """Which locks are engaged, (..., locks), of the rows that act, (..., rows)."""
        states: npt.NDArray[np.int64] = engaged[..., self.table.first[list(self.locks)]].astype(np.int64)
        return states

    def resumed(self, trajectory: Trajectory) -> npt.NDArray[np.int32]:
        """Rows that act at the end of a trajectory that was made resumable, (rows,): locks are as it left them.

        Raises
        ------
        ArgumentError
            Where it does not tell of these locks.
        """
        engaged = self.at_start()
        if not self.locks:
            return engaged
        labels = [self.table.constraints[i].label for i in self.locks]
        states = trajectory.signals.get(LOCK_ENGAGED)
        if states is None or states.shape[-1] != len(labels):
            told = "none" if states is None else f"{states.shape[-1]}"
            raise ArgumentError(
                f"the trajectory tells of {told} whether locks are engaged, here are {len(labels)} "
                f"({', '.join(labels)}): simulate it with the same constraints and resumable=True to go on from it"
            )
        for i, state in zip(self.locks, states[-1], strict=True):
            engaged[self.table.first[i] : self.table.first[i + 1]] = int(state)
        return engaged

    def acting(self, engaged: npt.NDArray[np.int32]) -> tuple[Constraint, ...]:
        """Constraints whose rows act in a robot, of those of a batch (robots, rows) that all agree."""
        first = self.table.first
        return tuple(c for i, c in enumerate(self.table.constraints) if engaged.reshape(-1, self.rows)[0, first[i]])

    def label_of(self, row: int) -> str:
        """Label of the constraint that a row belongs to."""
        return self.table.constraints[int(np.searchsorted(self.table.first, row, side="right")) - 1].label

    def start(
        self,
        q: FloatArray,
        v: FloatArray,
        time: float,
        *,
        project: bool,
        engaged: npt.NDArray[np.int32] | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """The start (*batch, nq), (*batch, nv), projected where asked for; rows (rows,) act that are engaged.

        Raises
        ------
        ArgumentError
            Where it violates a constraint.
        InconsistentConstraintsError
            Where the constraints contradict each other.
        """
        engaged = self.at_start() if engaged is None else engaged
        model, constraints = self._model, self.acting(engaged)
        if project:
            q = project_position(model, q, constraints, time)
            v = project_velocity(model, q, v, constraints, time)
        rows = rows_of(model, q, v, self.table, np.full(q.shape[:-1], time))
        acts = engaged > 0
        for level, what, unit in (
            (rows.violation, "position", "m or rad"),
            (rows.velocity, "velocity", "m/s or rad/s"),
        ):
            size = np.where(acts & (rows.holonomic | (what == "velocity")), np.abs(level), 0.0)
            if size.size and size.max() > START_VIOLATION:
                worst = np.unravel_index(np.argmax(size), size.shape)
                where = f" of robot {[int(k) for k in worst[:-1]]}" if worst[:-1] else ""
                raise ArgumentError(
                    f"the {what}{where} at the start violates {self.label_of(int(worst[-1]))} by {size[worst]:.3g} "
                    f"{unit}; project it (project_start=True, or ts.project_position and ts.project_velocity)"
                )
        tau = np.zeros(v.shape)
        constrained_dynamics(model, q, v, tau, constraints, time=time, redundant="accept")  # or raises
        return q, v

    def motions(self, first: float, knots: int, spacing: float) -> FloatArray | None:
        """Given motions at equidistant times [s], shape (knots, k); None where there are none."""
        if not self.table.driven:
            return None
        times: FloatArray = np.asarray(first + spacing * np.arange(knots), dtype=np.float64)
        given = self.table.drive(self._model, times)
        return np.ascontiguousarray(given)


def check_rigid(model: Model, constraints: Iterable[Constraint]) -> None:
    """Raise where ground of the law `Rigid` does not keep one of the constraints: it has locks of joints only."""
    for constraint in constraints:
        gear = constraint.constraint if isinstance(constraint, Lock) else None
        if not isinstance(gear, Gear) or len(gear.coefficients) != 1:
            raise ArgumentError(
                f"ground of the law Rigid keeps locks of single joints (Lock.of_joint), not {constraint.label}; use "
                "another law, such as LeastConstraint"
            )
        if len(model.coordinates.leader_v) != model.nv:
            raise ArgumentError(
                f"{constraint.label} is on ground of the law Rigid, which has locks for models without dependent "
                "joints only; use another law"
            )


def check_integrator(name: str) -> None:
    """Raise where a method does not keep constraints."""
    if name not in KEPT_BY:
        raise ArgumentError(f"constraints are kept by {', '.join(map(repr, KEPT_BY))}, not by {name!r}")
