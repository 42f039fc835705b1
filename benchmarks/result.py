"""One line of the comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace

PARITY = 1e-9
"""Largest relative difference of the results for which times are compared: it is then the same computation."""


@dataclass(frozen=True)
class Row:
    """Times per state [s] of one quantity of one robot in a batch of `states`.

    Attributes
    ----------
    ours, ours_out : float or None
        With a new result, and with `out=`; None where the results disagree.
    peer_time : float or None
    disagreement : float
        Largest relative difference of the results.
    """

    robot: str
    quantity: str
    states: int
    peer: str
    call: str
    disagreement: float
    ours: float | None = None
    ours_out: float | None = None
    peer_time: float | None = None

    def timed(self, ours: float, ours_out: float, peer_time: float) -> Row:
        """Return the row with times."""
        return replace(self, ours=ours, ours_out=ours_out, peer_time=peer_time)

    @property
    def ratio(self) -> float | None:
        """Peer time / ours."""
        return None if self.ours is None or self.peer_time is None else self.peer_time / self.ours

    @property
    def ratio_out(self) -> float | None:
        """Peer time / ours with `out=`."""
        return None if self.ours_out is None or self.peer_time is None else self.peer_time / self.ours_out
