"""Commands on their way to robots that get them later, each after a time of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
import numpy.typing as npt

from tarsus.errors import ArgumentError

_OF_ROBOTS = ("kp", "kd", "reference_q", "reference_v", "reference_tau")
"""Tables of a joint law that may differ from robot to robot."""


@final
@dataclass(eq=False)
class CommandQueue:
    """Commands, as tables of joint laws, by the steps at which they were given.

    The first command after the start or after a reset acts at once: nothing else could until it arrives.

    Attributes
    ----------
    delay : ndarray of int, shape (n,)
        Steps from giving a command to the first step that it acts in.
    given : list of int
        Step at which each command was given.
    tables : list of dict
        The commands.
    since : ndarray of int, shape (n,)
        First command of each robot since it was reset, by its place in the lists.
    fresh : ndarray of bool, shape (n,)
        Robots that have got no command since.
    """

    delay: npt.NDArray[np.int64]
    given: list[int] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    since: npt.NDArray[np.int64] = field(init=False)
    fresh: npt.NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.since = np.zeros(len(self.delay), dtype=np.int64)
        self.fresh = np.ones(len(self.delay), dtype=bool)

    @classmethod
    def starting(cls, count: int) -> CommandQueue:
        """Of robots that get every command at once, and have none yet."""
        return cls(np.zeros(count, dtype=np.int64))

    def copy(self) -> CommandQueue:
        """The same queue in lists of its own."""
        other = CommandQueue(self.delay.copy(), list(self.given), list(self.tables))
        other.since, other.fresh = self.since.copy(), self.fresh.copy()
        return other

    def give(self, step: int, tables: dict[str, Any]) -> None:
        """A command is given before this step.

        Raises
        ------
        ArgumentError
            Where it cannot act on some robots while the one before acts on others.
        """
        if tables["knots"] != 1:
            raise ArgumentError("with command_delay a JointLaw has no times: give its references step by step")
        if self.tables and not _alike(self.tables[-1], tables):
            raise ArgumentError(
                "with command_delay all commands are torques, or laws with the same `gravity` and `limited`: "
                "one of another kind cannot act beside those that are on their way"
            )
        if self.given and self.given[-1] == step:  # given twice before one step: the last one counts
            self.given.pop(), self.tables.pop()
        self.given.append(step)
        self.tables.append(tables)
        self.since[self.fresh] = len(self.given) - 1
        self.fresh[:] = False
        self._forget(step)

    def renew(self, chosen: npt.NDArray[np.intp]) -> None:
        """These robots forget what is on its way to them: the last command acts, and the next one at once."""
        self.since[chosen] = max(len(self.given) - 1, 0)
        self.fresh[chosen] = True

    def changes(self, step: int, steps: int) -> list[int]:
        """Steps within a stretch, its first one included, before which a command reaches some robot."""
        arrivals = np.add.outer(np.array(self.given, dtype=np.int64), np.unique(self.delay)).ravel()
        inside = arrivals[(step < arrivals) & (arrivals < step + steps)]
        return [step, *map(int, np.unique(inside))]

    def acting(self, step: int) -> dict[str, Any] | None:
        """Tables of what acts on each robot in a step; None before the first command."""
        if not self.tables:
            return None
        # Commands given until step - delay, the last of them; a robot goes on with its first one until another arrives.
        arrived = np.searchsorted(self.given, step - self.delay, side="right") - 1
        number = np.maximum(arrived, self.since)
        first = self.tables[int(number[0])]
        if np.all(number == number[0]):
            return first
        mixed: dict[str, Any] = dict(first)
        mixed.update(own_gains=1, own_references=1)
        for name in _OF_ROBOTS:
            rows = np.empty((len(number), *first[name].shape[1:]))
            for k in np.unique(number):
                chosen, table = number == k, self.tables[int(k)][name]
                rows[chosen] = table if len(table) == 1 else table[chosen]
            mixed[name] = rows
        return mixed

    def _forget(self, step: int) -> None:
        """Drop commands that no robot can get any more."""
        arrived = np.searchsorted(self.given, step - self.delay, side="right") - 1
        oldest = int(np.maximum(arrived, self.since).min())
        if oldest:
            del self.given[:oldest], self.tables[:oldest]
            self.since = np.maximum(self.since - oldest, 0)


def _alike(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return bool(a["gravity"] == b["gravity"] and np.array_equal(a["limit"], b["limit"]))
