"""The file of results: one line a case, complete or not there at all, from which a sweep goes on."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tarsus.analysis.sweeps.cases import Case, case_text
from tarsus.analysis.sweeps.outcome import Outcome, Sweep
from tarsus.analysis.sweeps.plain_values import compact, restored
from tarsus.deferred_signals import deferred_signals
from tarsus.errors import ArgumentError, SweepError
from tarsus.files import regular_target, whole_file

FORMAT = 1
_KINDS = ("value", "error", "lost")
_UNSECURED = 5.0
"""How long a line may be in the memory of the system only, where a power failure would take it [s]."""


@dataclass(frozen=True, slots=True)
class Line:
    """One case in the file.

    Attributes
    ----------
    case : Case
    code : str
        What computed it.
    body : str
        JSON of an object with "value", "error" or "lost".
    """

    case: Case
    code: str
    body: str

    def text(self) -> str:
        """The line, with its end."""
        head = f'"case":{self.case.text},"seed":{json.dumps(self.case.seed)},"code":{json.dumps(self.code)}'
        return f"{{{head},{self.body[1:]}\n"

    def kind(self) -> str:
        """Which of "value", "error" and "lost" it holds."""
        return str(next(iter(json.loads(self.body))))

    def outcome(self) -> Outcome:
        """What it says, with arrays restored."""
        case, body = restored(json.loads(self.case.text)), json.loads(self.body)
        if "value" in body:
            return Outcome(case, self.case.seed, "done", restored(body["value"]), code=self.code)
        if "error" in body:
            error = body["error"]
            told = f"{error['type']}: {error['message']}"
            return Outcome(case, self.case.seed, "failed", None, told, error["traceback"], self.code)
        return Outcome(case, self.case.seed, "lost", None, str(body["lost"]), "", self.code)


def _read_line(text: str) -> Line:
    """Read a line that `Line.text` wrote."""
    row = json.loads(text)
    case = Case(case_text(row.pop("case")), row.pop("seed"))
    code = str(row.pop("code"))
    if len(row) != 1 or next(iter(row)) not in _KINDS:
        raise ValueError("no outcome")
    line = Line(case, code, compact(row))
    line.outcome()
    return line


def _header(function: str, seed: int | None) -> dict[str, Any]:
    return {"sweep": FORMAT, "function": function, "seed": seed}


def _split(path: Path, data: bytes) -> tuple[dict[str, Any], list[Line], int]:
    """Header, lines, and how many bytes they are: what follows was being written when its writer ended."""
    whole = data[: data.rfind(b"\n") + 1]
    try:
        first, *rest = whole.decode().removesuffix("\n").split("\n")
        header = json.loads(first)
        if header["sweep"] != FORMAT:
            raise SweepError(f"{path}: is of format {header['sweep']!r}, this version reads {FORMAT}")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SweepError(f"{path}: is no file of results of a sweep") from None
    lines = []
    for number, text in enumerate(rest, start=2):
        try:
            lines.append(_read_line(text))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ArgumentError):
            raise SweepError(f"{path}:{number}: is no result of a sweep: {text[:60]!r}") from None
    return header, lines, len(whole)


def read_results(path: str | os.PathLike[str]) -> Sweep:
    """What a file of results holds so far, also while a sweep writes it.

    Raises
    ------
    SweepError
        If it is no such file.
    """
    place = Path(path)
    latest = {line.case: line for line in _split(place, place.read_bytes())[1]}
    return Sweep(tuple(line.outcome() for line in latest.values()), place)


class ResultsFile:
    """Results of one sweep, in memory and, where there is a path, in a file that one sweep at a time writes.

    A line is added as soon as its case is done; a line that was torn by the end of its writer is dropped. When all
    cases are done, the lines are put in the order of the cases, so that the file does not depend on who was first.

    Parameters
    ----------
    path : path or None
    function, seed : str, int or None
        A file of another function or seed is refused.
    code : str
        What computes lines from now on.
    mixed : bool
        Go on with values that other code computed.
    overwrite : bool
        Begin anew.

    Raises
    ------
    SweepError
        If the file is something else, of another sweep, of other code, or being written.
    """

    def __init__(
        self,
        path: Path | None,
        function: str,
        seed: int | None,
        code: str,
        *,
        mixed: bool = False,
        overwrite: bool = False,
    ) -> None:
        self._path, self._code, self._head = path, code, _header(function, seed)
        self._descriptor, self._secured = -1, time.monotonic()
        self.lines: dict[Case, Line] = {}
        if path is None:
            return
        try:
            target = regular_target(path)[0]
            target.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = _locked(target)
            self._begin(path, mixed=mixed, overwrite=overwrite)
        except OSError as error:
            self.close()
            raise SweepError(f"{path}: cannot be written ({error.strerror})") from error
        except BaseException:
            self.close()
            raise

    def _begin(self, path: Path, *, mixed: bool, overwrite: bool) -> None:
        with open(self._descriptor, "rb", closefd=False) as stream:
            data = stream.read()
        begun = compact(self._head).encode()
        header, lines, length = ({}, [], 0) if begun.startswith(data) else _split(path, data)
        if not length or overwrite:
            os.ftruncate(self._descriptor, 0)
            self._write(f"{begun.decode()}\n")
            return
        for what in ("function", "seed"):
            if header.get(what) != self._head[what]:
                raise SweepError(
                    f"{path}: holds results of {what} {header.get(what)!r}, this sweep has {self._head[what]!r}; "
                    "expected another file, or overwrite=True"
                )
        others = {line.code for line in lines} - {self._code}
        if others and not mixed:
            raise SweepError(
                f"{path}: was computed by {min(others)!r}, this is {self._code!r}; "
                "mixed=True goes on with its values, overwrite=True begins anew"
            )
        os.ftruncate(self._descriptor, length)
        for line in lines:
            self.lines[line.case] = line

    def is_done(self, case: Case) -> bool:
        """Whether there is an outcome that stays: not of a case that was lost, nor an error of other code."""
        line = self.lines.get(case)
        return line is not None and (line.kind() == "value" or (line.kind() == "error" and line.code == self._code))

    def add(self, case: Case, body: str) -> None:
        """Keep the outcome of a case; nothing can come between the parts of its line."""
        with deferred_signals():
            line = self.lines[case] = Line(case, self._code, body)
            self._write(line.text())

    def finish(self, order: Iterable[Case]) -> None:
        """Put the lines in the order of the cases, and results of other cases behind them."""
        self.lines = {case: self.lines[case] for case in dict.fromkeys([*order, *self.lines])}
        if self._path is None:
            return
        text = "".join([compact(self._head) + "\n", *(line.text() for line in self.lines.values())])
        if self._path.read_text(encoding="utf-8") != text:
            with whole_file(self._path) as unfinished:
                unfinished.write_text(text, encoding="utf-8")

    def _write(self, text: str) -> None:
        if self._descriptor >= 0:
            data = memoryview(text.encode())
            while data:
                data = data[os.write(self._descriptor, data) :]
            if time.monotonic() - self._secured > _UNSECURED:
                os.fsync(self._descriptor)
                self._secured = time.monotonic()

    def close(self) -> None:
        """Close and unlock the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


def _locked(target: Path) -> int:
    """Descriptor of the file, made if need be, that only this process writes; what is added goes to its end."""
    descriptor = os.open(target, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(descriptor), os.stat(target)):  # a sweep that ended just now replaced it
            raise BlockingIOError
    except BlockingIOError:
        os.close(descriptor)
        raise SweepError(f"{target}: another sweep is writing it") from None
    except OSError:  # a file system without locks
        pass
    return descriptor


@contextlib.contextmanager
def results_file(*arguments: Any, **options: Any) -> Iterator[ResultsFile]:
    """A `ResultsFile` that is closed, whatever ends the block."""
    results = ResultsFile(*arguments, **options)
    try:
        yield results
    finally:
        results.close()
