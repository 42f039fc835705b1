"""Swept-sphere volumes of a robot by the frames that carry them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.geometry.swept_sphere import SweptSphere

Volumes = Mapping[str, tuple[SweptSphere, ...]]
"""Volumes by the name of a frame (body, link, joint or named frame), in the coordinates of that frame."""
GivenVolumes = Mapping[str, SweptSphere | Iterable[SweptSphere]]
"""Volumes as a caller gives them: one or several of a frame."""


def as_volumes(given: GivenVolumes) -> dict[str, tuple[SweptSphere, ...]]:
    """Volumes by frame as tuples; frames without any are left out.

    Raises
    ------
    ArgumentError
        Where something else than volumes by name was given.
    """
    if not isinstance(given, Mapping):
        raise ArgumentError(f"volumes: expected a mapping of frames to SweptSphere, found {type(given).__name__}")
    found: dict[str, tuple[SweptSphere, ...]] = {}
    for name, value in given.items():
        several = (value,) if isinstance(value, SweptSphere) else tuple(value) if isinstance(value, Iterable) else None
        if several is None or not all(isinstance(volume, SweptSphere) for volume in several):
            raise ArgumentError(f"volumes of frame {name!r}: expected SweptSphere objects, found {value!r}")
        if several:
            found[str(name)] = several
    return found


def require_frames(volumes: Volumes, frames: Iterable[str]) -> None:
    """Raise `UnknownNameError` for the first volume of a frame that does not exist."""
    known = set(frames)
    for name in volumes:
        if name not in known:
            raise UnknownNameError(f"volumes: frame {name!r} not found{nearest(name, known)}")
