"""What became of the cases of a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tarsus.errors import SweepError

_NAMED = 3
"""Failed cases that an error names."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case.

    Attributes
    ----------
    case : dict
        Arguments of the call.
    seed : int or None
        The seed that it was given.
    status : {"done", "failed", "lost"}
        Returned, raised an error, or ended its worker every time.
    value : object
        What the function returned; None otherwise.
    error : str
        Type and message of an error, or how workers ended; empty otherwise.
    traceback : str
        Of an error.
    code : str
        Version, commit and instruction set that computed it.
    """

    case: dict[str, Any]
    seed: int | None
    status: Literal["done", "failed", "lost"]
    value: Any = None
    error: str = ""
    traceback: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Sweep:
    """Outcomes of all cases, in their order.

    Attributes
    ----------
    outcomes : tuple of Outcome
    path : Path or None
        The file of results.
    """

    outcomes: tuple[Outcome, ...]
    path: Path | None = None

    def __len__(self) -> int:
        return len(self.outcomes)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.outcomes)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """Cases without a value."""
        return tuple(outcome for outcome in self.outcomes if outcome.status != "done")

    @property
    def values(self) -> list[Any]:
        """What the function returned, in the order of the cases.

        Raises
        ------
        SweepError
            If a case failed or was lost: `outcomes` tells of each.
        """
        failed = self.failures
        if failed:
            named = "; ".join(f"{outcome.case}: {outcome.error}" for outcome in failed[:_NAMED])
            more = f"; and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
            raise SweepError(f"{len(failed)} of {len(self)} cases have no value: {named}{more}")
        return [outcome.value for outcome in self.outcomes]
