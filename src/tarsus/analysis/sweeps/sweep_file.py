"""A sweep written down in a TOML file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tarsus.analysis.sweeps.cases import grid
from tarsus.analysis.sweeps.named_function import named_function
from tarsus.errors import ArgumentError, UnknownNameError, nearest

_OPTIONS = {"seed": int, "engine": str, "workers": int, "retries": int}
_KEYS = ("function", "results", "arguments", "grid", "cases", *_OPTIONS)


@dataclass(frozen=True, slots=True)
class SweepFile:
    """What a file says.

    Attributes
    ----------
    function : callable
    cases : list of dict
    results : Path
        Beside the file, with its name and the suffix ".jsonl", unless it says otherwise.
    options : dict
        Further arguments of `sweep`.
    """

    function: Callable[..., Any]
    cases: list[dict[str, Any]]
    results: Path
    options: dict[str, Any] = field(default_factory=dict)


def read_sweep_file(path: str | os.PathLike[str]) -> SweepFile:
    """Read a file with these entries; names of files are relative to where it is.

    ``function``
        ``"file.py::function"`` or ``"package.module:function"``.
    ``[grid]``
        Lists of values: all combinations.
    ``[[cases]]``
        Cases one by one; with a grid, each of them with all its combinations.
    ``[arguments]``
        The same for all cases.
    ``results``, ``seed``, ``engine``, ``workers``, ``retries``
        See `sweep`.

    Raises
    ------
    ArgumentError
        If the file is no TOML, or something in it is not what is expected.
    """
    place = Path(path)
    try:
        content = tomllib.loads(place.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ArgumentError(f"{place}: {error}") from None
    for key in content:
        if key not in _KEYS:
            raise UnknownNameError(
                f"{place}: there is no entry {key!r}{nearest(key, _KEYS)}; known: {', '.join(_KEYS)}"
            )
    function, results = (_entry(place, content, key, str, "text") for key in ("function", "results"))
    if function is None:
        raise ArgumentError(f"{place}: function is missing, expected file.py::function or package.module:function")
    options = {
        key: _entry(place, content, key, kind, "text" if kind is str else "a whole number")
        for key, kind in _OPTIONS.items()
        if key in content
    }
    made = _cases(place, content)
    file = place.with_suffix(".jsonl") if results is None else place.parent / results
    return SweepFile(named_function(function, place.parent), made, file, options)


def _entry(place: Path, content: dict[str, Any], key: str, kind: type, expected: str) -> Any:
    value = content.get(key)
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        raise ArgumentError(f"{place}: {key} is {value!r}, expected {expected}")
    return value


def _cases(place: Path, content: dict[str, Any]) -> list[dict[str, Any]]:
    shared = _entry(place, content, "arguments", dict, "a table") or {}
    axes = _entry(place, content, "grid", dict, "a table") or {}
    listed = _entry(place, content, "cases", list, "tables") if "cases" in content else [{}]
    for name, axis in axes.items():
        if not isinstance(axis, list):
            raise ArgumentError(f"{place}: grid.{name} is {axis!r}, expected a list of values")
    for number, case in enumerate(listed):
        if not isinstance(case, dict):
            raise ArgumentError(f"{place}: cases[{number}] is {case!r}, expected a table")
    return [{**shared, **case, **chosen} for case in listed for chosen in grid(**axes)]
