"""Shapes and their meshes, hulls, mass properties, surfaces and distances: bodies without joints."""
