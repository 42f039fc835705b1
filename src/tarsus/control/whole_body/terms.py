"""What every formulation of whole-body control is made of: equations of motion, contacts and tasks at a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.contact import Contact, contact_poses
from tarsus.control.whole_body.contact_place import contact_place
from tarsus.dynamics.inverse import bias_force, passive_force
from tarsus.dynamics.jacobians import jacobian, jacobian_dot_v
from tarsus.dynamics.mass_matrix import mass_matrix
from tarsus.model import Model
from tarsus.spatial.cross_product import skew
from tarsus.tasks import Task
from tarsus.tasks.orientation import rotation_error


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """M vdot + h = tau + F y, contact rows C vdot = c, task rows J vdot = a.

    Attributes
    ----------
    q, v : ndarray, shape (nq,), (nv,)
    M : ndarray, shape (nv, nv)
    h, passive : ndarray, shape (nv,)
        Bias less passive forces, and passive forces alone.
    C, c : ndarray, shape (r, nv), (r,)
        Of all contacts; c brings them to rest where they are to be.
    F : ndarray, shape (nv, k)
        Generalised forces of the contacts' force variables y.
    J, a : ndarray, shape (m, nv), (m,)
        Of all tasks; a is the target's acceleration plus feedback, less the bias.
    weights : ndarray, shape (m,)
    """

    q: FloatArray
    v: FloatArray
    M: FloatArray
    h: FloatArray
    passive: FloatArray
    C: FloatArray
    c: FloatArray
    F: FloatArray
    J: FloatArray
    a: FloatArray
    weights: FloatArray


def terms_at(model: Model, tasks: Sequence[Task], contacts: Sequence[Contact], q: FloatArray, v: FloatArray) -> Terms:
    """Terms of one state."""
    rows = [contact_rows(model, contact, q, v) for contact in contacts]
    aims = [task_rows(model, task, q, v) for task in tasks]
    empty = (np.zeros((0, model.nv)), np.zeros(0))
    C, c = _stacked([(B, b) for B, b, _ in rows] or [empty])
    J, a = _stacked(aims or [empty])
    F = np.hstack([force for _, _, force in rows]) if rows else np.zeros((model.nv, 0))
    weights = np.concatenate([task.weights(model) for task in tasks]) if tasks else np.zeros(0)
    passive = passive_force(model, q, v)
    return Terms(q, v, mass_matrix(model, q), bias_force(model, q, v) - passive, passive, C, c, F, J, a, weights)


def task_rows(model: Model, task: Task, q: npt.ArrayLike, v: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """J (m, nv) and a (m,) with J vdot = a: acceleration + 2 gain (velocity - J v) + gain^2 error - Jdot v."""
    J = task.jacobian(model, q)
    slow = task.target_velocity(model) - J @ np.asarray(v)
    a = task.target_acceleration(model) + 2 * task.gain * slow + task.gain**2 * task.error(model, q)
    return J, a - task.jacobian_dot_v(model, q, v)


def contact_rows(
    model: Model, contact: Contact, q: npt.ArrayLike, v: npt.ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """C (r, nv) and c (r,) with C vdot = c, and generalised forces F (nv, k) of the contact's variables.

    With the relative twist V = (u; w) at C, in axes of F, of F less that of what is touched, c is what makes
    ``d/dt V = -2 gain V + gain^2 slip`` of these rows: slip decays as seen from F, so that contacts between the same
    two bodies ask for one motion of them. Rows are those of `ContactPlace.motion_map`.
    """
    X_WF, X_WG = contact_poses(model, contact, q)
    place, v = contact_place(contact, X_WF, X_WG), np.asarray(v)
    J, drift, spin = _point_motion(model, contact.frame, X_WF, place.origin, q, v)
    turning = spin
    if contact.other is not None and X_WG is not None:
        J_G, drift_G, spin_G = _point_motion(model, contact.other, X_WG, place.origin, q, v)
        J, drift, turning = J - J_G, drift - drift_G, spin + spin_G
    twist = J @ v
    # From accelerations in world axes to rates of V in axes of F; the point that G shows moves over it.
    drift[:3] -= np.cross(turning, twist[:3])
    drift[3:] -= np.cross(spin, twist[3:])
    g, B = contact.gain, contact.rows @ place.motion_map()
    c = B @ (-2 * g * twist - drift + g**2 * way_back(contact, X_WF, X_WG))
    return B @ J, c, J.T @ place.wrench_map(contact)


def slip(contact: Contact, X_WF: FloatArray, X_WG: FloatArray | None = None) -> FloatArray:
    """Way back to where a contact is to be, shape (r,), for the rows of `Contact.rows`: zero where that is not told.

    Way of the mean of the points; rotation of a patch to its target, or of the direction of an edge to that which it is
    to have.
    """
    if contact.pose is None:
        return np.zeros(len(contact.rows))
    R = (contact.target(X_WG) @ contact.X_FC)[:3, :3]
    way = way_back(contact, X_WF, X_WG)
    return np.asarray(contact.rows @ np.append(R.T @ way[:3], R.T @ way[3:]))


def way_back(contact: Contact, X_WF: FloatArray, X_WG: FloatArray | None = None) -> FloatArray:
    """The same in world axes, shape (6,): of the origin of C, and the rotation."""
    if contact.pose is None:
        return np.zeros(6)
    turned, target = X_WF @ contact.X_FC, contact.target(X_WG) @ contact.X_FC
    way, rotation = target[:3, 3] - turned[:3, 3], np.zeros(3)
    if contact.freedoms == 1:
        rotation = np.cross(turned[:3, 0], target[:3, 0])
    elif contact.freedoms == 0:
        rotation = rotation_error(target[:3, :3], turned[:3, :3])
    return np.append(way, rotation)


def _point_motion(
    model: Model, frame: str, X_WF: FloatArray, point: FloatArray, q: npt.ArrayLike, v: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Jacobian (6, nv) of the twist at a point of a frame's body, its rate times v (6,), and the spin (3,), world."""
    arm = point - X_WF[:3, 3]
    J = jacobian(model, q, frame)
    drift = jacobian_dot_v(model, q, v, frame)
    spin = J[3:] @ v
    turning = np.cross(drift[3:], arm) + np.cross(spin, np.cross(spin, arm))
    return np.vstack([J[:3] - skew(arm) @ J[3:], J[3:]]), np.append(drift[:3] + turning, drift[3:]), spin


def _stacked(parts: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    return np.vstack([A for A, _ in parts]), np.concatenate([b for _, b in parts])
