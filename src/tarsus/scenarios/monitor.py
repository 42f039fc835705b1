"""Watches a run: whether commands hold their equations and bounds, contacts stay, and balance is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.answer import Command
from tarsus.control.whole_body.contact import Contact, contact_poses
from tarsus.control.whole_body.contact_place import contact_place
from tarsus.dynamics import body_wrenches, center_of_mass, inverse_dynamics
from tarsus.model import Model
from tarsus.scenarios.sensing import Told
from tarsus.simulation.push import Push

MOTION = 1e-8
"""Largest miss of the equations of motion, relative to the largest generalised force."""
BOUND = 1e-6
"""By how much cones and torque limits may be missed, relative to the weight and to the limits."""
DRIFT = 1e-3
"""Way that a contact may slide [m]."""
CENTER = 5e-3
"""Distance of the centre of mass from its reference [m]."""
FALLEN = 0.3
"""The same, as a part of its height above the lowest contact, that is a fall."""
WATCHED = ("motion", "cone", "torque", "drift", "center", "estimate", "turn")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a run has shown what it had to.

    Attributes
    ----------
    passed : bool
    reason : str
        The first condition that was violated.
    time : float or None
        When [s].
    largest : dict of str to float
        The largest values of what was watched: "motion", "cone", "torque", "drift", "center", and by how much the base
        was taken to be elsewhere, "estimate" [m], and turned, "turn" [rad], where sensors told it.
    """

    passed: bool
    reason: str
    time: float | None
    largest: dict[str, float] = field(default_factory=dict)


class Monitor:
    """Keeps the first violation of a run and the largest values of what it watches.

    Parameters
    ----------
    model : Model
        Of the controller.
    pushes : sequence of Push
    calm : float
        Time after a push in which the centre of mass may be away from its reference [s].
    tracks : bool
        Whether it has to be at its reference at all.
    """

    def __init__(self, model: Model, pushes: Sequence[Push], calm: float, *, tracks: bool = True) -> None:
        self._model, self._tracks = model, tracks
        self._free = [k for j in model.joints.values() if j.kind == "free" for k in range(model.nv)[j.v_index]]
        self._away = [(push.start, push.start + push.duration + calm) for push in pushes]
        self._places: dict[tuple[str, bytes], FloatArray] = {}
        self.largest = dict.fromkeys(WATCHED, 0.0)
        self.violation: tuple[float, str] | None = None
        self.fallen = False

    def watch(self, t: float, q: FloatArray, told: Told, command: Command, contacts: Sequence[Contact],
              com_reference: FloatArray, heaviness: float = 1.0) -> None:  # fmt: skip
        """Look at one command, the state that it was made for, and where the robot is.

        Equations of motion and cones are those of the masses that the controller counts on: `heaviness` times the known
        ones.
        """
        of_model = _lighter(command, heaviness)
        if not command.success:
            kind = "" if command.answered else f"no command: {command.status}, "
            self._violate(t, f"{kind}{command.reason}")
        if command.answered:
            motion, cone = self._motion(told.q, told.v, of_model), self._cones(told.q, of_model, contacts)
            self._count(t, "motion", motion, MOTION, "the equations of motion are missed by {:.2g}")
            self._count(t, "cone", cone, BOUND, "a cone is missed by {:.2g} of the weight")
            torque = np.abs(command.tau) / np.where(self._model.tau_max > 0, self._model.tau_max, np.inf) - 1.0
            self._count(t, "torque", float(torque.max()), BOUND, "a torque is {:.2g} of its limit beyond it")
            if command.tau[self._free].any():
                self._violate(t, f"the base is driven by {np.abs(command.tau[self._free]).max():.3g} N or N m")
        self._count(t, "drift", self._drift(q, contacts), DRIFT, "a contact has slid by {:.2g} m")
        self._center(t, q, contacts, com_reference)
        if told.q is not q and self._model.base == "free":
            off = self._model.difference(q, told.q)[:6]
            self.largest["estimate"] = max(self.largest["estimate"], float(np.linalg.norm(off[:3])))
            self.largest["turn"] = max(self.largest["turn"], float(np.linalg.norm(off[3:])))

    def verdict(self, unfinished: str) -> Verdict:
        """Of the whole run; `unfinished` tells what was not done, or nothing."""
        if self.violation is not None:
            return Verdict(False, self.violation[1], self.violation[0], self.largest)
        if unfinished:
            return Verdict(False, unfinished, None, self.largest)
        return Verdict(True, "", None, self.largest)

    def _violate(self, t: float, reason: str) -> None:
        if self.violation is None:
            self.violation = t, reason

    def _count(self, t: float, name: str, value: float, most: float, text: str) -> None:
        self.largest[name] = max(self.largest[name], value)
        if not value <= most:
            self._violate(t, text.format(value))

    def _motion(self, q: FloatArray, v: FloatArray, command: Command) -> float:
        """Miss of M vdot + h = tau + J^T w, relative to the largest entry of its parts."""
        model = self._model
        external = body_wrenches(model, q, dict(command.wrenches)) if command.wrenches else None
        missed = inverse_dynamics(model, q, v, command.vdot, external, passive=True) - command.tau
        needed = inverse_dynamics(model, q, v, command.vdot, passive=True)
        return float(np.abs(missed).max() / max(float(np.abs(needed).max()), 1e-300))

    def _cones(self, q: FloatArray, command: Command, contacts: Sequence[Contact]) -> float:
        """Largest miss of a row of a cone or of a bound of a normal force, relative to the weight."""
        model, worst = self._model, 0.0
        for contact in contacts:
            X_WF, X_WG = contact_poses(model, contact, q)
            place = contact_place(contact, X_WF, X_WG)
            y = place.variables(contact, X_WF, command.wrenches[contact.frame])
            normal = float(place.surface[:, 2] @ command.wrenches[contact.frame][:3])
            missed = max(float(-(contact.cone @ y).min()), contact.min_force - normal, normal - contact.max_force)
            worst = max(worst, missed)
        return worst / (model.total_mass * float(np.linalg.norm(model.gravity)))

    def _drift(self, q: FloatArray, contacts: Sequence[Contact]) -> float:
        """Largest way along the surface of a point of a contact since its force is unbounded [m]."""
        worst, before, self._places = 0.0, self._places, {}
        for contact in contacts:
            if not np.isinf(contact.max_force):
                continue
            X, X_WG = contact_poses(self._model, contact, q)
            if X_WG is not None:  # as seen from what is touched
                X = np.linalg.inv(X_WG) @ X
            normal = np.asarray(contact.pose)[:3, :3] @ np.asarray(contact.normal)
            for point in np.asarray(contact.points):
                place, key = X[:3, :3] @ point + X[:3, 3], (contact.frame, point.tobytes())
                self._places[key] = first = before.get(key, place)
                way = place - first
                worst = max(worst, float(np.linalg.norm(way - normal * (normal @ way))))
        return worst

    def _center(self, t: float, q: FloatArray, contacts: Sequence[Contact], reference: FloatArray) -> None:
        """Distance of the centre of mass from its reference: what it may be in stance, and a fall."""
        place = center_of_mass(self._model, q)
        away = float(np.linalg.norm(place - reference))
        heights = [float(np.asarray(contact.pose)[2, 3]) for contact in contacts if contact.other is None]
        lowest = min(heights, default=0.0)
        height = float(reference[2]) - lowest
        if away > FALLEN * max(height, 1e-300):
            self.fallen = True
            self._violate(t, f"the robot falls: its centre of mass is {away:.3g} m from where it should be")
        if self._tracks and not any(start <= t < end for start, end in self._away):
            self._count(t, "center", away, CENTER, "the centre of mass is {:.2g} m from its reference")


def _lighter(command: Command, heaviness: float) -> Command:
    """A command for a weight as that for the weight of the model."""
    if heaviness == 1.0:
        return command
    wrenches = {frame: wrench / heaviness for frame, wrench in command.wrenches.items()}
    return replace(command, tau=command.tau / heaviness, wrenches=wrenches)
