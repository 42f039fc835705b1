"""How the episode of one robot begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy.typing as npt


@final
@dataclass(frozen=True, eq=False)
class Start:
    """What `RobotVectorEnv.start` draws for one robot.

    An environment gives the same of the optional ones in every episode, or none of them.

    Attributes
    ----------
    q, v : array_like, shape (nq,), (nv,)
        State.
    inertias : array_like, shape (nb, 10), optional
        Its bodies: see `ts.simulation.body_inertias`.
    friction : float, optional
        Its coefficient of friction.
    command_delay, observation_delay : int, optional
        Its delays, in steps of the simulation.
    """

    q: npt.ArrayLike
    v: npt.ArrayLike
    inertias: npt.ArrayLike | None = None
    friction: float | None = None
    command_delay: int | None = None
    observation_delay: int | None = None
