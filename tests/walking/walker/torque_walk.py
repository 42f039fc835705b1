"""A walk of torque-controlled joints, with everything that its controller commanded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from tarsus.control.joint_law import JointLaw
from tarsus.control.whole_body.answer import Command
from tarsus.dynamics import bias_force, frame_pose, jacobian, mass_matrix, passive_force
from tarsus.walking import TorqueController, Walker, WalkOutcome
from tarsus.walking.walker import walker as walking


class Commanded(NamedTuple):
    """One cycle: time [s], state, command, and what left the controller."""

    t: float
    q: np.ndarray
    v: np.ndarray
    command: Command
    law: JointLaw


def noted_walk(walker: Walker, **keywords) -> tuple[WalkOutcome, list[Commanded]]:
    """A walk, and all of its cycles."""
    cycles: list[Commanded] = []

    class Noted(TorqueController):
        def _command(self, observation, cycle):
            law = super()._command(observation, cycle)
            cycles.append(Commanded(observation.t, np.array(cycle.q), np.array(cycle.v), self.command, law))
            return law

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walking, "TorqueController", Noted)
        return walker.walk(**keywords), cycles


def residual(model, cycle: Commanded) -> float:
    """By how much M vdot + h = tau + sum J^T f is missed, in the largest generalised force at rest."""
    q, v, command = cycle.q, cycle.v, cycle.command
    left = mass_matrix(model, q) @ command.vdot + bias_force(model, q, v) - passive_force(model, q, v)
    right = command.tau + sum(jacobian(model, q, frame).T @ f for frame, f in command.wrenches.items())
    return float(np.abs(left - right).max() / np.abs(bias_force(model, q, 0.0 * v)).max())


def pressures(done: WalkOutcome) -> tuple[np.ndarray, np.ndarray]:
    """Centre of pressure of the wrenches that the program expected, and of contact forces, (n, 2) each, world [m]."""
    run, model = done.trajectory, done.biped.model
    down, moment = np.zeros(len(run.time)), np.zeros((len(run.time), 2))
    for leg in done.biped.legs:
        f, p = run.signals[f"wrench/{leg.sole}"], frame_pose(model, run.q, leg.sole)[:, :3, 3]
        n = f[:, 3:] + np.cross(p, f[:, :3])  # about the origin of the world
        down += f[:, 2]
        moment += np.stack([-n[:, 1], n[:, 0]], axis=-1)
    force, place = run.contact_force, run.contact_position
    pressed = np.maximum(force[..., 2].sum(axis=1), 1.0)
    return moment / np.maximum(down, 1.0)[:, None], np.sum(force[..., 2:] * place[..., :2], axis=1) / pressed[:, None]
