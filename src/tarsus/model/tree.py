"""The kinematic tree of a description: who carries whom, in depth-first order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tarsus.model.description import Description, JointSpec


def children_of_links(joints: Sequence[JointSpec]) -> dict[str, list[int]]:
    """Indices of the joints that leave each link, in the order they were given (Buschmann 2014, algorithm 1)."""
    children: dict[str, list[int]] = {}
    for index, joint in enumerate(joints):
        children.setdefault(joint.parent, []).append(index)
    return children


def root_links(description: Description) -> list[str]:
    """Links that no joint carries."""
    carried = {joint.child for joint in description.joints}
    return [link.name for link in description.links if link.name not in carried]


def depth_first(description: Description, root: str) -> Iterator[JointSpec]:
    """Joints below `root`, parents before children, siblings in the order they were given.

    Works with an explicit stack, so that chains may be as long as memory allows.
    """
    children = children_of_links(description.joints)
    stack = list(reversed(children.get(root, [])))
    while stack:
        joint = description.joints[stack.pop()]
        yield joint
        stack.extend(reversed(children.get(joint.child, [])))
