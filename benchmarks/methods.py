"""Forward dynamics of Talos by every method, against what does the same in Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pinocchio as pin
from rich.table import Table
from scipy.linalg.lapack import dposv

from benchmarks.contestants import TALOS, robot_file, talos
from benchmarks.quantity import States, random_states
from benchmarks.result import Row
from benchmarks.rival import CHECKED_STATES, Rival, measure_rivals, rival_table, rows_through
from benchmarks.section import Options, Section
from benchmarks.target import Target
from benchmarks.timing import Effort
from tarsus.io.interop import PinocchioLayout
from tarsus.model.model import Model

_CODE = {
    "aba": "a = aba(m, d, q, v, tau)",
    "crba, nonLinearEffects, LAPACK dposv": "a = dposv(crba(m, d, q).T, tau - nle(m, d, q, v), lower=1)[1]",
    "crba, nonLinearEffects, cholesky": (
        "crba(m, d, q); b = tau - nle(m, d, q, v); decompose(m, d); a = solve(m, d, b)"
    ),
    "computeAllTerms, LAPACK dposv": "terms(m, d, q, v); a = dposv(d.M.T, tau - d.nle, lower=1)[1]",
    "computeAllTerms, cholesky": "terms(m, d, q, v); decompose(m, d); a = solve(m, d, tau - d.nle)",
}
EQUIVALENTS = {
    "articulated-body": "aba",
    "denoc": "aba",
    "composite-body": "crba, nonLinearEffects, LAPACK dposv",
    "composite-body-sparse": "crba, nonLinearEffects, cholesky",
    "newton-euler": "computeAllTerms, LAPACK dposv",
    "newton-euler-sparse": "computeAllTerms, cholesky",
    "gauss": "computeAllTerms, LAPACK dposv",
}
"""What comes closest: O(n) elimination; composite bodies, dense and sparse; all Jacobians, dense and sparse."""


def method_rival(model: Model, method: str) -> Rival:
    """Return the equivalent of a method for Talos."""
    pin_model = pin.buildModelFromUrdf(str(robot_file(TALOS)), pin.JointModelFreeFlyer())
    layout = PinocchioLayout(model, pin_model)
    names: dict[str, Any] = {
        "aba": pin.aba,
        "crba": pin.crba,
        "nle": pin.nonLinearEffects,
        "terms": pin.computeAllTerms,
        "decompose": pin.cholesky.decompose,
        "solve": pin.cholesky.solve,
        "dposv": dposv,
        "m": pin_model,
        "d": pin_model.createData(),
    }
    call = EQUIVALENTS[method]
    return Rival(call, _CODE[call], names, partial(rows_through, layout), layout.from_v)


def measure_methods(model: Model, states: States, effort: Effort) -> Iterator[Row]:
    """Yield one row a method for the first state; the quantity of a row is the method."""
    for method in EQUIVALENTS:
        yield from measure_rivals("talos", model, [method_rival(model, method)], states, 1, effort, method=method)


def judge_methods(methods: Sequence[Row]) -> list[Target]:
    """No method of forward dynamics is slower than its equivalent."""
    ratios = {row.quantity: row.ratio for row in methods}
    return [
        Target(f"{method}, 1 state: pin ({call}) / ours", 1.0, None, ratios.get(method))
        for method, call in EQUIVALENTS.items()
    ]


def _measured(options: Options) -> Iterator[Row]:
    model = talos().model
    return measure_methods(model, random_states(model, CHECKED_STATES), options.effort)


def _tables(rows: Sequence[Row]) -> list[Table]:
    return [rival_table("forward dynamics of talos by every method", rows)]


SECTION = Section("methods", _measured, _tables, judge_methods)
