"""A planar arm of any number of links, whose inverse kinematics has a closed form where there are two."""

import numpy as np

import tarsus as ts
from tarsus.tasks import Position


def arm(lengths=(0.5, 0.5), limits=(-np.pi, np.pi)):
    """A planar arm in the plane x-y with a tool at its end."""
    builder = ts.ModelBuilder("arm")
    builder.add_link("base")
    parent, offset = "base", 0.0
    for k, length in enumerate(lengths):
        name = f"link{k + 1}"
        builder.add_link(name, inertia=ts.Inertia(1.0, [length / 2, 0, 0], np.diag([0.01, 0.01, 0.01])))
        builder.add_joint(
            f"joint{k + 1}",
            "revolute",
            parent,
            name,
            pose=ts.pose([offset, 0, 0]),
            axis=[0, 0, 1],
            q_min=limits[0],
            q_max=limits[1],
        )
        parent, offset = name, length
    builder.add_frame("tool", parent, ts.pose([offset, 0, 0]))
    return builder.build()


def flat_position(target, **options):
    """Of the tool, in the plane."""
    return Position("tool", [*target, 0.0], axes=[True, True, False], **options)
