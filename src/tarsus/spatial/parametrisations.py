"""The parametrisations of rotations by name, and conversion between any two of them.

===================  ====  ===========  ==============================================  ======================
name                 size  constraints  parameters                                      singular
===================  ====  ===========  ==============================================  ======================
"quaternion"         4     1            w, x, y, z; also "euler-parameters"             never
"rotation-matrix"    9     6            entries of R_AB, row by row                     never
"axis-angle"         4     1            u_x, u_y, u_z, phi                              full turns, 0 included
"rotation-vector"    3     0            phi u                                           full turns, without 0
"rodrigues"          3     0            tan(phi/2) u                                    half turns
"xyz", "zxz", ...    3     0            three successive turns; also "cardan", "euler"  gimbal lock
"roll-pitch-yaw"     3     0            roll, pitch, yaw of R_z R_y R_x, as in URDF     pitch +-pi/2
===================  ====  ===========  ==============================================  ======================
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import UnknownNameError, nearest
from tarsus.spatial import angles, axis_angle, quaternion, rodrigues, rotation_matrix, rotation_vector
from tarsus.spatial._singular import Singular
from tarsus.spatial.rotation_parametrisation import Parametrisation


def _successive_turns(sequence: str) -> Parametrisation:
    return Parametrisation(
        sequence,
        3,
        partial(angles.rotation_matrix_from_angles, sequence=sequence),
        from_matrix=lambda R, singular: angles.angles_from_rotation_matrix(R, sequence, singular),
        rate_matrix=partial(angles.rate_matrix, sequence=sequence),
        rate_inverse=lambda p, singular: angles.rate_inverse(p, sequence, singular),
        rate_matrix_dot=partial(angles.rate_matrix_dot, sequence=sequence),
    )


_BUILT_IN = (
    Parametrisation(
        "quaternion",
        4,
        quaternion.rotation_matrix_from_quaternion,
        from_matrix=lambda R, singular: quaternion.quaternion_from_rotation_matrix(R),
        rate_matrix=quaternion.rate_matrix,
        rate_inverse=lambda p, singular: quaternion.rate_inverse(p),
        rate_matrix_dot=quaternion.rate_matrix_dot,
        constraint=quaternion.constraint,
        constraint_gradient=quaternion.constraint_gradient,
    ),
    Parametrisation(
        "rotation-matrix",
        9,
        rotation_matrix.rotation_matrix_from_entries,
        from_matrix=lambda R, singular: rotation_matrix.entries_from_rotation_matrix(R),
        rate_matrix=rotation_matrix.rate_matrix,
        rate_inverse=lambda p, singular: rotation_matrix.rate_inverse(p),
        rate_matrix_dot=rotation_matrix.rate_matrix_dot,
        constraint=rotation_matrix.constraint,
        constraint_gradient=rotation_matrix.constraint_gradient,
    ),
    Parametrisation(
        "axis-angle",
        4,
        axis_angle.rotation_matrix_from_axis_angle_parameters,
        from_matrix=lambda R, singular: axis_angle.axis_angle_parameters_from_rotation_matrix(R),
        rate_matrix=axis_angle.rate_matrix,
        rate_inverse=axis_angle.rate_inverse,
        rate_matrix_dot=axis_angle.rate_matrix_dot,
        constraint=axis_angle.constraint,
        constraint_gradient=axis_angle.constraint_gradient,
    ),
    Parametrisation(
        "rotation-vector",
        3,
        rotation_vector.rotation_matrix_from_rotation_vector,
        from_matrix=lambda R, singular: rotation_vector.rotation_vector_from_rotation_matrix(R),
        rate_matrix=rotation_vector.rate_matrix,
        rate_inverse=rotation_vector.rate_inverse,
        rate_matrix_dot=rotation_vector.rate_matrix_dot,
    ),
    Parametrisation(
        "rodrigues",
        3,
        rodrigues.rotation_matrix_from_rodrigues,
        from_matrix=rodrigues.rodrigues_from_rotation_matrix,
        rate_matrix=rodrigues.rate_matrix,
        rate_inverse=lambda p, singular: rodrigues.rate_inverse(p),
        rate_matrix_dot=rodrigues.rate_matrix_dot,
    ),
    *(_successive_turns(sequence) for sequence in (*angles.SEQUENCES, "roll-pitch-yaw")),
)

_ALIASES = {**angles.SEQUENCE_ALIASES, "euler-parameters": "quaternion"}

_BY_NAME = {parametrisation.name: parametrisation for parametrisation in _BUILT_IN}

#: The built-in parametrisations by name, aliases included; read-only.
PARAMETRISATIONS: Mapping[str, Parametrisation] = MappingProxyType(
    _BY_NAME | {alias: _BY_NAME[name] for alias, name in _ALIASES.items()}
)


def parametrisation(name: str | Parametrisation) -> Parametrisation:
    """Parametrisation of that name; one that is given as an object is passed through.

    Parameters
    ----------
    name : str or Parametrisation
        A key of `PARAMETRISATIONS`, or your own parametrisation.

    Returns
    -------
    parametrisation : Parametrisation
    """
    if isinstance(name, Parametrisation):
        return name
    if isinstance(name, str) and name in PARAMETRISATIONS:
        return PARAMETRISATIONS[name]
    names = list(PARAMETRISATIONS)
    hint = nearest(name, names) or f"; known: {', '.join(map(repr, names))}"
    raise UnknownNameError(f"parametrisation {name!r} not found{hint}")


def convert_rotation(
    p: npt.ArrayLike,
    source: str | Parametrisation,
    target: str | Parametrisation,
    singular: Singular = "error",
) -> FloatArray:
    """Parameters of the same rotation in another parametrisation.

    Parameters
    ----------
    p : array_like, shape (..., source size)
    source, target : str or Parametrisation
        See `parametrisation`.
    singular : {"error", "minimum-norm"}
        What to do where the target parameters are not determined.

    Returns
    -------
    p : ndarray, shape (..., target size)
    """
    return parametrisation(target).parameters(parametrisation(source).rotation_matrix(p), singular)
