"""The immutable model of a robot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, Problem, ShapeError, UnknownNameError, nearest
from tarsus.model import lowering
from tarsus.model.body import Body, Frame
from tarsus.model.coupling import Coupling, CouplingMode, Loop
from tarsus.model.description import Description
from tarsus.model.joint import JOINT_TRAITS, Joint
from tarsus.model.loops.tree_coordinates import TreeCoordinates
from tarsus.model.poses import configuration, reference
from tarsus.model.sampling import random_configurations
from tarsus.model.tendons import Tendon
from tarsus.model.volumes import GivenVolumes, Volumes, as_volumes, require_frames
from tarsus.spatial.inertia import Inertia

if TYPE_CHECKING:
    from tarsus.geometry.shapes import Geometry
    from tarsus.model.state import State

_integrate = _native.function("integrate")
_difference = _native.function("difference")
_normalize = _native.function("normalize")
_joint_positions = _native.function("joint_positions")
_joint_velocities = _native.function("joint_velocities")
_coupling_matrix = _native.function("coupling_matrix")


class _Named(Mapping[str, Any]):
    """Ordered read-only mapping by name whose KeyError tells close names."""

    def __init__(self, what: str, items: Iterable[tuple[str, Any]]) -> None:
        self._what = what
        self._items = dict(items)

    def __getitem__(self, name: str) -> Any:
        try:
            return self._items[name]
        except (KeyError, TypeError):
            raise UnknownNameError(f"{self._what} {name!r} not found{nearest(name, self._items)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._items  # without the search for close names

    def __iter__(self) -> Any:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"<{len(self)} by name: {', '.join(list(self)[:6])}{', ...' if len(self) > 6 else ''}>"


def _read_only(a: npt.ArrayLike) -> FloatArray:
    array = np.array(a)
    array.flags.writeable = False
    return array


class Model(_native.ModelCore):
    """A robot: a tree of bodies and joints with its independent coordinates, immutable.

    Models come from `tarsus.load`, `tarsus.robots` and `tarsus.ModelBuilder`.

    Attributes
    ----------
    name : str
    nq, nv : int
        Entries of a configuration q and of a velocity v; both count independent coordinates only.
    nb : int
        Number of bodies: the root and the moving ones.
    bodies, joints, frames : mapping of str
        Ordered, by name; joint number i carries body number i, number 0 is the root with its joint "base".
    q_min, q_max : ndarray, shape (nq,)
        Position limits [rad or m], infinite where there are none.
    v_max, tau_max : ndarray, shape (nv,)
        Limits of rate [rad/s or m/s] and effort [N m or N].
    actuated : ndarray of bool, shape (nv,)
        Degrees of freedom with a drive; never the base.
    total_mass : float
        [kg].
    gravity : ndarray, shape (3,)
        World axes [m/s^2].
    base : {"free", "planar", "fixed"}
    rotation : str
        Parametrisation of the rotation of a free base in q.
    couplings, loops : tuple
        Dependent joints and loop closures as the description gave them.
    tendons : tuple of Tendon
        Lengths that are linear in joint coordinates; each is a joint of its name that depends on others.
    coupling_mode : {"reduce", "cut", "lock"}
        What was done with them.
    reference : ndarray, shape (nq,)
        The robot's reference pose (half-sitting, home), `neutral()` where it has none.
    poses : Mapping of str to ndarray, shape (nq,)
        Key frames of an MJCF file and group states of an SRDF file by name; what they do not tell is as in `reference`.
    collision_exclusions : tuple of (str, str)
        Pairs of links that need not be checked for collision, as an SRDF file tells.
    volumes : Mapping of str to tuple of SweptSphere
        Swept-sphere volumes that enclose the robot, by the frame in whose coordinates they are; empty where none were
        given. They come with a built-in robot, from the file beside the model's, or from `tarsus.collision.fit`.
    warnings : tuple of Problem
        What validation found suspicious.
    description : Description
        What the model was made from.
    """

    name: str
    nq: int
    nv: int
    nb: int
    bodies: Mapping[str, Body]
    joints: Mapping[str, Joint]
    frames: Mapping[str, Frame]
    q_min: FloatArray
    q_max: FloatArray
    v_max: FloatArray
    tau_max: FloatArray
    actuated: npt.NDArray[np.bool_]
    total_mass: float
    gravity: FloatArray
    base: str
    rotation: str
    couplings: tuple[Coupling, ...]
    tendons: tuple[Tendon, ...]
    loops: tuple[Loop, ...]
    coupling_mode: CouplingMode
    reference: FloatArray
    poses: Mapping[str, FloatArray]
    collision_exclusions: tuple[tuple[str, str], ...]
    volumes: Volumes
    warnings: tuple[Problem, ...]
    description: Description
    coordinates: TreeCoordinates

    def __new__(
        cls,
        *,
        description: Description,
        coupling_mode: CouplingMode,
        bodies: Sequence[Body],
        joints: Sequence[Joint],
        frames: Mapping[str, Frame],
        coordinates: TreeCoordinates,
        warnings: tuple[Problem, ...],
    ) -> Self:
        """Use `ModelBuilder` or `tarsus.load`; the parts must be consistent."""
        self = super().__new__(cls, lowering.native_arrays(description, bodies, joints, frames, coordinates))
        limits = lowering.limits(joints, coordinates, description)
        set_ = super().__setattr__
        for key, value in {
            "name": description.name,
            "nq": int(limits.q_min.size),
            "nv": coordinates.nv,
            "nb": len(bodies),
            "bodies": _Named("body", [(body.name, body) for body in bodies]),
            "joints": _Named("joint", [(joint.name, joint) for joint in joints]),
            "frames": _Named("frame", [(frame.name, frame) for frame in frames.values()]),
            "q_min": _read_only(limits.q_min),
            "q_max": _read_only(limits.q_max),
            "v_max": _read_only(limits.v_max),
            "tau_max": _read_only(limits.tau_max),
            "actuated": _read_only(limits.actuated),
            "total_mass": float(sum(body.inertia.mass for body in bodies)),
            "gravity": _read_only(description.gravity),
            "base": description.base,
            "rotation": description.rotation,
            "couplings": description.couplings,
            "loops": description.loops,
            "tendons": description.tendons,
            "collision_exclusions": description.collision_exclusions,
            "volumes": _Named("volumes of frame", description.volumes.items()),
            "coupling_mode": coupling_mode,
            "warnings": warnings,
            "description": description,
            "coordinates": coordinates,
        }.items():
            set_(self, key, value)
        set_(self, "reference", _read_only(reference(self)))
        poses = {name: configuration(self, pose, self.reference) for name, pose in description.poses.items()}
        set_(self, "poses", _Named("pose", [(name, _read_only(q)) for name, q in poses.items()]))
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Model is immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Model is immutable; cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.description, self.coupling_mode, self.warnings)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        return f"<tarsus.Model {self.name!r}: {self.base} base, {self.nb} bodies, nq {self.nq}, nv {self.nv}>"

    # Configurations

    def neutral(self) -> FloatArray:
        """Configuration with every joint at zero and the base at the world origin, shape (nq,)."""
        q = np.zeros(self.coordinates.nq)
        for start in lowering.quaternion_starts(self):
            q[start] = 1.0
        return lowering.to_user(self, q)

    def random(self, rng: np.random.Generator, shape: int | tuple[int, ...] = ()) -> FloatArray:
        """Random configurations inside the joint limits in which all loops close, shape (*shape, nq).

        Joints without limits are drawn from [-pi, pi] (with one limit: the 2 pi next to it), the position of a free
        base from a cube of 2 m, rotations uniformly.

        Parameters
        ----------
        rng : numpy.random.Generator
        shape : int or tuple of int
            Batch shape.

        Raises
        ------
        LoopError
            If the limits of a loop's independent joints enclose next to nothing that it can reach.
        """
        return random_configurations(self, rng, (shape,) if isinstance(shape, int) else tuple(shape))

    def integrate(self, q: npt.ArrayLike, v: npt.ArrayLike, dt: npt.ArrayLike = 1.0) -> FloatArray:
        """Configuration reached from q with constant velocity v (body-frame twist for a free base).

        Parameters
        ----------
        q : array_like, shape (..., nq)
        v : array_like, shape (..., nv)
        dt : array_like, shape (...)
            Duration [s].

        Returns
        -------
        ndarray, shape (..., nq)
            q exp(v dt): the exponential of SE(3), SE(2) and SO(3) for free, planar and spherical joints.
        """
        step, rates = _real("dt", dt), _real("v", v)
        try:
            increment = rates if step.ndim == 0 and step == 1.0 else rates * step[..., None]
        except ValueError:
            raise ShapeError(f"dt has shape {step.shape}, which does not fit v of shape {rates.shape}") from None
        return lowering.to_user(self, _integrate(self, q, increment))

    def difference(self, q1: npt.ArrayLike, q2: npt.ArrayLike) -> FloatArray:
        """Velocity that leads from q1 to q2 in unit time: integrate(q1, difference(q1, q2)) is q2.

        Parameters
        ----------
        q1, q2 : array_like, shape (..., nq)

        Returns
        -------
        ndarray, shape (..., nv)
            log(q1^-1 q2), the shorter way round; rotations of exactly pi have two such ways and one is chosen.
        """
        result: FloatArray = _difference(self, q1, q2)
        return result

    def normalize(self, q: npt.ArrayLike) -> FloatArray:
        """The same configurations with quaternions of unit norm; (..., nq) in and out.

        Unlike everywhere else, quaternions may have any norm but zero.
        """
        return lowering.to_user(self, _normalize(self, q))

    def joint_positions(self, q: npt.ArrayLike) -> FloatArray:
        """All joint coordinates, the dependent ones included, in the order of `joints`.

        Parameters
        ----------
        q : array_like, shape (..., nq)

        Returns
        -------
        ndarray, shape (..., nq_tree)
        """
        result: FloatArray = _joint_positions(self, q)
        return result

    def joint_velocities(self, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """All joint velocities G v, the dependent ones included, in the order of `joints`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
        v : array_like, shape (..., nv)

        Returns
        -------
        ndarray, shape (..., nv_tree)
        """
        result: FloatArray = _joint_velocities(self, q, v)
        return result

    def coupling_matrix(self, q: npt.ArrayLike) -> FloatArray:
        """Matrix G of `joint_velocities` = G v, shape (..., nv_tree, nv); the identity where nothing is coupled."""
        result: FloatArray = _coupling_matrix(self, q)
        return result

    def state(self, q: npt.ArrayLike, v: npt.ArrayLike | None = None) -> State:
        """Snapshot of one state (or a batch) that computes what is asked of it once and remembers it."""
        from tarsus.model.state import State

        return State(self, q, v)

    # New models from this one

    def locked(self, joints: Mapping[str, npt.ArrayLike] | Iterable[str]) -> Model:
        """The model with the named joints fixed at the given coordinates (at zero for a plain list of names)."""
        from tarsus.model.derive import lock_joints

        if isinstance(joints, str):
            joints = [joints]
        given = joints if isinstance(joints, Mapping) else dict.fromkeys(joints)
        values: dict[str, list[float]] = {}
        described = {joint.name: joint.kind for joint in self.description.joints}
        for name, value in given.items():
            kind = described.get(name, self.joints[name].kind)
            zero = list(JOINT_TRAITS[kind].neutral)
            values[name] = zero if value is None else np.atleast_1d(np.asarray(value, dtype=float)).tolist()
        return _restore(lock_joints(self.description, values), self.coupling_mode)

    def with_reference(self, q: npt.ArrayLike) -> Model:
        """The model with another reference pose q, shape (nq,): where simulations start and pictures are drawn."""
        from tarsus.model.poses import pose_of

        return _restore(replace(self.description, reference=pose_of(self, q)), self.coupling_mode, self.warnings)

    def with_visuals_as_collisions(self) -> Model:
        """The model whose bodies touch with what is drawn of them, in place of their collision shapes."""
        from tarsus.model.derive import visuals_as_collisions

        return _restore(visuals_as_collisions(self.description), self.coupling_mode, self.warnings)

    def with_volumes(self, volumes: GivenVolumes) -> Model:
        """The model with these swept-sphere volumes in place of those it has.

        Parameters
        ----------
        volumes : mapping of str to SweptSphere or iterable of them
            By the name of a frame of the model, in its coordinates [m].
        """
        given = as_volumes(volumes)
        require_frames(given, self.frames)
        return _restore(replace(self.description, volumes=given), self.coupling_mode, self.warnings)

    def with_frame(self, name: str, frame: str, pose: npt.ArrayLike | None = None) -> Model:
        """The model with one more frame, placed at X_FN = `pose` (4, 4) relative to an existing frame."""
        from tarsus.model.derive import add_frame

        link, X_LF = self._on_link(frame)
        return _restore(add_frame(self.description, name, link, X_LF @ _pose(pose)), self.coupling_mode)

    def with_loop(
        self,
        frame_a: str,
        frame_b: str,
        kind: str = "spherical",
        *,
        name: str | None = None,
        axis: npt.ArrayLike = (0.0, 0.0, 1.0),
        axis2: npt.ArrayLike = (0.0, 1.0, 0.0),
        position_a: npt.ArrayLike | None = None,
        position_b: npt.ArrayLike | None = None,
        tolerance: float = 1e-3,
        independent: Sequence[str] = (),
        reference: Mapping[str, npt.ArrayLike] | None = None,
    ) -> Model:
        """The model with one more loop: two frames tied by a joint.

        Parameters
        ----------
        frame_a, frame_b : str
            Links or frames; "world" where the root is fixed to it.
        kind : str
            Of the joint: "spherical" (the origins coincide), "revolute" (and the axes), "fixed" (and all axes),
            "prismatic", "cylindrical", "universal", "planar".
        name : str, optional
            Of the loop; both frames by default.
        axis, axis2 : array_like, shape (3,)
            Of the joint in frame a; the second one, of a universal joint, in frame b.
        position_a, position_b : array_like, shape (3,), optional
            Points beside the origins of the frames, in their axes [m].
        tolerance : float
            By what share of its size the loop may miss, see `Loop`.
        independent : sequence of str
            Joints that lead this loop and those it is connected with; chosen by default.
        reference : mapping of str to float or sequence
            Coordinates of joints near which the loop is closed; four numbers (w, x, y, z) for a ball.
        """
        from tarsus.model.loops.given import GivenLoops, as_given, loop_between, with_given

        loop = loop_between(self.description, frame_a, frame_b, kind, name=name, axis=axis, axis2=axis2,
                            position_a=position_a, position_b=position_b, tolerance=tolerance,
                            independent=independent)  # fmt: skip
        told = GivenLoops((loop,), (), as_given((), (), reference).reference)
        return _restore(with_given(self.description, told), self.coupling_mode)

    def with_payload(
        self, frame: str, inertia: Inertia, pose: npt.ArrayLike | None = None, *, name: str = "payload"
    ) -> Model:
        """The model with a rigid load at X_FL = `pose` (4, 4) relative to an existing frame."""
        from tarsus.model.derive import add_payload

        if not isinstance(inertia, Inertia):
            raise ArgumentError(f"a payload needs an Inertia, not {type(inertia).__name__}")
        link, X_LF = self._on_link(frame)
        return _restore(add_payload(self.description, name, link, inertia, X_LF @ _pose(pose)), self.coupling_mode)

    def with_object(
        self,
        geometry: Geometry,
        mass: float | None = None,
        pose: npt.ArrayLike | None = None,
        *,
        name: str = "object",
        inertia: Inertia | None = None,
        color: tuple[float, float, float, float] = (0.85, 0.6, 0.3, 1.0),
    ) -> Model:
        """The model with a free body beside the robot: something to push, grasp or stand on.

        Its shape is seen and touched (``simulate(..., pairs="all")``), its joint is called ``name + "_free"``, and its
        coordinates are the last seven of `q`. A robot with a free base becomes one with a fixed root "world" and a free
        joint, with the same coordinates in the same place.

        Parameters
        ----------
        geometry : Box, Sphere, Capsule, Cylinder, Ellipsoid or Mesh
        mass : float
            Equally heavy everywhere [kg]; left out where `inertia` is given, as it must be for a mesh.
        pose : array_like, shape (4, 4), optional
            X_WO of the object in the reference pose.
        """
        from tarsus.geometry.mass_properties import solid_inertia
        from tarsus.geometry.shapes import Geometry, Mesh, Plane, Shape
        from tarsus.model.derive import add_object

        if not isinstance(geometry, Geometry):
            raise DtypeError(f"geometry of the object is {geometry!r}; expected a shape, such as Box")
        if not isinstance(name, str):
            raise DtypeError(f"name of the object is {name!r}; expected a str")
        if inertia is None:
            if isinstance(geometry, Mesh | Plane):
                raise ArgumentError(f"an object of {type(geometry).__name__} needs inertia=")
            if mass is None or not _is_positive(mass):
                raise ArgumentError(f"mass of the object is {mass!r}; expected a number above 0 [kg]")
            inertia = solid_inertia(geometry, mass)
        elif mass is not None:
            raise ArgumentError("an object has either mass= or inertia=, not both")
        elif not isinstance(inertia, Inertia):
            raise DtypeError(f"inertia of the object is {inertia!r}; expected an Inertia")
        shape = Shape(geometry, color=color, name="shape")
        return _restore(add_object(self.description, shape, inertia, _pose(pose), name), self.coupling_mode)

    def merged(self, other: Model, frame: str, pose: npt.ArrayLike | None = None, *, prefix: str = "") -> Model:
        """Both robots as one model: `other` stands with its root (or its base joint) at a frame of this one."""
        from tarsus.model.derive import attach

        link, X_LF = self._on_link(frame)
        return _restore(
            attach(self.description, other.description, link, X_LF @ _pose(pose), prefix), self.coupling_mode
        )

    def _on_link(self, frame: str) -> tuple[str, FloatArray]:
        f = self.frames[frame]
        return f.body, f.pose


def _real(name: str, value: npt.ArrayLike) -> FloatArray:
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise DtypeError(f"{name} of integrate has dtype {array.dtype}, expected real numbers")
    return np.asarray(array, dtype=np.float64)


def _pose(pose: npt.ArrayLike | None) -> FloatArray:
    if pose is None:
        return np.eye(4)
    try:
        array = np.asarray(pose, dtype=float)
    except (TypeError, ValueError):
        raise DtypeError(f"pose is {type(pose).__name__}; expected numbers of shape (4, 4)") from None
    if array.shape != (4, 4):
        raise ShapeError(f"pose has shape {array.shape}; expected (4, 4)")
    return array


def _is_positive(value: object) -> bool:
    """Whether it is one finite number above 0."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and 0.0 < float(value) < np.inf


def _restore(description: Description, couplings: CouplingMode, warnings: tuple[Problem, ...] = ()) -> Model:
    from tarsus.model.assembly import assemble

    return assemble(description, couplings=couplings, warnings=warnings)
