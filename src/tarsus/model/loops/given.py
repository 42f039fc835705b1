"""Loops, leading joints and a reference that a person gives beside a model: by frames, not by links and poses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError, UnknownNameError, nearest
from tarsus.model.coupling import Loop, Source
from tarsus.model.description import Description, PoseValues
from tarsus.model.loops.conditions import SUPPORTED
from tarsus.model.tree import root_links
from tarsus.spatial.pose import pose

DEFAULT_KIND = "spherical"
"""Two points that coincide."""
WORLD = "world"
_NOWHERE = Source()

FramePair = tuple[str, str] | tuple[str, str, str]
"""Two frames, and the kind of the joint between them where it is not a ball."""


class GivenLoops(NamedTuple):
    """What was given.

    Attributes
    ----------
    loops : tuple of Loop or mapping
        Mappings have the keys of `loop_between`.
    independent : tuple of str
        Joints that lead.
    reference : PoseValues
    """

    loops: tuple[Loop | Mapping[str, Any], ...] = ()
    independent: tuple[str, ...] = ()
    reference: Mapping[str, Any] = {}


def loop_between(
    description: Description,
    frame_a: str,
    frame_b: str,
    kind: str = DEFAULT_KIND,
    *,
    name: str | None = None,
    axis: npt.ArrayLike = (0.0, 0.0, 1.0),
    axis2: npt.ArrayLike = (0.0, 1.0, 0.0),
    position_a: npt.ArrayLike | None = None,
    position_b: npt.ArrayLike | None = None,
    tolerance: float = 1e-3,
    independent: Sequence[str] = (),
    source: Source = _NOWHERE,
) -> Loop:
    """A loop joint between two frames of a description.

    Parameters
    ----------
    frame_a, frame_b : str
        Links or frames; "world" where the root is fixed to it.
    kind : str
        Of the joint: "spherical" (the origins coincide), "revolute" (and the axes), "fixed" (and all axes), ...
    name : str, optional
        The names of both frames by default.
    axis, axis2 : array_like, shape (3,)
        Of the joint, in frame a and, with the frames coinciding, in frame b.
    position_a, position_b : array_like, shape (3,), optional
        Points beside the origins of the frames, in their axes [m].
    """
    if kind not in SUPPORTED:
        raise ArgumentError(
            f"a loop is closed by one of {', '.join(SUPPORTED)}, not by {kind!r}{nearest(kind, SUPPORTED)}"
        )
    (link_a, X_A), (link_b, X_B) = (_on_link(description, frame) for frame in (frame_a, frame_b))
    taken = {loop.name for loop in description.loops}
    label = f"{frame_a} to {frame_b}" if name is None else name
    if not isinstance(label, str) or not label:
        raise ArgumentError(f"a loop needs a text as its name, not {name!r}")
    if label in taken:
        raise ArgumentError(f"there is a loop named {label!r} already; give this one another name")
    first, second = (_triple(what, value, label) for what, value in (("axis", axis), ("axis2", axis2)))
    X_A, X_B = (
        X @ pose(_triple(what, value, label)) if value is not None else X
        for X, what, value in ((X_A, "position_a", position_a), (X_B, "position_b", position_b))
    )
    leaders = _names(independent, f"independent of loop {label!r}")
    return Loop(label, kind, link_a, link_b, X_A, X_B, first, (), source, leaders, second, 0.0, float(tolerance))


def with_given(description: Description, given: GivenLoops) -> Description:
    """The description with loops added, leading joints told to all its loops, and the reference changed.

    Raises
    ------
    ArgumentError
        For anything that is not what it should be; it names the loop, joint or frame.
    """
    for entry in given.loops:
        loop = entry if isinstance(entry, Loop) else loop_between(description, **_keywords(entry))
        if any(other.name == loop.name for other in description.loops):
            raise ArgumentError(f"there is a loop named {loop.name!r} already; give this one another name")
        description = replace(description, loops=(*description.loops, loop))
    if given.independent:
        description = led_by(description, given.independent)
    if given.reference:
        reference = {**description.reference, **pose_values(description, given.reference)}
        description = replace(description, reference=reference)
    return description


def as_given(
    loops: Iterable[Loop | Mapping[str, Any] | FramePair] = (),
    independent: Sequence[str] = (),
    reference: Mapping[str, npt.ArrayLike] | None = None,
) -> GivenLoops:
    """What a person wrote, in one form."""
    if isinstance(loops, Mapping | Loop):
        loops = (loops,)
    entries: list[Loop | Mapping[str, Any]] = []
    for entry in loops:
        if isinstance(entry, Loop | Mapping):
            entries.append(entry)
        elif isinstance(entry, tuple | list) and len(entry) in (2, 3) and all(isinstance(x, str) for x in entry):
            entries.append(dict(zip(("frame_a", "frame_b", "kind"), entry, strict=False)))
        else:
            raise ArgumentError(
                f"loops has the entry {entry!r}; expected two frames, two frames and a kind, a mapping, or a Loop"
            )
    if reference is not None and not isinstance(reference, Mapping):
        raise ArgumentError(f"reference is {reference!r}; expected coordinates by joint, {{name: number}}")
    return GivenLoops(tuple(entries), _names(independent, "independent"), dict(reference or {}))


def led_by(description: Description, joints: Sequence[str]) -> Description:
    """The description with joints that shall lead the loops they are in."""
    known = [joint.name for joint in description.joints]
    for name in joints:
        if name not in known:
            raise UnknownNameError(f"joint {name!r} of independent not found{nearest(name, known)}")
    if not description.loops:
        raise ArgumentError("independent names joints that lead loops, and this model has none")
    loops = (
        replace(loop, independent=tuple(joints)) if loop.kind != "polynomial" else loop for loop in description.loops
    )
    return replace(description, loops=tuple(loops))


def pose_values(description: Description, values: Mapping[str, npt.ArrayLike]) -> PoseValues:
    """Coordinates by joint as numbers and tuples; see `PoseValues`."""
    known = {joint.name for joint in description.joints}
    result: PoseValues = {}
    for name, value in values.items():
        if name not in known and not str(name).startswith("base."):
            raise UnknownNameError(f"joint {name!r} of reference not found{nearest(str(name), known)}")
        numbers = _numbers(f"reference of joint {name!r}", value)
        result[name] = float(numbers) if numbers.ndim == 0 else tuple(numbers.ravel().tolist())
    return result


def _on_link(description: Description, frame: str) -> tuple[str, FloatArray]:
    """Link and pose X_LF of a link or frame."""
    links = {link.name for link in description.links}
    if frame in links:
        return frame, np.eye(4)
    for spec in description.frames:
        if spec.name == frame:
            return spec.link, np.array(spec.pose)
    if frame == WORLD and description.base == "fixed":
        return root_links(description)[0], np.eye(4)
    known = [*links, *(spec.name for spec in description.frames)]
    hint = "; its root is not fixed to the world" if frame == WORLD else nearest(str(frame), known)
    raise UnknownNameError(f"frame {frame!r} of a loop not found{hint}")


_KEYS = (
    "frame_a", "frame_b", "kind", "name", "axis", "axis2", "position_a", "position_b", "tolerance", "independent",
    "source",
)  # fmt: skip


def _keywords(entry: Mapping[str, Any]) -> dict[str, Any]:
    given = dict(entry)
    frames = given.pop("frames", None)
    if frames is not None:
        if not isinstance(frames, list | tuple) or len(frames) != 2:
            raise ArgumentError(f"frames of a loop are {frames!r}; expected two names")
        given |= {"frame_a": frames[0], "frame_b": frames[1]}
    for key in given:
        if key not in _KEYS:
            raise UnknownNameError(f"a loop has no {key!r}{nearest(str(key), ('frames', *_KEYS))}")
    for key in ("frame_a", "frame_b"):
        if key not in given:
            raise ArgumentError(f"a loop needs two frames; found {dict(entry)!r}")
    return given


def _names(value: Sequence[str], what: str) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    if not all(isinstance(name, str) for name in names):
        raise ArgumentError(f"{what} is {value!r}; expected names of joints")
    return names


def _numbers(what: str, value: npt.ArrayLike) -> FloatArray:
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise DtypeError(f"{what} is {value!r}; expected numbers") from None
    if not np.isfinite(numbers).all():
        raise NonFiniteError(f"{what} is {value!r}; expected finite numbers")
    return numbers


def _triple(what: str, value: npt.ArrayLike, loop: str) -> tuple[float, float, float]:
    numbers = _numbers(f"{what} of loop {loop!r}", value)
    if numbers.shape != (3,):
        raise ShapeError(f"{what} of loop {loop!r} has shape {numbers.shape}, expected (3,)")
    return float(numbers[0]), float(numbers[1]), float(numbers[2])
