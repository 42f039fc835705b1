"""Every number of a trajectory as a curve with a name, for plots and tables.

========== ===================== ==========================================================
group      names                 content
========== ===================== ==========================================================
q          q.knee, q.base.z      coordinates of the joints [rad or m]
v          v.knee, v.base.wx     their rates [rad/s or m/s]
tau        tau.knee              forces of the joints [N m or N]
force      force.l_sole.z        forces on the robot at the contacts, world axes [N]
position   position.l_sole.z     where they act, world [m]
energy     energy.kinetic        parts of the energy audit, and ``energy.total`` [J]
signals    signals.imu.0         whatever else was recorded
========== ===================== ==========================================================
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from tarsus.arrays import AnyArray
from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.model.joint import Joint
from tarsus.model.model import Model
from tarsus.recording.trajectory import Trajectory

GROUPS = ("q", "v", "tau", "force", "position", "energy", "signals")
_XYZ = ("x", "y", "z")


class Curve(NamedTuple):
    """One number over time.

    Attributes
    ----------
    name : str
    group : str
        One of `GROUPS`.
    unit : str
        Empty where it is not known.
    values : ndarray, shape (N,)
    """

    name: str
    group: str
    unit: str
    values: AnyArray


def one_simulation(trajectory: Trajectory, number: int | None = None) -> Trajectory:
    """One simulation of a batch by its number, counted over all batch axes in row-major order.

    Without a number the trajectory must not be a batch.
    """
    count = int(np.prod(trajectory.batch_shape))
    if number is None and trajectory.batch_shape:
        raise ArgumentError(f"the trajectory holds {count} simulations; choose one by its number, 0 to {count - 1}")
    number = 0 if number is None else number
    if not 0 <= number < count:
        raise ArgumentError(f"there is no simulation {number}: the trajectory holds {count}")
    if not trajectory.batch_shape:
        return trajectory
    return trajectory.simulation(*(int(k) for k in np.unravel_index(number, trajectory.batch_shape)))


def curves_of(trajectory: Trajectory) -> dict[str, Curve]:
    """All curves of one simulation by name, in the order of the table above."""
    if trajectory.batch_shape:
        raise ArgumentError(f"the trajectory is a batch of shape {trajectory.batch_shape}, expected one simulation")
    found = [*_joints(trajectory), *_contacts(trajectory)]
    parts = dict(trajectory.energy)
    if parts:
        parts["total"] = trajectory.total_energy
    found += [Curve(f"energy.{name}", "energy", "J", values) for name, values in parts.items()]
    for name, array in trajectory.signals.items():
        found += [Curve(label, "signals", "", values) for label, values in _components(f"signals.{name}", array)]
    return {curve.name: curve for curve in found}


def select_curves(trajectory: Trajectory, wanted: Iterable[str]) -> list[Curve]:
    """Curves that somebody asked for, each once.

    Parameters
    ----------
    trajectory : Trajectory
        One simulation.
    wanted : iterable of str
        Names of curves ("q.knee"), their beginnings ("energy", "force.l_sole"), names without the group ("knee": all
        curves of that joint, contact or signal), or patterns with "*" and "?".

    Raises
    ------
    UnknownNameError
        With the nearest names.
    """
    curves = curves_of(trajectory)
    chosen: dict[str, Curve] = {}
    for text in wanted:
        matching = {name: curve for name, curve in curves.items() if _matches(name, text)}
        if not matching:
            owners = {name.partition(".")[2] for name in curves} | {name.split(".")[1] for name in curves}
            hint = nearest(text, [*curves, *owners, *GROUPS]) or f"; there are {', '.join(_present(curves))}"
            raise UnknownNameError(f"no signal {text!r} in this recording{hint}")
        chosen |= matching
    return list(chosen.values())


def _present(curves: dict[str, Curve]) -> list[str]:
    groups = {curve.group for curve in curves.values()}
    return [group for group in GROUPS if group in groups]


def _matches(name: str, text: str) -> bool:
    bare = name.partition(".")[2]
    if any(character in text for character in "*?"):
        return fnmatch.fnmatchcase(name, text) or fnmatch.fnmatchcase(bare, text)
    return any(known == text or known.startswith(f"{text}.") for known in (name, bare))


def coordinate_names(model: Model, group: str) -> list[str]:
    """Names of the entries of q, v or tau: "knee", "base.x"."""
    return [name for name, _ in _coordinates(model, group)]


def _joints(trajectory: Trajectory) -> Iterator[Curve]:
    for group, array in (("q", trajectory.q), ("v", trajectory.v), ("tau", trajectory.tau)):
        for k, (name, unit) in enumerate(_coordinates(trajectory.model, group)):
            yield Curve(f"{group}.{name}", group, unit, array[:, k])


def _coordinates(model: Model, group: str) -> Iterator[tuple[str, str]]:
    """Name and unit of every entry of q, v or tau."""
    for joint in model.joints.values():
        place = joint.q_index if group == "q" else joint.v_index
        for k, label in enumerate(_labels(model, joint, group, place.stop - place.start)):
            yield f"{joint.name}.{label}" if label else joint.name, _unit(joint, k, group)


def _labels(model: Model, joint: Joint, group: str, count: int) -> list[str]:
    labels = list(joint.traits.positions if group == "q" else joint.traits.rates)
    if joint.index == 0 and model.base == "planar":
        labels = ["x", "z", "pitch"] if group == "q" else ["vx", "vz", "w"]
    if joint.index == 0 and model.base == "free" and group == "q" and model.rotation != "quaternion":
        labels = [*_XYZ, *(f"r{k}" for k in range(count - 3))]
    return labels[:count]


def _unit(joint: Joint, k: int, group: str) -> str:
    """Unit of entry k of a joint; parameters of a rotation have none."""
    if group == "q" and joint.traits.quaternion is not None and k >= joint.traits.quaternion:
        return ""
    return {"q": ("rad", "m"), "v": ("rad/s", "m/s"), "tau": ("N m", "N")}[group][joint.traits.slides[k]]


def _contacts(trajectory: Trajectory) -> Iterator[Curve]:
    for group, unit, array in (
        ("force", "N", trajectory.contact_force),
        ("position", "m", trajectory.contact_position),
    ):
        for k, contact in enumerate(trajectory.contacts):
            for axis, letter in enumerate(_XYZ):
                yield Curve(f"{group}.{contact}.{letter}", group, unit, array[:, k, axis])


def _components(name: str, array: AnyArray) -> Iterator[tuple[str, AnyArray]]:
    for index in np.ndindex(array.shape[1:]):
        yield ".".join([name, *map(str, index)]), array[(slice(None), *index)]
