"""Arrays of HDF5 files that nobody vouches for, piece by piece.

HDF5 unpacks a piece to whatever length it has, a thousand times what is stored or, where filters are stacked, a million
times, before it looks at the length the piece should have. Here pieces are taken as they are stored, and unpacking ends
at that length.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np

from tarsus.arrays import AnyArray
from tarsus.errors import RecordingError

_DEFLATE, _SHUFFLE, _FLETCHER32 = 1, 2, 3
_FILTERS = {_DEFLATE: "deflate", _SHUFFLE: "shuffle", _FLETCHER32: "fletcher32"}
LARGEST_PIECE = 16 * 2**20
"""Largest piece in which an array that is smaller than it may be stored [bytes]."""
_MOST_OVERHANG = 4
"""By how many times the pieces together may be larger than their array, which they cover with an overhang."""
_CHECKSUM_LENGTH = 4
"""Bytes that Fletcher's checksum adds to a piece; the recording's own checksum stands for it here."""


def read_array(dataset: Any, place: str) -> AnyArray:
    """Array of a dataset whose type and size were checked.

    Raises
    ------
    RecordingError
        If its filters are not those of recordings, each at most once, or its pieces are not what they should be.
    """
    filters = _filters(dataset, place)
    if dataset.chunks is None:
        array: AnyArray = dataset[()]
        return array
    size = math.prod(dataset.shape) * dataset.dtype.itemsize
    piece = math.prod(dataset.chunks) * dataset.dtype.itemsize
    counts = [-(-n // c) for n, c in zip(dataset.shape, dataset.chunks, strict=True)]
    if piece > max(size, LARGEST_PIECE) or math.prod(counts) * piece > _MOST_OVERHANG * size + LARGEST_PIECE:
        raise RecordingError(f"/{place} is stored in pieces of shape {dataset.chunks}, larger than it is")
    result = np.full(dataset.shape, dataset.fillvalue, dtype=dataset.dtype)
    for offset, stored, mask in _stored_pieces(dataset, place, math.prod(counts), piece):
        data = dataset.id.read_direct_chunk(offset)[1]
        if len(data) != stored:
            raise RecordingError(f"/{place} has a piece of {len(data)} bytes, {stored} were announced")
        for k in reversed(range(len(filters))):
            if not mask >> k & 1:
                data = _undone(filters[k], data, piece, dataset.dtype.itemsize)
        if len(data) != piece:
            raise RecordingError(f"/{place} has a piece of {len(data)} bytes, expected {piece}")
        values = np.frombuffer(data, dtype=dataset.dtype).reshape(dataset.chunks)
        inside = tuple(slice(0, min(c, n - o)) for c, n, o in zip(dataset.chunks, dataset.shape, offset, strict=True))
        result[tuple(slice(o, o + s.stop) for o, s in zip(offset, inside, strict=True))] = values[inside]
    return result


def _filters(dataset: Any, place: str) -> list[int]:
    """Filters in the order in which they were applied."""
    properties = dataset.id.get_create_plist()
    filters = [properties.get_filter(k)[0] for k in range(properties.get_nfilters())]
    for code in filters:
        if code not in _FILTERS:
            raise RecordingError(f"/{place} needs the filter {code}, which recordings do not use")
        if filters.count(code) > 1:
            raise RecordingError(f"/{place} is packed {filters.count(code)} times by {_FILTERS[code]}, expected once")
    return filters


def _stored_pieces(dataset: Any, place: str, most: int, piece: int) -> list[tuple[tuple[int, ...], int, int]]:
    """Offset, stored length and mask of unused filters of each piece that is there."""
    found: list[tuple[tuple[int, ...], int, int]] = []

    def note(info: Any) -> int | None:
        found.append((tuple(info.chunk_offset), int(info.size), int(info.filter_mask)))
        return 1 if len(found) > most else None  # anything but None ends the iteration

    dataset.id.chunk_iter(note)
    longest = piece + piece // 100 + 1024  # what deflate makes of bytes that cannot be packed, and checksums
    for offset, stored, _ in found:
        outside = any(o >= n or o % c for o, n, c in zip(offset, dataset.shape, dataset.chunks, strict=True))
        if len(found) > most or outside or stored > longest:
            raise RecordingError(f"/{place} has a piece at {offset} of {stored} bytes that cannot be part of it")
    return found


def _undone(code: int, data: bytes, piece: int, itemsize: int) -> bytes:
    """Bytes before a filter was applied; at most one more than a piece has with its checksum."""
    if code == _FLETCHER32:
        return data[:-_CHECKSUM_LENGTH]
    if code == _SHUFFLE:
        count = len(data) // itemsize
        even = np.frombuffer(data, np.uint8, count * itemsize).reshape(itemsize, count)
        return even.T.tobytes() + data[count * itemsize :]
    try:
        return zlib.decompressobj().decompress(data, piece + _CHECKSUM_LENGTH + 1)
    except zlib.error as error:
        raise RecordingError(f"has a damaged piece: {error}") from None
