"""Distances of a robot to itself and to obstacles: pairs of segments of swept-sphere volumes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.collision.obstacle import Obstacle, pose_of
from tarsus.collision.pruning import Pruning, extreme_distances
from tarsus.collision.segment_pairs import Pair, Selection, segment_pairs
from tarsus.collision.volume_table import volume_table
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError, nearest
from tarsus.model.model import Model
from tarsus.model.volumes import GivenVolumes, Volumes, as_volumes, require_frames

_distances = _native.function("segment_distances")
_witnesses = _native.function("segment_witnesses")
_gradients = _native.function("segment_gradients")
_clearance = _native.function("segment_clearance")

ObstaclePoses = Mapping[str, npt.ArrayLike]
"""Poses X_WO, shape (..., 4, 4), of obstacles by name."""


class NearPair(NamedTuple):
    """Two segments that are near each other.

    Attributes
    ----------
    pair : (str, str)
        Names of both segments.
    distance : float
        Of their surfaces [m], negative where they overlap.
    points : ndarray, shape (2, 3)
        Their nearest surface points in the world [m].
    """

    pair: Pair
    distance: float
    points: FloatArray


class DistanceJacobian(NamedTuple):
    """Distances of all pairs and how they change.

    Attributes
    ----------
    distance : ndarray, shape (..., n_pairs)
        [m]
    jacobian : ndarray, shape (..., n_pairs, nv)
        d distance / dt = jacobian @ v, obstacles at rest.
    """

    distance: FloatArray
    jacobian: FloatArray


class CollisionModel:
    """Volumes of a robot, obstacles around it, and the pairs of them that are looked at; immutable.

    A segment is a frame of the model with its volumes (Buschmann 2014, (5.29)-(5.32)); an obstacle is one segment. The
    distance of two segments is the smallest one of their volumes.

    Parameters
    ----------
    model : Model
    volumes : mapping of str to SweptSphere or several of them, optional
        By frame, in the axes of the frame. Default: `model.volumes`.
    obstacles : sequence of Obstacle
    include : sequence of names and pairs of names, optional
        Only these pairs: a name stands for all pairs of a segment or obstacle. Pairs that are named one by one are
        looked at even if they are neighbours or excluded by the model's file.
    exclude : sequence of names and pairs of names
        None of these.
    adjacent : bool
        Whether neighbours are looked at: segments whose bodies are connected by a joint, directly or through bodies
        without volumes.

    Attributes
    ----------
    model : Model
    volumes : mapping of str to tuple of SweptSphere
    obstacles : tuple of Obstacle
    pairs : tuple of (str, str)
        Names of two segments, the robot's first; the axis n_pairs of all results.
    """

    __slots__ = ("_table", "model", "obstacles", "pairs", "volumes")

    model: Model
    volumes: Volumes
    obstacles: tuple[Obstacle, ...]
    pairs: tuple[Pair, ...]
    _table: _native.VolumeCore

    def __init__(
        self,
        model: Model,
        volumes: GivenVolumes | None = None,
        obstacles: Sequence[Obstacle] = (),
        include: Selection | None = None,
        exclude: Selection = (),
        *,
        adjacent: bool = False,
    ) -> None:
        given = as_volumes(model.volumes if volumes is None else volumes)
        if not given:
            raise ArgumentError(
                f"model {model.name!r} has no collision volumes; give some as volumes=, or make them by "
                "ts.collision.fit(model)"
            )
        require_frames(given, model.frames)
        around = _obstacles(obstacles, given)
        names = tuple(obstacle.name for obstacle in around)
        pairs = segment_pairs(model, tuple(given), names, include, exclude, adjacent)
        self._fill(model, given, around, pairs)

    def _fill(self, model: Model, volumes: Volumes, obstacles: tuple[Obstacle, ...], pairs: tuple[Pair, ...]) -> None:
        values = {"model": model, "volumes": volumes, "obstacles": obstacles, "pairs": pairs}
        for name, value in values.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_table", volume_table(model, volumes, obstacles, pairs))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a CollisionModel cannot be changed; make another one ({name!r} was assigned)")

    def __repr__(self) -> str:
        return (
            f"<CollisionModel of {self.model.name}: {len(self.volumes)} segments, {len(self.obstacles)} obstacles, "
            f"{len(self.pairs)} pairs>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.model, dict(self.volumes), self.obstacles, self.pairs)

    def distances(
        self,
        q: npt.ArrayLike,
        *,
        obstacle_poses: ObstaclePoses | None = None,
        out: FloatArray | None = None,
        threads: int = 1,
    ) -> FloatArray:
        """Signed distances of all pairs.

        Parameters
        ----------
        q : array_like, shape (..., nq)
        obstacle_poses : mapping of str to array_like, shape (..., 4, 4), optional
            X_WO of obstacles that are somewhere else than at their own pose, one for each configuration or for all.
        out : ndarray, shape (..., n_pairs), optional
        threads : int

        Returns
        -------
        distance : ndarray, shape (..., n_pairs)
            [m], negative where segments overlap: see `tarsus.geometry.volume_distances`.
        """
        poses = self._poses(obstacle_poses)
        result: FloatArray = _distances(self.model, q, self._table, obstacle_poses=poses, out=out, threads=threads)
        return result

    def witnesses(
        self, q: npt.ArrayLike, *, obstacle_poses: ObstaclePoses | None = None, threads: int = 1
    ) -> FloatArray:
        """Nearest surface points of all pairs in the world, of the first segment and of the second one.

        Returns
        -------
        points : ndarray, shape (..., n_pairs, 2, 3)
            [m]
        """
        poses = self._poses(obstacle_poses)
        points: FloatArray = _witnesses(self.model, q, self._table, obstacle_poses=poses, threads=threads).points
        return points

    def nearest(
        self, q: npt.ArrayLike, count: int = 1, *, obstacle_poses: ObstaclePoses | None = None
    ) -> tuple[NearPair, ...]:
        """The `count` nearest pairs of one configuration, nearest first; fewer where there are no more.

        Parameters
        ----------
        q : array_like, shape (nq,)
        """
        if np.ndim(q) != 1:
            raise ShapeError(f"q of nearest has shape {np.shape(q)}, expected ({self.model.nq},)")
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ArgumentError(f"count is {count!r}, expected a whole number from 1 on")
        poses = self._poses(obstacle_poses)
        found = _witnesses(self.model, q, self._table, obstacle_poses=poses)
        order = np.argsort(found.distance, kind="stable")[:count]
        return tuple(NearPair(self.pairs[k], float(found.distance[k]), found.points[k].copy()) for k in order)

    def distance_jacobian(
        self, q: npt.ArrayLike, *, obstacle_poses: ObstaclePoses | None = None, threads: int = 1
    ) -> DistanceJacobian:
        """Distances of all pairs with their gradients n^T (J_T - J_F), Buschmann 2014 (5.61).

        n is the unit vector from the first segment's nearest point to the second one's; J_F and J_T are their
        translational Jacobians. Gradients jump where nearest points jump, as between parallel faces that begin to
        tilt: `FilteredJacobian` smooths them over time.

        Returns
        -------
        DistanceJacobian
        """
        poses = self._poses(obstacle_poses)
        found = _gradients(self.model, q, self._table, obstacle_poses=poses, threads=threads)
        return DistanceJacobian(found.distance, found.jacobian)

    def clearance(
        self, q: npt.ArrayLike, *, obstacle_poses: ObstaclePoses | None = None, threads: int = 1
    ) -> FloatArray:
        """Smallest distance of all pairs, without looking at those that are certainly further away.

        Obstacles out of reach are left out by a sphere around the whole robot (Buschmann 2014, figure 5.13), other
        pairs by spheres around their segments. Segments that may be below a terrain are always looked at. The result is
        that of `distances`, where segments overlap, too.

        Returns
        -------
        distance : ndarray, shape (...)
            [m]; infinite where there are no pairs.
        """
        if not self.pairs:
            return np.full(np.shape(self.distances(q))[:-1], np.inf)
        poses = self._poses(obstacle_poses)
        distance: FloatArray = _clearance(self.model, q, self._table, obstacle_poses=poses, threads=threads).distance
        return distance

    def moved(self, poses: ObstaclePoses) -> CollisionModel:
        """The same with obstacles at other poses X_WO, shape (4, 4) each."""
        self._check_names(poses)
        around = tuple(
            obstacle.at(poses[obstacle.name]) if obstacle.name in poses else obstacle for obstacle in self.obstacles
        )
        return _restore(self.model, self.volumes, around, self.pairs)

    def restricted(self, pairs: Iterable[Pair]) -> CollisionModel:
        """The same with some of its pairs, in their order here."""
        chosen = set(pairs)
        unknown = chosen - set(self.pairs)
        if unknown:
            raise UnknownNameError(f"pairs has {min(unknown)}, which is no pair of this collision model")
        return _restore(self.model, self.volumes, self.obstacles, tuple(pair for pair in self.pairs if pair in chosen))

    def pruned(
        self,
        samples: int | npt.ArrayLike = 10000,
        rng: np.random.Generator | None = None,
        *,
        margin: float = 0.0,
        threads: int = 1,
    ) -> Pruning:
        """The same without pairs that never touch or always overlap, as far as samples tell, with a report.

        Of n random configurations, a pair that touches in more than a share 3/n of all of them is missed with a
        probability of 5 % at most.

        Parameters
        ----------
        samples : int or array_like, shape (..., nq)
            Number of random configurations within the joint limits (`Model.random`), or configurations.
        rng : numpy.random.Generator, optional
        margin : float
            Distance up to which pairs count as touching [m].
        """
        least, most, count = extreme_distances(self, samples, rng, threads)
        never = {pair: float(d) for pair, d in zip(self.pairs, least, strict=True) if d > margin}
        always = {pair: float(d) for pair, d in zip(self.pairs, most, strict=True) if d < 0}
        left = tuple(pair for pair in self.pairs if pair not in never and pair not in always)
        return Pruning(_restore(self.model, self.volumes, self.obstacles, left), count, margin, never, always)

    def _check_names(self, poses: ObstaclePoses) -> None:
        names = [obstacle.name for obstacle in self.obstacles]
        for name in poses:
            if name not in names:
                raise UnknownNameError(f"obstacle {name!r} not found{nearest(str(name), names)}")

    def _poses(self, given: ObstaclePoses | None) -> FloatArray | None:
        """Poses of all obstacles in the native form, None where they are all at their own."""
        if given is None:
            return None
        if not isinstance(given, Mapping):
            raise ArgumentError(f"obstacle_poses: found {type(given).__name__}, expected poses by name of the obstacle")
        if not given:
            return None
        self._check_names(given)
        poses = [
            o.pose_numbers(pose_of(f"pose of obstacle {o.name!r}", given[o.name]) if o.name in given else o.pose)
            for o in self.obstacles
        ]
        try:
            return np.concatenate(np.broadcast_arrays(*poses), axis=-1)
        except ValueError:
            shapes = ", ".join(f"{name} {np.shape(X)}" for name, X in given.items())
            raise ShapeError(f"batch axes of obstacle_poses do not fit together: {shapes}") from None


def _obstacles(given: Iterable[Obstacle], segments: Iterable[str]) -> tuple[Obstacle, ...]:
    """Obstacles with names of their own."""
    if isinstance(given, Obstacle):
        given = (given,)
    around = tuple(given)
    taken = {name: "a segment of the robot" for name in segments}
    for obstacle in around:
        if not isinstance(obstacle, Obstacle):
            raise ArgumentError(f"obstacles: expected Obstacle objects, found {obstacle!r}")
        if obstacle.name in taken:
            raise ArgumentError(f"obstacles: the name {obstacle.name!r} is that of {taken[obstacle.name]}, too")
        taken[obstacle.name] = "another obstacle"
    return around


def _restore(
    model: Model, volumes: Volumes, obstacles: tuple[Obstacle, ...], pairs: tuple[Pair, ...]
) -> CollisionModel:
    """A collision model of pairs that were chosen before."""
    scene = object.__new__(CollisionModel)
    scene._fill(model, volumes, obstacles, pairs)
    return scene
