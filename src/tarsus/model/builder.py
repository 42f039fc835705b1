"""Building a model in code, one part after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tarsus.errors import DtypeError, Problem, ShapeError, UnknownNameError, nearest
from tarsus.geometry.shapes import Shape
from tarsus.model.assembly import assemble
from tarsus.model.coupling import Coupling, CouplingMode, Loop, Source
from tarsus.model.description import BaseKind, Description, FrameSpec, JointSpec, LinkSpec, PoseValues
from tarsus.model.model import Model
from tarsus.model.tendons import Tendon
from tarsus.model.volumes import GivenVolumes, as_volumes
from tarsus.spatial.inertia import Inertia

_NOWHERE = Source()


def _checked(joint: str, properties: dict[str, Any]) -> dict[str, Any]:
    """Properties of a joint with arrays as arrays and numbers as numbers, or an error that names the property."""
    known = {field.name for field in fields(JointSpec)}
    checked = dict(properties)
    for key, value in properties.items():
        if key not in known:
            raise UnknownNameError(f"joint {joint!r} has no property {key!r}{nearest(key, known)}")
        if key in ("actuated", "source"):
            continue
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError):
            raise DtypeError(f"{key} of joint {joint!r} is {value!r}, expected numbers") from None
        expected = {"pose": (4, 4), "child_pose": (4, 4), "axis": (3,), "axis2": (3,), "pitch": ()}.get(key)
        if (expected is not None and array.shape != expected) or array.ndim > 2:
            raise ShapeError(f"{key} of joint {joint!r} has shape {array.shape}, expected {expected}")
        if key in ("pose", "child_pose"):
            checked[key] = array
        else:
            checked[key] = float(array) if array.ndim == 0 else tuple(array.ravel().tolist())
    return checked


class ModelBuilder:
    """Collects links, joints and frames; `build` checks them all at once and makes an immutable `Model`.

    Parameters
    ----------
    name : str
    base : {"fixed", "free", "planar"}
        How the root link is attached to the world.
    gravity : array_like, shape (3,)
        World axes [m/s^2].
    rotation : str
        Parametrisation of the rotation of a free base in q.

    Examples
    --------
    >>> import tarsus as ts
    >>> b = ts.ModelBuilder("pendulum")
    >>> b.add_link("ground").add_link("bob", ts.Inertia.of_sphere(1.0, 0.1, com=(0, 0, -1)))  # doctest: +ELLIPSIS
    <tarsus...>
    >>> b.add_joint("hinge", "revolute", "ground", "bob", axis=(0, 1, 0)).build().nv
    1
    """

    def __init__(
        self,
        name: str = "robot",
        *,
        base: BaseKind = "fixed",
        gravity: npt.ArrayLike = (0.0, 0.0, -9.81),
        rotation: str = "quaternion",
        source: Source = _NOWHERE,
    ) -> None:
        self.name = name
        self.base: BaseKind = base
        self.gravity = gravity
        self.rotation = rotation
        self.source = source
        self.reference: PoseValues = {}
        self.poses: dict[str, PoseValues] = {}
        self.volumes: GivenVolumes = {}
        self._links: list[LinkSpec] = []
        self._joints: list[JointSpec] = []
        self._frames: list[FrameSpec] = []
        self._couplings: list[Coupling] = []
        self._loops: list[Loop] = []
        self._tendons: list[Tendon] = []
        self.base_forces: dict[str, float | tuple[float, ...]] = {}

    def add_link(
        self,
        name: str,
        inertia: Inertia | None = None,
        *,
        visuals: Iterable[Shape] = (),
        collisions: Iterable[Shape] = (),
        virtual: bool = False,
        source: Source = _NOWHERE,
        carried: float = 0.0,
    ) -> Self:
        """Add a rigid link. Links behind fixed joints are merged into the body that carries them.

        `carried` is the part of its weight that is carried for it by a passive force, as by a balancer or in water.
        """
        self._links.append(LinkSpec(name, inertia, tuple(visuals), tuple(collisions), virtual, source, carried))
        return self

    def add_joint(self, name: str, kind: str, parent: str, child: str, **properties: Any) -> Self:
        """Add a joint between two links; `properties` are the fields of `JointSpec`.

        `pose` may also be given as `position=` (3,) and `rotation=` (3, 3).
        """
        if "position" in properties or "rotation" in properties:
            X = np.eye(4)
            X[:3, 3] = properties.pop("position", (0.0, 0.0, 0.0))
            X[:3, :3] = properties.pop("rotation", np.eye(3))
            properties["pose"] = X
        self._joints.append(JointSpec(name, kind, parent, child, **_checked(name, properties)))
        return self

    def add_frame(self, name: str, link: str, pose: npt.ArrayLike | None = None, *, source: Source = _NOWHERE) -> Self:
        """Add a named frame with pose X_LF (4, 4) on a link."""
        X = np.eye(4) if pose is None else np.array(pose, dtype=float)
        if X.shape != (4, 4):
            raise ShapeError(f"pose of frame {name!r} has shape {X.shape}, expected (4, 4)")
        self._frames.append(FrameSpec(name, link, X, source))
        return self

    def add_coupling(
        self,
        joint: str,
        leader: str,
        ratio: float = 1.0,
        offset: float = 0.0,
        *,
        further: Mapping[str, float] | None = None,
        source: Source = _NOWHERE,
    ) -> Self:
        """Make a one-axis joint follow another: q_joint = ratio q_leader + offset.

        `further` adds terms of other leaders, {name: ratio}: a differential, or two motors that drive two axes.
        """
        self._couplings.append(Coupling(joint, leader, ratio, offset, source, tuple((further or {}).items())))
        return self

    def add_tendon(self, name: str, terms: Mapping[str, float], **properties: Any) -> Self:
        """Add a length L = sum of coefficient q, `terms` {joint: coefficient}; `properties` are fields of `Tendon`.

        A spring, a damper, friction, armature or limits act along it, and on the joints by their coefficients.
        """
        self._tendons.append(Tendon(name, tuple(terms.items()), **properties))
        return self

    def add_loop(self, loop: Loop) -> Self:
        """Add a joint that closes a kinematic loop."""
        self._loops.append(loop)
        return self

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[tuple[str, str | None]],
        *,
        inertias: Mapping[str, Inertia] | None = None,
        joints: Mapping[str, Mapping[str, Any]] | None = None,
        **keywords: Any,
    ) -> Self:
        """From a list of (body, parent), Buschmann 2014 algorithm 1; the root has the parent None.

        Parameters
        ----------
        pairs : iterable of (str, str or None)
            In any order.
        inertias : mapping of str to Inertia
        joints : mapping of str to mapping
            For each body but the root: `kind` ("revolute" by default), `name` (the body's by default) and the fields
            of `JointSpec`.
        """
        builder = cls(**keywords)
        for body, parent in pairs:
            builder.add_link(body, (inertias or {}).get(body))
            if parent is not None:
                properties = dict((joints or {}).get(body, {}))
                name, kind = properties.pop("name", body), properties.pop("kind", "revolute")
                builder.add_joint(name, kind, parent, body, **properties)
        return builder

    def describe(self) -> Description:
        """What was said so far."""
        gravity = np.asarray(self.gravity, dtype=float).reshape(3)
        return Description(
            name=self.name,
            links=tuple(self._links),
            joints=tuple(self._joints),
            frames=tuple(self._frames),
            couplings=tuple(self._couplings),
            loops=tuple(self._loops),
            base=self.base,
            rotation=self.rotation,
            gravity=(float(gravity[0]), float(gravity[1]), float(gravity[2])),
            reference=dict(self.reference),
            poses={name: dict(pose) for name, pose in self.poses.items()},
            volumes=as_volumes(self.volumes),
            tendons=tuple(self._tendons),
            base_forces=dict(self.base_forces),
            source=self.source,
        )

    def problems(self) -> tuple[Problem, ...]:
        """Everything wrong or suspicious, errors first."""
        from tarsus.model.validation import find_problems

        return find_problems(self.describe())

    def build(self, *, couplings: CouplingMode = "reduce", strict: bool = False, repair: bool = False) -> Model:
        """Check and assemble.

        Parameters
        ----------
        couplings : {"reduce", "cut", "lock"}
            Joints that depend on others are eliminated, freed, or fixed at their reference position.
        strict : bool
            Treat warnings as errors.
        repair : bool
            Replace impossible inertias by the nearest possible ones instead of complaining.

        Raises
        ------
        ModelError
            With all problems found.
        """
        return assemble(self.describe(), couplings=couplings, strict=strict, repair=repair)
