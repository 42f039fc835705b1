"""Decoupled natural orthogonal complement (DeNOC) of a tree, after Shah, Saha and Dutt."""

from tarsus.dynamics.denoc.convective_inertia import convective_inertia
from tarsus.dynamics.denoc.factors import DenocFactors, denoc_factors
from tarsus.dynamics.denoc.matrices import DenocMatrices, denoc_mass_matrix, denoc_matrices

__all__ = [
    "DenocFactors",
    "DenocMatrices",
    "convective_inertia",
    "denoc_factors",
    "denoc_mass_matrix",
    "denoc_matrices",
]
