"""Inertias of MJCF bodies and what the compiler settings do to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.io.mjcf.settings.compiler import Compiler
from tarsus.io.mjcf.settings.defaults import Element
from tarsus.io.mjcf.settings.orientation import compose, orientations_given, read_pose
from tarsus.io.urdf.shapes import IDENTITY
from tarsus.io.xml import Report, number
from tarsus.model.description import LinkSpec
from tarsus.spatial.inertia import Inertia


def read_inertial(element: Element, X_BF: FloatArray, compiler: Compiler, report: Report) -> Inertia:
    """Inertia of an <inertial> element that stands in frame F of its body B."""
    node = element.node
    mass = number(report, node, "mass", 0.0, required=True) or 0.0
    if node.get("pos") is None:
        report.error("missing-attribute", "<inertial> needs the attribute 'pos'", node)
    X_BC = compose(X_BF, read_pose(element, compiler, report))
    diagonal, full = element.numbers("diaginertia", 3), element.numbers("fullinertia", 6)
    if diagonal is not None and full is not None:
        report.error("several-inertias", "diaginertia and fullinertia exclude each other", node)
    if full is not None:
        if orientations_given(node):
            report.error("several-orientations", "fullinertia and an orientation exclude each other", node)
        xx, yy, zz, xy, xz, yz = full
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    elif diagonal is not None:
        moments = np.diag(diagonal)
    else:
        if node.get("diaginertia") is None and node.get("fullinertia") is None:
            report.warning("missing-inertia", "<inertial> has no moments of inertia", node)
        moments = np.zeros((3, 3))
    if X_BF is IDENTITY and not orientations_given(node):
        return Inertia(mass, X_BC[:3, 3], moments)
    return Inertia(mass, np.zeros(3), moments).in_frame(X_BC)


def balanced(inertia: Inertia | None, compiler: Compiler, position: FloatArray) -> Inertia | None:
    """Return the inertia within the bounds of boundmass, boundinertia and balanceinertia.

    What the bounds give to a body without an inertia has its centre of mass at `position` (3,), where MuJoCo puts it:
    the position of the body in its parent, taken as a position in the body.
    """
    if compiler.boundmass <= 0.0 and compiler.boundinertia <= 0.0 and not compiler.balanceinertia:
        return inertia
    given = Inertia(com=position) if inertia is None else inertia
    if not (np.isfinite(given.moments).all() and np.isfinite(given.mass)):
        return inertia
    moments = 0.5 * (given.moments + given.moments.T)
    principal, axes = np.linalg.eigh(moments)
    bounded = np.maximum(principal, compiler.boundinertia) if compiler.boundinertia > 0.0 else principal
    if compiler.balanceinertia and 2.0 * bounded.max() > bounded.sum():
        bounded = np.full(3, bounded.mean())
    if not np.array_equal(bounded, principal):
        moments = axes @ np.diag(bounded) @ axes.T
    return Inertia(max(given.mass, compiler.boundmass), given.com, moments)


def scaled_to(links: Iterable[LinkSpec], total: float) -> list[LinkSpec]:
    """Scale all masses and moments so that the masses add up to `total` [kg], where that is positive."""
    given = list(links)
    mass = sum(link.inertia.mass for link in given if link.inertia is not None)
    if total <= 0.0 or mass <= 0.0:
        return given
    factor = total / mass
    return [
        link
        if link.inertia is None
        else replace(link, inertia=Inertia(link.inertia.mass * factor, link.inertia.com, link.inertia.moments * factor))
        for link in given
    ]
