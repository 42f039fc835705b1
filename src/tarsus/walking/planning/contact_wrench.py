"""Whether contacts can give what a motion needs: the whole wrench, not its pressure alone (Hirukawa et al. 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.stances.balance import at_origin
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.contact_forces import force_rows
from tarsus.errors import DtypeError
from tarsus.optimization.linear_program import linear_minimum
from tarsus.simulation.argument_kinds import check_list, check_positive, finite_vector
from tarsus.spatial import skew


class WrenchFeasibility(NamedTuple):
    """Whether there are forces for a motion.

    Attributes
    ----------
    feasible : bool
    miss : float
        Largest entry of the wrench about the centre of mass that no forces within their cones give, over the weight,
        world axes: [-], moments [m].
    pressure : ndarray, shape (2,)
        Centre of pressure of the wrench that is needed, on the ground z = 0 [m].
    """

    feasible: bool
    miss: float
    pressure: FloatArray


VECTOR = "three finite numbers"
"""What errors expect of places, accelerations and moments."""
HELD = 1e-7
"""Miss up to which a motion is feasible."""


def needed_wrench(
    mass: float, com: npt.ArrayLike, acceleration: npt.ArrayLike, momentum_rate: npt.ArrayLike, gravity: float = 9.81
) -> FloatArray:
    """Wrench that contacts must give, at the world's origin, shape (6,) [N, N m].

    f = m (a + g z), n = c x f + L' with the rate L' of the angular momentum about the centre of mass.
    """
    force = mass * (finite_vector("acceleration", acceleration, 3, VECTOR) + np.array([0.0, 0.0, gravity]))
    moment = np.cross(finite_vector("com", com, 3, VECTOR), force)
    moment = moment + finite_vector("momentum_rate", momentum_rate, 3, VECTOR)
    return np.append(force, moment)


def contact_wrench(
    mass: float,
    contacts: Sequence[Contact],
    com: npt.ArrayLike,
    acceleration: npt.ArrayLike,
    momentum_rate: npt.ArrayLike = (0.0, 0.0, 0.0),
    gravity: float = 9.81,
) -> WrenchFeasibility:
    """Whether contacts at their poses can give what a motion of the centre of mass needs.

    A centre of pressure inside the soles is necessary, not sufficient: friction may not be enough, the normal force may
    not be there, and hands or slopes have no common plane.

    Parameters
    ----------
    mass : float
        [kg].
    contacts : sequence of Contact
        With poses.
    com, acceleration : array_like, shape (3,)
        Of the centre of mass [m], [m/s^2].
    momentum_rate : array_like, shape (3,)
        Of the angular momentum about it [N m].

    Raises
    ------
    ArgumentError
        Where mass or gravity is not above 0, vectors are none, or contacts are none or have no poses.
    """
    check_positive("mass", mass, "a number above 0 [kg]")
    check_positive("gravity", gravity, "a number above 0 [m/s^2]")
    check_list("contacts", contacts, "Contact")
    for k, contact in enumerate(contacts):
        if not isinstance(contact, Contact):
            raise DtypeError(f"contacts[{k}] is {contact!r}; expected a Contact with a pose")
    at_com = np.eye(6)  # from wrenches at the world's origin
    at_com[3:, :3] = -skew(finite_vector("com", com, 3, VECTOR))
    needed = needed_wrench(mass, com, acceleration, momentum_rate, gravity) / (mass * gravity)
    wrench = at_com @ needed
    forces = force_rows(contacts)
    columns = [at_com @ at_origin(contact) @ contact.wrench_map for contact in contacts]
    maps = np.hstack(columns) if columns else np.zeros((6, 0))
    count = maps.shape[1]
    # Least t with |A y - w| <= t, y within the cones.
    ones = np.ones((6, 1))
    rows = np.vstack(
        [
            np.hstack([forces.A, np.zeros((len(forces.A), 1))]),
            np.hstack([maps, -ones]),
            np.hstack([maps, ones]),
        ]
    )
    far = np.full(6, np.inf)
    weight = mass * gravity
    lower = np.concatenate([forces.lower / weight, -far, wrench])
    upper = np.concatenate([forces.upper / weight, wrench, far])
    x_min = np.append(np.full(count, -np.inf), 0.0)
    found = linear_minimum(np.append(np.zeros(count), 1.0), rows, lower, upper, x_min=x_min)
    miss = np.inf if found is None else float(found[-1])
    return WrenchFeasibility(miss <= HELD, miss, _pressure(needed))


def _pressure(wrench: FloatArray) -> FloatArray:
    """Where the wrench meets the ground z = 0 without tilting moment: (-n_y, n_x) / f_z."""
    if not wrench[2] > 0:
        return np.full(2, np.nan)
    return np.asarray(np.array([-wrench[4], wrench[3]]) / wrench[2])
