"""Couplings between joints: linear ones (mimic, gear) and loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray


class Source(NamedTuple):
    """Where a part of a model was written."""

    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Coupling:
    """One-axis joint whose coordinate follows others: q_joint = ratio q_leader + sum of further terms + offset.

    Gears, belts and mimic joints have one leader; a differential or a pair of motors in parallel has further ones.

    Attributes
    ----------
    joint, leader : str
    ratio : float
        Not zero.
    offset : float
        [rad or m].
    further : tuple of (str, float)
        Other leaders with their ratios.
    """

    joint: str
    leader: str
    ratio: float = 1.0
    offset: float = 0.0
    source: Source = Source()
    further: tuple[tuple[str, float], ...] = ()

    @property
    def terms(self) -> tuple[tuple[str, float], ...]:
        """All leaders with their ratios."""
        return ((self.leader, self.ratio), *self.further)

    def renamed(self, new: Callable[[str], str]) -> Coupling:
        """The same coupling of joints with other names."""
        further = tuple((new(name), ratio) for name, ratio in self.further)
        return replace(self, joint=new(self.joint), leader=new(self.leader), further=further)


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A joint that closes a kinematic loop between two links of the tree.

    Attributes
    ----------
    name : str
    kind : str
        A joint kind ("revolute", "spherical", ...), "fixed" for a weld, or "polynomial" for a nonlinear coupling
        of two joints.
    link_a, link_b : str
        The links (or, for "polynomial", the joints) that are tied together.
    pose_a, pose_b : ndarray, shape (4, 4)
        Joint frame on both links; they coincide when the loop is closed, up to the joint's own motion.
    axis : tuple
        Joint axis in the joint frame.
    coefficients : tuple of float
        Of the polynomial q_a = c0 + c1 q_b + c2 q_b^2 + ...
    independent : tuple of str
        Joints of the loop that shall stay independent; by default those with a drive, and those nearer to the root.
    axis2 : tuple
        Second axis of a universal joint, fixed to link b.
    pitch : float
        Advance of a helical joint [m/rad].
    tolerance : float
        By what share of its size a loop may miss and still be meant to move: rounding of poses and axes in a file
        [1 or rad]. Conditions that are smaller than this in and around the reference are closed in the sense of least
        squares, with a warning. 0 takes all of them at their word.
    """

    name: str
    kind: str
    link_a: str
    link_b: str
    pose_a: FloatArray = field(default_factory=lambda: np.eye(4))
    pose_b: FloatArray = field(default_factory=lambda: np.eye(4))
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    coefficients: tuple[float, ...] = ()
    source: Source = Source()
    independent: tuple[str, ...] = ()
    axis2: tuple[float, float, float] = (0.0, 1.0, 0.0)
    pitch: float = 0.0
    tolerance: float = 1e-3


CouplingMode = Literal["reduce", "cut", "lock"]
