import time

import numpy as np
import pytest
from benchmarks.timing import Effort, Statement, race

SHORT = Effort(rounds=3, block=1e-5, budget=0.01, fewest=2)


def test_names_of_a_statement_are_those_given():
    seen = []
    race([Statement("record(value)", {"record": seen.append, "value": 7})], SHORT)
    assert set(seen) == {7}


def test_every_statement_runs_in_every_round_one_after_the_other():
    order: list[str] = []
    statements = [Statement("run(name)", {"run": order.append, "name": name}) for name in "ab"]
    slow = Effort(rounds=4, block=0.0, budget=1e9, fewest=1)
    race(statements, slow)
    warm_up, rounds = order[:4], order[4:]
    assert warm_up == ["a", "a", "b", "b"]
    assert rounds == ["a", "b"] * 4


def test_long_statements_get_the_fewest_rounds():
    calls: list[int] = []
    race([Statement("sleep(0.002); calls.append(1)", {"sleep": time.sleep, "calls": calls})], SHORT)
    assert len(calls) >= SHORT.fewest + 2


class OneSecondEach:
    """A timer for which every execution takes one second."""

    def timeit(self, number):
        return float(number)

    def repeat(self, repeat, number):
        return [float(number)] * repeat


def test_times_are_per_state(monkeypatch):
    monkeypatch.setattr(Statement, "timer", lambda self: OneSecondEach())
    assert race([Statement("", {}, 1), Statement("", {}, 100)], SHORT) == [1.0, 0.01]


def test_an_error_in_a_statement_is_not_swallowed():
    with pytest.raises(ZeroDivisionError):
        race([Statement("1 / zero", {"zero": 0})], SHORT)


def test_names_do_not_collide_with_arrays_of_several_shapes():
    out = np.zeros(3)
    race([Statement("out += x", {"out": out, "x": np.ones(3)})], SHORT)
    assert np.all(out == out[0])
    assert out[0] > 0.0
