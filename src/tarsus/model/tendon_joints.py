"""Tendons as joints that depend on those they run along."""

from __future__ import annotations

from dataclasses import replace

from tarsus.model.description import Description, JointSpec, LinkSpec
from tarsus.model.tree import root_links


def with_tendon_joints(description: Description) -> Description:
    """The description with a joint and a link for every tendon, beside the first of the joints that it runs along."""
    tendons = [tendon for tendon in description.tendons if tendon.terms]
    if not tendons:
        return description
    parents = {joint.name: joint.parent for joint in description.joints}
    root = root_links(description)
    links = tuple(LinkSpec(tendon.name, virtual=True, source=tendon.source) for tendon in tendons)
    joints = tuple(
        JointSpec(
            tendon.name,
            "prismatic",
            next((parents[name] for name, _ in tendon.terms if name in parents), root[0] if root else ""),
            tendon.name,
            q_min=tendon.minimum,
            q_max=tendon.maximum,
            damping=tendon.damping,
            friction=tendon.friction,
            armature=tendon.armature,
            stiffness=tendon.stiffness,
            rest=tendon.rest,
            actuated=False,
            source=tendon.source,
        )
        for tendon in tendons
    )
    return replace(
        description,
        links=(*description.links, *links),
        joints=(*description.joints, *joints),
        couplings=(*description.couplings, *(tendon.coupling for tendon in tendons)),
        tendons=(),
    )
