"""Every robot is the same robot in every library, and every statement that is timed runs."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks import ours
from benchmarks.contestants import ROBOTS
from benchmarks.quantity import QUANTITIES, random_states
from benchmarks.result import PARITY


@pytest.fixture(scope="module", params=ROBOTS, name="contestant")
def _contestant(request):
    return ROBOTS[request.param]()


def test_both_peers_take_part(contestant):
    assert [peer.name for peer in contestant.peers] == ["pin", "mujoco"]
    assert all(set(peer.calls) == set(QUANTITIES) for peer in contestant.peers)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_results_agree_with_every_peer(contestant, quantity):
    states = random_states(contestant.model, 5, seed=1)
    for peer in contestant.peers:
        assert peer.disagreement(quantity, states) <= PARITY, peer.name


def test_disagreement_is_noticed(contestant, monkeypatch):
    states = random_states(contestant.model, 2, seed=2)
    off = replace(states, tau=states.tau + 1e-3)
    for peer in contestant.peers:
        rows = peer._rows
        monkeypatch.setattr(peer, "_rows", lambda quantity, _, rows=rows: rows(quantity, off))
        assert peer.disagreement("forward_dynamics", states) > PARITY


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_statements_of_all_libraries_run(contestant, quantity):
    states = random_states(contestant.model, 3)
    model, frame = contestant.model, contestant.frame
    statements = [
        ours.statement(model, quantity, states, frame, single=s, out=o) for s in (True, False) for o in (True, False)
    ]
    statements.append(ours.statement(model, quantity, states, frame, threads=2))
    for peer in contestant.peers:
        statements += [peer.single(quantity, states), peer.batch(quantity, states)]
    for statement in statements:
        assert statement.evaluations in (1, 3)
        assert np.isfinite(statement.timer().timeit(1))
