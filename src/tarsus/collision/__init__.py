"""Volumes of a robot, pairs of them that may collide, distances with their Jacobians, fitting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.collision.fitting.fit import FittedVolumes, LinkFit, fit
    from tarsus.geometry.swept_sphere import SweptSphere

_HOMES = {
    "FittedVolumes": "fitting.fit",
    "LinkFit": "fitting.fit",
    "SweptSphere": "fitting.fit",
    "fit": "fitting.fit",
}
"""Modules of the public names."""

__getattr__ = lazy_names(__name__, _HOMES)

__all__ = ["FittedVolumes", "LinkFit", "SweptSphere", "fit"]


def __dir__() -> list[str]:
    return sorted(__all__)
