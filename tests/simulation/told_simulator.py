"""Native simulators that tell something else than what happened."""

from collections.abc import Callable
from typing import Any

from tarsus import _native


def told_simulator(tell: Callable[[int, int, Any], Any]) -> type:
    """A class in place of `SimulatorCore`; tell(first step, steps, answer) makes what a run tells."""
    native = _native.SimulatorCore

    class Told:
        def __init__(self, *arguments: Any) -> None:
            self.core = native(*arguments)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.core, name)

        def run(self, request: dict[str, Any]) -> Any:
            return tell(request["first_step"], request["steps"], self.core.run(request))

        def step(self, first_step: int, steps: int, *failed: Any) -> Any:
            return tell(first_step, steps, self.core.step(first_step, steps, *failed))

    return Told
