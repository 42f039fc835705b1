"""Formulations with the parameters of the base's rotation: Bouyarmane and Kheddar 2012 (36), (37), (38).

Variables are xddot, the second derivatives of all parameters, the torques u and the contact forces y:

    M xddot + N xdot = gravity + G^T (u; F y)                  (24), three parameters            (36)
    A (M xddot + N xdot) = A (gravity + G^T (u; F y)), (30)    the multiplier eliminated          (37)
    M xddot + N xdot = gravity + G^T (u; F y) + C_x^T lambda, (30)    the multiplier a variable   (38)

The programs of the paper minimise over the accelerations (printed: over the velocities). (35) has 3 + d + m rows of
rank 6 + m: what depends on other rows is found by `eliminated_rows`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.control.whole_body.formulation import Unknowns, force_unit, selection
from tarsus.control.whole_body.terms import Terms
from tarsus.dynamics.gauss.motion import SystemMotion
from tarsus.dynamics.gauss.system import GaussSystem
from tarsus.errors import ArgumentError


def three_parameters(terms: Terms, driven: BoolArray, system: GaussSystem) -> Unknowns:
    """(36): the equation of motion as it is, for parametrisations without constraints of their own."""
    if system.nc:
        raise ArgumentError(
            f"method 'three-parameters' is for parametrisations without constraints; found {system.nc} of them: "
            "'eliminated' and 'multiplier' hold for all"
        )
    return _unknowns(terms, driven, system, _Form(projected=False, multiplier=False))


def eliminated(terms: Terms, driven: BoolArray, system: GaussSystem) -> Unknowns:
    """(37): the multiplier of redundant parameters eliminated by the projector A (34)."""
    return _unknowns(terms, driven, system, _Form(projected=True, multiplier=False))


def multiplier(terms: Terms, driven: BoolArray, system: GaussSystem) -> Unknowns:
    """(38): the multiplier of redundant parameters as a further variable."""
    return _unknowns(terms, driven, system, _Form(projected=False, multiplier=True))


class _Form(NamedTuple):
    projected: bool
    multiplier: bool


def _unknowns(terms: Terms, driven: BoolArray, system: GaussSystem, form: _Form) -> Unknowns:
    """Variables (xddot, u, y, lambda); forces are counted in units of the largest generalised force at rest."""
    x = system.parameters(terms.q)
    at = SystemMotion(system.parts, system.grasps, x, system.rates(x, terms.v))
    at.refuse_singular()
    unit = force_unit(terms)
    C_x = at.constraint_jacobian
    sizes = system.nx, int(driven.sum()), terms.F.shape[1], len(C_x) if form.multiplier else 0
    ends = np.cumsum(sizes)
    n = int(ends[-1])
    motion = np.hstack([at.M, -unit * at.G.T[:, driven], -unit * at.G.T @ terms.F, -unit * C_x.T[:, : sizes[3]]])
    forces = at.G.T @ terms.passive - at.bias
    if form.projected:
        A = _projector(C_x)
        motion, forces = A @ motion, A @ forces
    xddot, u, y, multiplier = (selection(int(end) - size, int(end), n) for end, size in zip(ends, sizes, strict=True))
    E = np.vstack([motion, terms.C @ at.G @ xddot, C_x @ xddot])
    e = np.concatenate([forces, terms.c - terms.C @ at.v_drift, -at.constraint_drift])
    return Unknowns(
        vdot=(at.G @ xddot, at.v_drift),
        tau=(unit * u, np.zeros(sizes[1])),
        y=(unit * y, np.zeros(sizes[2])),
        E=E,
        e=e,
        multiplier=(unit * multiplier, np.zeros(sizes[3])) if form.multiplier else None,
    )


def _projector(C_x: FloatArray) -> FloatArray:
    """A = 1 - C_x^T (C_x C_x^T)^-1 C_x, (34) for any number of constraints."""
    n = C_x.shape[1]
    return np.asarray(np.eye(n) - C_x.T @ np.linalg.solve(C_x @ C_x.T, C_x)) if len(C_x) else np.eye(n)
