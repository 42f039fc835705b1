"""Tables of the report and how their numbers are written."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from benchmarks.result import PARITY


def empty_table(title: str, columns: Sequence[str], left: Sequence[str] = ()) -> Table:
    """An empty table; columns are to the right but for those in `left`."""
    empty = Table(title=title, title_justify="left")
    for name in columns:
        empty.add_column(name, justify="left" if name in left else "right")
    return empty


def micro(seconds: float | None) -> str:
    """A duration in microseconds."""
    return "" if seconds is None else f"{1e6 * seconds:.3g}"


def ratio(value: float | None) -> str:
    """How many times faster."""
    return "" if value is None else f"[bold]{value:.2f}[/]"


def difference(relative: float) -> str:
    """How far results are apart, red where too far to compare times."""
    return f"{relative:.0e}" if relative <= PARITY else f"[red]{relative:.0e}[/]"
