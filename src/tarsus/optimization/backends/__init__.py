"""Solvers of quadratic programs behind one interface, one file each.

A backend is a module with a class `Solver` that is made for one program and keeps what it needs from call to call.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tarsus.arrays import FloatArray
from tarsus.errors import MissingExtraError, UnknownNameError, nearest

if TYPE_CHECKING:
    from tarsus.optimization.program import Program

BACKENDS = {"daqp": "daqp", "native": "", "proxqp": "proxqp"}
"""Packages beyond tarsus that backends need, by their names."""


class Claim(NamedTuple):
    """What a backend says, before it is checked.

    Attributes
    ----------
    status : str
        One of `tarsus.optimization.solution.STATUSES`.
    x : ndarray, shape (n,)
    multipliers : ndarray, shape (rows,)
        Of bounds, rows and equalities, one after the other, with the signs of `Solution`.
    iterations : int
    told : str
        The backend's own word for its status.
    """

    status: str
    x: FloatArray
    multipliers: FloatArray
    iterations: int
    told: str


class Solver(Protocol):
    """A backend for one program."""

    def __init__(self, program: Program) -> None: ...

    def solve(self, changed: set[str], warm: bool, limit: int) -> Claim:
        """Solve the program as it is now.

        Parameters
        ----------
        changed : set of str
            Arrays of the program that have changed since the last call: "H", "g", "C", "bounds".
        warm : bool
            Whether to begin with what was active in `program.sides`.
        limit : int
            Most iterations.
        """


def solver_type(name: str) -> type[Solver]:
    """The class of a backend.

    Raises
    ------
    UnknownNameError
        There is no such backend.
    MissingExtraError
        Its package is not installed.
    """
    if name not in BACKENDS:
        raise UnknownNameError(
            f"backend {name!r} not found, expected one of {sorted(BACKENDS)}{nearest(name, BACKENDS)}"
        )
    try:
        module = importlib.import_module(f"tarsus.optimization.backends.{name}_backend")
    except ImportError as error:
        extra = BACKENDS[name]
        raise MissingExtraError(f"backend {name!r} needs a package: pip install 'tarsus[{extra}]' ({error})") from error
    found: type[Solver] = module.Solver
    return found
