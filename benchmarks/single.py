"""One state: a call from Python with everything prepared."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import ours
from benchmarks.contestants import Contestant
from benchmarks.quantity import QUANTITIES, States
from benchmarks.result import PARITY, Row
from benchmarks.timing import Effort, race


def measure_single(contestant: Contestant, states: States, effort: Effort) -> Iterator[Row]:
    """Rows of the table for one state, each against every peer."""
    for quantity in QUANTITIES:
        for peer in contestant.peers:
            difference = peer.disagreement(quantity, states.first(5))
            row = Row(contestant.name, quantity, 1, peer.name, peer.calls[quantity], difference)
            theirs = peer.single(quantity, states)
            if not difference <= PARITY or theirs is None:
                yield row
                continue
            plain = ours.statement(contestant.model, quantity, states, contestant.frame, single=True)
            into = ours.statement(contestant.model, quantity, states, contestant.frame, single=True, out=True)
            yield row.timed(*race([plain, into, theirs], effort))
