"""The two feet of a biped: the bodies that reach lowest, or those that somebody names."""

from __future__ import annotations

from collections.abc import Sequence

from tarsus.arrays import FloatArray
from tarsus.contact import Contactor, contactors
from tarsus.errors import ArgumentError
from tarsus.ik.feet import REACHING, Foot, find_feet, foot_heights
from tarsus.model import Model
from tarsus.simulation.argument_kinds import check_list
from tarsus.walking.biped.leg import carriers

OTHERS = " Where others are meant, name their bodies by feet="


def touching(model: Model, names: Sequence[str] | None) -> tuple[Contactor, ...] | None:
    """What feet that somebody names touch with; None where nobody does: everything."""
    if names is None:
        return None
    check_list("feet", names, "the names of two different bodies")
    if len(names) != 2 or not all(isinstance(name, str) for name in names) or names[0] == names[1]:
        raise ArgumentError(f"feet is {names!r}; expected the names of two different bodies")
    _ = [model.bodies[name] for name in names]  # unknown names raise
    return contactors(model, [body for body in model.bodies if set(names) & set(carriers(model, body))])


def two_feet(model: Model, down: FloatArray, names: Sequence[str] | None) -> list[Foot]:
    """The two feet, each with a sole.

    Parameters
    ----------
    down : ndarray, shape (nq,)
        Legs stretched down, soles level.
    names : sequence of two str, optional
        Bodies of the feet, in any order; those that reach lowest by default.

    Raises
    ------
    ArgumentError
        Where there are fewer or more, where one has no sole, and where what is named is no foot.
    """
    found = find_feet(model, down, touching(model, names))
    if names is not None:
        _check_named(model, found, names)
    others = "" if names is not None else OTHERS
    if len(found) != 2:
        count = f"1 foot{_next(model, down, found[0], names)}" if len(found) == 1 else f"{len(found)} feet"
        raise ArgumentError(
            f"{model.name!r} reaches lowest with {', '.join(repr(foot.body) for foot in found)}: {count}; a "
            f"biped has two.{others}"
        )
    for foot in found:
        if not foot.flat:
            raise ArgumentError(
                f"{model.name!r} reaches lowest with {found[0].body!r} and {found[1].body!r}, and {foot.body!r} stands "
                "on a point or an edge with all joints at 0; ankles that balance need a sole with length and width, "
                f"level there or by a turn of the ankle.{others}"
            )
    return list(found)


def _check_named(model: Model, found: Sequence[Foot], names: Sequence[str]) -> None:
    """Refuse names of bodies of one leg, and of those that do not touch the ground themselves, such as shins."""
    for name, other in (names, names[::-1]):
        if other in carriers(model, name):
            raise ArgumentError(f"feet names {other!r} and {name!r} of {model.name!r}, which the former carries; "
                                "expected the last bodies of both legs")  # fmt: skip
    for foot in found:
        if foot.body not in names:
            above = next(body for body in carriers(model, foot.body) if body in names)
            raise ArgumentError(
                f"feet names {above!r} of {model.name!r}, which reaches the ground with {foot.body!r}, a body that it "
                "carries; expected the bodies that touch the ground themselves, the last ones of both legs"
            )


def _next(model: Model, down: FloatArray, foot: Foot, names: Sequence[str] | None) -> str:
    """How far above the only foot the next limb ends, of those that are named; empty where there is none."""
    limb = {body for body in model.bodies if foot.body in carriers(model, body)} | set(carriers(model, foot.body))
    meant = [body for body in model.bodies if names is None or set(names) & set(carriers(model, body))]
    rest = contactors(model, [body for body in meant if body not in limb])
    if not rest:
        return ""
    other = find_feet(model, down, rest)[0]
    low, high = foot_heights(model, down, [foot, other])
    return (
        f", and {other.body!r} is {1e3 * (high - low):.3g} mm higher with legs stretched, where {REACHING:.1%} of "
        "its height are allowed"
    )
