"""Gravity of an MJCF document, and the parts of weights that `gravcomp` carries."""

from __future__ import annotations

import numpy as np
from lxml import etree

from tarsus.io.mjcf.bodies import WORLD, Tree
from tarsus.io.mjcf.defaults import Element
from tarsus.io.xml import Report

Gravity = tuple[float, float, float]


def read_gravity(root: etree._Element, tree: Tree, report: Report) -> Gravity:
    """Gravity that acts on the bodies of a tree.

    MuJoCo carries the part `gravcomp` of the weight of a body by a passive force at its centre of mass. Where the part
    c is the same for all bodies that move and have mass, it is as if gravity were 1 - c times as strong, and so it is
    read. Otherwise nothing is carried, and a warning tells how much.
    """
    gravity = _written(root, report)
    weights = _moving_masses(tree)
    for name, part in tree.compensation.items():
        if part < 0.0:  # as MuJoCo does
            report.warning("gravcomp", f"gravcomp {part:g} of body {name!r} is negative and ignored", root)
            tree.compensation[name] = 0.0
    parts = {tree.compensation.get(name, 0.0) for name in weights}
    if parts <= {0.0} or gravity == (0.0, 0.0, 0.0):
        return gravity
    if len(parts) == 1:
        (part,) = parts
        message = f"gravcomp {part:g} of all bodies is read as gravity times {1.0 - part:g}"
        report.warning("gravcomp", f"{message}: for accelerometers and for what is added to the model, too", root)
        x, y, z = ((1.0 - part) * g for g in gravity)
        return x, y, z
    carried = {name: tree.compensation[name] * mass for name, mass in weights.items() if tree.compensation.get(name)}
    message = f"gravcomp of some bodies is not supported: the weight of {sum(carried.values()):.6g} kg is not carried"
    report.warning("not-supported", message, root, ", ".join(list(carried)[:5]))
    return gravity


def _written(root: etree._Element, report: Report) -> Gravity:
    gravity = np.array([0.0, 0.0, -9.81])
    for node in root.iterchildren("option"):
        values = Element(node, report, None).numbers("gravity", 3, gravity.tolist())
        gravity = gravity if values is None else values
        for flag in node.iterchildren("flag"):
            if flag.get("gravity") == "disable":
                return 0.0, 0.0, 0.0
    x, y, z = gravity.tolist()
    return x, y, z


def _moving_masses(tree: Tree) -> dict[str, float]:
    """Masses of the bodies that a joint lets move [kg]."""
    moving: dict[str, bool] = {WORLD: False}
    for joint in tree.joints:  # parents come first
        moving[joint.child] = joint.kind != "fixed" or moving.get(joint.parent, False)
    masses = {link.name: link.inertia.mass for link in tree.links if link.inertia is not None}
    return {name: mass for name, mass in masses.items() if mass > 0.0 and moving.get(name, False)}
