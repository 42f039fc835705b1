"""Mechanisms with loops that several tests share, opened, and their constraints."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints import Constraint, LoopJoint, Rod
from tarsus.spatial import pose, rotation_matrix_from_rotation_vector

IN_PLANE = (0.0, -1.0, 0.0)
"""Axis of hinges of mechanisms in the plane x-z, about which angles grow from x to z."""


def rod(length: float, mass: float = 1.0) -> ts.Inertia:
    """A bar along x from the origin."""
    return ts.Inertia.of_box(mass, (length, 0.03, 0.05), com=(length / 2.0, 0.0, 0.0))


@dataclass(frozen=True)
class FourBar:
    """Planar four-bar: crank and rocker on the ground, the coupler on the crank; lengths and masses by name."""

    ground: float = 1.0
    crank: float = 0.4
    coupler: float = 1.1
    rocker: float = 0.8
    masses: tuple[float, float, float] = (1.0, 2.0, 1.5)

    @property
    def lengths(self) -> tuple[float, float, float]:
        return self.crank, self.coupler, self.rocker

    def builder(self, order: Sequence[int] = (0, 1, 2)) -> ts.ModelBuilder:
        """`order` is the one in which the joints are added."""
        builder = ts.ModelBuilder("four-bar").add_link("ground")
        for name, length, mass in zip(("crank", "coupler", "rocker"), self.lengths, self.masses, strict=True):
            builder.add_link(name, rod(length, mass))
        joints = (
            ("crank_joint", "ground", "crank", (0.0, 0.0, 0.0)),
            ("coupler_joint", "crank", "coupler", (self.crank, 0.0, 0.0)),
            ("rocker_joint", "ground", "rocker", (self.ground, 0.0, 0.0)),
        )
        for index in order:
            name, parent, child, position = joints[index]
            builder.add_joint(name, "revolute", parent, child, axis=IN_PLANE, position=position)
        return builder

    def model(self) -> ts.Model:
        return self.builder().build()

    def closure(self, kind: str = "revolute", name: str = "pin") -> LoopJoint:
        return LoopJoint(
            "coupler", "rocker", kind, axis=IN_PLANE, name=name,
            pose_a=pose((self.coupler, 0.0, 0.0)), pose_b=pose((self.rocker, 0.0, 0.0)),
        )  # fmt: skip

    def angles(self, crank: float) -> FloatArray:
        """Absolute angles of the three bars, the open branch, by the triangle that crank tip and rocker pivot make."""
        tip = self.crank * np.array([np.cos(crank), np.sin(crank)])
        d = np.array([self.ground, 0.0]) - tip
        distance = np.hypot(*d)
        inner = np.arccos((self.coupler**2 + distance**2 - self.rocker**2) / (2.0 * self.coupler * distance))
        coupler = np.arctan2(d[1], d[0]) + inner
        end = tip + self.coupler * np.array([np.cos(coupler), np.sin(coupler)]) - [self.ground, 0.0]
        return np.array([crank, coupler, np.arctan2(end[1], end[0])])

    def configuration(self, crank: float) -> FloatArray:
        a = self.angles(crank)
        return np.array([a[0], a[1] - a[0], a[2]])

    def rates(self, crank: float) -> FloatArray:
        """d(angles)/d(crank), from the derivative of crank + coupler = ground + rocker."""
        a, (l1, l2, l3) = self.angles(crank), self.lengths
        s = np.sin(a[1] - a[2])
        return np.array([1.0, -l1 * np.sin(a[0] - a[2]) / (l2 * s), l1 * np.sin(a[1] - a[0]) / (l3 * s)])

    def velocity(self, crank: float, rate: float) -> FloatArray:
        r = self.rates(crank) * rate
        return np.array([r[0], r[1] - r[0], r[2]])

    def second_rates(self, crank: float) -> FloatArray:
        """d2(angles)/d(crank)2, from the second derivative of the same equation."""
        a, r, (l1, l2, l3) = self.angles(crank), self.rates(crank), self.lengths
        # l2 a2'' n(a2) - l3 a3'' n(a3) = l1 e(a1) + l2 a2'^2 e(a2) - l3 a3'^2 e(a3), n perpendicular to e
        e = np.array([np.cos(a), np.sin(a)])
        rhs = l1 * e[:, 0] + l2 * r[1] ** 2 * e[:, 1] - l3 * r[2] ** 2 * e[:, 2]
        s = np.sin(a[1] - a[2])
        return np.array([0.0, -(rhs @ e[:, 2]) / (l2 * s), -(rhs @ e[:, 1]) / (l3 * s)])

    def crank_acceleration(self, crank: float, rate: float, torque: float, gravity: float = 9.81) -> float:
        """The equation of motion in the crank angle: virtual power of all bars."""
        r, rr = self.rates(crank), self.second_rates(crank)
        inertia, force = 0.0, torque
        l1 = self.crank
        a = self.angles(crank)
        e = np.array([np.cos(a), np.sin(a)]).T
        n = np.array([-np.sin(a), np.cos(a)]).T
        tip = l1 * n[0], -l1 * e[0]  # d(tip)/d(crank), d2(tip)/d(crank)2
        for k, (length, mass) in enumerate(zip(self.lengths, self.masses, strict=True)):
            bar = rod(length, mass)
            base = tip if k == 1 else (np.zeros(2), np.zeros(2))
            dc = base[0] + length / 2.0 * r[k] * n[k]
            ddc = base[1] + length / 2.0 * (rr[k] * n[k] - r[k] ** 2 * e[k])
            moment = bar.moments[1, 1]
            inertia += mass * dc @ dc + moment * r[k] ** 2
            force -= (mass * dc @ ddc + moment * r[k] * rr[k]) * rate**2 + mass * gravity * dc[1]
        return float(force / inertia)


def point_pendulum() -> tuple[ts.Model, list[Constraint]]:
    """Point mass 1 kg in the plane x-z on a rod of 1 m, Buschmann 2014 figure 3.10: q = (x, z)."""
    builder = ts.ModelBuilder("pendulum").add_link("ground").add_link("slide", virtual=True)
    builder.add_link("mass", ts.Inertia.of_sphere(1.0, 1e-3))
    builder.add_joint("x", "prismatic", "ground", "slide", axis=(1, 0, 0))
    builder.add_joint("z", "prismatic", "slide", "mass", axis=(0, 0, 1))
    return builder.build(), [Rod("world", "mass", length=1.0, name="rod")]


def bennett(a: float = 1.0, b: float = 0.7, twist: float = 0.9) -> tuple[ts.Model, list[Constraint]]:
    """Bennett's linkage: four hinges in space whose loop moves although it has more constraints than freedoms.

    Lengths a, b and twists alpha, beta of opposite sides are equal, and sin(alpha) / a = sin(beta) / b (Bennett 1903).
    The first bar is the ground; the fourth hinge is the loop.
    """
    beta = np.arcsin(b * np.sin(twist) / a)
    sides = [(a, twist), (b, beta), (a, twist), (b, beta)]
    builder = ts.ModelBuilder("bennett", gravity=(0.0, 0.0, 0.0)).add_link("bar0")
    steps = [pose((s, 0, 0), rotation_matrix_from_rotation_vector([angle, 0, 0])) for s, angle in sides]
    for k in range(1, 4):
        builder.add_link(f"bar{k}", rod(sides[k][0]))
        builder.add_joint(f"hinge{k}", "revolute", f"bar{k - 1}", f"bar{k}", pose=steps[k - 1])
    loop = LoopJoint("bar3", "bar0", "revolute", pose_a=steps[3], name="hinge4")
    return builder.build(), [loop]


def bennett_configuration(model: ts.Model, loop: list[Constraint]) -> FloatArray:
    """Some closed configuration."""
    return ts.project_position(model, [-2.0, -1.3, -2.0], loop, metric="plain")
