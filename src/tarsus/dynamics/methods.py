"""Which methods functions of dynamics have, and which algorithm a method is on a given model."""

from __future__ import annotations

from tarsus import _native
from tarsus.errors import UnknownNameError, nearest
from tarsus.model.model import Model


def methods(function: str) -> tuple[str, ...]:
    """Return the names that ``method=`` of a function takes, the default first.

    Parameters
    ----------
    function : {"forward_dynamics", "inverse_dynamics", "constrained_dynamics"}
    """
    return tuple(_paths(function))


def method_path(model: Model, method: str, function: str = "forward_dynamics") -> str:
    """Return the method whose algorithm really runs on this model.

    On a tree every method is an algorithm of its own. Where joints depend on others (mimic joints, gears, loops),
    forward dynamics by "denoc" and "gauss", which are defined on trees, is that of "composite-body": the mass matrix of
    the tree reduced to independent coordinates, and its Cholesky factor. "articulated-body" then eliminates clusters of
    joints; "newton-euler" reduces the mass matrix that it gets from global Jacobians, and the two sparse methods
    factorise the reduced matrix along its elimination tree.

    Parameters
    ----------
    model : Model
    method : str
    function : str

    Returns
    -------
    str
        `method` itself, or the name of another one.

    Raises
    ------
    UnknownNameError
        Where the function has no such method.
    """
    paths = _paths(function)
    if method not in paths:
        raise UnknownNameError(f"method {method!r} of {function} is not known{nearest(method, tuple(paths))}")
    coupled = model.nv != sum(joint.nv for joint in model.joints.values())
    return paths[method] if coupled else method


def _paths(function: str) -> dict[str, str]:
    """Methods of a function, each with the one whose way it goes where joints depend on others."""
    try:
        return _native.methods(function)
    except KeyError:
        raise UnknownNameError(f"function {function!r} has no methods") from None
