"""A robot of a scenario: a model, and what was found in it to stand on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self

import numpy as np
from scipy.spatial import ConvexHull

from tarsus.arrays import FloatArray
from tarsus.contact import Contactor, ContactPoint, contactors, flat, on_ground
from tarsus.contact.contactors import features
from tarsus.control.dry_friction import without_dry_friction
from tarsus.control.stances.equilibrium import static_equilibrium
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.terms import contact_rows
from tarsus.dynamics import body_poses, frame_pose, jacobian, mass_matrix
from tarsus.errors import ArgumentError
from tarsus.geometry.meshes.read import triangles_of
from tarsus.geometry.shapes import Mesh
from tarsus.geometry.triangles import Triangles
from tarsus.ik.feet import Foot, find_feet
from tarsus.ik.stance import stretched
from tarsus.ik.standing import standing
from tarsus.model import Model
from tarsus.model.joint import ONE_AXIS
from tarsus.spatial.cross_product import skew

FRICTION = 0.5
"""Coefficient that controllers count on; the grounds of scenarios have 0.8."""
WITHIN = 0.85
"""Part of the length and width of patches that controllers press on: at their very edge a foot tips over."""
EVEN = 4e-3
"""Height above the lowest point of a foot up to which others belong to its sole [m]."""
FLAT = 1e-3
"""Slope, and height above the ground [m], of soles of a pose that stands."""
STRAIGHT = 0.1
"""Smallest rate of a foot over those of joints, as a part of its distance from the base, of legs that are bent."""
ROOM = 0.2
"""Distance of joints from their limits in a pose that was looked for [rad, m]."""
WEIGHTLESS = 1e-12
"""Part of the largest entry of the mass matrix below which a joint moves nothing."""
DEPENDENT = 1e-6
"""Singular value of the rows of all contacts over the largest, below which some depend on others."""
BRANCH = 3
"""Moving bodies in a row that are a limb, on a robot that has such."""


@dataclass(frozen=True, eq=False)
class Limb:
    """Something to stand on: a patch or a point of a body.

    Attributes
    ----------
    frame : str
        At its middle; z is the direction of the force that it takes.
    corners : ndarray, shape (k, 3)
        In the frame [m]; one for a point.
    bare : bool
        Whether it touches with its corners alone; a point that is not does with the shapes of its body.
    """

    frame: str
    corners: FloatArray
    bare: bool = False

    @property
    def patch(self) -> bool:
        """Whether it is more than a point."""
        return len(self.corners) > 1

    def contact(self, pose: FloatArray, friction: float = FRICTION) -> Contact:
        """Its contact, where the frame is to be, shape (4, 4), a little inside its edges."""
        return Contact(self.frame, WITHIN * self.corners, friction=friction, pose=pose)


@dataclass(frozen=True, eq=False)
class Robot:
    """A model with frames at what it stands on.

    Attributes
    ----------
    model : Model
        With the frames of the limbs, and "scenario/chest" at the centre of mass of the body that is pushed.
    known : Model
        The same as controllers know it: without dry friction.
    feet : tuple of Limb
        From the left to the right, those in front first.
    q : ndarray, shape (nq,)
        A posture in which it stands on level ground at z = 0.
    """

    model: Model
    known: Model
    feet: tuple[Limb, ...]
    q: FloatArray

    CHEST = "scenario/chest"

    @classmethod
    def of(cls, model: Model) -> Self:
        """What a robot with legs stands on, from its shapes; its reference pose where it stands in that.

        Raises
        ------
        ArgumentError
            Where it has no free base, no feet are found, joints move no mass, or feet cannot move against each other.
        """
        if model.base != "free":
            raise ArgumentError(f"{model.name!r} has a {model.base} base; a robot that stands needs a free one")
        _refuse_weightless(model)
        down = stretched(model)
        feet = find_feet(model, down)
        if len(feet) < 2:
            raise ArgumentError(
                f"{model.name!r} has no feet: of its collision shapes those of {feet[0].body!r} alone reach lowest, "
                "where all joints are at zero; expected two bodies at the ends of legs, and no shapes below them"
            )
        q = _stands(model, feet)
        if q is None:
            q = _off_limits(model, standing(model), feet)
        places = _in_order(model, q, feet)
        limbs = []
        for foot in places:
            name, X_BF, corners = _limb(model, q if not foot.flat else down, foot)
            model = model.with_frame(name, foot.body, X_BF)
            limbs.append(Limb(name, corners))
        body = _chest(model, q)
        chest = np.eye(4)
        chest[:3, 3] = model.bodies[body].inertia.com
        model = model.with_frame(cls.CHEST, body, chest)
        robot = cls(model, without_dry_friction(model), tuple(limbs), q)
        _refuse_held_feet(model, robot.contacts(q), q)
        return robot

    def contacts(self, q: FloatArray, limbs: Sequence[Limb] | None = None) -> tuple[Contact, ...]:
        """Contacts of limbs, of all feet by default, where a posture puts them."""
        chosen = self.feet if limbs is None else limbs
        return tuple(limb.contact(frame_pose(self.model, q, limb.frame)) for limb in chosen)

    def contactors(self, limbs: Sequence[Limb] | None = None) -> tuple[Contactor, ...]:
        """What the simulation touches with: corners of patches, and points of the shapes of all bodies without one."""
        chosen = self.feet if limbs is None else limbs
        frames = self.model.frames
        covered = {frames[limb.frame].body for limb in chosen if limb.patch or limb.bare}
        others = [name for name in self.model.bodies if not covered & {name, *_carriers(self.model, name)}]
        corners = [
            ContactPoint(f"{limb.frame}.{k}", limb.frame, corner)
            for limb in chosen
            if limb.patch or limb.bare
            for k, corner in enumerate(limb.corners)
        ]
        shapes = [item for item in contactors(self.model, others) if isinstance(item, ContactPoint)]
        return (*corners, *shapes)

    def bodies(self, limbs: Sequence[Limb] | None = None) -> tuple[str, ...]:
        """Bodies of limbs, and what they carry."""
        own = {self.model.frames[limb.frame].body for limb in (self.feet if limbs is None else limbs)}
        return tuple(name for name in self.model.bodies if own & {name, *_carriers(self.model, name)})


def _refuse_weightless(model: Model) -> None:
    """Joints that move no mass have no accelerations: no torque is right for them."""
    inertia = np.diagonal(mass_matrix(model, model.reference))
    least = WEIGHTLESS * float(inertia.max())
    single = [joint for joint in model.joints.values() if joint.kind in ONE_AXIS]
    idle = [joint.name for joint in single if np.any(inertia[joint.v_index] <= least)]
    if idle:
        raise ArgumentError(
            f"joints {idle} of {model.name!r} move no mass; expected bodies with masses, an armature, or a model in "
            "which they and those that follow them are locked (`model.locked`)"
        )


def _refuse_held_feet(model: Model, contacts: Sequence[Contact], q: FloatArray) -> None:
    """Feet that legs cannot move in all directions: their contacts say the same twice, and not quite the same."""
    rows = np.vstack([contact_rows(model, contact, q, np.zeros(model.nv))[0] for contact in contacts])
    sizes = np.linalg.svd(rows, compute_uv=False)
    if sizes[-1] < DEPENDENT * sizes[0]:
        free = int((sizes >= DEPENDENT * sizes[0]).sum())
        raise ArgumentError(
            f"legs of {model.name!r} cannot move its feet in all directions: its joints and base move {free} of "
            f"{len(sizes)} directions of {[contact.frame for contact in contacts]}, and as soon as ground yields, "
            "contacts that stay contradict each other; expected legs of at least three joints to points, six to soles"
        )


def _stands(model: Model, feet: Sequence[Foot]) -> FloatArray | None:
    """The reference pose on the ground, where its feet are flat on it, no leg is straight and it can rest."""
    q = on_ground(model, model.reference, flat())
    contacts = []
    for foot in feet:
        X = frame_pose(model, q, foot.body)
        if _is_straight(model, q, foot):
            return None
        corners = foot.points @ X[:3, :3].T + X[:3, 3]
        if corners[:, 2].max() > FLAT + EVEN:
            return None
        contacts.append(Contact(foot.body, _patch(foot.points), normal=X[2, :3], friction=FRICTION, pose=X))
    return q if static_equilibrium(model, q, contacts).feasible else None


def _is_straight(model: Model, q: FloatArray, foot: Foot) -> bool:
    """Whether joints of a leg can hardly move its foot in some direction, as those of a straight leg along it."""
    X = frame_pose(model, q, foot.body)
    arm = X[:3, :3] @ foot.points.mean(axis=0)
    J = jacobian(model, q, foot.body)
    moved = (J[:3] - skew(arm) @ J[3:])[:, model.joints["base"].v_index.stop :]
    way = float(np.linalg.norm(body_poses(model, q)[0, :3, 3] - X[:3, 3] - arm))
    return float(np.linalg.svd(moved, compute_uv=False)[-1]) < STRAIGHT * way


def _off_limits(model: Model, q: FloatArray, feet: Sequence[Foot]) -> FloatArray:
    """The posture with joints of other limbs than the legs at a distance from their limits."""
    legs = {name for foot in feet for name in (foot.body, *_carriers(model, foot.body))}
    result = np.array(q)
    for name, body in model.bodies.items():
        joint = model.joints[body.joint]
        if name in legs or joint.kind not in ONE_AXIS:
            continue
        for i in range(*joint.q_index.indices(model.nq)):
            low, high = model.q_min[i], model.q_max[i]
            room = min(ROOM, 0.25 * (high - low))
            result[i] = np.clip(result[i], low + room, high - room)
    return result


def _limb(model: Model, q: FloatArray, foot: Foot) -> tuple[str, FloatArray, FloatArray]:
    """Name and place of a frame on the body of a foot, and its corners there; soles are even."""
    X = body_poses(model, q)[model.bodies[foot.body].index]
    if not foot.flat:
        places = _places(model, q, foot.body)
        point = places[places[:, 2].argmin()]
        X_BF = np.eye(4)
        X_BF[:3, :3], X_BF[:3, 3] = X[:3, :3].T, (point - X[:3, 3]) @ X[:3, :3]
        return f"{foot.body}/foot", X_BF, np.zeros((1, 3))
    world = _places(model, q, foot.body)
    lowest = float(world[:, 2].min())
    sole = _patch(world[world[:, 2] < lowest + EVEN])
    sole[:, 2] = lowest
    middle = sole.mean(axis=0)
    X_BF = np.eye(4)
    X_BF[:3, :3], X_BF[:3, 3] = X[:3, :3].T, (middle - X[:3, 3]) @ X[:3, :3]
    return f"{foot.body}/sole", X_BF, sole - middle


def _places(model: Model, q: FloatArray, body: str) -> FloatArray:
    """Lowest places of the shapes of a body and of what it carries, vertices of meshes, world, shape (n, 3)."""
    X = body_poses(model, q)
    own = [name for name in model.bodies if body in (name, *_carriers(model, name))]
    found = []
    for feature in features(model, contactors(model, own)):
        place = X[model.bodies[feature.body].index]
        ends = (feature.start,) if feature.end is None else (feature.start, feature.end)
        found += [place[:3, :3] @ end + place[:3, 3] - [0.0, 0.0, feature.radius] for end in ends]
    for name in own:
        for shape in model.bodies[name].collisions:
            if not isinstance(shape.geometry, Mesh):
                continue
            mesh = triangles_of(shape.geometry)
            if isinstance(mesh, Triangles):
                X_WS = X[model.bodies[name].index] @ shape.pose
                found += list((mesh.vertices * np.array(shape.geometry.scale)) @ X_WS[:3, :3].T + X_WS[:3, 3])
    return np.array(found)


def _patch(points: FloatArray) -> FloatArray:
    """At most four corners that span the largest area of points seen from above, in order around it."""
    if len(points) < 3:
        return np.array(points)
    hull = points[ConvexHull(points[:, :2]).vertices]
    if len(hull) <= 4:
        return np.array(hull)
    return np.array(max((hull[list(four)] for four in combinations(range(len(hull)), 4)), key=_area))


def _area(corners: FloatArray) -> float:
    x, y = corners[:, 0], corners[:, 1]
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def _in_order(model: Model, q: FloatArray, feet: Sequence[Foot]) -> list[Foot]:
    """From the front to the rear in steps of a tenth of their spread, from the left to the right among them."""
    X = body_poses(model, q)
    places = np.array([X[model.bodies[f.body].index] @ np.append(f.points.mean(axis=0), 1.0) for f in feet])[:, :3]
    step = max(float(np.ptp(places[:, 0])), 0.1 * float(np.ptp(places[:, 1])), 1e-6)
    rank = np.round((places[:, 0].max() - places[:, 0]) / step)
    return [feet[k] for k in np.lexsort((-places[:, 1], rank))]


def _chest(model: Model, q: FloatArray) -> str:
    """The highest body from which at least two limbs start."""
    longest: dict[str, int] = {}
    children: dict[str, list[str]] = {name: [] for name in model.bodies}
    for name in reversed(list(model.bodies)):
        longest[name] = 1 + max((longest[child] for child in children[name]), default=0)
        parent = model.bodies[name].parent
        if parent is not None:
            children[parent].append(name)
    heights = body_poses(model, q)[:, 2, 3]
    for length in range(BRANCH, 0, -1):  # legs of two joints, or one, where no limb has more
        forks = [name for name in model.bodies if sum(longest[child] >= length for child in children[name]) >= 2]
        if forks:
            return max(forks, key=lambda name: float(heights[model.bodies[name].index]))
    raise ArgumentError(f"{model.name!r} has no body from which two limbs start: it has no legs to stand on")


def _carriers(model: Model, name: str) -> list[str]:
    way: list[str] = []
    parent = model.bodies[name].parent
    while parent is not None:
        way.append(parent)
        parent = model.bodies[parent].parent
    return way
