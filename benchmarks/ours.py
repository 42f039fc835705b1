"""The statements of tarsus that are timed."""

from __future__ import annotations

from typing import Any

import numpy as np

import tarsus as ts
from benchmarks.quantity import States
from benchmarks.timing import Statement
from tarsus.model.model import Model


def evaluate(model: Model, quantity: str, states: States, frame: str, method: str | None = None) -> Any:
    """Return the quantity at all states; `method` is one of forward dynamics, by default that of the function."""
    function, arguments = _call(model, quantity, states, frame)
    return function(*arguments) if method is None else function(*arguments, method=method)


def statement(
    model: Model,
    quantity: str,
    states: States,
    frame: str,
    *,
    single: bool = False,
    out: bool = False,
    threads: int = 1,
    method: str | None = None,
) -> Statement:
    """One call for all states, or for the first one only; with `out` the result goes into a prepared array."""
    given = States(*(x[0].copy() for x in states)) if single else states
    function, arguments = _call(model, quantity, given, frame)
    names: dict[str, Any] = {"f": function, **{f"x{i}": x for i, x in enumerate(arguments)}}
    words = [f"x{i}" for i in range(len(arguments))]
    if out:
        names["result"] = np.empty_like(function(*arguments))
        words.append("out=result")
    if threads > 1:
        words.append(f"threads={threads}")
    if method is not None:
        words.append(f"method={method!r}")
    return Statement(f"f({', '.join(words)})", names, 1 if single else len(states))


def _call(model: Model, quantity: str, states: States, frame: str) -> tuple[Any, tuple[Any, ...]]:
    q, v, vdot, tau = states
    match quantity:
        case "inverse_dynamics":
            return ts.inverse_dynamics, (model, q, v, vdot)
        case "forward_dynamics":
            return ts.forward_dynamics, (model, q, v, tau)
        case "mass_matrix":
            return ts.mass_matrix, (model, q)
        case "joint_screws":
            return ts.joint_screws, (model, q)
        case "center_of_mass":
            return ts.center_of_mass, (model, q)
        case "jacobian":
            return ts.jacobian, (model, q, frame)
    raise KeyError(quantity)
