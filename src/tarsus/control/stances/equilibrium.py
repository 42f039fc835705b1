"""Whether a robot can rest in a posture: contact forces within their cones and torques within their limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.contact import Contact, contact_poses
from tarsus.control.whole_body.contact_forces import ForceRows, contact_places, force_rows, frame_wrenches
from tarsus.control.whole_body.terms import contact_rows, slip
from tarsus.dynamics.inverse import gravity_force, passive_force
from tarsus.errors import ShapeError
from tarsus.model import Model
from tarsus.optimization.linear_program import linear_minimum

BALANCED = 1e-6
"""Part of the largest generalised force by which rows without drives may be missed where nothing holds them exactly: a
robot rests on a point where its centre of mass is above it, but for rounding."""
PLACED = 1e-3
"""How far a contact may be from its pose [m, rad]: further away, forces would act where nothing is touched."""


@dataclass(frozen=True, slots=True, eq=False)
class Equilibrium:
    """How a robot rests on its contacts.

    Attributes
    ----------
    feasible : bool
    load : float
        Largest part of a torque limit that is needed, as small as the forces allow; infinite where no forces hold it.
    tau : ndarray, shape (nv,)
    wrenches : mapping of str to ndarray, shape (6,)
        By the frames of the contacts, at their origins, world axes [N, N m].
    reason : str
    """

    feasible: bool
    load: float
    tau: FloatArray
    wrenches: Mapping[str, FloatArray]
    reason: str


def static_equilibrium(model: Model, q: npt.ArrayLike, contacts: Sequence[Contact]) -> Equilibrium:
    """Forces and torques that hold a robot at rest, with the smallest load of its drives.

    A linear program: forces y within their cones, rows without drives in balance, and the largest |tau_i| / tau_max_i
    as small as possible.

    Parameters
    ----------
    q : array_like, shape (nq,)
    contacts : sequence of Contact
        Where `q` puts them; not feasible where that is not where their poses are.
    """
    q = model.normalize(q)
    if q.ndim != 1:
        raise ShapeError(f"q: found shape {q.shape}, expected ({model.nq},)")
    nothing = {contact.frame: np.zeros(6) for contact in contacts}
    if away := _out_of_place(model, q, contacts):
        return Equilibrium(False, np.inf, np.zeros(model.nv), nothing, away)
    rest = np.zeros(model.nv)
    h = gravity_force(model, q) - passive_force(model, q, rest)
    F = [contact_rows(model, contact, q, rest)[2] for contact in contacts]
    maps = np.hstack(F) if F else np.zeros((model.nv, 0))
    unit = max(float(np.abs(h).max(initial=0.0)), 1.0)
    rows = force_rows(contacts, contact_places(model, q, contacts))
    found = _least_load(model, rows, h / unit, maps, unit, 0.0)
    if found is None:
        found = _least_load(model, rows, h / unit, maps, unit, BALANCED)
    if found is None:
        return Equilibrium(False, np.inf, np.zeros(model.nv), nothing, "no forces within their cones hold the robot")
    y, load = unit * found[:-1], float(found[-1])
    tau = np.where(model.actuated, h - maps @ y, 0.0)
    share = np.abs(tau) / np.where(np.array(model.actuated) & (model.tau_max > 0.0), model.tau_max, np.inf)
    worst = next((j.name for j in model.joints.values() if int(share.argmax()) in range(model.nv)[j.v_index]), "")
    reason = f"drives need {load:.0%} of their limits" + (f", {worst} most" if load > 0 else "")
    return Equilibrium(load <= 1.0, load, tau, frame_wrenches(model, q, contacts, y), reason)


def _out_of_place(model: Model, q: FloatArray, contacts: Sequence[Contact]) -> str:
    """Which contact is not where its pose is, in words; empty where all are."""
    for contact in contacts:
        way = slip(contact, *contact_poses(model, contact, q))
        far, turned = float(np.linalg.norm(way[:3])), float(np.linalg.norm(way[3:]))
        if max(far, turned) > PLACED:
            return (
                f"contact {contact.frame!r} is {far:.3g} m and {turned:.3g} rad from its pose; q does not put it there"
            )
    return ""


def _least_load(
    model: Model, forces: ForceRows, h: FloatArray, maps: FloatArray, unit: float, miss: float
) -> FloatArray | None:
    """(y / unit, load) of the linear program; rows without drives may be missed by `miss`."""
    count, free = maps.shape[1], ~np.array(model.actuated)
    driven = np.array(model.actuated) & np.isfinite(model.tau_max)
    most = (model.tau_max[driven] / unit)[:, None]
    none = np.zeros((len(forces.A) + int(free.sum()), 1))
    rows = np.vstack(
        [
            np.hstack([np.vstack([forces.A, maps[free]]), none]),
            np.hstack([maps[driven], -most]),
            np.hstack([maps[driven], most]),
        ]
    )
    endless = np.full(int(driven.sum()), np.inf)
    lower = np.concatenate([forces.lower / unit, h[free] - miss, -endless, h[driven]])
    upper = np.concatenate([forces.upper / unit, h[free] + miss, h[driven], endless])
    x_min = np.append(np.full(count, -np.inf), 0.0)
    return linear_minimum(np.append(np.zeros(count), 1.0), rows, lower, upper, x_min=x_min)
