"""Whether a robot's own shapes touch, by coal: nothing of tarsus but the poses of its bodies."""

import coal
import numpy as np

import tarsus as ts
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Sphere


def coal_geometry(geometry):
    match geometry:
        case Box(size):
            return coal.Box(*map(float, size))
        case Sphere(radius):
            return coal.Sphere(radius)
        case Capsule(radius, length):
            return coal.Capsule(radius, length)
        case Cylinder(radius, length):
            return coal.Cylinder(radius, length)
    raise TypeError(geometry)


def bounding_radius(geometry):
    match geometry:
        case Box(size):
            return float(np.linalg.norm(size)) / 2
        case Sphere(radius):
            return radius
        case Capsule(radius, length):
            return radius + length / 2
        case Cylinder(radius, length):
            return float(np.hypot(radius, length / 2))
    raise TypeError(geometry)


class TrueShapes:
    """Collision shapes of bodies that no joint connects, and things around them.

    Pairs of bodies whose shapes overlap in the reference pose are left out: that is how the robot was drawn.

    Parameters
    ----------
    around : dict of str to (geometry, pose)
        What stands around the robot.
    """

    def __init__(self, model, around=None):
        self.model = model
        owners, poses, geometries = [], [], []
        for index, body in enumerate(model.bodies.values()):
            for shape in body.collisions:
                owners.append(index)
                poses.append(np.asarray(shape.pose))
                geometries.append(shape.geometry)
        self.names = [*model.bodies]
        for name, (geometry, pose) in (around or {}).items():
            owners.append(len(self.names))
            self.names.append(name)
            poses.append(pose)
            geometries.append(geometry)
        self.owner, self.pose = np.array(owners), np.array(poses)
        self.shape = [coal_geometry(geometry) for geometry in geometries]
        self.radius = np.array([bounding_radius(geometry) for geometry in geometries])
        joined = {
            frozenset((model.bodies[body.parent].index, index))
            for index, body in enumerate(model.bodies.values())
            if body.parent is not None
        }
        every = np.array(
            [
                (i, j)
                for i in range(len(owners))
                for j in range(i + 1, len(owners))
                if owners[i] != owners[j] and owners[i] < model.nb and frozenset((owners[i], owners[j])) not in joined
            ]
        )
        self.pairs = every
        built = {self._bodies(row) for row in self._touching(model.reference)}
        self.built = {tuple(self.names[k] for k in pair) for pair in built if max(pair) < model.nb}
        self.pairs = np.array(
            [row for row in every if self._bodies(row) not in built or max(self._bodies(row)) >= model.nb]
        )

    def _bodies(self, row):
        return tuple(sorted(int(self.owner[k]) for k in row))

    def _touching(self, q):
        X = np.concatenate(
            [ts.body_poses(self.model, q), np.broadcast_to(np.eye(4), (len(self.names) - self.model.nb, 4, 4))]
        )
        X = X[self.owner] @ self.pose
        i, j = self.pairs.T
        near = np.linalg.norm(X[i, :3, 3] - X[j, :3, 3], axis=-1) <= self.radius[i] + self.radius[j]
        found, request = [], coal.CollisionRequest()
        places = {}
        for row in self.pairs[near]:
            a, b = (int(k) for k in row)
            for k in (a, b):
                if k not in places:
                    places[k] = coal.Transform3s(X[k, :3, :3], X[k, :3, 3])
            result = coal.CollisionResult()
            if coal.collide(self.shape[a], places[a], self.shape[b], places[b], request, result):
                found.append(row)
        return found

    def touching(self, q):
        """Names of bodies that touch in any of the configurations (n, nq)."""
        found = set()
        for row in np.atleast_2d(q):
            found |= {tuple(self.names[k] for k in self._bodies(pair)) for pair in self._touching(row)}
        return found
