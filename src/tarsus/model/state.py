"""Snapshots of a state that compute on demand and remember."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError

if TYPE_CHECKING:
    from tarsus.model.model import Model


@cache
def _function(name: str) -> Callable[..., FloatArray]:
    return _native.function(name)


def _frozen(a: npt.ArrayLike) -> FloatArray:
    array: FloatArray = np.array(a, dtype=float)
    array.flags.writeable = False
    return array


class State:
    """One state of a robot, or a batch of them: q, v and everything that follows from them.

    Each quantity is computed when it is first asked for and remembered; all arrays are read-only. Quantities
    are those of the functions of the same name in `tarsus`.

    Attributes
    ----------
    model : Model
    q : ndarray, shape (..., nq)
    v : ndarray, shape (..., nv), or None
        Quantities that need a velocity raise when it was not given.
    """

    def __init__(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike | None = None) -> None:
        _function("body_poses")(model, q)  # refuses a bad state here, not at first use
        if v is not None:
            _function("kinetic_energy")(model, q, v)
        set_ = super().__setattr__
        set_("model", model)
        set_("q", _frozen(q))
        set_("v", None if v is None else _frozen(v))
        set_("_by_frame", {})

    model: Model
    q: FloatArray
    v: FloatArray | None
    _by_frame: dict[tuple[str, ...], FloatArray]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a State is immutable; cannot set {name!r}")

    def _of_q(self, name: str, **options: Any) -> FloatArray:
        return _frozen(_function(name)(self.model, self.q, **options))

    def _of_qv(self, name: str, **options: Any) -> FloatArray:
        if self.v is None:
            raise ArgumentError(f"{name} needs a velocity: model.state(q, v)")
        return _frozen(_function(name)(self.model, self.q, self.v, **options))

    def _of_frame(self, name: str, frame: str, expressed_in: str = "") -> FloatArray:
        key = (name, frame, expressed_in)
        if key not in self._by_frame:
            options = {"frame": frame} | ({"expressed_in": expressed_in} if expressed_in else {})
            needs_v = name in ("frame_velocity", "jacobian_dot_v")
            self._by_frame[key] = self._of_qv(name, **options) if needs_v else self._of_q(name, **options)
        return self._by_frame[key]

    @cached_property
    def com(self) -> FloatArray:
        """Centre of mass p_WC, shape (..., 3) [m]."""
        return self._of_q("center_of_mass")

    @cached_property
    def com_jacobian(self) -> FloatArray:
        """Jacobian of the centre of mass, shape (..., 3, nv)."""
        return self._of_q("com_jacobian")

    @cached_property
    def body_poses(self) -> FloatArray:
        """Poses X_WB of all bodies, shape (..., nb, 4, 4)."""
        return self._of_q("body_poses")

    @cached_property
    def mass_matrix(self) -> FloatArray:
        """Joint-space inertia, shape (..., nv, nv)."""
        return self._of_q("mass_matrix")

    @cached_property
    def gravity_force(self) -> FloatArray:
        """Generalised force that holds the robot against gravity, shape (..., nv)."""
        return self._of_q("gravity_force")

    @cached_property
    def potential_energy(self) -> FloatArray:
        """[J], shape (...)."""
        return self._of_q("potential_energy")

    @cached_property
    def joint_screws(self) -> FloatArray:
        """Unit twists of all joints at the world origin, shape (..., 6, nv)."""
        return self._of_q("joint_screws")

    @cached_property
    def momentum_matrix(self) -> FloatArray:
        """Centroidal momentum matrix, shape (..., 6, nv)."""
        return self._of_q("momentum_matrix")

    @cached_property
    def momentum(self) -> FloatArray:
        """Centroidal momentum, shape (..., 6)."""
        return self._of_qv("momentum")

    @cached_property
    def kinetic_energy(self) -> FloatArray:
        """[J], shape (...)."""
        return self._of_qv("kinetic_energy")

    @cached_property
    def bias_force(self) -> FloatArray:
        """Gravity, Coriolis and centrifugal forces, shape (..., nv)."""
        return self._of_qv("bias_force")

    @cached_property
    def coriolis_matrix(self) -> FloatArray:
        """C with C v + gravity_force = bias_force, shape (..., nv, nv)."""
        return self._of_qv("coriolis_matrix")

    def frame_pose(self, frame: str) -> FloatArray:
        """Pose X_WF, shape (..., 4, 4)."""
        return self._of_frame("frame_pose", frame)

    def frame_velocity(self, frame: str, expressed_in: str = "world") -> FloatArray:
        """Twist of a frame, shape (..., 6)."""
        return self._of_frame("frame_velocity", frame, expressed_in)

    def jacobian(self, frame: str, expressed_in: str = "world") -> FloatArray:
        """Jacobian of a frame, shape (..., 6, nv)."""
        return self._of_frame("jacobian", frame, expressed_in)

    def jacobian_dot_v(self, frame: str, expressed_in: str = "world") -> FloatArray:
        """Acceleration of a frame at vdot = 0, shape (..., 6)."""
        return self._of_frame("jacobian_dot_v", frame, expressed_in)
