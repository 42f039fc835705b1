"""A file that changes from one consistent state to the next in a single step, whatever happens in between.

HDF5 overwrites parts of its file (lengths, indices) while it grows, so that a process killed in the middle would leave
a file that nobody can read. Here everything HDF5 writes stays in memory until `commit`, which goes as follows:

1. what lies behind the end of the committed file is appended; nothing refers to it yet;
2. the parts of the committed file that change are appended as a journal, closed by a footer with their checksum;
3. they are written to their places;
4. the journal is cut off.

A process killed during 1 or 2 leaves the old state with some bytes behind it, which HDF5 ignores; during 3 or 4 it
leaves a complete journal, which `CommittedReader` puts over what it reads. A write that fails (full disk) does so in 1
or 2, where cutting the file to its old length undoes it, because 3 needs no space.
"""

from __future__ import annotations

import os
import struct
import zlib
from bisect import bisect_left, bisect_right

from tarsus.errors import RecordingError

PAGE = 4096
"""Unit in which changes of the committed part are kept [bytes]."""
_MAGIC = b"tarsus-journal-1"
_FOOTER = struct.Struct("<QI16s")
"""Length of the entries, their CRC-32, magic number."""
_ENTRY = struct.Struct("<QI")
"""Offset and length of the bytes that follow."""


class _Cursor:
    """Position in a file, for the interface that HDF5 expects of Python files."""

    position = 0
    size = 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a place."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self.position, os.SEEK_END: self.size}[whence]
        self.position = start + offset
        return self.position

    def tell(self) -> int:
        """Place at which the next bytes are read or written."""
        return self.position

    def read(self, count: int = -1) -> bytes:
        """Bytes from here on."""
        left = max(self.size - self.position, 0)
        buffer = bytearray(left if count < 0 else min(count, left))
        self.readinto(buffer)
        return bytes(buffer)

    def readinto(self, buffer: bytearray | memoryview) -> int:
        """Fill a buffer from here on."""
        view = memoryview(buffer).cast("B")
        count = max(min(len(view), self.size - self.position), 0)
        self._fill(view[:count], self.position)
        self.position += count
        return count

    def _fill(self, view: memoryview, offset: int) -> None:
        raise NotImplementedError


class CommittedFile(_Cursor):
    """Writable file whose changes reach the disk only by `commit`.

    Parameters
    ----------
    descriptor : int
        Descriptor of an empty file, open for reading and writing; it stays the caller's.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._committed = 0
        self._pages: dict[int, bytearray] = {}
        self._tail = bytearray()

    @property
    def pending(self) -> int:
        """Bytes in memory that were not committed."""
        return len(self._tail) + PAGE * len(self._pages)

    def write(self, data: bytes | memoryview) -> int:
        """Take bytes at the current place into memory."""
        view = memoryview(data).cast("B")
        begin, end = self.position, self.position + len(view)
        self.size = max(self.size, end)
        inside = max(min(end, self._committed) - begin, 0)
        done = 0
        while done < inside:
            number, start = divmod(begin + done, PAGE)
            count = min(PAGE - start, inside - done)
            self._page(number)[start : start + count] = view[done : done + count]
            done += count
        if inside < len(view):
            start = begin + inside - self._committed
            if start + len(view) - inside > len(self._tail):
                self._tail.extend(bytes(start + len(view) - inside - len(self._tail)))
            self._tail[start : start + len(view) - inside] = view[inside:]
        self.position = end
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        """Cut or lengthen the file; the committed part keeps its length on the disk."""
        self.size = self.position if size is None else size
        length = max(self.size - self._committed, 0)
        del self._tail[length:]
        self._tail.extend(bytes(length - len(self._tail)))
        return self.size

    def flush(self) -> None:
        """Nothing: HDF5 flushes in an order of its own, the file changes by `commit` only."""

    def commit(self) -> None:
        """Bring all changes to the disk in one step.

        Raises
        ------
        OSError
            If they cannot be written, for example to a full disk; the file then is as the last commit left it.
        """
        end = self._committed + len(self._tail)
        journal = b"".join(
            _ENTRY.pack(number * PAGE, len(page)) + bytes(page) for number, page in sorted(self._pages.items())
        )
        footer = _FOOTER.pack(len(journal), zlib.crc32(journal), _MAGIC)
        try:
            self._put(self._tail, self._committed)
            if journal:
                self._put(journal + footer, end)
        except BaseException:
            os.ftruncate(self._descriptor, self._committed)
            raise
        for number, page in sorted(self._pages.items()):
            self._put(page, number * PAGE)
        os.ftruncate(self._descriptor, end)
        self._pages.clear()
        self._tail = bytearray()
        self._committed = end

    def _put(self, data: bytes | bytearray, offset: int) -> None:
        view = memoryview(data)
        while view:
            count = os.pwrite(self._descriptor, view, offset)
            view, offset = view[count:], offset + count

    def _page(self, number: int) -> bytearray:
        """Page of the committed part, in memory from its first change on."""
        if number not in self._pages:
            start = number * PAGE
            count = min(PAGE, self._committed - start)
            self._pages[number] = bytearray(_read_exactly(self._descriptor, count, start))
        return self._pages[number]

    def _fill(self, view: memoryview, offset: int) -> None:
        end = offset + len(view)
        inside = max(min(end, self._committed) - offset, 0)
        if inside:
            view[:inside] = _read_exactly(self._descriptor, inside, offset)
            for number in range(offset // PAGE, (offset + inside - 1) // PAGE + 1):
                if number in self._pages:
                    _overlay(view[:inside], offset, number * PAGE, self._pages[number])
        if inside < len(view):
            start = offset + inside - self._committed
            piece = self._tail[start : start + len(view) - inside]
            view[inside : inside + len(piece)] = piece


class CommittedReader(_Cursor):
    """The last committed state of a file, which may hold a journal; the file itself is left alone.

    Parameters
    ----------
    descriptor : int
    most : int, optional
        Refuse journals and reads that take more memory [bytes].

    Raises
    ------
    RecordingError
        If there is a journal that no commit can have left.
    """

    def __init__(self, descriptor: int, most: int | None = None) -> None:
        self._descriptor = descriptor
        self.size = os.fstat(descriptor).st_size
        self._most = self.size if most is None else most
        self._offsets: list[int] = []
        self._data: list[bytes] = []
        self._read_journal()

    def _read_journal(self) -> None:
        """Take over the changes of a commit that was interrupted after its journal was complete."""
        if self.size < _FOOTER.size:
            return
        raw = _read_exactly(self._descriptor, _FOOTER.size, self.size - _FOOTER.size)
        length, checksum, magic = _FOOTER.unpack(raw)
        start = self.size - _FOOTER.size - length
        if magic != _MAGIC or start < 0:
            return
        if length > self._most:
            raise RecordingError(f"has a journal of {length} bytes, more than the limit of {self._most}")
        journal = _read_exactly(self._descriptor, length, start)
        if zlib.crc32(journal) != checksum:
            return
        self.size = start
        place, end = 0, 0
        while place < length:
            offset, count = _ENTRY.unpack_from(journal, place) if place + _ENTRY.size <= length else (0, 0)
            place += _ENTRY.size + count
            # Pages in the order of their places, all of them whole but the last: what `commit` writes.
            if offset % PAGE or offset < end or not 0 < count <= PAGE or place > length or offset + count > start:
                raise RecordingError(f"has a journal that is damaged at byte {place} of {length}")
            end = offset + PAGE
            self._offsets.append(offset)
            self._data.append(journal[place - count : place])

    def _fill(self, view: memoryview, offset: int) -> None:
        if len(view) > self._most:
            raise OSError(f"{len(view)} bytes at once are more than the limit of {self._most}")
        _read_into(self._descriptor, view, offset)
        first = max(bisect_right(self._offsets, offset) - 1, 0)
        last = bisect_left(self._offsets, offset + len(view))
        for k in range(first, last):
            _overlay(view, offset, self._offsets[k], self._data[k])

    def write(self, data: bytes | memoryview) -> int:
        """Refused: this is for reading."""
        raise OSError("the file is open for reading")

    def truncate(self, size: int | None = None) -> int:
        """Refused: this is for reading."""
        raise OSError("the file is open for reading")

    def flush(self) -> None:
        """Nothing to do."""


def _overlay(view: memoryview, offset: int, start: int, data: bytes | bytearray) -> None:
    """Put bytes that begin at `start` of a file over a view that begins at `offset` of it."""
    low, high = max(offset, start), min(offset + len(view), start + len(data))
    if low < high:
        view[low - offset : high - offset] = data[low - start : high - start]


def _read_exactly(descriptor: int, count: int, offset: int) -> bytes:
    """Bytes of a file, zeros behind its end."""
    data = bytearray(count)
    _read_into(descriptor, memoryview(data), offset)
    return bytes(data)


def _read_into(descriptor: int, view: memoryview, offset: int) -> None:
    """Fill a view with bytes of a file, with zeros behind its end."""
    while view:
        count = os.preadv(descriptor, [view], offset)
        if count == 0:
            view[:] = bytes(len(view))
            return
        view, offset = view[count:], offset + count
