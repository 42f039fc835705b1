"""Driven robots from their spanning trees: every body with its own Jacobian, projected by the couplings."""

import numpy as np
from dynamics.oracle import evaluate

import tarsus as ts
from tarsus.model.assembly import assemble
from tarsus.spatial.pose import FloatArray


def projected_mass_matrix(model: ts.Model, q: FloatArray) -> FloatArray:
    """Sum over all bodies of (J G)^T M (J G) with Jacobians J of the tree whose joints are all free, in NumPy."""
    tree = assemble(model.description, couplings="cut")
    bodies = evaluate(tree, model.joint_positions(q), np.zeros(tree.nv))
    J = bodies.jacobians @ model.coupling_matrix(q)
    return np.einsum("bij,bik,bkl->jl", J, bodies.inertias, J)
