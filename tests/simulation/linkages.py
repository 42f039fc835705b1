"""Small mechanisms that tests of constraints share."""

import numpy as np

import tarsus as ts
from tarsus.model import Loop


def four_bar(couplings):
    """Crank 0.4 m, coupler 1.1 m, rocker 0.8 m, ground 1.0 m, in the plane x-z; the loop closes in space."""
    b = ts.ModelBuilder("four-bar").add_link("ground")
    hinge = dict(axis=(0, -1, 0))
    for name, length in (("crank", 0.4), ("coupler", 1.1), ("rocker", 0.8)):
        b.add_link(name, ts.Inertia.of_box(1.0, (length, 0.03, 0.05), com=(length / 2, 0, 0)))
    b.add_joint("a", "revolute", "ground", "crank", **hinge)
    b.add_joint("b", "revolute", "crank", "coupler", position=(0.4, 0, 0), **hinge)
    b.add_joint("c", "revolute", "ground", "rocker", position=(1.0, 0, 0), **hinge)
    b.add_loop(Loop("pin", "spherical", "coupler", "rocker", ts.pose((1.1, 0, 0)), ts.pose((0.8, 0, 0))))
    return b.build(couplings=couplings)


def turning_four_bar(rate):
    """The four-bar of a spanning tree with its loop, and a closed start at which the crank turns."""
    model = four_bar("cut")
    loop = ts.loop_constraints(model)
    reduced = four_bar("reduce")
    q = ts.project_position(model, reduced.joint_positions(reduced.reference), loop)
    J = ts.constraint_rows(model, q, np.zeros(3), loop).jacobian
    v = np.linalg.lstsq(np.vstack([J, [1, 0, 0]]), np.array([0, 0, 0, rate]), rcond=None)[0]
    return model, loop, q, v


def ball(mass=1.0, radius=0.1):
    """A free sphere."""
    return ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(mass, radius)).build()
