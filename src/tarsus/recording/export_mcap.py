"""Trajectories as MCAP logs with JSON messages, for programs such as Foxglove.

=============== ============================ ==============================================================
topic           schema                       content
=============== ============================ ==============================================================
/tf             foxglove.FrameTransforms     poses of all bodies in "world"
/joint_states   tarsus.JointStates           ``name``, ``position``, ``velocity``, ``effort`` of one-axis joints
/contacts       tarsus.Contacts              ``name``, ``position`` [m] and ``force`` [N] of the contacts
/energy         tarsus.Energy                parts of the audit and ``total`` [J]
/signals        tarsus.Signals               further quantities by name
=============== ============================ ==============================================================

The model itself is not in the log. The file needs the package mcap.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np

from tarsus.arrays import AnyArray
from tarsus.dynamics import body_poses
from tarsus.errors import ArgumentError, RecordingError
from tarsus.recording.trajectory import Trajectory
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix

INSTALL = "pip install 'tarsus[mcap]'"

_XYZ = {"type": "object", "properties": {axis: {"type": "number"} for axis in "xyz"}}
_NUMBERS = {"type": "array", "items": {"type": "number"}}
_NAMES = {"type": "array", "items": {"type": "string"}}
_TIME = {"type": "object", "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}}
_TRANSFORM = {
    "type": "object",
    "properties": {
        "timestamp": _TIME,
        "parent_frame_id": {"type": "string"},
        "child_frame_id": {"type": "string"},
        "translation": _XYZ,
        "rotation": {"type": "object", "properties": {axis: {"type": "number"} for axis in "xyzw"}},
    },
}

Message = Callable[[int], dict[str, Any]]
"""Content of a topic at a sample."""


def import_writer() -> Any:
    """The module mcap.writer, or an error that says how it is installed."""
    try:
        import mcap.writer
    except ImportError:
        raise RecordingError(f"export to MCAP needs the package mcap; install it with: {INSTALL}") from None
    return mcap.writer


def write_mcap(stream: IO[bytes], trajectory: Trajectory) -> None:
    """Write one simulation, a message on every topic for each sample.

    Times count from zero at t = 0 s in nanoseconds; numbers that are not finite become null.
    """
    if len(trajectory) and trajectory.time[0] < 0.0:
        raise ArgumentError(f"the trajectory begins at {trajectory.time[0]:g} s; an MCAP log begins at 0 s or later")
    writer = import_writer().Writer(stream)
    writer.start(profile="", library="tarsus")
    writer.add_metadata(
        "tarsus",
        {
            "model": trajectory.model.name,
            "metadata": json.dumps(trajectory.metadata),
            "finished": json.dumps(trajectory.finished),
            "reason": trajectory.reason,
        },
    )
    channels = []
    for topic, name, properties, message in _topics(trajectory):
        schema = json.dumps({"type": "object", "properties": properties}).encode()
        number = writer.register_schema(name=name, encoding="jsonschema", data=schema)
        channels.append((writer.register_channel(topic=topic, message_encoding="json", schema_id=number), message))
    for k, t in enumerate(trajectory.time):
        moment = round(float(t) * 1e9)
        for channel, message in channels:
            data = json.dumps(message(k), allow_nan=False).encode()
            writer.add_message(channel_id=channel, log_time=moment, publish_time=moment, data=data, sequence=k)
    writer.finish()


def _topics(run: Trajectory) -> Iterator[tuple[str, str, dict[str, Any], Message]]:
    """Topic, name of the schema, its properties, and the messages."""
    yield "/tf", "foxglove.FrameTransforms", {"transforms": {"type": "array", "items": _TRANSFORM}}, _transforms(run)
    properties = {"name": _NAMES, "position": _NUMBERS, "velocity": _NUMBERS, "effort": _NUMBERS}
    yield "/joint_states", "tarsus.JointStates", properties, _joint_states(run)
    if run.contacts:
        item = {"type": "object", "properties": {"name": {"type": "string"}, "position": _XYZ, "force": _XYZ}}
        yield "/contacts", "tarsus.Contacts", {"contacts": {"type": "array", "items": item}}, _contacts(run)
    if run.energy:
        parts = {**run.energy, "total": run.total_energy}
        yield "/energy", "tarsus.Energy", {name: {"type": "number"} for name in parts}, _by_name(parts)
    if run.signals:
        yield "/signals", "tarsus.Signals", {name: {} for name in run.signals}, _by_name(run.signals)


def _transforms(run: Trajectory) -> Message:
    X_WB = np.asarray(body_poses(run.model, run.q))
    rotation = quaternion_from_rotation_matrix(X_WB[..., :3, :3])
    names = list(run.model.bodies)

    def message(k: int) -> dict[str, Any]:
        seconds, rest = divmod(round(float(run.time[k]) * 1e9), 10**9)
        return {
            "transforms": [
                {
                    "timestamp": {"sec": seconds, "nsec": rest},
                    "parent_frame_id": "world",
                    "child_frame_id": name,
                    "translation": _axes(X_WB[k, i, :3, 3]),
                    "rotation": dict(zip("wxyz", rotation[k, i].tolist(), strict=True)),
                }
                for i, name in enumerate(names)
            ]
        }

    return message


def _joint_states(run: Trajectory) -> Message:
    joints = [joint for joint in run.model.joints.values() if joint.q_index.stop - joint.q_index.start == 1]
    positions = [joint.q_index.start for joint in joints]
    rates = [joint.v_index.start for joint in joints]
    names = [joint.name for joint in joints]
    return lambda k: {
        "name": names,
        "position": run.q[k, positions].tolist(),
        "velocity": run.v[k, rates].tolist(),
        "effort": run.tau[k, rates].tolist(),
    }


def _contacts(run: Trajectory) -> Message:
    return lambda k: {
        "contacts": [
            {"name": name, "position": _axes(run.contact_position[k, i]), "force": _axes(run.contact_force[k, i])}
            for i, name in enumerate(run.contacts)
        ]
    }


def _by_name(arrays: dict[str, AnyArray]) -> Message:
    return lambda k: {name: _plain(array[k]) for name, array in arrays.items()}


def _axes(vector: AnyArray) -> dict[str, Any]:
    return dict(zip("xyz", _plain(vector), strict=True))


def _plain(value: AnyArray) -> Any:
    """Numbers and lists of them as JSON can say them."""
    value = np.asarray(value)
    if value.dtype.kind != "f" or np.isfinite(value).all():
        return value.tolist()
    items = value.astype(object)
    items[~np.isfinite(value)] = None
    return items.tolist()
