"""A model with joints and links other than its file has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tarsus.model import Model
from tarsus.model.assembly import assemble
from tarsus.model.description import JointSpec, LinkSpec


def altered(
    model: Model,
    joint: Callable[[JointSpec], JointSpec] = lambda joint: joint,
    link: Callable[[LinkSpec], LinkSpec] = lambda link: link,
    gravity: tuple[float, float, float] | None = None,
) -> Model:
    """The model with each joint and link replaced by what a function returns for it."""
    description = replace(
        model.description,
        joints=tuple(joint(one) for one in model.description.joints),
        links=tuple(link(one) for one in model.description.links),
    )
    if gravity is not None:
        description = replace(description, gravity=gravity)
    return assemble(description, couplings=model.coupling_mode)
