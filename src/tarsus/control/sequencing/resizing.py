"""A contact of a frame that becomes another one on the same place: an edge grows to a patch, a patch shrinks."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.contact import Contact

STAGES = 10
"""Sizes between the two: the cone of a patch is built for each."""


class Resizing:
    """Points of a contact between those of two contacts of a frame.

    Forces act on all of the larger one only when it is whole, so that they do not jump.

    Parameters
    ----------
    before, after : Contact
        Of the same frame.
    """

    def __init__(self, before: Contact, after: Contact) -> None:
        self._before, self._after = before, after
        self._large, self._small = (after, before) if grows(before, after) else (before, after)
        self._sized = lru_cache(maxsize=None)(self._size)

    def at(self, share: float) -> Contact:
        """The contact when a share from 0 to 1 of its change is done."""
        stage = round(STAGES * share)
        if stage in (0, STAGES):
            return self._after if stage else self._before
        return self._sized(stage if self._large is self._after else STAGES - stage)

    def _size(self, stage: int) -> Contact:
        small, large = (np.asarray(contact.points) for contact in (self._small, self._large))
        nearest = small[[int(np.linalg.norm(small - point, axis=1).argmin()) for point in large]]
        return replace(self._large, points=nearest + stage / STAGES * (large - nearest))


def grows(before: Contact, after: Contact) -> bool:
    """Whether a contact becomes a larger one: fewer rotations are free."""
    return after.freedoms <= before.freedoms


def resized(before: Contact, after: Contact) -> bool:
    """Whether two contacts of a frame differ in their points."""
    first, second = np.asarray(before.points), np.asarray(after.points)
    return first.shape != second.shape or bool(np.any(first != second))


def lifted(contact: Contact, X_WF: FloatArray) -> float:
    """How far the highest of the points of a contact is above where they are to be [m]."""
    target, points = np.asarray(contact.pose), np.asarray(contact.points)
    normal = target[:3, :3] @ np.asarray(contact.normal)
    way = (points @ X_WF[:3, :3].T + X_WF[:3, 3]) - (points @ target[:3, :3].T + target[:3, 3])
    return float((way @ normal).max())
