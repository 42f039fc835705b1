"""The mechanisms that the text measures, and what their trees imply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.model.assembly import assemble
from tarsus.model.description import LinkSpec
from tarsus.model.model import Model
from tarsus.robots.coil import coil
from tarsus.robots.dill import dill
from tarsus.spatial.inertia import Inertia


@dataclass(frozen=True)
class Family:
    """Mechanisms of one kind by their number of bodies.

    Attributes
    ----------
    name : str
    build : callable
        Model with the given number of moving bodies; for Dill a power of two.
    argument : callable
        What the text writes in parentheses, for the same number.
    """

    name: str
    build: Callable[[int], Model]
    argument: Callable[[int], int]

    def label(self, n: int) -> str:
        """Such as "Dill(5)"."""
        return f"{self.name}({self.argument(n)})"


COIL = Family("Coil", coil, lambda n: n)
DILL = Family("Dill", lambda n: dill(n.bit_length() - 1), lambda n: n.bit_length() - 1)


@lru_cache(maxsize=4)
def model_of(family: Family, n: int) -> Model:
    """The mechanism with n bodies; the last few are kept."""
    return family.build(n)


def driven_coil(n: int, round_rotors: bool) -> Model:
    """Coil(n) with a drive body for each of its joints.

    Parameters
    ----------
    round_rotors : bool
        Whether drives look the same at every angle, as the cylinders of `tarsus.robots.coil` do. Those that do not have
        moments across their axis that differ by a factor of three.
    """
    model = coil(n, drives=True)
    if round_rotors:
        return model
    links = tuple(_flattened(link) if link.name.startswith("rotor") else link for link in model.description.links)
    return assemble(replace(model.description, links=links))


def _flattened(link: LinkSpec) -> LinkSpec:
    """The link of a rotor about z, its moments across z changed by half."""
    assert link.inertia is not None
    moments = link.inertia.moments @ np.diag([1.5, 0.5, 1.0])
    return replace(link, inertia=Inertia(link.inertia.mass, link.inertia.com, moments))


def random_state(model: Model, seed: int = 0) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Configuration, velocity and forces; velocities are small, so that the fast end of a long chain stays finite."""
    rng = np.random.default_rng(seed)
    v, tau = rng.uniform(-1.0, 1.0, (2, model.nv))
    return model.random(rng), v / model.nv, tau


def parents(model: Model) -> IndexArray:
    """Number of the parent of each moving body among the moving bodies, -1 for those on the ground."""
    index = {name: i - 1 for i, name in enumerate(model.bodies)}
    return np.array([index[body.parent] for body in list(model.bodies.values())[1:] if body.parent is not None])


def depths(parent: IndexArray) -> IndexArray:
    """Number of predecessors of each body: Buschmann 2014, N_p(i) in (3.30)."""
    depth = np.zeros(len(parent), dtype=np.intp)
    for i, p in enumerate(parent):  # parents come first
        depth[i] = 0 if p < 0 else depth[p] + 1
    return depth


def mass_matrix_pattern(model: Model) -> BoolArray:
    """Entries of the mass matrix that the tree lets differ from zero, shape (nv, nv).

    Entry (i, j) can differ from zero where the body of one degree of freedom is the other's or precedes it,
    Buschmann 2014 (3.29) and below. A free base precedes everything.
    """
    joints = list(model.joints.values())
    carrier = {joint.child: joint for joint in joints}
    pattern = np.zeros((model.nv, model.nv), dtype=bool)
    for joint in joints:
        above = joint
        while True:
            pattern[joint.v_index, above.v_index] = pattern[above.v_index, joint.v_index] = True
            if above.parent not in carrier:
                break
            above = carrier[above.parent]
    return pattern
