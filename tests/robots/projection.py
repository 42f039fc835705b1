"""Driven robots from their spanning trees: every body with its own Jacobian, projected by the couplings."""

import numpy as np
from dynamics.oracle import Oracle, evaluate

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.model.assembly import assemble


def projected_mass_matrix(model: ts.Model, q: FloatArray) -> FloatArray:
    """Sum over all bodies of (J G)^T M (J G) with Jacobians J of the tree whose joints are all free, in NumPy."""
    bodies = _tree(model, q, np.zeros(model.nv))
    J = bodies.jacobians @ model.coupling_matrix(q)
    return np.einsum("bij,bik,bkl->jl", J, bodies.inertias, J)


def projected_bias_force(model: ts.Model, q: FloatArray, v: FloatArray) -> FloatArray:
    """Weight, centrifugal and gyroscopic forces of all bodies of the tree, projected by G; gears have a constant G."""
    return model.coupling_matrix(q).T @ _tree(model, q, v).bias_force


def _tree(model: ts.Model, q: FloatArray, v: FloatArray) -> Oracle:
    tree = assemble(model.description, couplings="cut")
    return evaluate(tree, model.joint_positions(q), model.coupling_matrix(q) @ v)
