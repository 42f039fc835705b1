"""The exception tree: everything tarsus raises on purpose derives from `TarsusError`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal


class TarsusError(Exception):
    """Root of all errors raised by tarsus."""


class ArgumentError(TarsusError, ValueError):
    """An argument of a call is not what the function expects."""


class ShapeError(ArgumentError):
    """An array has the wrong shape."""


class DtypeError(ArgumentError, TypeError):
    """An argument has a type that cannot be read as real numbers."""


class NonFiniteError(ArgumentError):
    """An array contains NaN or infinite values."""


class QuaternionNormError(ArgumentError):
    """A quaternion is further from unit norm than rounding explains."""


class SingularityError(ArgumentError):
    """A parametrisation or a mechanism is at a singular configuration."""


class UnknownNameError(ArgumentError, KeyError):
    """A name (joint, frame, method, ...) does not exist."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0]) if self.args else ""


class OutputError(ArgumentError):
    """The `out=` array cannot take the result."""


class MissingExtraError(TarsusError, ImportError):
    """A feature needs packages that are not installed; the message gives the command that installs them."""


class MasslessJointError(TarsusError, ArithmeticError):
    """A joint moves no inertia, so its acceleration is not determined."""


class ConstraintError(TarsusError, ArithmeticError):
    """Constraints cannot be met; `constraints` names the ones concerned."""

    def __init__(self, message: str, constraints: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.constraints: tuple[str, ...] = tuple(constraints)


class InconsistentConstraintsError(ConstraintError):
    """No acceleration (or velocity) satisfies all constraints."""


class ClosureError(ConstraintError):
    """No configuration was found that satisfies all constraints."""


class SimulationError(TarsusError, ArithmeticError):
    """A simulation cannot go on; `trajectory` holds what was computed until then."""

    def __init__(self, message: str, trajectory: object = None) -> None:
        super().__init__(message)
        self.trajectory = trajectory


class PlanningError(TarsusError, ArithmeticError):
    """A plan that was not found; the message names what limits it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One defect of a model or a model file.

    Attributes
    ----------
    severity : {"error", "warning"}
    rule : str
        Short stable identifier of the violated rule, such as ``"negative-mass"``.
    message : str
        What was found and what was expected, in one sentence.
    element : str
        What it is about, such as ``"link 'tibia'"``.
    value : str
        The offending value as it was written.
    file, line : str, int
        Where it stands; empty and 0 for models made in code.
    """

    severity: Literal["error", "warning"]
    rule: str
    message: str
    element: str = ""
    value: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file and self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.severity}: {self.message} [{self.rule}]"


class ModelError(TarsusError, ValueError):
    """A model is refused; `problems` lists everything that is wrong with it."""

    def __init__(self, problems: Sequence[Problem] | str) -> None:
        if isinstance(problems, str):
            problems = (Problem("error", "model", problems),)
        self.problems: tuple[Problem, ...] = tuple(problems)
        lines = [str(problem) for problem in self.problems]
        super().__init__(lines[0] if len(lines) == 1 else f"{len(lines)} problems:\n  " + "\n  ".join(lines))

    @property
    def first(self) -> Problem:
        """The first error."""
        return self.problems[0]


class ModelFileError(ModelError):
    """A model file is refused."""


class LoopError(ModelError):
    """A kinematic loop cannot be evaluated."""


class RecordingError(TarsusError):
    """A recording cannot be written, or a file is not a recording that can be read.

    Attributes
    ----------
    trajectory : Trajectory or None
        Where a simulation was being recorded: everything that it computed until then.
    """

    trajectory: object = None


class RecordingWarning(UserWarning):
    """A recording is written or read, but something beside it deserves attention."""


class SweepError(TarsusError):
    """A sweep cannot be run or gone on with, or a case of it has no value."""


class ModelWarning(UserWarning):
    """A model loads, but something in it is suspicious."""


class SimulationWarning(UserWarning):
    """A simulation that runs, with results that are less exact than they should be, or from a start that throws it."""


class KinematicsWarning(UserWarning):
    """Inverse kinematics does what was asked, but perhaps not what was meant."""


class ControlWarning(UserWarning):
    """A controller could not do all that it was asked for."""


class RedundantConstraintWarning(UserWarning):
    """Constraints depend on each other: the motion is unique, the forces are those of least norm."""


_SHORTEST_PART = 3
"""Letters that a part of a name must have to suggest the names that hold it."""


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Text "; close: 'a', 'b'" that lists the names most similar to `name`, or an empty string."""
    known, text = list(candidates), str(name).lower()
    close = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
    if len(text) >= _SHORTEST_PART:  # a part of a name is meant as often as a name with a slip
        close += [c for c in known if text in c.lower() and c not in close][: 3 - len(close)]
    return "; close: " + ", ".join(repr(c) for c in close) if close else ""
