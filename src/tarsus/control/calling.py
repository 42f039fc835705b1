"""How a controller wants to be called: with an observation, or with time and state."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tarsus.errors import ArgumentError

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def takes_observation(controller: Callable[..., Any]) -> bool:
    """Whether a controller has one required positional parameter, and not the three of ``controller(t, q, v)``.

    Raises
    ------
    ArgumentError
        Where it has neither.
    """
    try:
        parameters = list(inspect.signature(controller).parameters.values())
    except (TypeError, ValueError):  # built-in: nobody knows
        return False
    positional = [p for p in parameters if p.kind in _POSITIONAL]
    required = sum(p.default is inspect.Parameter.empty for p in positional)
    open_ended = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    if required == 1 and not open_ended:
        return True
    if required <= 3 and (len(positional) >= 3 or open_ended):
        return False
    raise ArgumentError(
        f"controller {controller!r} has {required} required positional parameters; expected one, "
        "controller(observation), or three, controller(t, q, v)"
    )
