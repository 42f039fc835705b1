"""Replacing impossible inertias by the nearest possible ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.model.description import Description
from tarsus.spatial.inertia import Inertia


def repaired_inertia(inertia: Inertia) -> Inertia:
    """The nearest inertia that a real body can have.

    A negative mass becomes 0; the second moments of mass about the centre of mass (half the trace minus the
    inertia) are projected onto the positive semidefinite matrices, which removes negative eigenvalues and
    violations of the triangle inequality together.
    """
    J = 0.5 * (inertia.moments + inertia.moments.T)
    w, U = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
    if inertia.mass >= 0.0 and w[0] >= 0.0:
        return inertia
    second = (U * np.maximum(w, 0.0)) @ U.T
    return Inertia(max(inertia.mass, 0.0), inertia.com, np.trace(second) * np.eye(3) - second)


def repair(description: Description) -> Description:
    """The same description with every link's inertia possible."""
    links = tuple(
        link if link.inertia is None else replace(link, inertia=repaired_inertia(link.inertia))
        for link in description.links
    )
    return replace(description, links=links)
