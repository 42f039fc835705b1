"""Meshes that were read lately, so that checking, weighing, touching and drawing them read each file once."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Hashable

from tarsus.geometry.meshes.problem import MeshProblem
from tarsus.geometry.triangles import Triangles

Found = Triangles | list[MeshProblem]

_OVERHEAD = 1000
"""Memory of an entry beside its arrays, about [bytes]."""
_CLOCK_TICK = 20_000_000
"""A file that changed this lately may change again without its time telling [ns]."""


def identity(status: os.stat_result, suffix: str) -> Hashable:
    """What a file is known by: any change to it, or another one in its place, gives it another identity."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, suffix)


class RecentMeshes:
    """What was found in files, the oldest forgotten first.

    Parameters
    ----------
    capacity : int
        Most memory that is kept [bytes].
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._held = 0
        self._found: OrderedDict[Hashable, tuple[Found, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Found | None:
        """What was found in a file, None if that is not known."""
        with self._lock:
            entry = self._found.get(key)
            if entry is None:
                return None
            self._found.move_to_end(key)
            found = entry[0]
        return found if isinstance(found, Triangles) else list(found)

    def put(self, status: os.stat_result, suffix: str, found: Found) -> None:
        """Remember what was found in the file that had this status when it was opened."""
        size = _OVERHEAD + (found.nbytes if isinstance(found, Triangles) else 0)
        if size > self._capacity or time.time_ns() - status.st_ctime_ns < _CLOCK_TICK:
            return
        key = identity(status, suffix)
        with self._lock:
            if key in self._found:
                return
            self._found[key] = found, size
            self._held += size
            while self._held > self._capacity:
                self._held -= self._found.popitem(last=False)[1][1]
