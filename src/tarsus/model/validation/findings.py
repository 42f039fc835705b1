"""Problems found in a description, with the place they belong to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from tarsus.errors import Problem, nearest
from tarsus.model.coupling import Source

MAX_MAGNITUDE = 1e100
"""Masses, moments and lengths beyond this overflow when they are multiplied."""
MAX_PROBLEMS = 1000
"""Nobody reads more; a hostile file must not cost more."""
MAX_HINTS = 10
"""Problems for which similar names are looked up, which takes time proportional to the size of the model."""


class Findings:
    """Problems with the place they belong to."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._hints = 0

    def hint(self, name: str, candidates: Iterable[str]) -> str:
        """Names close to an unknown one, for the first few of them."""
        self._hints += 1
        return nearest(name, candidates) if self._hints <= MAX_HINTS else ""

    def error(self, rule: str, message: str, element: str, source: Source, value: object = "") -> None:
        """Add what makes the model useless."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem("error", rule, message, element, str(value), *source))

    def name(self, kind: str, name: str, source: Source, twice: set[str]) -> None:
        """Add a name of a link or joint that is not there, or there more than once."""
        if not name:
            self.error("missing-name", f"a {kind} has no name", kind, source)
        elif name in twice:
            element = f"{kind} {name!r}"
            self.error("duplicate-name", f"{element} is there more than once", element, source, name)

    def warning(self, rule: str, message: str, element: str, source: Source, value: object = "") -> None:
        """Add what is suspicious."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem("warning", rule, message, element, str(value), *source))


def all_finite(values: Iterable[float]) -> bool:
    """Whether none is infinite or not a number."""
    return all(map(math.isfinite, values))


def duplicates(names: Iterable[str]) -> set[str]:
    """Names that are there more than once."""
    return {name for name, count in Counter(names).items() if count > 1}
