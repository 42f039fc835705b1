"""What must hold for the joints together: one tree, with one root."""

from __future__ import annotations

from tarsus.model.description import Description, JointSpec
from tarsus.model.tree import children_of_links, root_links
from tarsus.model.validation.findings import Findings, duplicates


def check_tree(d: Description, found: Findings) -> bool:
    """True where the joints form one tree."""
    links = {link.name: link for link in d.links}
    carriers: dict[str, JointSpec] = {}
    broken = False
    for joint in d.joints:
        element = f"joint {joint.name!r}"
        for role in ("parent", "child"):
            name = getattr(joint, role)
            if name not in links:
                hint = found.hint(name, links)
                found.error(
                    f"unknown-{role}", f"{element} has the unknown {role} {name!r}{hint}", element, joint.source, name
                )
                broken = True
        if joint.parent == joint.child:
            found.error(
                "self-parent", f"{element} joins link {joint.child!r} to itself", element, joint.source, joint.child
            )
            broken = True
        elif joint.child in carriers:
            first = carriers[joint.child]
            message = f"link {joint.child!r} has two parents: joints {first.name!r} and {joint.name!r}"
            found.error("two-parents", message, f"link {joint.child!r}", joint.source, joint.child)
            broken = True
        carriers.setdefault(joint.child, joint)
    if not d.links or broken or duplicates(link.name for link in d.links):
        return False
    roots = root_links(d)
    if len(roots) > 1:
        shown = ", ".join(repr(r) for r in roots[:5]) + (", ..." if len(roots) > 5 else "")
        source = links[roots[1]].source
        message = f"the model has {len(roots)} roots: {shown}; expected one link without a parent"
        found.error("two-roots", message, f"link {roots[1]!r}", source, shown)
    return _check_cycles(d, roots, found) and len(roots) == 1


def _check_cycles(d: Description, roots: list[str], found: Findings) -> bool:
    children = children_of_links(d.joints)
    reached = set(roots)
    stack = list(roots)
    while stack:
        for index in children.get(stack.pop(), ()):
            child = d.joints[index].child
            if child not in reached:
                reached.add(child)
                stack.append(child)
    for joint in d.joints:
        if joint.child not in reached:
            cycle = _cycle_through(d, joint.child)
            message = "the joints form a cycle: " + " -> ".join(repr(name) for name in cycle)
            found.error("cycle", message, f"link {joint.child!r}", joint.source, joint.child)
            return False
    return True


def _cycle_through(d: Description, link: str) -> list[str]:
    parent = {joint.child: joint.parent for joint in d.joints}
    path, seen = [link], {link}
    while (link := parent[link]) not in seen:
        path.append(link)
        seen.add(link)
    path = path[path.index(link) :]
    return [*path[:8], *(["..."] if len(path) > 8 else []), path[0]]
