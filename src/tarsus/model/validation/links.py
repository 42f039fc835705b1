"""What must hold for the model as a whole, its links, its frames and its volumes."""

from __future__ import annotations

import math

import numpy as np

from tarsus.errors import nearest
from tarsus.model.description import Description, PoseValues
from tarsus.model.joint import BASE_KINDS, JOINT_TRAITS
from tarsus.model.poses import ROTATION
from tarsus.model.validation.findings import MAX_MAGNITUDE, Findings, all_finite, duplicates
from tarsus.model.validation.poses import check_poses


def check_model(d: Description, found: Findings) -> None:
    """Base, parametrisation, gravity and reference pose."""
    from tarsus.spatial.parametrisations import PARAMETRISATIONS

    if d.base not in BASE_KINDS:
        found.error("base", f"base must be one of {sorted(BASE_KINDS)}, not {d.base!r}", "model", d.source, d.base)
    if d.rotation not in PARAMETRISATIONS:
        hint = nearest(d.rotation, PARAMETRISATIONS)
        found.error("rotation", f"unknown rotation parametrisation {d.rotation!r}{hint}", "model", d.source, d.rotation)
    if not all_finite(d.gravity):
        found.error("non-finite", f"gravity {d.gravity} is not finite", "model", d.source, d.gravity)
    if not d.links:
        found.error("no-links", "the model has no links", "model", d.source)
    for pose, values in (("reference", d.reference), *d.poses.items()):
        _check_pose(d, pose, values, found)


def _check_pose(d: Description, pose: str, values: PoseValues, found: Findings) -> None:
    """Finite numbers, and as many as the joint has."""
    sizes = {joint.name: JOINT_TRAITS[joint.kind].nq for joint in d.joints if joint.kind in JOINT_TRAITS}
    for name, value in values.items():
        try:
            numbers = np.atleast_1d(np.asarray(value, dtype=float))
        except (TypeError, ValueError):
            found.error("pose", f"the {pose} pose of {name!r} is {value!r}; expected numbers", "model", d.source)
            continue
        expected = 4 if name == ROTATION else 1 if name.startswith("base.") else sizes.get(name, numbers.size)
        if not np.all(np.isfinite(numbers)):
            found.error("non-finite", f"the {pose} pose of {name!r} is not finite", "model", d.source, value)
        elif numbers.shape != (expected,) and expected > 0:
            message = f"the {pose} pose of {name!r} has {numbers.size} numbers; expected {expected}"
            found.error("pose", message, "model", d.source, value)


def check_links(d: Description, found: Findings) -> None:
    """Names, and inertias that are numbers."""
    twice = duplicates(link.name for link in d.links)
    for link in d.links:
        element = f"link {link.name!r}"
        found.name("link", link.name, link.source, twice)
        if link.inertia is None:
            continue
        I = link.inertia
        if not (math.isfinite(I.mass) and all_finite(I.com.tolist()) and all_finite(I.moments.ravel().tolist())):
            found.error("non-finite", f"inertia of {element} is not finite", element, link.source, I.mass)


def check_frames(d: Description, found: Findings) -> None:
    """Names, links and poses."""
    links = {link.name for link in d.links}
    twice = duplicates(frame.name for frame in d.frames)
    for frame in d.frames:
        element = f"frame {frame.name!r}"
        found.name("frame", frame.name, frame.source, twice)
        if frame.name in links and frame.name not in twice:
            found.error("duplicate-name", f"{element} has the name of a link", element, frame.source, frame.name)
        if frame.link not in links:
            hint = found.hint(frame.link, links)
            message = f"{element} is on unknown link {frame.link!r}{hint}"
            found.error("unknown-link", message, element, frame.source, frame.link)
        if not all_finite(frame.pose.ravel().tolist()):
            found.error("non-finite", f"pose of {element} is not finite", element, frame.source)
    check_poses([(f"frame {frame.name!r}", frame.pose, frame.source) for frame in d.frames], found)


def check_volumes(d: Description, found: Findings) -> None:
    """Volumes are on something that becomes a frame, and of a size that can be computed with."""
    known = {*(link.name for link in d.links), *(joint.name for joint in d.joints), *(frame.name for frame in d.frames)}
    for name, volumes in d.volumes.items():
        element = f"volumes of {name!r}"
        if name not in known:
            message = f"there are volumes of the unknown frame {name!r}{found.hint(name, known)}"
            found.error("unknown-frame", message, element, d.source, name)
        for number, volume in enumerate(volumes):
            size = max(float(np.abs(volume.vertices).max()), volume.radius)
            if size > MAX_MAGNITUDE:
                message = f"volume {number} of {name!r} has a number of size {size:.3g}, more than {MAX_MAGNITUDE:g}"
                found.error("volume", message, element, d.source, size)
