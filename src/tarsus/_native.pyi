"""Native core: see native/bindings."""

from collections.abc import Callable
from typing import Any, Self

class ModelCore:
    """Native tables of a model; the base class of `tarsus.Model`."""

    def __new__(cls, arrays: dict[str, Any]) -> Self: ...

class ConstraintCore:
    """Native table of constraints; the base class of `tarsus.dynamics.constraints.table.ConstraintTable`."""

    def __new__(cls, model: ModelCore, arrays: dict[str, Any]) -> Self: ...

def function(name: str, doc: str = "") -> Callable[..., Any]:
    """The native function of that name as a built-in with the given documentation."""

def methods(function: str, /) -> dict[str, str]:
    """Methods of a function, each with the one whose way it goes where joints depend on others."""

def set_prepare(callable: Callable[..., Any], /) -> None:
    """Install the function that converts unusual arguments."""

def kept_memory() -> int:
    """Bytes of freed results that are kept for later ones."""

def release_memory() -> None:
    """Give memory of freed results back to the system."""

def enumeration(name: str, /) -> dict[str, int]:
    """Names and numbers of a native enumeration, in their order."""

def native_info() -> dict[str, Any]:
    """Instruction set in use (`isa`, `lanes`), and what was compiled and runs here."""

def make_world(model: ModelCore, tables: dict[str, Any], /) -> object:
    """Surfaces and contact features, ready for runs."""

def contact_laws() -> dict[str, tuple[int, tuple[str, ...]]]:
    """Number and names of the parameters of each contact law."""

def integrators() -> dict[str, tuple[int, bool]]:
    """Number of each integrator, and whether it chooses its steps by itself."""

def contact_force(law: int, parameters: Any, depth: Any, velocity: Any, /) -> Any:
    """Forces of a law on points without displacement, in axes whose third is the normal."""

def run_simulation(
    model: ModelCore, world: object, run: dict[str, Any], single: bool, threads: int, /
) -> tuple[int, int, float, int, int]:
    """Advance robots in place; status, robot, time and loop that failed, and steps whose impulses did not settle."""

def run_rigid(
    model: ModelCore, world: object, run: dict[str, Any], single: bool, threads: int, /
) -> tuple[int, int, float, int, int, float, int, int, list[tuple[int, int, int, float, float, float, float, float]]]:
    """Advance robots on rigid ground by events; as `run_simulation`, then depth, samples and events."""
