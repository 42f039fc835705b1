"""Surfaces as the tables that the native core reads, and their distances from points."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.contact.ground import Block, Plane, Surface
from tarsus.contact.laws.native_law import law_number, law_parameters
from tarsus.contact.triangle_mesh import TriangleMesh
from tarsus.geometry.solid_mesh import SolidMesh

_SURFACES = _native.enumeration("SurfaceKind")


def surface_distances(surfaces: tuple[Surface, ...], p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Signed distances (n,) of points p (n, 3) to the nearest surface and normals out of it (n, 3), world axes [m].

    Where surfaces overlap, the one counts that a point is deepest in.
    """
    gap, normal = _native.surface_distances(surface_tables(surfaces), np.ascontiguousarray(p, dtype=float))
    return gap, normal


def surface_tables(surfaces: tuple[Surface, ...]) -> dict[str, Any]:
    """Tables of all surfaces and their laws."""
    kinds, data, heights, meshes = [], [], [], []
    for surface in surfaces:
        pose, grid = np.eye(4), (0, 0)
        half: tuple[float, ...] = (0.0, 0.0, 0.0)
        velocity, spin = np.zeros(3), 0.0
        if isinstance(surface, Plane):
            kind, pose = _SURFACES["half-space"], surface.pose
        elif isinstance(surface, Block):
            kind, pose = _SURFACES["box"], np.asarray(surface.pose)
            half = tuple(0.5 * s for s in surface.size)
        elif isinstance(surface, TriangleMesh):
            kind, grid = _SURFACES["triangle-mesh"], (len(surface.solid.corner), surface.solid.leaves)
            meshes.append(surface.solid)
        else:
            kind, values = _SURFACES["height-field"], np.asarray(surface.heights)
            pose[:2, 3] = surface.origin
            grid = (values.shape[1], values.shape[0])
            half = (0.5 * surface.spacing * (grid[0] - 1), 0.5 * surface.spacing * (grid[1] - 1), float(values.max()))
            heights.append(values.ravel())
        if isinstance(surface, Plane | Block):
            velocity, spin = np.asarray(surface.velocity), surface.spin
        kinds.append((kind, law_number(surface.law), *grid))
        data.append((*pose[:3, :3].T.ravel(), *pose[:3, 3], *half, *velocity, *(spin * pose[:3, 2])))
    height = np.concatenate(heights) if heights else np.zeros(0)
    return {
        "surfaces": len(surfaces),
        "surface_kind": np.array(kinds, dtype=np.int32).reshape(-1),
        "surface_data": np.array(data, dtype=float).reshape(-1),
        "law_parameters": np.array([law_parameters(surface.law) for surface in surfaces]).reshape(-1),
        "heights": len(height),
        "height": np.ascontiguousarray(height),
        **_mesh_tables(meshes),
    }


def _mesh_tables(meshes: list[SolidMesh]) -> dict[str, Any]:
    def joined(parts: list[Any], dtype: type) -> Any:
        return np.concatenate([np.ravel(part) for part in parts] or [np.zeros(0)]).astype(dtype)

    return {
        "triangles": sum(len(mesh.corner) for mesh in meshes),
        "tree_nodes": sum(len(mesh.box) for mesh in meshes),
        "triangle_corner": joined([mesh.corner for mesh in meshes], np.float64),
        "triangle_normal": joined([mesh.normal for mesh in meshes], np.float64),
        "triangle_rim": joined([mesh.rim for mesh in meshes], np.int32),
        "tree_box": joined([mesh.box for mesh in meshes], np.float64),
    }
