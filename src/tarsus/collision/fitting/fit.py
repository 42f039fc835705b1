"""Fitting: few swept-sphere volumes that enclose each link of a robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tarsus.collision.fitting.enclose import enclose
from tarsus.collision.fitting.enclosure import protrusion
from tarsus.collision.fitting.facets import Facets, facets_of
from tarsus.collision.fitting.hull_volume import hull_volume
from tarsus.collision.fitting.symmetry import KnownLinks
from tarsus.collision.fitting.union_volume import union_volume
from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.geometry.shapes import Plane, Shape
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.model.body import Body
from tarsus.model.model import Model

ShapeKind = Literal["collision", "visual"]
MOST_VOLUMES = 64
"""Of a link."""


@dataclass(frozen=True, slots=True)
class LinkFit:
    """How the volumes of one link fit.

    Attributes
    ----------
    link : str
    count : int
        Number of volumes.
    enclosed : float
        Volume of their union [m^3], where they overlap estimated by sampling to about 1 %.
    hull : float
        Volume of the convex hull of the link's shapes [m^3].
    """

    link: str
    count: int
    enclosed: float
    hull: float

    @property
    def tightness(self) -> float:
        """Enclosed volume over that of the convex hull: 1 is what one convex solid reaches; inf for flat links."""
        return self.enclosed / self.hull if self.hull > 0.0 else np.inf


class FittedVolumes(Mapping[str, tuple[SweptSphere, ...]]):
    """Volumes by link, as `Model.with_volumes` takes them, with a report.

    Attributes
    ----------
    links : tuple of LinkFit
        How tight the volumes of each link are.
    skipped : Mapping of str to str
        Links without volumes, and why.
    """

    def __init__(
        self,
        volumes: Mapping[str, tuple[SweptSphere, ...]],
        links: Sequence[LinkFit],
        skipped: Mapping[str, str],
    ) -> None:
        self._volumes = dict(volumes)
        self.links = tuple(links)
        self.skipped = dict(skipped)

    def __getitem__(self, link: str) -> tuple[SweptSphere, ...]:
        if link not in self._volumes:
            raise UnknownNameError(f"no volumes of link {link!r}{nearest(link, self._volumes)}")
        return self._volumes[link]

    def __iter__(self) -> Iterator[str]:
        return iter(self._volumes)

    def __len__(self) -> int:
        return len(self._volumes)

    @property
    def tightness(self) -> float:
        """Enclosed volume of all links over that of their convex hulls."""
        hull = sum(link.hull for link in self.links)
        return sum(link.enclosed for link in self.links) / hull if hull > 0.0 else np.inf

    @property
    def count(self) -> int:
        """Number of volumes of the robot."""
        return sum(link.count for link in self.links)

    def __repr__(self) -> str:
        return f"<{self.count} volumes of {len(self)} links, {self.tightness:.2f} times their convex hulls>"


def fit(
    model: Model,
    *,
    max_volumes: int = 4,
    shapes: ShapeKind = "collision",
    min_gain: float = 0.05,
    links: Sequence[str] | None = None,
    seed: int = 0,
    progress: Callable[[str, int, int], object] | None = None,
) -> FittedVolumes:
    """Few swept-sphere volumes (points, lines, triangles) that enclose each link of a robot.

    A link is cut into pieces, and a small volume is fitted around each of them (Buschmann 2014, 5.2.2, where volumes
    are placed by hand). The result is conservative: every triangle and every primitive is inside the union of its
    link's volumes, which is checked without reference to how they were found. Links behind fixed joints belong to the
    body that carries them. The same arguments give the same volumes.

    Parameters
    ----------
    model : Model
    max_volumes : int
        Of each link.
    shapes : {"collision", "visual"}
        What is enclosed.
    min_gain : float
        Share of a link's enclosed volume that each further volume must save; 0 takes `max_volumes` wherever they help.
    links : sequence of str, optional
        Bodies to fit; all by default.
    seed : int
        Of the random numbers by which overlaps are estimated and starts are varied.
    progress : callable, optional
        Called with the name of a link, its number and how many there are, before each link.

    Returns
    -------
    volumes : FittedVolumes
        A mapping for `Model.with_volumes`; `volumes.tightness` and `volumes.links` tell how tight it is.

    Raises
    ------
    ArgumentError
        Where a mesh cannot be enclosed (it was not found, has no triangles, or numbers that are none), or the robot has
        nothing to enclose.
    """
    _check(model, max_volumes, shapes, min_gain)
    bodies = _bodies(model, links)
    volumes: dict[str, tuple[SweptSphere, ...]] = {}
    report: list[LinkFit] = []
    skipped: dict[str, str] = {}
    known = KnownLinks()
    for number, body in enumerate(bodies):
        if progress is not None:
            progress(body.name, number, len(bodies))
        given = body.collisions if shapes == "collision" else body.visuals
        some = [shape for shape in given if not isinstance(shape.geometry, Plane)]
        if not some:
            skipped[body.name] = _why_empty(given, body, shapes)
            continue
        facets = facets_of(some, f"link {body.name!r}")
        hull = hull_volume(facets)
        found = known.find(facets)
        if found is None or protrusion(found, facets) > 0.0:
            found = enclose(facets, hull, max_volumes, min_gain, seed)
            _require_enclosed(found, facets, body.name)
            known.add(facets, found)
        volumes[body.name] = found
        report.append(LinkFit(body.name, len(found), union_volume(found, seed=seed), hull))
    if not volumes:
        other = "visual" if shapes == "collision" else "collision"
        raise ArgumentError(f"no link of {model.name!r} has a {shapes} shape to enclose; try shapes={other!r}")
    return FittedVolumes(volumes, report, skipped)


def _check(model: Model, max_volumes: int, shapes: str, min_gain: float) -> None:
    if not isinstance(model, Model):
        raise ArgumentError(f"model: expected a Model, found {type(model).__name__}")
    if not (isinstance(max_volumes, int) and 1 <= max_volumes <= MOST_VOLUMES):
        raise ArgumentError(f"max_volumes: expected a whole number from 1 to {MOST_VOLUMES}, found {max_volumes!r}")
    if shapes not in ("collision", "visual"):
        raise ArgumentError(f"shapes: expected 'collision' or 'visual', found {shapes!r}")
    if not 0.0 <= min_gain < 1.0:
        raise ArgumentError(f"min_gain: expected a share from 0 to 1, found {min_gain!r}")


def _bodies(model: Model, links: Sequence[str] | None) -> list[Body]:
    if links is None:
        return list(model.bodies.values())
    return [model.bodies[name] for name in ([links] if isinstance(links, str) else links)]


def _why_empty(given: Sequence[Shape], body: Body, shapes: ShapeKind) -> str:
    if given:
        return "planes have no end and are not enclosed"
    other = body.visuals if shapes == "collision" else body.collisions
    return f"no {shapes} shapes" + (f" ({len(other)} others)" if other else "")


def _require_enclosed(volumes: Sequence[SweptSphere], facets: Facets, name: str) -> None:
    outside = protrusion(volumes, facets)
    if outside > 0.0:
        raise ArgumentError(f"link {name!r} cannot be enclosed: {outside:.3g} m of it stay outside of the volumes")
