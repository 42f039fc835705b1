"""Run times of every method of forward dynamics on the mechanisms of the text."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast, get_args

import numpy as np

from benchmarks.papers.base_code import BASE_METHODS, BaseCode
from benchmarks.papers.figure import Run
from benchmarks.papers.mechanisms import Family, model_of, random_state
from benchmarks.timing import Statement, race
from tarsus.dynamics.forward import ForwardMethod, forward_dynamics
from tarsus.errors import ArgumentError, TarsusError
from tarsus.model.model import Model

AGREEMENT = 1e-6
"""Largest difference between methods, as part of the largest acceleration, for which times are compared. Long chains of
light bodies amplify rounding; that the methods agree where they are well conditioned is shown by the tests."""

BASE = "base "
"""Before the name of a method: the straightforward code for it, `base_code`."""

_SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_QUICK_SIZES = (2, 4, 8, 16, 32)
"""Numbers of bodies, powers of two for Dill."""


@dataclass(frozen=True)
class Look:
    """How a method is written and drawn."""

    label: str
    color: str
    marker: str
    line: str = "-"


LOOKS = {
    "newton-euler": Look("NE", "#b5442e", "s"),
    "newton-euler-sparse": Look("NE, sparse", "#e08a5b", "s", "--"),
    "composite-body": Look("CRBA", "#2f6db3", "^"),
    "composite-body-sparse": Look("CRBA, sparse (RSC)", "#6bb0e0", "^", "--"),
    "articulated-body": Look("O(n)", "#1d8a5b", "o"),
    "denoc": Look("DeNOC", "#8e5bb5", "v"),
    "gauss": Look("Gauss", "#8c8c8c", "D"),
}
"""Of the methods that the text or this library names; others get the last look and their own name."""


def look(method: str) -> Look:
    """How a method is drawn; one that is not known here gets its name as label, base codes are dotted."""
    if method.startswith(BASE):
        optimised = look(method.removeprefix(BASE))
        return replace(optimised, label=f"{optimised.label}, base", line=":")
    return LOOKS.get(method, Look(method, "#444444", "x"))


@dataclass
class Curve:
    """Run times of one method.

    Attributes
    ----------
    sizes : list of int
        Numbers of bodies.
    times : list of float
        [s].
    """

    method: str
    sizes: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def at(self, n: int) -> float | None:
        """Run time at a size that was measured."""
        return self.times[self.sizes.index(n)] if n in self.sizes else None


def available_methods() -> tuple[ForwardMethod, ...]:
    """Methods of `forward_dynamics` in this version, in the order in which the library lists them."""
    return get_args(ForwardMethod)


def usable_methods(model: Model) -> tuple[str, ...]:
    """Those of them that take the model."""
    q, v, tau = random_state(model)
    usable: list[str] = []
    for method in available_methods():
        with contextlib.suppress(ArgumentError):
            forward_dynamics(model, q, v, tau, None, method)
            usable.append(method)
    return tuple(usable)


def shared_paths(model: Model, methods: Sequence[str], states: int = 4) -> list[list[str]]:
    """The methods in groups that run the same code on the model: their results are the same, bit by bit.

    Algorithms that differ round differently at one of a few random states.
    """
    groups: dict[bytes, list[str]] = {}
    for method in methods:
        results = [
            forward_dynamics(model, *random_state(model, seed), None, cast(ForwardMethod, method)).tobytes()
            for seed in range(states)
        ]
        groups.setdefault(b"".join(results), []).append(method)
    return list(groups.values())


def method_curves(run: Run, family: Family) -> dict[str, Curve]:
    """Run time of one call of forward dynamics for every method, base codes included, and size; measured once in a run.

    Methods are interleaved at each size. A method is left out at larger sizes once a call took too long.
    """
    return run.once(("forward dynamics", family.name), lambda: _measure_curves(run, family))


def _measure_curves(run: Run, family: Family) -> dict[str, Curve]:
    longest = run.choose(2e-3, 4e-2)
    curves: dict[str, Curve] = {
        method: Curve(method) for method in (*available_methods(), *(f"{BASE}{method}" for method in BASE_METHODS))
    }
    for n in run.choose(_QUICK_SIZES, _SIZES):
        running = [curve for curve in curves.values() if not curve.times or curve.times[-1] <= longest]
        if not running:
            break
        run.say(family.label(n))
        times = time_methods(run, model_of(family, n), [curve.method for curve in running])
        for curve, time in zip(running, times, strict=True):
            curve.sizes.append(n)
            curve.times.append(time)
    return curves


def time_methods(run: Run, model: Model, methods: Sequence[str]) -> list[float]:
    """Run times [s] of several methods on one model."""
    return time_calls(run, [(model, method) for method in methods])


def time_calls(run: Run, calls: Sequence[tuple[Model, str]]) -> list[float]:
    """Run times [s] of one state, interleaved, results into prepared memory; the accelerations are compared first."""
    return race([_statement(model, method) for model, method in calls], run.effort)


def _statement(model: Model, method: str) -> Statement:
    """The call to be timed.

    Raises
    ------
    TarsusError
        Where the method gives other accelerations than the default one.
    """
    q, v, tau = random_state(model)
    reference = forward_dynamics(model, q, v, tau)
    if method.startswith(BASE):
        code, name = BaseCode(model), method.removeprefix(BASE)
        found, statement = code.forward_dynamics(q, v, tau, name), code.statement(q, v, tau, name)
    else:
        found = forward_dynamics(model, q, v, tau, None, cast(ForwardMethod, method))
        names = {"f": forward_dynamics, "m": model, "q": q, "v": v, "tau": tau, "k": method, "r": np.empty(model.nv)}
        statement = Statement("f(m, q, v, tau, None, k, out=r)", names)
    off = np.abs(found - reference).max() / np.abs(reference).max()
    if not off <= AGREEMENT:
        raise TarsusError(f"{method} on {model.name} with nv = {model.nv} is off by {off:.1e}; nothing was timed")
    return statement
