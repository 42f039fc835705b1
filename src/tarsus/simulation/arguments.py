"""Arguments of `simulate`, checked before anything happens: every error names what was given and what was expected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.contact import Ground
from tarsus.control.calling import takes_observation
from tarsus.control.joint_law import JointLaw
from tarsus.devices.sensors.sensor import Sensor
from tarsus.errors import ArgumentError, DtypeError
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.argument_kinds import check_flag, check_kind, check_list, check_number, check_positive
from tarsus.simulation.push import Push
from tarsus.simulation.world import World

if TYPE_CHECKING:
    from tarsus.model import Model

_MOST_THREADS = 1024


def check_arguments(model: Model, given: dict[str, Any]) -> None:
    """Kinds and ranges of all arguments by name, except for the start, which `start_state` reads."""
    check_model(model)
    for name in ("duration", "dt", "control_dt", "sample_dt"):
        if given[name] is not None or name in ("duration", "dt"):
            check_number(name, given[name], "a time [s]")
    for name in ("relative", "absolute"):
        check_positive(name, given[name], "a tolerance above 0")
    for name in ("stops", "resumable", "progress"):
        if not (name == "progress" and given[name] is None):
            check_flag(name, given[name])
    if given["leaders"] not in ("fixed", "change"):
        raise ArgumentError(f"leaders is {given['leaders']!r}; expected 'fixed' or 'change'")
    check_threads(given["threads"])
    check_kind("ground", given["ground"], Ground, "a Ground, such as ts.contact.flat()")
    check_kind("resume", given["resume"], Trajectory, "a Trajectory; recordings are opened by ts.open_recording")
    check_kind("record", given["record"], str | os.PathLike, "a path")
    if given["record"] is not None and not os.fspath(given["record"]):
        raise ArgumentError("record is empty; expected a path")
    controller = given["controller"]
    if controller is not None and not callable(controller) and not isinstance(controller, JointLaw):
        raise DtypeError(
            f"controller is {controller!r}; expected a callable controller(observation) or controller(t, q, v), or a "
            "JointLaw"
        )
    if isinstance(controller, type):
        raise DtypeError(f"controller is the class {controller.__name__}; expected an instance of it")
    if given["contacts"] is not None:
        check_list("contacts", given["contacts"], "ContactPoint, ContactEdge or Sole", kind=Iterable)
    check_list("events", given["events"], "callables event(t, q, v)")
    check_list("pushes", given["pushes"], "Push")
    check_list("sensors", given["sensors"], "sensors, such as ts.sensors.IMU")
    for sensor in given["sensors"]:
        if not isinstance(sensor, Sensor):
            raise DtypeError(f"sensors holds {sensor!r}; expected sensors, such as ts.sensors.IMU")
    if callable(controller) and not isinstance(controller, type):
        takes_observation(controller)  # or raises
    for push in given["pushes"]:
        if not isinstance(push, Push):
            raise DtypeError(f"pushes holds {push!r}; expected Push")
        _ = model.frames[push.frame]  # unknown names raise


def check_model(model: Any) -> None:
    """Raise where it is none, or nothing in it can move."""
    from tarsus.model import Model

    if not isinstance(model, Model):
        raise DtypeError(f"model is {model!r}; expected a Model, as ts.load and ts.robots return")
    if model.nv == 0:
        raise ArgumentError(
            f"nothing in {model.name!r} can move: nv is 0; load it with base='free', or put something into it by "
            "model.with_object"
        )


def check_threads(threads: Any) -> None:
    """Raise where it is no number of threads."""
    if not isinstance(threads, int | np.integer) or not 1 <= threads <= _MOST_THREADS:
        raise ArgumentError(f"threads must be a whole number from 1 to {_MOST_THREADS}, not {threads!r}")


def check_time(name: str, value: Any) -> None:
    """Raise where it is no time above 0."""
    check_positive(name, value, "a time above 0 [s]")


def ignored_problems(
    world: World, *, contacts: bool, pairs: bool, friction: bool = False, tolerances: str = ""
) -> Iterator[str]:
    """What to tell about arguments that were given and do nothing.

    Parameters
    ----------
    contacts, pairs, friction : bool
        Whether these were given.
    tolerances : str
        Method with fixed steps for which other tolerances than those by default were given.
    """
    if contacts and world.ground is None:
        yield "contacts= is given without ground=: they touch nothing"
    if pairs and not world.pairs.pairs:
        yield "pairs= is given, but the model has no two bodies with collision shapes that may touch: it does nothing"
    if friction and world.ground is None and not world.pairs.pairs:
        yield "friction= is given without ground= and pairs=: there is nothing to rub on"
    if tolerances:
        yield f"relative= and absolute= are tolerances of adaptive integrators: {tolerances!r} takes steps of dt"
