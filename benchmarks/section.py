"""A part of the benchmark: what it measures, how that is shown, saved and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from benchmarks.contestants import ROBOTS
from benchmarks.target import Target
from benchmarks.timing import FULL, QUICK, Effort

SAVED_PROPERTIES = ("ratio", "ratio_out", "ratio_batch", "ratios", "rate", "overhead")
"""What is derived from the fields of a result and saved with them."""


@dataclass(frozen=True)
class Options:
    """What the person who runs the benchmark chose.

    Attributes
    ----------
    quick : bool
        Fewer rounds, smaller batches.
    robots : sequence of str
        Names of `ROBOTS` for the sections that compare robots.
    """

    quick: bool = False
    robots: Sequence[str] = tuple(ROBOTS)

    @property
    def effort(self) -> Effort:
        """How long comparisons may take."""
        return QUICK if self.quick else FULL

    def rounds(self, full: int, quick: int) -> int:
        """Rounds of sections that count them."""
        return quick if self.quick else full


def as_data(result: Any) -> dict[str, Any]:
    """Fields of a result, and what is derived from them."""
    derived = {name: getattr(result, name) for name in SAVED_PROPERTIES if hasattr(result, name)}
    return asdict(result) | derived


def as_list(results: Sequence[Any]) -> Any:
    """Results as plain data."""
    return [as_data(result) for result in results]


def as_one(results: Sequence[Any]) -> Any:
    """The only result as plain data, None where there is none."""
    return as_data(results[0]) if results else None


@dataclass(frozen=True)
class Section:
    """One part of the benchmark, declared at the end of its module and listed in `registry.py`.

    Attributes
    ----------
    name : str
        Key in the saved file, and word of ``--only``.
    measure : callable
        Yields results (dataclasses), times in seconds unless they say otherwise.
    tables : callable
        Results, of which there is at least one, to what is printed.
    targets : callable
        Results, possibly none, to targets.
    saved : callable
        Results to plain data.
    """

    name: str
    measure: Callable[[Options], Iterator[Any]]
    tables: Callable[[Sequence[Any]], Iterable[Table | str]]
    targets: Callable[[Sequence[Any]], list[Target]] = lambda results: []
    saved: Callable[[Sequence[Any]], Any] = as_list
