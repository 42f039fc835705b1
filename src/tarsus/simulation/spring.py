"""Springs and dampers between two points of a robot, or of a robot and the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from tarsus.errors import ArgumentError, DtypeError

if TYPE_CHECKING:
    from tarsus.model import Model


@final
@dataclass(frozen=True, eq=False)
class Spring:
    """A spring and damper along the line between two points: -stiffness (L - length) - damping dL/dt.

    Attributes
    ----------
    frame_a, frame_b : str
        Frames of the model; "world" is the world.
    stiffness : float
        [N/m].
    damping : float
        [N s/m].
    length : float
        Without force [m].
    position_a, position_b : array_like, shape (3,)
        Points in these frames [m].
    pull_only : bool
        A cable: slack where it is shorter than `length`, and never pushing.
    """

    frame_a: str
    frame_b: str
    stiffness: float
    damping: float = 0.0
    length: float = 0.0
    position_a: npt.ArrayLike = (0.0, 0.0, 0.0)
    position_b: npt.ArrayLike = (0.0, 0.0, 0.0)
    pull_only: bool = False

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "length"):
            value = getattr(self, name)
            if not isinstance(value, int | float | np.floating) or not (np.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"{name} of a Spring is {value!r}; expected a number that is not negative")
        for name in ("position_a", "position_b"):
            point = np.asarray(getattr(self, name), dtype=float)
            if point.shape != (3,) or not np.all(np.isfinite(point)):
                raise ArgumentError(f"{name} of a Spring is {getattr(self, name)!r}; expected three finite numbers")
        if self.frame_a == self.frame_b:
            raise ArgumentError(f"a Spring ties {self.frame_a!r} to itself; expected two frames")


def spring_tables(model: Model, springs: Sequence[Spring]) -> dict[str, Any]:
    """Springs as the native core reads them.

    Raises
    ------
    UnknownNameError
        Where a frame is not there.
    """
    frames: list[str | None] = []
    data = []
    for spring in springs:
        for name in (spring.frame_a, spring.frame_b):
            frames.append(None if name == "world" else model.frames[name].name)
        data.append(
            [*np.asarray(spring.position_a, dtype=float), *np.asarray(spring.position_b, dtype=float),
             spring.stiffness, spring.damping, spring.length, float(spring.pull_only)]
        )  # fmt: skip
    return {"spring_frames": tuple(frames), "spring_data": np.array(data, dtype=float).reshape(-1)}


def check_springs(springs: Any, *, rigid: bool) -> tuple[Spring, ...]:
    """The springs as a tuple; raise where they are none, or the ground is rigid by events, which knows none."""
    if isinstance(springs, str | Spring) or not isinstance(springs, Sequence):
        raise DtypeError(f"springs is {springs!r}; expected a list of Spring")
    for spring in springs:
        if not isinstance(spring, Spring):
            raise DtypeError(f"springs holds {spring!r}; expected Spring")
    if springs and rigid:
        raise ArgumentError("springs are not for ground of the law Rigid; use another law, such as LeastConstraint")
    return tuple(springs)
