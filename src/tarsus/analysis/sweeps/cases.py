"""Cases of a sweep: keyword arguments, each with its own seed."""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tarsus.analysis.sweeps.plain_values import compact, to_text
from tarsus.errors import ArgumentError

SEED = "seed"
"""Keyword argument that gets the seed of a case."""
_SEED_BYTES = 7
"""Of seeds: below 2^53, so that every reader of JSON knows them exactly."""


@dataclass(frozen=True, slots=True)
class Case:
    """One call of the function.

    Attributes
    ----------
    text : str
        Keyword arguments as JSON: what the file keeps, and what the function is called with.
    seed : int or None
        Handed to the function as keyword argument `seed`.
    """

    text: str
    seed: int | None


def case_text(arguments: dict[str, Any]) -> str:
    """Arguments as JSON, in the same order whatever their order was."""
    return compact(arguments, sort=True)


def grid(**axes: Iterable[Any]) -> list[dict[str, Any]]:
    """Cases for all combinations of values; the last name varies fastest.

    >>> grid(mass=[1.0, 2.0], side=["left", "right"])[1]
    {'mass': 1.0, 'side': 'right'}
    """
    values = []
    for name, axis in axes.items():
        if isinstance(axis, str | bytes | Mapping) or not isinstance(axis, Iterable):
            raise ArgumentError(f"grid: {name} is {axis!r}, expected a list of values")
        values.append(list(axis))
    return [dict(zip(axes, chosen, strict=True)) for chosen in itertools.product(*values)]


def made_cases(function: Callable[..., Any], cases: Iterable[Mapping[str, Any]], seed: int | None) -> list[Case]:
    """Cases in order, checked against what the function takes.

    A case has the same seed wherever it stands among others: it is made of `seed` and of the arguments.

    Raises
    ------
    ArgumentError
        If a case is not a mapping of names to plain values, is there twice, or does not suit the function.
    """
    if isinstance(seed, bool) or not (seed is None or isinstance(seed, int)):
        raise ArgumentError(f"seed is {seed!r}, expected an int or None")
    if isinstance(cases, Mapping | str) or not isinstance(cases, Iterable):
        raise ArgumentError(f"cases is of type {type(cases).__name__}, expected a list of dictionaries of arguments")
    signature = _signature(function)
    made: dict[str, Case] = {}
    for number, arguments in enumerate(cases):
        name = f"cases[{number}]"
        if not isinstance(arguments, Mapping):
            raise ArgumentError(f"{name} is of type {type(arguments).__name__}, expected a dictionary of arguments")
        text = case_text(json.loads(to_text(dict(arguments), name)))
        if text in made:
            raise ArgumentError(f"{name} is the same as cases[{list(made).index(text)}]: {text}")
        made[text] = Case(text, None if seed is None else _seed_of(seed, text))
        _check_call(signature, arguments, seed, name)
    return list(made.values())


def _seed_of(seed: int, text: str) -> int:
    digest = hashlib.sha256(f"{seed} {text}".encode()).digest()
    return int.from_bytes(digest[:_SEED_BYTES], "big") >> 3


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    if not callable(function):
        raise ArgumentError(f"function is of type {type(function).__name__}, expected something that can be called")
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some built-in functions have none
        return None


def _check_call(signature: inspect.Signature | None, arguments: Mapping[str, Any], seed: int | None, name: str) -> None:
    if signature is None:
        return
    given: dict[str, Any] = dict(arguments)
    if seed is not None:
        if SEED in given:
            raise ArgumentError(f"{name} has its own {SEED!r}, and sweep(seed={seed}) gives one to every case")
        given[SEED] = seed
    try:
        signature.bind(**given)
    except TypeError as error:
        hint = f"; sweep(seed={seed}) hands every case its {SEED!r}" if seed is not None else ""
        raise ArgumentError(f"{name} does not suit the function: {error}{hint}") from None
