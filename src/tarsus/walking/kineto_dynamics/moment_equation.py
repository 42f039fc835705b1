"""The horizontal contact moment as an equation of accelerations (Buschmann 2014, (5.84)-(5.89))."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray


class Centroid(NamedTuple):
    """Momentum of a robot at one state.

    Attributes
    ----------
    mass : float
        m [kg].
    gravity : float
        g, downwards [m/s^2].
    com, com_rate : ndarray, shape (3,)
        Centre of mass [m], and its velocity [m/s].
    matrix : ndarray, shape (6, nv)
        Of `tarsus.momentum_matrix`: m J_C over J_L.
    rate : ndarray, shape (6,)
        Of `tarsus.momentum_dot_v`: what momentum changes by without accelerations.
    """

    mass: float
    gravity: float
    com: FloatArray
    com_rate: FloatArray
    matrix: FloatArray
    rate: FloatArray


class MomentEquation(NamedTuple):
    """A vdot + B w_u'' + c = T (5.89): horizontal moment of the contact about a point, w_u = (x_C, y_C).

    Here c is without T, which (5.89) counts in.

    Attributes
    ----------
    A : ndarray, shape (2, nv)
        Rows of J_L.
    scale : float
        m z_C, z_C above the point: B = ((0, -m z_C), (m z_C, 0)).
    c : ndarray, shape (2,)
        [N m].
    """

    A: FloatArray
    scale: float
    c: FloatArray

    def inverse(self, moment: FloatArray) -> FloatArray:
        """B^-1 times two rows of anything."""
        return np.array([moment[1], -moment[0]]) / self.scale

    def moment_of(self, acceleration: FloatArray) -> FloatArray:
        """B times an acceleration of the centre of mass, shape (2,)."""
        return np.array([-self.scale * acceleration[1], self.scale * acceleration[0]])

    def moment(self, vdot: FloatArray, acceleration: FloatArray) -> FloatArray:
        """T of a motion, shape (2,) [N m]: inverse dynamics of what touches the ground."""
        return np.asarray(self.A @ vdot + self.moment_of(acceleration) + self.c)


def moment_equation(centroid: Centroid, lift: float, point: FloatArray, heading: FloatArray) -> MomentEquation:
    """The two horizontal rows of (5.87), with the centre of mass told from a point.

    Parameters
    ----------
    lift : float
        z_C'' [m/s^2].
    point : ndarray, shape (3,)
        r_F, about which the moment is told [m].
    heading : ndarray, shape (2, 2)
        R of the frame that turns with the upper body: moments and horizontal accelerations are told in its axes.
    """
    x, y, z = centroid.com - point
    weight = centroid.mass * (centroid.gravity + lift)
    c = centroid.rate[3:5] + np.array([y * weight, -x * weight])
    return MomentEquation(heading.T @ centroid.matrix[3:5], centroid.mass * float(z), heading.T @ c)
