"""Which coordinates of a model the drives act on, and the model with their rotors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tarsus.devices.actuators.actuator import Actuator
from tarsus.errors import ArgumentError
from tarsus.model.assembly import assemble
from tarsus.model.model import Model

Drives = Mapping[str | tuple[str, ...], Actuator]
"""Actuators by joint, or by a group of joints that one actuator drives entry by entry."""


@dataclass(frozen=True, eq=False)
class DrivenJoints:
    """An actuator and where its joints stand in q and v.

    Attributes
    ----------
    names : tuple of str
    actuator : Actuator
    q_index, v_index : ndarray of int, shape (n,)
    """

    names: tuple[str, ...]
    actuator: Actuator
    q_index: npt.NDArray[np.intp]
    v_index: npt.NDArray[np.intp]


def driven_joints(model: Model, drives: Drives) -> tuple[DrivenJoints, ...]:
    """Actuators with their coordinates; an error names a joint that cannot be driven, or is driven twice."""
    groups, seen = [], set[str]()
    for key, actuator in drives.items():
        names = (key,) if isinstance(key, str) else tuple(key)
        if not isinstance(actuator, Actuator):
            raise ArgumentError(f"the drive of {names} is a {type(actuator).__name__}, expected an Actuator")
        places: list[tuple[int, int]] = []
        for name in names:
            joint = model.joints[name]
            q, v = (range(*index.indices(n)) for index, n in ((joint.q_index, model.nq), (joint.v_index, model.nv)))
            if name == "base" or len(q) != 1 or len(v) != 1:
                raise ArgumentError(f"joint {name!r} has {len(v)} independent coordinates; a drive needs exactly one")
            if name in seen:
                raise ArgumentError(f"joint {name!r} has two drives")
            seen.add(name)
            places.append((q[0], v[0]))
        q_index, v_index = (np.array([place[i] for place in places], dtype=np.intp) for i in (0, 1))
        groups.append(DrivenJoints(names, actuator, q_index, v_index))
    return tuple(groups)


def with_rotors(model: Model, drives: Drives) -> Model:
    """The model with the `armature` of each drive at its joint, in place of what the joint had.

    Rigid gears add ratio^2 rotor_inertia to the joint; the rotor of an elastic gear is a state of the drive, so its
    joint has none. Friction and damping of the joints stay as they are.
    """
    armature: dict[str, float] = {}
    for group in driven_joints(model, drives):
        values = np.broadcast_to(group.actuator.armature, (len(group.names),))
        armature.update(zip(group.names, values.tolist(), strict=True))
    joints = tuple(
        replace(joint, armature=armature[joint.name]) if joint.name in armature else joint
        for joint in model.description.joints
    )
    return assemble(replace(model.description, joints=joints), couplings=model.coupling_mode, warnings=model.warnings)
