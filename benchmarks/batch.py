"""Batches: one call of ours on one thread against a loop over prepared rows."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import ours
from benchmarks.contestants import Contestant
from benchmarks.quantity import QUANTITIES, States
from benchmarks.result import PARITY, Row
from benchmarks.timing import Effort, race


def measure_batch(contestant: Contestant, states: States, effort: Effort) -> Iterator[Row]:
    """Rows of the table for a batch of all the states, each against every peer."""
    for quantity in QUANTITIES:
        for peer in contestant.peers:
            difference = peer.disagreement(quantity, states.first(5))
            row = Row(contestant.name, quantity, len(states), peer.name, peer.calls[quantity], difference)
            theirs = peer.batch(quantity, states)
            if not difference <= PARITY or theirs is None:
                yield row
                continue
            plain = ours.statement(contestant.model, quantity, states, contestant.frame)
            into = ours.statement(contestant.model, quantity, states, contestant.frame, out=True)
            yield row.timed(*race([plain, into, theirs], effort))
