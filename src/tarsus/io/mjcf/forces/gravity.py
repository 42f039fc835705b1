"""Gravity of an MJCF document, and the parts of weights that `gravcomp` carries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from lxml import etree

from tarsus.io.mjcf.settings.defaults import Element
from tarsus.io.mjcf.tree.bodies import Tree
from tarsus.io.xml import Report
from tarsus.model.description import LinkSpec

Gravity = tuple[float, float, float]
KEPT_FLAGS = ("spring", "damper", "passive", "frictionloss", "limit", "equality", "constraint")
"""Flags of physics that is read from the file and acts here whatever they say."""


def read_gravity(root: etree._Element, report: Report) -> Gravity:
    """Gravity that acts on all bodies [m/s^2]."""
    gravity = np.array([0.0, 0.0, -9.81])
    for node in root.iterchildren("option"):
        values = Element(node, report, None).numbers("gravity", 3, gravity.tolist())
        gravity = gravity if values is None else values
        for name in ("density", "viscosity"):
            if Element(node, report, None).number(name, 0.0):
                report.warning("left-out", f"{name} of a fluid around the robot is left out: its drag", node)
        for flag in node.iterchildren("flag"):
            for name in KEPT_FLAGS:
                if flag.get(name) == "disable":
                    report.warning("flag", f'flag {name}="disable" is left out: what it switches off acts', flag)
            if flag.get("gravity") == "disable":
                gravity = np.zeros(3)
    x, y, z = gravity.tolist()
    return x, y, z


def with_carried_weights(root: etree._Element, tree: Tree, report: Report) -> list[LinkSpec]:
    """Links with the part `gravcomp` of their weight carried, which MuJoCo does by a passive force.

    Negative parts make bodies heavier. MuJoCo looks at them where a part of some body is positive, else at none.
    """
    if any(part > 0.0 for part in tree.compensation.values()):
        return [replace(link, carried=tree.compensation.get(link.name, 0.0)) for link in tree.links]
    for name, part in tree.compensation.items():
        if part < 0.0:
            message = f"gravcomp {part:g} of body {name!r} is negative, that of no body is positive: it is ignored"
            report.warning("gravcomp", message, root)
    return tree.links
