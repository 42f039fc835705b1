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

class SimulatorCore:
    """Robots of one model in a world, with the memory in which they are stepped.

    Runs tell status, robot, time and loop that failed, and steps whose impulses did not settle.
    """

    def __new__(cls, model: ModelCore, world: object, settings: dict[str, Any], /) -> SimulatorCore: ...
    def bind(self, state: dict[str, Any], /) -> None:
        """Arrays of the state that runs change in place."""

    def set_law(self, tables: dict[str, Any], /) -> None:
        """Gains and references of the joints from now on."""

    def set_torque(self, tau: Any, /) -> int | None:
        """Constant torques from now on; the first entry that is not finite, which changes nothing, or None."""

    def set_external(self, wrenches: Any, /) -> None:
        """Wrenches on the bodies from now on, or None."""

    def run(self, request: dict[str, Any], /) -> tuple[int, int, float, int, int]:
        """Advance robots in place, of the state in the request where it has one, with samples and rates."""

    def step(
        self, first_step: int, steps: int, failed: Any = ..., failed_time: Any = ..., /
    ) -> tuple[int, int, float, int, int]:
        """The same without samples; robots that fail are marked in `failed` and stay, those that are marked, too."""
