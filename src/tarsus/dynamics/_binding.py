"""Public functions that are native callables but are written down like any other function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar, cast

from tarsus import _native

F = TypeVar("F", bound=Callable[..., object])


def native(declaration: F) -> F:
    """The built-in function of the same name, with the declaration's documentation and signature.

    A Python wrapper around the native call would cost as much as the algorithm itself, so the declaration is
    replaced, not wrapped; its body is never run.
    """
    signature = _plain_signature(declaration)
    doc = f"{declaration.__name__}{signature}\n--\n\n{inspect.cleandoc(declaration.__doc__ or '')}"
    return cast(F, _native.function(declaration.__name__, doc))


def _plain_signature(declaration: Callable[..., object]) -> str:
    code = declaration.__code__
    names = code.co_varnames[: code.co_argcount]
    keyword_only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    defaults = declaration.__defaults__ or ()
    first = len(names) - len(defaults)
    parts = [name if i < first else f"{name}={defaults[i - first]!r}" for i, name in enumerate(names)]
    if keyword_only:
        parts += ["*", *(f"{name}={(declaration.__kwdefaults__ or {})[name]!r}" for name in keyword_only)]
    return f"({', '.join(parts)})"
