"""Which part of a robot's mass moves with a foot: m_l / m of the three-mass model."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize_scalar

from tarsus.arrays import FloatArray
from tarsus.dynamics import body_poses
from tarsus.walking.biped.biped import Biped
from tarsus.walking.biped.leg import carriers
from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion
from tarsus.walking.kineto_dynamics.planning_feedback import Piece, pieces

LARGEST = 0.3
"""Up to which is searched: legs that are heavier are no legs."""


def leg_ratio(biped: Biped) -> float:
    """Of the bodies of a leg the part that a straight leg moves with its foot, mean of both legs.

    A body at a share s of the way from hip to foot moves by s when the foot moves by 1: r = sum m_i s_i / m. With it
    the centre of mass of the three masses is that of the robot.
    """
    model = biped.model
    X, names = body_poses(model, biped.q), list(model.bodies)
    total = 0.0
    for leg in biped.legs:
        hip = model.joints[leg.joints[2]].child
        top = float(X[names.index(hip), 2, 3])
        for k, name in enumerate(names):
            if not any(model.bodies[body].joint in leg.joints for body in carriers(model, name)):
                continue
            inertia = model.bodies[name].inertia
            z = float(X[k, 2, :3] @ inertia.com + X[k, 2, 3])
            total += inertia.mass * min(max(1.0 - z / top, 0.0), 1.0)
    return total / (2.0 * model.total_mass)


def fitted_leg_ratio(motion: GeneratedMotion) -> float:
    """The ratio with which three masses on the feet foretell the divergent component of a motion best.

    Where their zero-moment point is off by dp from that of inverse dynamics, the divergent component is off by
    w int e^(w (t_end - t)) dp dt at the end of a step, which the next one has to make good: the sum of the squares of
    all steps is least. Places sideways count: there the motion sways about the feet, and diverges first (figure 5.21).
    """
    known = motion.known
    legs, leg_change = known.leg_masses(motion.times)
    dt = known.dt
    change = np.gradient(np.gradient(motion.com, dt, axis=0), dt, axis=0)
    pressure = motion.wrench.pressure
    g, height = known.biped.gravity, known.height
    w, t = math.sqrt(g / height), motion.times
    grown = np.array([_growth(piece, t, w) for piece in pieces(known)])

    def missed(r: float) -> float:
        p = _pressure(r, motion.com, change, legs, leg_change, height, g)
        return float(np.sum((grown @ (p - pressure)[:, 1] * dt) ** 2))

    return float(minimize_scalar(missed, bounds=(0.0, LARGEST), method="bounded", options={"xatol": 1e-5}).x)


def _growth(piece: Piece, times: FloatArray, w: float) -> FloatArray:
    """By how much an error of the pressure at times counts at the end of a piece, shape (n,) [1/s]."""
    inside = (times >= piece.start) & (times < piece.end)
    return np.where(inside, w * np.exp(w * (piece.end - np.clip(times, piece.start, piece.end))), 0.0)


def _pressure(
    r: float, com: FloatArray, change: FloatArray, legs: FloatArray, leg_change: FloatArray, height: float, g: float
) -> FloatArray:
    """Zero-moment point of masses of 1 kg together, shape (n, 2): sum m_i (x_i (z_i'' + g) - z_i x_i'') / F_z."""
    m_b, z_b = 1.0 - 2.0 * r, height / (1.0 - 2.0 * r)
    body = (com - r * legs[..., :2].sum(axis=1)) / m_b
    body_change = (change - r * leg_change[..., :2].sum(axis=1)) / m_b
    weight = leg_change[..., 2:] + g
    moment = m_b * (body * g - z_b * body_change)
    moment = moment + r * (legs[..., :2] * weight - legs[..., 2:] * leg_change[..., :2]).sum(axis=1)
    return np.asarray(moment / (m_b * g + r * weight.sum(axis=1)))
