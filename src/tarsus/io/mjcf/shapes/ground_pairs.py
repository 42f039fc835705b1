"""Geoms that touch what stands still because a <pair> says so, whatever their masks of contact are."""

from __future__ import annotations

from lxml import etree

from tarsus.io.xml import tag_of


def paired_with_the_world(root: etree._Element) -> frozenset[str]:
    """Names of geoms that explicit pairs let touch a geom of the world, or of a body that is fixed to it.

    MuJoCo looks for contacts of a pair without asking `contype` and `conaffinity`: models whose geoms have masks of 0
    stand on their floor so. Pairs of two moving geoms say nothing about the ground and are passed over.
    """
    pairs = [
        (node.get("geom1", ""), node.get("geom2", ""))
        for section in root.iterchildren("contact")
        for node in section.iterchildren("pair")
    ]
    if not pairs:
        return frozenset()
    named = {name for pair in pairs for name in pair}
    still = {
        node.get("name", "")
        for world in root.iterchildren("worldbody")
        for node in world.iter("geom")
        if node.get("name") in named and _stands_still(node)
    }
    return frozenset(
        mine for pair in pairs for mine, other in (pair, pair[::-1]) if mine not in still and other in still
    )


def _stands_still(geom: etree._Element) -> bool:
    """Whether no joint and no hand of somebody (`mocap`) moves the body of a geom."""
    for body in geom.iterancestors("body"):
        if body.get("mocap") == "true" or any(_moves(child) for child in body):
            return False
    return True


def _moves(node: etree._Element) -> bool:
    if tag_of(node) == "frame":
        return any(_moves(child) for child in node)
    return tag_of(node) in ("joint", "freejoint")
