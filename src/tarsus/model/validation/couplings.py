"""What must hold for joints that follow others, and for loops."""

from __future__ import annotations

import numpy as np

from tarsus.model.description import Description
from tarsus.model.joint import JOINT_TRAITS
from tarsus.model.validation.findings import MAX_MAGNITUDE, Findings, all_finite


def check_couplings(d: Description, found: Findings) -> None:
    """Joints exist, have one axis, and follow others with ratios other than zero and in no circle."""
    kinds = {joint.name: joint.kind for joint in d.joints}
    leaders: dict[str, tuple[str, ...]] = {}
    for coupling in d.couplings:
        element = f"coupling of joint {coupling.joint!r}"
        names, ratios = zip(*coupling.terms, strict=True)
        for name in (coupling.joint, *names):
            if name not in kinds:
                message = f"{element} names the unknown joint {name!r}{found.hint(name, kinds)}"
                found.error("unknown-joint", message, element, coupling.source, name)
            elif kinds[name] in JOINT_TRAITS and not JOINT_TRAITS[kinds[name]].one_axis:
                message = f"{element}: joint {name!r} is {kinds[name]}; only one-axis joints can be coupled"
                found.error("coupling-kind", message, element, coupling.source, kinds[name])
        if coupling.joint in names:
            found.error("coupling-self", f"{element} follows itself", element, coupling.source, coupling.joint)
        if not all_finite((*ratios, coupling.offset)):
            found.error("non-finite", f"{element} is not finite", element, coupling.source, coupling.ratio)
        elif 0.0 in ratios:
            found.error("zero-ratio", f"{element} has the ratio 0, which moves nothing", element, coupling.source, 0)
        if coupling.joint in leaders:
            found.error("coupling-twice", f"{element} is there twice", element, coupling.source, coupling.joint)
        leaders[coupling.joint] = names
    _check_coupling_cycles(d, leaders, found)


def _check_coupling_cycles(d: Description, leaders: dict[str, tuple[str, ...]], found: Findings) -> None:
    """Joints that follow each other in a circle; depth-first without recursion, each joint visited once."""
    done: set[str] = set()
    for coupling in d.couplings:
        path: dict[str, int] = {coupling.joint: 0}  # joints on the way, with the leader to look at next
        while path and coupling.joint not in done:
            name = next(reversed(path))
            following = leaders.get(name, ())
            if name in done or path[name] == len(following):
                done.add(name)
                del path[name]
                continue
            leader = following[path[name]]
            path[name] += 1
            if leader not in path:
                path[leader] = 0
            elif leader != name:
                chain = " -> ".join(repr(n) for n in (*list(path)[list(path).index(leader) :], leader))
                element = f"coupling of joint {leader!r}"
                found.error("coupling-cycle", f"couplings form a cycle: {chain}", element, coupling.source, leader)


def check_tendons(d: Description, found: Findings) -> None:
    """Tendons run along joints; what else must hold is checked of the joints that they become."""
    for tendon in d.tendons:
        if not tendon.terms:
            element = f"tendon {tendon.name!r}"
            found.error("empty-tendon", f"{element} runs along no joint", element, tendon.source, tendon.name)


def check_loops(d: Description, found: Findings) -> None:
    """Links and joints of loops exist; poses and axes are numbers."""
    links = {link.name for link in d.links}
    joints = {joint.name for joint in d.joints}
    for loop in d.loops:
        element = f"loop {loop.name!r}"
        what, known = ("joint", joints) if loop.kind == "polynomial" else ("link", links)
        for name in (loop.link_a, loop.link_b):
            if name not in known:
                message = f"{element} names the unknown {what} {name!r}{found.hint(name, known)}"
                found.error(f"unknown-{what}", message, element, loop.source, name)
        for name in loop.independent:
            if name not in joints:
                message = f"{element} names the unknown joint {name!r}{found.hint(name, joints)}"
                found.error("unknown-joint", message, element, loop.source, name)
        if not (np.isfinite(loop.tolerance) and loop.tolerance >= 0.0):
            message = f"{element} has the tolerance {loop.tolerance}; expected 0 or a positive number"
            found.error("loop-tolerance", message, element, loop.source, loop.tolerance)
        if not any(loop.axis):
            found.error("zero-axis", f"{element} has a zero axis", element, loop.source)
        if not (np.isfinite(loop.pose_a).all() and np.isfinite(loop.pose_b).all() and all_finite(loop.axis)):
            found.error("non-finite", f"pose or axis of {element} is not finite", element, loop.source)
        elif (largest := max(np.abs(loop.pose_a).max(), np.abs(loop.pose_b).max())) > MAX_MAGNITUDE:
            message = f"pose of {element} has entries of {largest:.3g}, more than {MAX_MAGNITUDE:g}"
            found.error("non-finite", message, element, loop.source, f"{largest:.3g}")
