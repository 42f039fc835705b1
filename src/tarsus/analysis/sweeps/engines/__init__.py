"""What runs the cases of a sweep: one engine a file."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from tarsus.analysis.sweeps.engines.engine import Engine
from tarsus.errors import ArgumentError, MissingExtraError, UnknownNameError, nearest

ENGINES = {
    "serial": ("serial_engine", "SerialEngine"),
    "processes": ("processes_engine", "ProcessesEngine"),
    "joblib": ("joblib_engine", "JoblibEngine"),
    "dask": ("dask_engine", "DaskEngine"),
}
"""Modules and classes, by name."""


def make_engine(name: str, function: Callable[..., Any], workers: int | None, client: Any) -> Engine:
    """The engine of a name.

    Raises
    ------
    UnknownNameError, ArgumentError
        If there is no such engine, or its arguments are wrong.
    MissingExtraError
        If it needs packages that are not installed.
    """
    if name not in ENGINES:
        raise UnknownNameError(f"there is no engine {name!r}{nearest(name, ENGINES)}; known: {', '.join(ENGINES)}")
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise ArgumentError(f"workers is {workers!r}, expected an int of at least 1, or None for one a core")
    if client is not None and name != "dask":
        raise ArgumentError(f"client is for engine 'dask', the engine is {name!r}")
    module, kind = ENGINES[name]
    try:
        found = getattr(importlib.import_module(f"{__name__}.{module}"), kind)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"engine {name!r} needs {error.name}: pip install 'tarsus[sweep]'") from None
    count = workers or len(os.sched_getaffinity(0))
    engine: Engine = found(function, count, client) if name == "dask" else found(function, count)
    return engine
