"""Grounds and contactors as the tables that the native simulation reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.contact import Block, Contactor, Ground, LeastConstraint, Plane, Surface
from tarsus.contact.contactors import Feature, contactors, features
from tarsus.contact.laws.native_law import law_number, law_parameters

if TYPE_CHECKING:
    from tarsus.model import Model

_SURFACES = _native.enumeration("SurfaceKind")
_FEATURES = _native.enumeration("FeatureKind")


class World:
    """What a robot can touch and what it touches with, ready for native runs.

    Attributes
    ----------
    names : tuple of str
        Names of the contacts, in the order of contact states and forces.
    bodies : tuple of str
        Body that each contact is on.
    solves_impulses : bool
        Whether some ground has forces in steps only, not at an instant.
    """

    def __init__(
        self, model: Model, ground: Ground | None, contacts: Iterable[Contactor] | None, *, all_nodes: bool
    ) -> None:
        surfaces: tuple[Surface, ...] = ground.surfaces if ground is not None else ()
        if contacts is None:
            contacts = contactors(model) if surfaces else ()
        found = features(model, contacts) if surfaces else features(model, contacts)[:0]
        if not any(isinstance(surface, Block) for surface in surfaces):
            found = tuple(feature for feature in found if feature.end is None)  # edges matter at blocks only
        self.solves_impulses = any(isinstance(surface.law, LeastConstraint) for surface in surfaces)
        self.features = found
        self.names = tuple(name for feature in found for name in _contact_names(feature))
        self.bodies = tuple(feature.body for feature in found for _ in _contact_names(feature))
        self.core = _native.make_world(model, {**_surface_tables(surfaces), **_feature_tables(model, found),
                                               "all_nodes": int(all_nodes)})  # fmt: skip


def _contact_names(feature: Feature) -> tuple[str, ...]:
    return (feature.name,) if feature.end is None else (f"{feature.name}<", f"{feature.name}>")


def _surface_tables(surfaces: tuple[Surface, ...]) -> dict[str, Any]:
    kinds, data, heights = [], [], []
    for surface in surfaces:
        pose, grid = np.eye(4), (0, 0)
        half: tuple[float, ...] = (0.0, 0.0, 0.0)
        if isinstance(surface, Plane):
            kind, pose = _SURFACES["half-space"], surface.pose
        elif isinstance(surface, Block):
            kind, pose = _SURFACES["box"], np.asarray(surface.pose)
            half = tuple(0.5 * s for s in surface.size)
        else:
            kind, values = _SURFACES["height-field"], np.asarray(surface.heights)
            pose[:2, 3] = surface.origin
            grid = (values.shape[1], values.shape[0])
            half = (0.5 * surface.spacing * (grid[0] - 1), 0.5 * surface.spacing * (grid[1] - 1), float(values.max()))
            heights.append(values.ravel())
        kinds.append((kind, law_number(surface.law), *grid))
        data.append((*pose[:3, :3].T.ravel(), *pose[:3, 3], *half))
    height = np.concatenate(heights) if heights else np.zeros(0)
    return {
        "surfaces": len(surfaces),
        "surface_kind": np.array(kinds, dtype=np.int32).reshape(-1),
        "surface_data": np.array(data, dtype=float).reshape(-1),
        "law_parameters": np.array([law_parameters(surface.law) for surface in surfaces]).reshape(-1),
        "heights": len(height),
        "height": np.ascontiguousarray(height),
    }


def _feature_tables(model: Model, found: tuple[Feature, ...]) -> dict[str, Any]:
    kinds = [(_FEATURES["point" if f.end is None else "segment"], model.bodies[f.body].index) for f in found]
    data: list[FloatArray] = [np.concatenate([f.start, f.start if f.end is None else f.end, [f.radius]]) for f in found]
    return {
        "features": len(found),
        "feature_kind": np.array(kinds, dtype=np.int32).reshape(-1),
        "feature_data": np.array(data, dtype=float).reshape(-1),
    }
