"""The start of a run in which leaders change: what it cannot do is refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.devices.sensors import ForceTorqueSensor, JointTorqueSensor
from tarsus.devices.sensors.sensor import Sensor
from tarsus.dynamics.constraints.constraint import Constraint
from tarsus.errors import ArgumentError
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.leaders.led_mechanism import LedMechanism, mechanism_of
from tarsus.simulation.leaders.led_run import LEADERS, Lead, LedRun
from tarsus.simulation.runs.user_events import Event
from tarsus.simulation.scene import Scene

if TYPE_CHECKING:
    from tarsus.model import Model


def changing_mechanism(
    model: Model, controller: Any, constraints: Iterable[Constraint], sensors: Sequence[Sensor]
) -> LedMechanism:
    """The mechanism of a model whose leaders shall change, with the leaders that it has.

    Raises
    ------
    ArgumentError
        For models without loops, joint laws, constraints, and force sensors that a loop is closed around.
    """
    mechanism = mechanism_of(model)
    if isinstance(controller, JointLaw):
        raise ArgumentError(
            "controller is a JointLaw, which acts on leading joints; with leaders='change' expected a function that "
            "returns torques of all joints"
        )
    if tuple(constraints):
        raise ArgumentError("constraints are not for leaders='change': the loops of the model are all it keeps")
    for sensor in sensors:
        if isinstance(sensor, ForceTorqueSensor | JointTorqueSensor):
            sensor.labels(mechanism.led)  # refuses joints around which a loop is closed
    return mechanism


def led_run(
    mechanism: LedMechanism,
    q: FloatArray,
    v: FloatArray,
    scene: Scene,
    events: Sequence[Event],
    resume: Trajectory | None,
) -> LedRun:
    """A run from q and v: of all joints where they have that many entries or a trajectory is resumed, else of leaders.

    Raises
    ------
    ArgumentError
        For batches, and starts that do not close the loops.
    """
    if q.ndim > 1:
        raise ArgumentError(f"q0, v0 have batch axes {q.shape[:-1]}; expected one mechanism with leaders='change'")
    if resume is not None:
        return LedRun(_resumed(mechanism, resume), q, v, scene, events)
    if mechanism.given_over_all_joints:
        lead = Lead(mechanism.on_branch(q), told_at=q)
        lead.mechanism.require_closed(q, v)
        return LedRun(lead, q, v, scene, events)
    return LedRun(Lead(mechanism), *mechanism.all_joints(q, v), scene, events)


def _resumed(mechanism: LedMechanism, trajectory: Trajectory) -> Lead:
    """What leads at the end of a trajectory."""
    if LEADERS not in trajectory.signals:
        raise ArgumentError(
            "the trajectory does not tell its leaders: simulate it with leaders='change' and resumable=True"
        )
    number, look = (int(x) for x in trajectory.signals[LEADERS][-1])
    entry = trajectory.metadata[LEADERS][number]
    if "q" not in entry:
        return Lead(mechanism, look, entry["time"])
    told_at = np.array(entry["q"])
    return Lead(mechanism.led_by(tuple(entry["joints"]), told_at), look, entry["time"], told_at)
