"""Tendons along joints: lengths that are linear in joint coordinates, with what acts along them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tarsus.model.coupling import Coupling, Source


@dataclass(frozen=True, slots=True)
class Tendon:
    """A length L = offset + sum of coefficient q over one-axis joints, and what acts along it.

    Its force f along the length acts on every joint as coefficient f, and its armature adds armature c c^T with the
    vector c of all coefficients to the mass matrix. In a model it is a joint that depends on the others, between two
    links without mass of their own: its coordinate is the length.

    Attributes
    ----------
    name : str
    terms : tuple of (str, float)
        Joints with their coefficients, none of which is zero [m/rad or 1].
    offset : float
        Length where all these coordinates are zero [m].
    minimum, maximum : float
        Limits of the length [m].
    stiffness, rest : float
        Of its spring [N/m], and the length at which that is at rest [m].
    damping, friction, armature : float
        Viscous [N s/m] and Coulomb [N] friction, inertia [kg].
    """

    name: str
    terms: tuple[tuple[str, float], ...]
    offset: float = 0.0
    minimum: float = -np.inf
    maximum: float = np.inf
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    source: Source = Source()

    def renamed(self, new: Callable[[str], str], name: str) -> Tendon:
        """The same tendon under another name, along joints with other names."""
        return replace(self, name=name, terms=tuple((new(joint), ratio) for joint, ratio in self.terms))

    def locked(self, values: Mapping[str, Sequence[float]]) -> Tendon | None:
        """The tendon where some joints are held at values; None where it cannot move any more."""
        held = sum(ratio * values[joint][0] for joint, ratio in self.terms if joint in values)
        left = tuple((joint, ratio) for joint, ratio in self.terms if joint not in values)
        return replace(self, terms=left, offset=self.offset + held) if left else None

    @property
    def coupling(self) -> Coupling:
        """How its joint follows the others."""
        (leader, ratio), *further = self.terms
        return Coupling(self.name, leader, ratio, self.offset, self.source, tuple(further))
