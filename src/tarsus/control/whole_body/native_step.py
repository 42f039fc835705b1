"""One step of whole-body control as a native call: tables of tasks and contacts, and numbers between calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import BoolArray, FloatArray
from tarsus.control.whole_body.answer import HELD, HOLDS, LIMITS_MISSED, SOLVED, Command, limits_reason
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.joint_limits import JointLimitNames
from tarsus.control.whole_body.names import task_names
from tarsus.ik.acceleration.cost import Dynamics
from tarsus.ik.acceleration.limits import SecondOrderLimits
from tarsus.ik.objectives.limited_coordinates import limited_coordinates
from tarsus.ik.position.native_solver import native_blocks, task_table
from tarsus.ik.velocity.stepper import joined, spread
from tarsus.model import Model
from tarsus.tasks import Task
from tarsus.tasks.block import Block

STATUSES = tuple(_native.enumeration("BodyStatus"))
LAST_ANSWER = STATUSES.index(LIMITS_MISSED)
"""Of the statuses with which results are told."""
NUMBERS = 16
"""Of a contact that may change: gain, min_force, max_force, whether there is a pose, columns of R_WC, p_WC."""
CHANGING = frozenset({"gain", "weight", "velocity", "acceleration"})
"""Fields of all tasks that may change beside their targets."""


class Fixed(NamedTuple):
    """What a controller does not change.

    Attributes
    ----------
    driven : ndarray of bool, shape (nv,)
    tau_max : ndarray, shape (nv,)
        Infinite where there is no limit.
    acceleration_weight, force_weight : float
    limits : SecondOrderLimits, optional
        Of joints and distances; rows of distances are found in Python.
    """

    driven: BoolArray
    tau_max: FloatArray
    acceleration_weight: float
    force_weight: float
    limits: SecondOrderLimits | None = None

    def distances(self) -> SecondOrderLimits:
        """Limits of distances alone."""
        assert self.limits is not None
        return replace(self.limits, position=False, velocity=False, acceleration=None)

    def table(self, model: Model) -> dict[str, Any]:
        """Entries of `BodyProblem` (`native/control/whole_body_run.hpp`)."""
        return {
            "driven": self.driven.astype(np.int32),
            "tau_max": np.ascontiguousarray(self.tau_max, dtype=float),
            "acceleration_weight": self.acceleration_weight,
            "force_weight": self.force_weight,
            "extra": 0 if self.limits is None or self.limits.scene is None else len(self.limits.scene.pairs),
            **limit_table(model, self.limits),
        }


class Found(NamedTuple):
    """Results of a batch as `BodyRun` writes them: (n, results), and (n,) each."""

    out: FloatArray
    status: npt.NDArray[np.int32]
    iterations: npt.NDArray[np.int32]


class NativeStep:
    """The native step of some tasks and contacts; others of the same structure are taken by writing numbers.

    Parameters
    ----------
    tasks : sequence of Task
        That the native core knows (`Task.blocks`), with targets without batch axes, or of one batch.
    contacts : sequence of Contact
    """

    def __init__(
        self, model: Model, tasks: Sequence[Task], contacts: Sequence[Contact], fixed: Fixed, blocks: Sequence[Block]
    ) -> None:
        self._model = model
        self._joints = None if fixed.limits is None else JointLimitNames(model, fixed.limits)
        near = fixed.limits is not None and fixed.limits.scene is not None
        self._distances = fixed.distances() if near else None
        self._tasks, self._contacts = list(tasks), list(contacts)
        rows = [task.rows(model) for task in tasks]
        sizes = [sum(block.target.shape[-1] for block in task.blocks(model) or ()) for task in tasks]
        self._rows, self._targets = _slices(rows), _slices(sizes)
        self._numbers: dict[str, FloatArray] = {
            "target": np.zeros(sum(sizes)),
            **{name: np.zeros(sum(rows)) for name in ("velocity", "acceleration", "gain", "weight")},
            "numbers": np.zeros((len(contacts), NUMBERS)),
        }
        for k in range(len(tasks)):
            self._write_task(k)
        for k in range(len(contacts)):
            self._write_contact(k)
        core = None
        if sum(rows):
            core = _native.TaskCore(model, *task_table(blocks, np.ones(sum(rows))))
        frames, table = contact_table(contacts)
        self.core = _native.BodyCore(model, core, frames, table | fixed.table(model) | self._numbers)
        self._results = 2 * model.nv + 6 * len(frames) + sum(rows) + 1
        self._parts = self._result_parts()

    @classmethod
    def of(cls, model: Model, tasks: Sequence[Task], contacts: Sequence[Contact], fixed: Fixed) -> NativeStep | None:
        """The step, or None where the native core does not know one of the tasks or contacts, or the base."""
        if any(contact.other is not None for contact in contacts):
            return None
        blocks = native_blocks(model, tasks)
        return None if blocks is None else cls(model, tasks, contacts, fixed, blocks)

    def take(self, tasks: Sequence[Task], contacts: Sequence[Contact]) -> bool:
        """Take other tasks and contacts of the same structure; False where they have another one."""
        if len(tasks) != len(self._tasks) or len(contacts) != len(self._contacts):
            return False
        changed = [k for k, task in enumerate(tasks) if task is not self._tasks[k]]
        moved = [k for k, contact in enumerate(contacts) if contact is not self._contacts[k]]
        if not all(_alike(self._tasks[k], tasks[k], _structure(type(tasks[k]))) for k in changed):
            return False
        if not all(_alike(self._contacts[k], contacts[k], CONTACT_STRUCTURE) for k in moved):
            return False
        for k in changed:
            self._tasks[k] = tasks[k]
            self._write_task(k)
        for k in moved:
            self._contacts[k] = contacts[k]
            self._write_contact(k)
        return True

    def command(self, q: object, v: object) -> Command | None:
        """Command at a state; None where arguments are no plain vectors, or the native core did not find it."""
        begin = perf_counter()
        found = self.core.solve(q, v) if self._distances is None else self._apart(q, v)
        if found is None:
            return None
        out, status, iterations = found
        if status > LAST_ANSWER:
            return None
        vdot, tau, wrenches, errors = self._parts
        missed = self._missed_limits(q, v, out) if status else {}
        return Command(
            out[tau],
            out[vdot],
            {name: out[part] for name, part in wrenches},
            LIMITS_MISSED if missed else SOLVED,
            limits_reason(missed) if missed else HOLDS,
            {name: out[part] for name, part in errors},
            None,
            iterations,
            missed,
            perf_counter() - begin,
        )

    def run(self, q: FloatArray, v: FloatArray, batch: tuple[int, ...], threads: int) -> Found:
        """Results of many robots; of targets with batch axes, too.

        Parameters
        ----------
        q, v : ndarray, shape (n, nq), (n, nv)
        batch : tuple of int
            Of n members in all.
        """
        model, count = self._model, len(q)
        own = [task.blocks(model) or () for task in self._tasks]
        parts = {
            "target": [block.target for blocks in own for block in blocks],
            "velocity": [task.target_velocity(model) for task in self._tasks],
            "acceleration": [task.target_acceleration(model) for task in self._tasks],
        }
        given = {name: joined(arrays) if arrays else np.zeros(0) for name, arrays in parts.items()}
        moving = given["velocity"].ndim > 1 or given["acceleration"].ndim > 1
        many = {"target": given["target"].ndim > 1, "velocity": moving, "acceleration": moving}
        found = Found(
            np.empty((count, self._results)), np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int32)
        )
        given_for = {True: count, False: 1}
        run = {"count": count, "q": q, "v": v, "targets": given_for[many["target"]], "rates": given_for[moving]}
        run |= {name: spread(array, batch if many[name] else ()) for name, array in given.items()}
        self.core.run(run | found._asdict(), threads)
        return found

    def parts(self, out: FloatArray) -> tuple[FloatArray, FloatArray, dict[str, FloatArray], dict[str, FloatArray]]:
        """Torques, accelerations, wrenches and errors, views of results of shape (n, results)."""
        vdot, tau, wrenches, errors = self._parts
        named = [{name: out[:, where] for name, where in parts} for parts in (wrenches, errors)]
        return out[:, tau], out[:, vdot], named[0], named[1]

    def _apart(self, q: Any, v: Any) -> tuple[FloatArray, int, int] | None:
        """The step with rows of the pairs that are near, which are found before."""
        plain = all(isinstance(x, np.ndarray) and x.ndim == 1 and np.isfinite(x).all() for x in (q, v))
        if not plain or len(v) != self._model.nv:
            return None
        assert self._distances is not None
        rows = self._distances.rows(self._model, q, v, _nothing(self._model))
        return self.core.solve(q, v, rows.matrix(), np.array(rows.lower))

    @property
    def batches(self) -> bool:
        """Whether `run` knows everything: rows of distances it does not."""
        return self._distances is None

    def _missed_limits(self, q: Any, v: Any, out: FloatArray) -> dict[str, float]:
        """Limits of joints that do not hold, and by how much."""
        assert self._joints is not None
        nv = self._model.nv
        vdot, allowed = out[:nv], HELD * (1.0 + np.abs(out[nv : 2 * nv]).max() / out[-1])
        missed = self._joints.missed(q, v, vdot, allowed)
        if self._distances is not None:
            rows = self._distances.rows(self._model, q, v, _nothing(self._model))
            beyond = np.array(rows.lower) - rows.matrix() @ vdot
            missed |= {rows.names[k]: float(beyond[k]) for k in np.flatnonzero(beyond > allowed)}
        return missed

    def _write_task(self, k: int) -> None:
        model, task, rows = self._model, self._tasks[k], self._rows[k]
        batched = bool(task.batch_shape())
        numbers = self._numbers
        numbers["gain"][rows], numbers["weight"][rows] = task.gain, task.weights(model)
        if batched:  # told with each batch
            return
        numbers["velocity"][rows] = 0.0 if task.velocity is None else task.target_velocity(model)
        numbers["acceleration"][rows] = 0.0 if task.acceleration is None else task.target_acceleration(model)
        place = self._targets[k].start
        for block in task.blocks(model) or ():
            size = block.target.shape[-1]
            numbers["target"][place : place + size] = block.target
            place += size

    def _write_contact(self, k: int) -> None:
        contact, row = self._contacts[k], self._numbers["numbers"][k]
        row[:4] = contact.gain, contact.min_force, contact.max_force, contact.pose is not None
        if contact.pose is not None:
            X = np.asarray(contact.pose) @ contact.X_FC
            row[4:13], row[13:] = X[:3, :3].T.ravel(), X[:3, 3]

    def _result_parts(self) -> tuple[slice, slice, list[tuple[str, slice]], list[tuple[str, slice]]]:
        nv = self._model.nv
        frames = list(dict.fromkeys(contact.frame for contact in self._contacts))
        begin = 2 * nv
        wrenches = [(frame, slice(begin + 6 * k, begin + 6 * k + 6)) for k, frame in enumerate(frames)]
        begin += 6 * len(frames)
        names = task_names(self._tasks)
        errors = [
            (name, slice(begin + rows.start, begin + rows.stop)) for name, rows in zip(names, self._rows, strict=True)
        ]
        return slice(0, nv), slice(nv, 2 * nv), wrenches, errors


def _nothing(model: Model) -> Dynamics:
    """For limits without torques, which do not look at it."""
    return Dynamics(np.zeros((model.nv, model.nv)), np.zeros(model.nv))


def limit_table(model: Model, limits: SecondOrderLimits | None) -> dict[str, Any]:
    """Entries of `BodyLimits` (`native/control/whole_body_run.hpp`)."""
    places = limited_coordinates(model)
    positions = limits is not None and limits.position
    kept = np.full(len(places.q_index), positions)
    none = np.full(model.nv, np.inf)
    return {
        "limited": int(limits is not None),
        "limit_gain": 1.0 if limits is None else float(limits.gain),
        "flats": int(kept.sum()),
        "flat_q": places.q_index[kept].astype(np.int32),
        "flat_v": places.v_index[kept].astype(np.int32),
        "q_min": np.ascontiguousarray(places.lower[kept]),
        "q_max": np.ascontiguousarray(places.upper[kept]),
        "v_max": np.array(model.v_max) if limits is not None and limits.velocity else none,
        "a_max": none if limits is None else limits.accelerations(model),
    }


def contact_table(contacts: Sequence[Contact]) -> tuple[list[str], dict[str, Any]]:
    """Frames by name, and the table of the contacts that `BodyContact` (`native/control/whole_body_run.hpp`) is."""
    frames = list(dict.fromkeys(contact.frame for contact in contacts))
    kinds, places, arms, cones = [], [np.zeros(0)], [np.zeros(0)], [np.zeros(0)]
    for contact in contacts:
        points = contact.arms if contact.forces == "points" else np.zeros((0, 3))
        slot = frames.index(contact.frame)
        kinds.append([slot, contact.freedoms, len(points), len(contact.cone), slot])
        places.append(np.concatenate([contact.X_FC[:3, :3].T.ravel(), contact.X_FC[:3, 3], [contact.friction]]))
        arms.append(points.ravel())
        cones.append(contact.cone.ravel())
    arm, cone = np.concatenate(arms), np.concatenate(cones)
    table = {
        "contacts": len(contacts),
        "slots": len(frames),
        "arms": len(arm),
        "cones": len(cone),
        "contact": np.array(kinds, dtype=np.int32).ravel(),
        "place": np.concatenate(places),
        "arm": arm,
        "cone": cone,
    }
    return frames, table


CONTACT_STRUCTURE = ("frame", "points", "friction", "normal", "sides", "forces", "pressure_margin", "other")


@lru_cache(maxsize=64)
def _structure(kind: type[Task]) -> tuple[str, ...]:
    """Fields of a kind of task that the native tables are made of."""
    return tuple(f.name for f in fields(kind) if f.name not in CHANGING and f.name not in kind.target_axes)


def _alike(old: object, new: object, names: Sequence[str]) -> bool:
    if type(old) is not type(new):
        return False
    for name in names:
        a, b = getattr(old, name), getattr(new, name)
        if a is not b and not np.array_equal(a, b):
            return False
    return True


def _slices(sizes: Sequence[int]) -> list[slice]:
    ends = np.cumsum(sizes, dtype=int).tolist()
    return [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
