"""Native core: see native/bindings."""

from collections.abc import Callable
from typing import Any, Self

class ModelCore:
    """Native tables of a model; the base class of `tarsus.Model`."""

    def __new__(cls, arrays: dict[str, Any]) -> Self: ...

def function(name: str, doc: str = "") -> Callable[..., Any]:
    """The native function of that name as a built-in with the given documentation."""

def set_prepare(callable: Callable[..., Any], /) -> None:
    """Install the function that converts unusual arguments."""

def native_info() -> dict[str, Any]:
    """Instruction set in use (`isa`, `lanes`), and what was compiled and runs here."""
