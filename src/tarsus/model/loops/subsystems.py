"""Subsystems: loops that share joints, directly, through each other or by gears (Buschmann 2014, section 2.3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.errors import LoopError
from tarsus.model.coupling import Coupling, Loop
from tarsus.model.loops.conditions import Condition, conditions_of
from tarsus.model.loops.spanning_tree import SpanningTree


@dataclass(slots=True)
class Subsystem:
    """Loops that are solved together.

    Attributes
    ----------
    loops : list of Loop
    rows : list of Condition
        Conditions of all loops.
    joints : set of int
    relations : list of Coupling
        Gears and mimic joints with a joint among `joints`.
    counts : list of int
        Conditions of each loop.
    """

    loops: list[Loop]
    rows: list[Condition]
    joints: set[int]
    relations: list[Coupling]
    counts: list[int]

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return ", ".join(repr(loop.name) for loop in self.loops)

    def join(self, other: Subsystem) -> None:
        """Take everything of another subsystem into this one."""
        self.loops += other.loops
        self.rows += other.rows
        self.counts += other.counts
        self.relations += other.relations
        self.joints |= other.joints


def find_subsystems(tree: SpanningTree, loops: Sequence[Loop]) -> list[Subsystem]:
    """Loops, not polynomial ones, grouped by the joints they share.

    Raises
    ------
    LoopError
        For a loop inside one rigid body, of a kind or through a joint without minimal coordinates.
    """
    found: list[Subsystem] = []
    for loop in loops:
        new = _single(tree, loop)
        for other in [s for s in found if s.joints & new.joints]:
            found.remove(other)
            other.join(new)
            new = other
        found.append(new)
    return found


def _single(tree: SpanningTree, loop: Loop) -> Subsystem:
    """The subsystem of one loop."""
    (a, X_AL), (b, X_BL) = tree.home[loop.link_a], tree.home[loop.link_b]
    if np.shape(loop.pose_a) != (4, 4) or np.shape(loop.pose_b) != (4, 4):
        shapes = f"{np.shape(loop.pose_a)} and {np.shape(loop.pose_b)}"
        raise LoopError(f"poses of loop {loop.name!r} have the shapes {shapes}, expected (4, 4)")
    if a == b:
        raise LoopError(f"loop {loop.name!r} ties {loop.link_a!r} and {loop.link_b!r}, which are one rigid body")
    joints = tree.way(a) ^ tree.way(b)
    for j in joints:
        joint = tree.joints[j]
        if joint.traits.translations and not joint.traits.flat:
            raise LoopError(
                f"loop {loop.name!r} runs through the {joint.kind} joint {joint.name!r}, "
                "for which there are no minimal coordinates; couplings='cut' opens the loop, and "
                "constrained dynamics closes it by multipliers"
            )
    rows = conditions_of(loop, a, b, X_AL @ loop.pose_a, X_BL @ loop.pose_b)
    return Subsystem([loop], rows, joints, [], [len(rows)])


def join_couplings(tree: SpanningTree, subsystems: list[Subsystem], couplings: Sequence[Coupling]) -> set[str]:
    """Take linear couplings of joints in a loop into its subsystem; joints that follow by them are returned.

    Couplings reach further joints, so the search goes on until no other coupling touches a subsystem.
    """
    joined: set[str] = set()
    waiting, progress = list(couplings), True
    while progress:
        progress = False
        for coupling in list(waiting):
            ends = {tree.index[coupling.joint], *(tree.index[name] for name, _ in coupling.terms)}
            touched = [s for s in subsystems if s.joints & ends]
            if not touched:
                continue
            first, *others = touched
            if len(coupling.terms) > 1:
                raise LoopError(
                    f"joint {coupling.joint!r} follows several joints, one of them in loop {first.name}; "
                    "couplings='cut' opens it"
                )
            for other in others:  # loops that are geared to each other are one subsystem
                subsystems.remove(other)
                first.join(other)
            first.relations.append(coupling)
            first.joints |= ends
            joined.add(coupling.joint)
            waiting.remove(coupling)
            progress = True
    return joined
