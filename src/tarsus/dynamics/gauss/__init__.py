"""Gauss' principle of least constraint in any parametrisation, Bouyarmane and Kheddar 2012."""

from tarsus.dynamics.gauss.system import GaussSystem, gauss_system

__all__ = ["GaussSystem", "gauss_system"]
