"""Gauss' principle of least constraint in any parametrisation, Bouyarmane and Kheddar 2012.

    M(x) xddot + N(x, xdot) xdot = gravity + G^T tau + external + C_x^T lambda   (32)
    C_x xddot + (dC_x/dt) xdot = 0                                               (30)

x holds the position and any parameters of the rotation of a free base, the coordinates of the joints, and any
parameters of spherical joints; C are the constraints on redundant parameters and on what is grasped.

Deviations from the paper:

- M is singular for redundant parameters (its rank is nv), so that (32) and (35) are solved together with (30).
- (5), (6), (15) hold for rates that keep the constraints only; the last line of (15) means derivatives of the whole
  matrix R_0 by the parameter i, not of its column i. Here (14) is used.
- (24): M (g, 0, 0) is the weight for a free base without rotors; here it is the sum of J_t^T m g.
- (33): the drives' forces are to be subtracted like the others.
- (34) holds for one unit-norm constraint; in general A = 1 - C_x^T (C_x C_x^T)^-1 C_x.
- u of the paper are the entries of tau behind the base.

The multiplier of redundant parameters is zero in every motion: all other terms of (32) are G^T y, and G maps the rates
that keep the constraints onto all velocities, so that G^T y = C_x^T lambda leaves y = 0 only. The multiplier of a
grasp is the wrench on the object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics.gauss.blocks import split
from tarsus.dynamics.gauss.coordinates import ParameterCoordinates, parameter_coordinates
from tarsus.dynamics.gauss.equations import BodyJacobians
from tarsus.dynamics.gauss.forms import Form, GaussForces, GaussMotion, solve_forces, solve_motion, times
from tarsus.dynamics.gauss.grasp import Grasp, grasp_of, held_parameters
from tarsus.dynamics.gauss.motion import SystemMotion
from tarsus.dynamics.momentum import potential_energy
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError, nearest
from tarsus.model.model import Model
from tarsus.spatial._arrays import as_array, as_vector, batch_shape
from tarsus.spatial.general_rate_matrix import Frame, check_frame
from tarsus.spatial.rotation_parametrisation import Parametrisation


@final
@dataclass(frozen=True, slots=True, eq=False)
class GaussSystem:
    """One or several models in parameter coordinates, and what is grasped among them; made by `gauss_system`.

    Arrays of several models stand one after the other: x, v, tau, and the bodies of `external`.

    Attributes
    ----------
    parts : tuple of ParameterCoordinates
        The models with their parameters.
    grasps : tuple of Grasp
    """

    parts: tuple[ParameterCoordinates, ...]
    grasps: tuple[Grasp, ...] = ()

    @property
    def nx(self) -> int:
        """Number of parameters, 3 + d + m of (1) for a free base."""
        return sum(part.nx for part in self.parts)

    @property
    def nv(self) -> int:
        """Number of entries of v and tau."""
        return sum(part.model.nv for part in self.parts)

    @property
    def nc(self) -> int:
        """Number of constraints: those of the parameters, and six for every grasp."""
        return sum(part.nc for part in self.parts) + 6 * len(self.grasps)

    def __repr__(self) -> str:
        names = " and ".join(repr(part.model.name) for part in self.parts)
        return f"<GaussSystem of {names}: nx {self.nx}, nv {self.nv}, nc {self.nc}>"

    # New systems from this one

    def with_object(
        self,
        other: Model | GaussSystem,
        rotation: str | Parametrisation | None = None,
        joints: Mapping[str, str | Parametrisation] | None = None,
    ) -> GaussSystem:
        """The system with a further model in the same world, such as an object that is handled.

        Parameters
        ----------
        other : Model or GaussSystem
        rotation, joints
            Parametrisations of a model, as for `gauss_system`.
        """
        if isinstance(other, Model):
            other = gauss_system(other, rotation, joints)
        elif rotation is not None or joints:
            raise ArgumentError("rotation and joints belong to a Model; a GaussSystem has its parametrisations")
        shift = len(self.parts)
        moved = (replace(g, hand_part=g.hand_part + shift, object_part=g.object_part + shift) for g in other.grasps)
        return GaussSystem((*self.parts, *other.parts), (*self.grasps, *moved))

    def with_grasp(self, hand: str, held: str) -> GaussSystem:
        """The system with a frame of an object held rigidly at a frame of a hand.

        The frames must coincide; `Model.with_frame` makes them. The multiplier of the grasp is the wrench on the
        object at the frame, world axes: force [N], then moment [N m].

        Parameters
        ----------
        hand, held : str
            Names of frames, ``"model:frame"`` where several models have it.
        """
        grasp = grasp_of(self.parts, hand, held)
        return GaussSystem(self.parts, (*self.grasps, grasp))

    # Coordinates

    def parameters(self, q: npt.ArrayLike) -> FloatArray:
        """Parameters x (..., nx) of configurations q (..., nq), in the layouts of the models."""
        sizes = [part.model.nq for part in self.parts]
        pieces = split(as_vector(q, "q", sum(sizes)), sizes)
        return np.concatenate([part.parameters(a) for part, a in zip(self.parts, pieces, strict=True)], -1)

    def configuration(self, x: npt.ArrayLike) -> FloatArray:
        """Configurations q (..., nq) in the layouts of the models."""
        return np.concatenate([part.q for part in self._at(x).parts], -1)

    def rates(self, x: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Rates xdot (..., nx) of velocities v (..., nv); they keep the constraints of the parameters."""
        x, v = self._checked(x=x, v=v)
        motion, sizes = self._at(x), [part.model.nv for part in self.parts]
        pairs = zip(motion.parts, split(v, sizes), strict=True)
        return np.concatenate([part.coordinates.rates(part.x, a) for part, a in pairs], -1)

    def velocity(self, x: npt.ArrayLike, xdot: npt.ArrayLike) -> FloatArray:
        """Velocities v = G xdot (..., nv)."""
        return self._at(x, xdot).v

    def acceleration(self, x: npt.ArrayLike, xdot: npt.ArrayLike, xddot: npt.ArrayLike) -> FloatArray:
        """Component derivatives vdot = G xddot + (dG/dt) xdot of v, (..., nv)."""
        x, xdot, xddot = self._checked(x=x, xdot=xdot, xddot=xddot)
        motion = self._at(x, xdot)
        return times(motion.G, xddot) + motion.v_drift

    def second_rates(self, x: npt.ArrayLike, xdot: npt.ArrayLike, vdot: npt.ArrayLike) -> FloatArray:
        """Second rates xddot (..., nx) of accelerations vdot (..., nv); they keep the parameters' constraints (30)."""
        x, xdot, vdot = self._checked(x=x, xdot=xdot, vdot=vdot)
        motion = SystemMotion(self.parts, (), x, xdot)
        motion.refuse_singular()
        left = np.concatenate([motion.G, motion.constraint_jacobian], axis=-2)
        right = np.concatenate([vdot - motion.v_drift, -motion.constraint_drift], axis=-1)
        return np.asarray(np.linalg.solve(left, right[..., None])[..., 0])

    def normalize(self, x: npt.ArrayLike) -> FloatArray:
        """Parameters next to x (..., nx) that satisfy their own constraints."""
        return np.concatenate([part.coordinates.normalize(part.x) for part in self._at(x).parts], -1)

    def held(self, x: npt.ArrayLike, xdot: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The state with every grasped object moved into the hand: x and xdot, (..., nx).

        Objects must be models with a free base; of several grasps of an object the first one counts.
        """
        x, xdot = (array.copy() for array in self._checked(x=x, xdot=xdot))
        done: set[int] = set()
        for grasp in self.grasps:
            if grasp.object_part not in done:
                motion = self._at(x, xdot)
                at = motion.columns[grasp.object_part]
                x[..., at], xdot[..., at] = held_parameters(grasp, motion.parts)
            done.add(grasp.object_part)
        return x, xdot

    # Kinematics

    def rate_map(self, x: npt.ArrayLike) -> FloatArray:
        """G (..., nv, nx) with v = G xdot, (2) and (13); tau acts on the parameters as G^T tau."""
        return self._at(x).G

    def rate_map_dot(self, x: npt.ArrayLike, xdot: npt.ArrayLike) -> FloatArray:
        """Time derivative of G, (..., nv, nx)."""
        return self._at(x, xdot).G_dot

    def rate_matrix(self, x: npt.ArrayLike, joint: str = "base", frame: Frame = "body") -> FloatArray:
        """J_omega of a free or spherical joint, (2), (10), (13): omega = J_omega pdot.

        Parameters
        ----------
        x : array_like, shape (..., nx)
        joint : str
            Of the first model that has it.
        frame : {"body", "world"}
            Axes of the child, or of the joint's frame on the parent (the world for a base).

        Returns
        -------
        ndarray, shape (..., 3, d)
        """
        check_frame(frame)
        names = [j.joint for part in self.parts for j in part.joints if j.rotation is not None]
        for part in self._at(x).parts:
            for j in part.coordinates.joints:
                if j.joint == joint and j.rotation is not None:
                    return j.rotation.rate_matrix(part.x[..., j.x.start + j.slides : j.x.stop], frame)
        raise UnknownNameError(f"joint {joint!r} with rotation parameters not found{nearest(joint, names)}")

    def body_jacobians(self, x: npt.ArrayLike, points: npt.ArrayLike | None = None) -> BodyJacobians:
        """J_t of a point of every body (14), (19), and J_r in body axes (16).

        Parameters
        ----------
        x : array_like, shape (..., nx)
        points : array_like, shape (nb, 3), optional
            In body axes; by default the origins of the bodies.

        Returns
        -------
        BodyJacobians
            Arrays (..., nb, 3, nx); R J_r is the Jacobian in world axes (17).
        """
        return self._at(x).jacobians(self._points(points))

    def body_jacobian_rates(
        self, x: npt.ArrayLike, xdot: npt.ArrayLike, points: npt.ArrayLike | None = None
    ) -> BodyJacobians:
        """Time derivatives of `body_jacobians`."""
        return self._at(x, xdot).jacobian_rates(self._points(points))

    # Equations of motion

    def mass_matrix(self, x: npt.ArrayLike) -> FloatArray:
        """M(x) (..., nx, nx) of (25), armature included; its rank is nv."""
        return self._at(x).M

    def velocity_matrix(self, x: npt.ArrayLike, xdot: npt.ArrayLike) -> FloatArray:
        """N(x, xdot) (..., nx, nx) of (26)."""
        return self._at(x, xdot).N

    def gravity_force(self, x: npt.ArrayLike) -> FloatArray:
        """M (g, 0, 0) of (24), (..., nx), written as sum of J_t^T m g to hold for any base."""
        return self._at(x).gravity

    def bias(self, x: npt.ArrayLike, xdot: npt.ArrayLike) -> FloatArray:
        """N(x, xdot) xdot less gravity, (..., nx)."""
        return self._at(x, xdot).bias

    def kinetic_energy(self, x: npt.ArrayLike, xdot: npt.ArrayLike) -> FloatArray:
        """xdot^T M xdot / 2 [J], shape (...)."""
        motion = self._at(x, xdot)
        return np.asarray(0.5 * (motion.xdot * times(motion.M, motion.xdot)).sum(-1))

    def potential_energy(self, x: npt.ArrayLike) -> FloatArray:
        """Energy of position in the field of gravity [J], shape (...)."""
        return np.asarray(sum(potential_energy(part.model, part.q) for part in self._at(x).parts))

    def constraint(self, x: npt.ArrayLike) -> FloatArray:
        """C(x) (..., nc) of (27): of the parameters, Table II, then of the grasps (p_B - p_A, sin(phi) u)."""
        return self._at(x).constraint

    def constraint_jacobian(self, x: npt.ArrayLike) -> FloatArray:
        """C_x = dC/dx (..., nc, nx); rows of grasps where the frames coincide."""
        return self._at(x).constraint_jacobian

    def constraint_drift(self, x: npt.ArrayLike, xdot: npt.ArrayLike) -> FloatArray:
        """(dC_x/dt) xdot (..., nc), the acceleration of the constraints at xddot = 0 (30)."""
        return self._at(x, xdot).constraint_drift

    def forward_dynamics(
        self,
        x: npt.ArrayLike,
        xdot: npt.ArrayLike,
        tau: npt.ArrayLike,
        external: npt.ArrayLike | None = None,
        form: Form = "multiplier",
    ) -> GaussMotion:
        """Accelerations and multipliers under given forces.

        Parameters
        ----------
        x, xdot : array_like, shape (..., nx)
        tau : array_like, shape (..., nv)
        external : array_like, shape (..., nb, 6), optional
            Wrenches on the bodies at their origins, world axes.
        form : {"multiplier", "projection"}
            (32) with the multiplier as an unknown, or (35) without it.

        Returns
        -------
        GaussMotion

        Raises
        ------
        SingularityError
            At a singularity of a parametrisation, or where grasps depend on each other.
        """
        x, xdot, tau = self._checked(x=x, xdot=xdot, tau=tau)
        motion = self._at(x, xdot)
        motion.refuse_singular()
        force = times(np.swapaxes(motion.G, -1, -2), tau) + self._external(motion, external) - motion.bias
        return solve_motion(form, motion.M, motion.constraint_jacobian, force, motion.constraint_drift)

    def inverse_dynamics(
        self,
        x: npt.ArrayLike,
        xdot: npt.ArrayLike,
        xddot: npt.ArrayLike,
        external: npt.ArrayLike | None = None,
        form: Form = "multiplier",
    ) -> GaussForces:
        """Forces and multipliers of a given motion, which must keep the constraints.

        Grasped objects have no drives: their entries of tau are zero and the hands carry them. Where several grasps
        leave the forces open, the answer of least norm is given: of tau and the multipliers together in the form
        "multiplier", of tau in the form "projection".

        Parameters
        ----------
        x, xdot, xddot : array_like, shape (..., nx)
        external : array_like, shape (..., nb, 6), optional
        form : {"multiplier", "projection"}

        Returns
        -------
        GaussForces
        """
        x, xdot, xddot = self._checked(x=x, xdot=xdot, xddot=xddot)
        motion, driven = self._at(x, xdot), self._driven()
        motion.refuse_singular()
        needed = times(motion.M, xddot) + motion.bias - self._external(motion, external)
        inputs = np.swapaxes(motion.G[..., driven, :], -1, -2)
        some, multiplier = solve_forces(form, inputs, motion.constraint_jacobian, needed)
        tau = np.zeros((*some.shape[:-1], self.nv))
        tau[..., driven] = some
        return GaussForces(tau, multiplier)

    # Pieces

    def _at(self, x: npt.ArrayLike, xdot: npt.ArrayLike | None = None) -> SystemMotion:
        """The system at parameters and rates."""
        x, rates = self._checked(x=x, xdot=np.zeros(self.nx) if xdot is None else xdot)
        return SystemMotion(self.parts, self.grasps, x, rates)

    def _checked(self, **arrays: npt.ArrayLike) -> list[FloatArray]:
        """Arguments as finite arrays of one batch shape; v, vdot and tau have nv entries, all others nx."""
        values = [as_vector(a, k, self.nv if k in ("v", "vdot", "tau") else self.nx) for k, a in arrays.items()]
        batch = batch_shape(**{name: a.shape[:-1] for name, a in zip(arrays, values, strict=True)})
        return [np.broadcast_to(a, (*batch, a.shape[-1])) for a in values]

    def _per_body(self, array: npt.ArrayLike, name: str, size: int) -> FloatArray:
        """An argument with `size` numbers for every body."""
        count = sum(part.model.nb for part in self.parts)
        values = as_array(array, name)
        if values.ndim < 2 or values.shape[-2:] != (count, size):
            raise ShapeError(f"{name}: found shape {values.shape}, expected (..., {count}, {size})")
        return values

    def _points(self, points: npt.ArrayLike | None) -> FloatArray:
        count = sum(part.model.nb for part in self.parts)
        return self._per_body(np.zeros((count, 3)) if points is None else points, "points", 3)

    def _external(self, motion: SystemMotion, external: npt.ArrayLike | None) -> FloatArray:
        if external is None:
            return np.zeros(self.nx)
        wrenches = self._per_body(external, "external", 6)
        batch_shape(x=motion.x.shape[:-1], external=wrenches.shape[:-2])
        return motion.external(wrenches)

    def _driven(self) -> npt.NDArray[np.bool_]:
        """Entries of v that may have drives: those of models that are not held by another one."""
        held = {grasp.object_part for grasp in self.grasps if grasp.object_part != grasp.hand_part}
        return np.concatenate([np.full(part.model.nv, i not in held) for i, part in enumerate(self.parts)])


def gauss_system(
    model: Model,
    rotation: str | Parametrisation | None = None,
    joints: Mapping[str, str | Parametrisation] | None = None,
) -> GaussSystem:
    """Equations of motion of a model by Gauss' principle, in parameters of one's choice.

    Parameters
    ----------
    model : Model
    rotation : str or Parametrisation, optional
        Parameters of the rotation of a free base: a name of `tarsus.spatial.PARAMETRISATIONS` or your own; by default
        those of the model's q.
    joints : mapping of str to str or Parametrisation, optional
        Parameters of spherical joints (and of free joints inside the tree) by name; quaternions by default.

    Returns
    -------
    GaussSystem

    Examples
    --------
    >>> import numpy as np
    >>> import tarsus as ts
    >>> robot = ts.robots.hrp2()
    >>> system = ts.gauss_system(robot, rotation="rotation-matrix")
    >>> system.nx, system.nv, system.nc
    (42, 36, 6)
    >>> x = system.parameters(robot.reference)
    >>> motion = system.forward_dynamics(x, np.zeros(42), np.zeros(36), form="projection")
    >>> bool(np.allclose(motion.xddot[:3], robot.gravity))
    True
    """
    if not isinstance(model, Model):
        raise ArgumentError(f"gauss_system takes a Model, not {type(model).__name__}")
    if model.coordinates.closures:
        raise ArgumentError(
            f"{model.coordinates.closures[0].name} is in minimal coordinates, which have no parametrisation; load the "
            "model with couplings='cut' and close its loops by `with_grasp`"
        )
    return GaussSystem((parameter_coordinates(model, rotation, joints),))
