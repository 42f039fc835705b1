"""Static postures: contacts at given places, in balance, within limits, as near to a reference as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.control.stances.conditions import KINDS, Conditions, Kind
from tarsus.control.stances.equilibrium import Equilibrium, static_equilibrium
from tarsus.control.stances.impossibility import impossibility
from tarsus.control.stances.posture_search import Found, PostureSearch
from tarsus.control.whole_body.contact import Contact
from tarsus.errors import ArgumentError
from tarsus.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class Posture:
    """A posture for a stance.

    Attributes
    ----------
    q : ndarray, shape (nq,)
    success : bool
    violation : float
        Largest miss of a condition at q [m, rad, parts of the weight]; infinite where it is certain that none can be.
    failed : {"place", "distance", "balance", "friction", "torque"} or None
        Kind of the condition without which there would be a posture, where there is none.
    reason : str
        The condition of that kind that is missed most.
    equilibrium : Equilibrium
        How the robot rests at q.
    iterations, starts : int
    """

    q: FloatArray
    success: bool
    violation: float
    failed: Kind | None
    reason: str
    equilibrium: Equilibrium
    iterations: int
    starts: int


def static_posture(
    model: Model,
    contacts: Sequence[Contact],
    reference: npt.ArrayLike | None = None,
    *,
    start: npt.ArrayLike | None = None,
    collision: CollisionModel | None = None,
    margin: float = 0.0,
    load: float = 0.9,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    starts: int = 8,
    seed: int = 0,
) -> Posture:
    """A posture with contacts in place in which the robot can rest.

    By a sequence of quadratic programs over changes of q and contact forces: contacts linearised, weight and forces in
    balance (linear in the centre of mass), cones, torques within `load` of their limits, joint limits and distances.
    Steps may miss rows at a price, so that a search always goes on.

    Contacts that are certainly out of reach of each other, and such whose forces can carry the robot nowhere, are told
    without a search for balance. Where all searches fail, conditions are asked for kind by kind: places of contacts
    within joint limits; distances; balance on contacts that do not slip; friction; torques. The first kind with which
    there is no posture is the one that is told.

    Parameters
    ----------
    contacts : sequence of Contact
        With the poses at which their frames shall be. Those whose `max_force` is 0 are in place and carry nothing.
    reference : array_like, shape (nq,), optional
        To stay near to; the model's reference by default.
    start : array_like, shape (nq,), optional
        Where the first search starts, at the reference by default.
    collision : CollisionModel, optional
        Whose pairs keep `margin` [m].
    load : float
        Part of torque limits that may be used, above 0 and at most 1.
    tolerance : float
        Of every condition [m, rad, parts of the weight].
    max_iterations, starts, seed : int
        Steps of a search; searches, the second from the reference where `start` was another one, others from random
        postures.

    Returns
    -------
    Posture
        Of the first search that succeeded, or the best of those that asked for the kind that failed.
    """
    if not contacts:
        raise ArgumentError("contacts is empty; expected at least one contact with a pose")
    if not 0 < load <= 1:
        raise ArgumentError(f"load is {load!r}; expected a number above 0, at most 1")
    for name, value in (("max_iterations", max_iterations), ("starts", starts)):
        if not (isinstance(value, (int, np.integer)) and value >= 1):
            raise ArgumentError(f"{name} is {value!r}; expected a whole number of at least 1")
    if not (collision is None or isinstance(collision, CollisionModel)):
        raise ArgumentError(f"collision is {collision!r}; expected a tarsus.collision.CollisionModel, the scene")
    wish = model.normalize(model.reference if reference is None else reference)
    first = [wish] if start is None else [model.normalize(start), wish]
    several = _Several(model, tuple(contacts), wish, collision, margin, load, tolerance, max_iterations)
    certain = impossibility(model, contacts)
    if certain is not None:
        near, made = several.search(("place",), first, 1, seed)
        return several.posture(near, made, *certain)
    found, made = several.search(KINDS, first, starts, seed)
    if found.missed <= tolerance:
        return several.posture(found, made, None, "contacts, balance and limits hold")
    return several.diagnosis(found, starts, seed)


@dataclass(frozen=True, slots=True, eq=False)
class _Several:
    """Searches from several starts, with all kinds of conditions or some."""

    model: Model
    contacts: tuple[Contact, ...]
    wish: FloatArray
    collision: CollisionModel | None
    margin: float
    load: float
    tolerance: float
    most: int

    def search(self, kinds: Sequence[Kind], first: Sequence[FloatArray], starts: int, seed: int) -> tuple[Found, int]:
        """The first success or the least miss, and how many searches there were."""
        conditions = Conditions(self.model, self.contacts, self.collision, self.margin, self.load, kinds)
        search, rng = PostureSearch(conditions, self.wish), np.random.default_rng(seed)
        best: Found | None = None
        for number in range(starts):
            begin = first[number] if number < len(first) else search.random_start(rng)
            found = search.run(begin, self.tolerance, self.most)
            if best is None or found.missed < best.missed:
                best = found
            if best.missed <= self.tolerance:
                break
        assert best is not None
        return best, number + 1

    def diagnosis(self, failure: Found, starts: int, seed: int) -> Posture:
        """Conditions asked for kind by kind, each search from where the former ended."""
        first, found = [failure.q, self.wish], failure
        for count, kind in enumerate(KINDS, start=1):
            if kind == "distance" and self.collision is None:
                continue
            found, _ = self.search(KINDS[:count], first, starts, seed)
            if found.missed > self.tolerance:
                return self.posture(found, starts, kind, _told(found, kind))
            first = [found.q, failure.q, self.wish]
        # The last of them has found what the first searches had not.
        return self.posture(found, starts, None, "contacts, balance and limits hold")

    def posture(self, found: Found, starts: int, failed: Kind | None, reason: str) -> Posture:
        """What is told of a search."""
        carrying = [contact for contact in self.contacts if contact.max_force > 0]
        rest = static_equilibrium(self.model, found.q, carrying)
        missed = found.missed if failed is None or found.missed > self.tolerance else np.inf
        return Posture(found.q, failed is None, missed, failed, reason, rest, found.iterations, starts)


def _told(found: Found, kind: Kind) -> str:
    """The condition of a kind that is missed most; where a search gave up others instead, the largest miss of those."""
    miss, name = found.worst.get(kind) or max(found.worst.values())
    return f"{kind}: {name} is missed by {miss:.3g} at best"
