"""Motions that were planned, as trajectories: to be shown, plotted and saved like those of simulations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.contact import Block, Compliant, Ground, Plane, TriangleMesh
from tarsus.contact.ground import Surface
from tarsus.contact.ground_document import ground_to_document
from tarsus.errors import ArgumentError
from tarsus.geometry.shapes import Box, Shape
from tarsus.geometry.surface import surface_of
from tarsus.ik.reaching.motion import Motion
from tarsus.recording.trajectory import Trajectory


def motion_trajectory(motion: Motion, around: Sequence[Shape] = ()) -> Trajectory:
    """The samples of a motion as a trajectory.

    Parameters
    ----------
    motion : Motion
        Of `tarsus.ik.reach`.
    around : sequence of Shape
        What stands around the robot, in the world: drawn beside it as the ground. Where nothing is below z = 0, level
        ground is added.

    Returns
    -------
    Trajectory
        With the signal "vdot", the accelerations; without forces and energies, which a motion alone does not have.
    """
    if not isinstance(motion, Motion):
        raise ArgumentError(f"motion is {motion!r}; expected one of tarsus.ik.reach")
    metadata = {"reach": motion.reason}
    document = ground_to_document(_ground(around))
    if document is not None:
        metadata["ground"] = document  # type: ignore[assignment]
    return Trajectory(
        motion.model,
        motion.t,
        motion.q,
        motion.v,
        signals={"vdot": motion.vdot},
        metadata=metadata,
        finished=motion.success,
        reason="" if motion.success else motion.reason,
    )


def _ground(around: Sequence[Shape]) -> Ground:
    surfaces: list[Surface] = []
    lowest = 0.0
    for k, shape in enumerate(around):
        name = shape.name or f"shape {k}"
        surface = surface_of(shape.geometry)
        if surface is None:
            raise ArgumentError(f"around: {name!r} is a {type(shape.geometry).__name__}, which has no surface")
        corners = surface.placed(shape.pose).corners
        lowest = min(lowest, float(corners[..., 2].min()))
        if isinstance(shape.geometry, Box):
            surfaces.append(Block(shape.geometry.size, shape.pose, name=name))
        else:
            vertices, faces = np.unique(corners.reshape(-1, 3).round(9), axis=0, return_inverse=True)
            surfaces.append(TriangleMesh(vertices, faces.reshape(-1, 3), name=name))
    if lowest >= -1e-9:
        surfaces.insert(0, Plane(Compliant(), name="ground"))
    return Ground(surfaces)
