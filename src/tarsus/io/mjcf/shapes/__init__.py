"""Geoms, meshes and materials."""
