"""The bodies of a model as a drawn tree, without recursion."""

from __future__ import annotations

from collections.abc import Iterator

from tarsus.model.body import Body
from tarsus.model.model import Model

MAX_LEVELS = 20
"""Branchings inside each other that are drawn; deeper ones are shortened, so that lines stay readable."""


def tree_lines(model: Model) -> Iterator[tuple[str, Body]]:
    """Lead text and body, parents first; an only child stands below its parent without indentation.

    Chains of any length therefore stay narrow.
    """
    children: dict[str | None, list[Body]] = {}
    for body in model.bodies.values():
        children.setdefault(body.parent, []).append(body)
    stack = [("", "", children[None][0])]  # lead of the line, lead of the lines below, body
    while stack:
        lead, below, body = stack.pop()
        yield lead, body
        inner = children.get(body.name, [])
        if len(inner) == 1:
            stack.append((below, below, inner[0]))
            continue
        short = below if len(below) < 3 * MAX_LEVELS else "…" + below[-3 * (MAX_LEVELS - 1) :]
        for child in reversed(inner):
            last = child is inner[-1]
            stack.append((short + ("└─ " if last else "├─ "), short + ("   " if last else "│  "), child))
