"""What a reproduced figure is: numbers, a picture, and what the text states beside what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks.timing import QUICK, Effort

if TYPE_CHECKING:
    from matplotlib.figure import Figure

T = TypeVar("T")

SOURCE = "Buschmann 2014"
FULL = Effort(rounds=80, block=0.001, budget=3.0, fewest=8)
"""Many short blocks, one of which is likely to run undisturbed on a machine that others use, too."""


@dataclass(frozen=True)
class Claim:
    """A statement of the text and what was found.

    Attributes
    ----------
    states : str
        What the text states, with the place.
    found : str
        What was measured or counted.
    agrees : bool or None
        Whether what was found meets the criterion. None where there is no verdict: the two cannot be compared, such as
        run times of another machine, or the sizes of a quick run are too small.
    criterion : str
        What is asked of what was found, such that "agrees: ..." and "differs: not ..." are sentences.
    reason : str
        Why it differs, where that is known; told only if it does.
    """

    states: str
    found: str
    agrees: bool | None = None
    criterion: str = ""
    reason: str = ""

    @property
    def verdict(self) -> str:
        """What was tested and how it came out, in words; empty where nothing is asked."""
        if not self.criterion:
            return ""
        if self.agrees is None:
            return f"no verdict in a quick run ({self.criterion})"
        if self.agrees:
            return f"agrees: {self.criterion}"
        return f"differs: not {self.criterion}" + (f"; {self.reason}" if self.reason else "")


@dataclass(frozen=True)
class Outcome:
    """A measured figure.

    Attributes
    ----------
    data : dict
        Plain numbers, as they go to the JSON file; times in seconds.
    claims : tuple of Claim
    draw : callable
        Draws the picture into a Matplotlib figure.
    note : str
        What exactly is compared, for the caption.
    size : tuple of float
        Width and height of the plot without caption [inch].
    """

    data: dict[str, Any]
    claims: tuple[Claim, ...]
    draw: Callable[[Figure], None]
    note: str = ""
    size: tuple[float, float] = (7.5, 4.6)

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"note": self.note, "claims": [asdict(claim) for claim in self.claims], "data": self.data}


@dataclass
class Run:
    """One run of the command: how long it may take, and measurements that several figures share.

    Attributes
    ----------
    quick : bool
        Small sizes and few rounds.
    say : callable
        Tells the person what is being measured.
    """

    quick: bool = False
    say: Callable[[str], None] = lambda text: None
    _shared: dict[Any, Any] = field(default_factory=dict)

    @property
    def effort(self) -> Effort:
        """Rounds and duration of the timing."""
        return QUICK if self.quick else FULL

    def choose(self, quick: T, full: T) -> T:
        """The first in a quick run, else the second."""
        return quick if self.quick else full

    def judge(self, agrees: bool) -> bool | None:
        """Verdict on something that shows at large sizes only: none in a quick run."""
        return None if self.quick else agrees

    def once(self, key: Any, measure: Callable[[], T]) -> T:
        """Result of `measure`, which is called the first time only."""
        if key not in self._shared:
            self._shared[key] = measure()
        result: T = self._shared[key]
        return result


@dataclass(frozen=True)
class PaperFigure:
    """A figure or table that can be reproduced.

    Attributes
    ----------
    name : str
        Number in the text: "3.5"; "table-3.1" for a table.
    title : str
    measure : callable
        Makes the `Outcome`.
    """

    name: str
    title: str
    measure: Callable[[Run], Outcome]

    @property
    def label(self) -> str:
        """Kind and number, such as "Figure 3.5"."""
        return f"Table {self.name[6:]}" if self.name.startswith("table-") else f"Figure {self.name}"

    @property
    def stem(self) -> str:
        """Name of its files without suffix."""
        return self.name if self.name.startswith("table-") else f"figure-{self.name}"
