"""Distances of swept spheres against coal, and of a humanoid to itself against Pinocchio with coal."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pinocchio as pin
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table
from benchmarks.contestants import TALOS, robot_file
from benchmarks.section import Section, as_one
from benchmarks.target import Target
from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.collision import CollisionModel, SweptSphere
from tarsus.io.interop import PinocchioLayout

PAIRS = 512
"""Pairs of poses of every query; ours are asked for eight times in a call."""
REPEATED = 8
PARITY = 1e-6
"""[m] at which coal's iterations stop."""
SIDES: dict[str, tuple[tuple[FloatArray, float], tuple[FloatArray, float]]] = {
    "point": ((np.zeros((1, 3)), 0.1), (np.zeros((1, 3)), 0.15)),
    "line": ((np.array([[0, 0, -0.2], [0, 0, 0.2]]), 0.08), (np.array([[0, 0, -0.15], [0, 0, 0.15]]), 0.06)),
    "triangle": (
        (np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0.1]]), 0.05),
        (np.array([[0, 0, 0], [0.2, 0.1, 0], [-0.1, 0.3, 0.2]]), 0.03),
    ),
}
"""Vertices [m] and radius of the first and of the second shape of a query, as in coal_queries.cpp."""
QUERIES = ("point-point", "point-line", "line-line", "point-triangle", "line-triangle", "triangle-triangle")
TABLE_5_1 = dict(zip(QUERIES, (1.00, 1.03, 1.44, 1.69, 6.23, 16.74), strict=True))
"""Relative run-times of Buschmann 2014, table 5.1."""
EIGEN = [Path("/usr/include/eigen3")]
"""Where Eigen's headers may be, beside those of the package cmeel-eigen."""
STATES = 1024
LENGTH, RADIUS = 0.2, 0.05
"""Of the humanoid's capsules [m]."""
SEGMENTS = (
    "root_joint",
    "torso_2_joint",
    "head_2_joint",
    *(f"leg_{side}_{k}_joint" for side in ("left", "right") for k in (2, 3, 4, 6)),
    *(f"arm_{side}_{k}_joint" for side in ("left", "right") for k in (2, 3, 4, 5, 7)),
)


@dataclass(frozen=True)
class QueryTime:
    """Times of one query [s].

    Attributes
    ----------
    ours : float
        In a batch, with nearest points and normals.
    ours_distance : float
        In a batch, distances alone.
    coal : float or None
        One after the other in C++; None where it could not be compiled.
    """

    query: str
    ours: float
    ours_distance: float
    coal: float | None

    @property
    def ratio(self) -> float | None:
        """How much faster than coal."""
        return None if self.coal is None else self.coal / self.ours


@dataclass(frozen=True)
class Distances:
    """All of it.

    Attributes
    ----------
    queries : list of QueryTime
    sweep : dict of str to float
        Times of all pairs of the humanoid [s a configuration], by what was called.
    segments, pairs : int
    missing : str or None
        Why coal's queries were not timed.
    """

    queries: list[QueryTime]
    sweep: dict[str, float] = field(default_factory=dict)
    segments: int = 0
    pairs: int = 0
    missing: str | None = None

    @property
    def ratios(self) -> dict[str, float]:
        """Queries against coal, and sweeps against Pinocchio."""
        found = {time.query: time.ratio for time in self.queries if time.ratio is not None}
        for ours in ("ours, one state", f"ours, {STATES} states"):
            for theirs in ("pin.computeDistances", "pin.computeDistances, read in Python"):
                if ours in self.sweep and theirs in self.sweep:
                    found[f"{theirs} / {ours}"] = self.sweep[theirs] / self.sweep[ours]
        return found


def measure_distances(rounds: int = 25) -> Distances:
    """Queries and the sweep; results are compared before anything is timed."""
    queries, missing = measure_queries(rounds)
    sweep, scene = measure_sweep(rounds)
    return Distances(queries, sweep, len(scene.volumes), len(scene.pairs), missing)


def poses(rng: np.random.Generator) -> FloatArray:
    """Pairs of poses at some distance, shape (PAIRS, 2, 4, 4)."""
    X = np.tile(np.eye(4), (PAIRS, 2, 1, 1))
    X[..., :3, :3] = np.linalg.qr(rng.standard_normal((PAIRS, 2, 3, 3)))[0]
    X[..., :3, 0] *= np.linalg.det(X[..., :3, :3])[..., None]
    X[..., :3, 3] = rng.uniform(-0.1, 0.1, (PAIRS, 2, 3))
    X[:, 1, :3, 3] += [0.8, 0.3, 0.2]
    return X


def placed(query: str, X: FloatArray) -> tuple[Any, ...]:
    """Vertices and radii of both sides in the world, for the native function."""
    arguments: list[FloatArray] = []
    for side, kind in enumerate(query.split("-")):
        vertices, radius = SIDES[kind][side]
        world = np.einsum("pij,vj->pvi", X[:, side, :3, :3], vertices) + X[:, side, None, :3, 3]
        arguments += [np.ascontiguousarray(np.tile(world, (REPEATED, 1, 1))), np.full(PAIRS * REPEATED, radius)]
    return tuple(arguments)


def results(points: bool) -> tuple[Any, ...]:
    """Arrays for the results of a batch."""
    rows = PAIRS * REPEATED
    vectors = [np.empty((rows, 3)) if points else None for _ in range(3)]
    return (np.empty(rows), *vectors, None)


def measure_queries(rounds: int) -> tuple[list[QueryTime], str | None]:
    """Every query here and in C++, in turn."""
    X = poses(np.random.default_rng(0))
    with tempfile.TemporaryDirectory() as folder:
        program, missing = build_coal(Path(folder))
        file = Path(folder) / "poses"
        rows = np.concatenate([X[..., :3, :3].reshape(PAIRS, 2, 9), X[..., :3, 3]], axis=-1)
        file.write_bytes(np.ascontiguousarray(rows).tobytes())
        best: dict[tuple[str, str], float] = {}
        for _ in range(max(3, rounds // 4)):
            for query in QUERIES:
                arguments = placed(query, X)
                for what, points in (("ours", True), ("distance", False)):
                    out = results(points)
                    taken = _best(lambda a=arguments, o=out: _native.volume_distances(*a, o, 1), 20)  # type: ignore[misc]
                    best[query, what] = min(best.get((query, what), np.inf), taken / (PAIRS * REPEATED))
                best[query, "sum"] = float(out[0][:PAIRS].sum())
            if program is None:
                continue
            told = subprocess.run([program, file, "4", "20"], capture_output=True, text=True, check=True)
            for line in told.stdout.splitlines():
                query, nanoseconds, total = line.split()
                if not abs(float(total) - best[query, "sum"]) < PAIRS * PARITY:
                    return [], f"distances of {query} differ from coal's"
                best[query, "coal"] = min(best.get((query, "coal"), np.inf), 1e-9 * float(nanoseconds))
    times = [
        QueryTime(query, best[query, "ours"], best[query, "distance"], best.get((query, "coal"))) for query in QUERIES
    ]
    return times, missing


def build_coal(folder: Path) -> tuple[Path | None, str | None]:
    """The program that times coal, or why there is none."""
    prefix = Path(str(distribution("libcoal").locate_file("cmeel.prefix")))
    eigen = [path for path in (prefix / "include" / "eigen3", *EIGEN) if path.is_dir()]
    compiler = shutil.which("c++") or shutil.which("g++")
    if not eigen:
        return None, "Eigen's headers are missing (pip install cmeel-eigen)"
    if compiler is None or not (prefix / "include" / "coal").is_dir():
        return None, "a compiler or coal's headers are missing"
    program, library = folder / "coal_queries", prefix / "lib"
    source = Path(__file__).with_name("coal_queries.cpp")
    command: Sequence[str | Path] = (
        *(compiler, "-O3", "-DNDEBUG", "-std=c++17", f"-I{prefix / 'include'}", f"-I{eigen[0]}", source),
        *(f"-L{library}", "-lcoal", f"-Wl,-rpath,{library}", "-o", program),
    )
    done = subprocess.run(command, capture_output=True, text=True)
    return (program, None) if done.returncode == 0 else (None, f"coal_queries.cpp: {done.stderr.splitlines()[:1]}")


def humanoid() -> tuple[CollisionModel, Any, Any]:
    """Talos with a capsule on every larger segment, here and in Pinocchio."""
    path = str(robot_file(TALOS))
    model = ts.load(path, base="free")
    theirs = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    geometry = pin.GeometryModel()
    volumes = {}
    for name in SEGMENTS:
        joint = theirs.getJointId(name)
        centre = np.array(theirs.inertias[joint].lever)
        shape = coal.Capsule(RADIUS, LENGTH)
        geometry.addGeometryObject(pin.GeometryObject(name, joint, pin.SE3(np.eye(3), centre), shape))
        half = np.array([0.0, 0.0, LENGTH / 2])
        body = next(iter(model.bodies)) if name == "root_joint" else model.joints[name].child
        volumes[body] = SweptSphere([centre - half, centre + half], RADIUS)
    scene = CollisionModel(model, volumes)
    order = {body: k for k, body in enumerate(volumes)}
    for a, b in scene.pairs:
        geometry.addCollisionPair(pin.CollisionPair(order[a], order[b]))
    return scene, theirs, geometry


def measure_sweep(rounds: int) -> tuple[dict[str, float], CollisionModel]:
    """All pairs of the humanoid, a time for every way to ask."""
    scene, theirs, geometry = humanoid()
    model = scene.model
    data, distances = theirs.createData(), pin.GeometryData(geometry)
    rng = np.random.default_rng(0)
    step = np.concatenate([np.zeros((STATES, 6)), 0.2 * rng.standard_normal((STATES, model.nv - 6))], axis=1)
    q = model.integrate(model.reference, step)
    rows = [np.ascontiguousarray(row) for row in PinocchioLayout(model, theirs).q(q)][:64]
    ours = [np.ascontiguousarray(row) for row in q[:64]]
    for one, other in zip(ours, rows, strict=True):
        pin.computeDistances(theirs, data, geometry, distances, other)
        found = np.array([result.min_distance for result in distances.distanceResults])
        if not np.abs(scene.distances(one) - found).max() < PARITY:
            raise ArithmeticError(f"distances of the humanoid differ by {np.abs(scene.distances(one) - found).max()}")

    def read(row: FloatArray) -> list[float]:
        pin.computeDistances(theirs, data, geometry, distances, row)
        return [result.min_distance for result in distances.distanceResults]

    ways: dict[str, tuple[Callable[[], object], int]] = {
        "ours, one state": (lambda: [scene.distances(row) for row in ours], len(ours)),
        f"ours, {STATES} states": (lambda: scene.distances(q), STATES),
        "ours, one state with Jacobian": (lambda: [scene.distance_jacobian(row) for row in ours], len(ours)),
        f"ours, {STATES} states with Jacobians": (lambda: scene.distance_jacobian(q), STATES),
        "pin.computeDistances": (
            lambda: [pin.computeDistances(theirs, data, geometry, distances, row) for row in rows],
            len(rows),
        ),
        "pin.computeDistances, read in Python": (lambda: [read(row) for row in rows], len(rows)),
    }
    best = dict.fromkeys(ways, np.inf)
    for _ in range(rounds):
        for name, (call, count) in ways.items():
            best[name] = min(best[name], _best(call, 1) / count)
    return best, scene


def _best(call: Callable[[], object], times: int) -> float:
    """Shortest thread time of a call [s]."""
    best = np.inf
    for _ in range(times):
        start = time.thread_time()
        call()
        best = min(best, time.thread_time() - start)
    return best


_QUERIES = (
    # query, floor
    ("line-line", 5.0),
    ("point-triangle", 4.0),
    ("line-triangle", 4.0),
    ("triangle-triangle", 4.0),
)

_SWEEPS = (
    # peer, floor
    ("pin.computeDistances", 5.0),
    ("pin.computeDistances, read in Python", 20.0),
)


def query_table(distances: Distances) -> Table:
    """Queries of two swept spheres, here and in coal."""
    table = empty_table(
        "distances of swept spheres, ns a query on one core",
        ("", "ours, batch", "distance alone", "coal, C++", "ratio", "relative", "table 5.1"),
        left=("",),
    )
    for row in distances.queries:
        relative = row.ours / distances.queries[0].ours
        numbers = [1e9 * row.ours, 1e9 * row.ours_distance, None if row.coal is None else 1e9 * row.coal, row.ratio]
        told = ["-" if number is None else f"{number:.1f}" for number in numbers]
        table.add_row(row.query, *told, f"{relative:.2f}", f"{TABLE_5_1[row.query]:.2f}")
    table.caption = "relative run-times beside those of Buschmann 2014, table 5.1; with nearest points and normals"
    if distances.missing is not None:
        table.caption += f"; coal was not timed: {distances.missing}"
    return table


def sweep_table(distances: Distances) -> Table:
    """All pairs of a humanoid, here and in Pinocchio with coal."""
    title = f"talos with {distances.segments} capsules, {distances.pairs} pairs"
    table = empty_table(title, ("", "us a configuration"), left=("",))
    for what, seconds in distances.sweep.items():
        table.add_row(what, f"{1e6 * seconds:.2f}")
    return table


def judge_distances(distances: Distances | None) -> list[Target]:
    """Swept spheres in a batch against coal, and all pairs of a humanoid against Pinocchio with coal."""
    ratios = {} if distances is None else distances.ratios
    queries = [Target(f"{query} in a batch: coal / ours", floor, None, ratios.get(query)) for query, floor in _QUERIES]
    ours = f"ours, {STATES} states"
    return queries + [
        Target(f"talos, 190 pairs, {STATES} states: {peer} / ours", floor, None, ratios.get(f"{peer} / {ours}"))
        for peer, floor in _SWEEPS
    ]


SECTION = Section(
    "distances",
    lambda options: iter([measure_distances(options.rounds(25, 5))]),
    lambda found: [query_table(found[0]), sweep_table(found[0])],
    lambda found: judge_distances(found[0] if found else None),
    as_one,
)
