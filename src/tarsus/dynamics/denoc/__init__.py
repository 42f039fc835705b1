"""Decoupled natural orthogonal complement (DeNOC) of a tree, after Shah, Saha and Dutt."""

from tarsus.dynamics.denoc.matrices import (
    DenocFactors,
    DenocMatrices,
    convective_inertia,
    denoc_factors,
    denoc_mass_matrix,
    denoc_matrices,
)

__all__ = [
    "DenocFactors",
    "DenocMatrices",
    "convective_inertia",
    "denoc_factors",
    "denoc_mass_matrix",
    "denoc_matrices",
]
