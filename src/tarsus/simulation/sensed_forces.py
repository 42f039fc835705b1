"""Forces that force sensors would not feel, and contacts that are not there: told before a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tarsus.devices.sensors import ContactSwitch, ForceTorqueSensor, JointTorqueSensor
from tarsus.devices.sensors.force_torque import bodies_behind
from tarsus.devices.sensors.sensor import Sensor
from tarsus.errors import ArgumentError
from tarsus.simulation.constraints import HeldConstraints
from tarsus.simulation.push import Push
from tarsus.simulation.spring import Spring

if TYPE_CHECKING:
    from tarsus.model import Model


def check_sensed_forces(
    model: Model, sensors: Sequence[Sensor], pushes: Sequence[Push], springs: Sequence[Spring], held: HeldConstraints
) -> None:
    """Raise where a push, a spring, a constraint or what carries a weight acts on what is behind a force sensor.

    Force sensors know contacts, weights and accelerations of what is behind them, and nothing else.
    """
    for sensor, behind in _behind_sensors(model, sensors):
        for what, bodies in _forces(model, pushes, springs, held):
            if len({body in behind for body in bodies}) == 2:
                raise ArgumentError(
                    f"{what} acts on what is behind the {type(sensor).__name__} {sensor.name!r}, whose reading does "
                    "not contain its force; leave one of them out"
                )


def unconnected_problem(model: Model, sensors: Sequence[Sensor], bodies: Sequence[str]) -> str | None:
    """What to tell about sensors of contact on bodies without any contact, which read zero for ever; None if nothing.

    Sensors in joints, and those with an inertia behind them, read weights and are left alone.

    Parameters
    ----------
    bodies : sequence of str
        Body that each contact is on.
    """
    alone = []
    for sensor in sensors:
        if isinstance(sensor, ContactSwitch):
            body = model.frames[sensor.body].body
        elif isinstance(sensor, ForceTorqueSensor) and sensor.joint is None and sensor.inertia.mass == 0.0:
            body = model.frames[sensor.frame].body
        else:
            continue
        told = {model.frames[frame].body for frame in sensor.contact_frames.values()}
        if body not in bodies and body not in told:
            alone.append(f"{type(sensor).__name__} {sensor.name!r} on {body!r}")
    if not alone:
        return None
    there = ", ".join(map(repr, dict.fromkeys(bodies))) or "none"
    return (
        f"no contact is on the body of {', '.join(alone)}, which will read 0 all the time; bodies with contacts: "
        f"{there}. Give a ground=, and contacts= that hold that body"
    )


def _behind_sensors(model: Model, sensors: Sequence[Sensor]) -> Iterator[tuple[Sensor, tuple[str, ...]]]:
    """Force sensors, and bodies behind each of them."""
    for sensor in sensors:
        if isinstance(sensor, ForceTorqueSensor):
            own = (model.frames[sensor.frame].body,)
            yield sensor, own if sensor.joint is None else bodies_behind(model, sensor.joint)
        elif isinstance(sensor, JointTorqueSensor):
            yield from ((sensor, bodies_behind(model, joint)) for joint in sensor.joints)


def _forces(
    model: Model, pushes: Sequence[Push], springs: Sequence[Spring], held: HeldConstraints
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What acts, and the two bodies between which it does; "" is the world."""

    def body_of(frame: str) -> str:
        return "" if frame == "world" and frame not in model.frames else model.frames[frame].body

    for push in pushes:
        yield f"the push on {push.frame!r}", (body_of(push.frame), "")
    for body in model.bodies.values():
        if body.carried[0] != 0.0:
            yield f"what carries the weight of {body.name!r}", (body.name, "")
    for spring in springs:
        ends = (body_of(spring.frame_a), body_of(spring.frame_b))
        yield f"the spring between {spring.frame_a!r} and {spring.frame_b!r}", ends
    if held.rows:
        for constraint, bodies in zip(held.table.constraints, held.table.bodies, strict=True):
            yield f"the constraint {constraint.label}", tuple(body or "" for body in bodies)
