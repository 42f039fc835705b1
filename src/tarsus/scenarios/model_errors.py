"""What a controller does not know of its robot: masses that differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.model.assembly import assemble
from tarsus.spatial import Inertia


def heavier(model: Model, share: float) -> Model:
    """The model with all masses and moments of inertia larger by a share; centres of mass and rotors stay."""
    if not (np.isfinite(share) and share > -1.0):
        raise ArgumentError(f"mass_error is {share!r}; expected a number above -1")
    if share == 0.0:
        return model
    links = tuple(
        link
        if link.inertia is None
        else replace(
            link,
            inertia=Inertia((1.0 + share) * link.inertia.mass, link.inertia.com, (1.0 + share) * link.inertia.moments),
        )
        for link in model.description.links
    )
    return assemble(replace(model.description, links=links), couplings=model.coupling_mode)
