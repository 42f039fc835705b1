"""The targets that the core was built to, each with what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from benchmarks.coil import BATCH, CoilPoint
from benchmarks.control_step import ControlStep
from benchmarks.distances import STATES as SWEPT_STATES
from benchmarks.distances import Distances
from benchmarks.drawing import DRAWN, Drawing
from benchmarks.driven_coil import SMALLEST_FITTED, DrivenPoint, driven_slope
from benchmarks.fitting import ROBOTS as FITTED_ROBOTS
from benchmarks.fitting import FittedRobot
from benchmarks.footprint import Footprint
from benchmarks.loops import FOURBARS, GEARED
from benchmarks.methods import EQUIVALENTS
from benchmarks.quadratic_programs import TARGETED, ProgramRow
from benchmarks.result import Row
from benchmarks.rival import best_ratio
from benchmarks.standing import Standing
from benchmarks.threads import ThreadRow
from benchmarks.trotting import Trotting

GROWTH_NOISE = 256 * 1024
"""Bytes by which resident memory of a process may change without anything being kept: a few pages of the allocator."""


@dataclass(frozen=True)
class Target:
    """A target; `measured` is None where the run did not include it."""

    text: str
    floor: float | None
    ceiling: float | None
    measured: float | None

    @property
    def reached(self) -> bool | None:
        """Whether the measured value is on the right side."""
        if self.measured is None:
            return None
        return (self.floor is None or self.measured >= self.floor) and (
            self.ceiling is None or self.measured <= self.ceiling
        )


_AGAINST_PIN = (
    # quantity, states, floor, with out=
    ("inverse_dynamics", 1, 8.0, False),
    ("forward_dynamics", 1, 6.0, False),
    ("mass_matrix", 1, 3.5, False),
    ("mass_matrix", 1, 4.0, True),
    ("joint_screws", 1, 4.0, False),
    ("inverse_dynamics", 1024, 18.0, False),
    ("forward_dynamics", 1024, 15.0, False),
    ("mass_matrix", 1024, 5.5, False),
    ("mass_matrix", 64, 7.0, False),
    ("joint_screws", 1024, 5.0, False),
)
_LOOPS = (
    # mechanism, states, floor
    (FOURBARS, 1, 8.0),
    (FOURBARS, 1024, 25.0),
    (GEARED, 1, 12.0),
)
_CONSTRAINED = (
    # states, floor
    (1, 1.0),
    (1024, 4.0),
)
_STANDING = (
    # what, floor
    ("1024 robots, compliant", 20.0),
    ("1024 robots, least-constraint", 4.0),
    ("1 robot, compliant", 8.0),
)
_CONTROL = (
    # field, what, most
    ("torque", "returns torques", 20.0),
    ("joint_law", "returns a JointLaw", 20.0),
    ("sensors", "reads all sensors and returns a JointLaw", 40.0),
)
_TROTTING = (
    # what, floor
    ("1024 robots standing", 8.0),
    ("1024 robots trotting", 8.0),
)
PICTURE_RATE = 2.0
"""Pictures a second that videos of 640 x 480 pixels are to reach."""
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
SLOPE_NOISE = 0.1
"""How far the slope of a time that grows linearly may be from 1, by noise and by caches."""


def judge_loops(loops: Sequence[Row]) -> list[Target]:
    """Loops and gears in minimal coordinates, against the fastest way in Pinocchio."""
    targets = []
    for robot, states, floor in _LOOPS:
        rows = [row for row in loops if (row.robot, row.states) == (robot, states)]
        text = f"{robot}, forward_dynamics, {states} state{'s' if states > 1 else ''}: best of pin / ours"
        targets.append(Target(text, floor, None, best_ratio(rows)))
    return targets


def judge_constrained(rows: Sequence[Row]) -> list[Target]:
    """Standing robots by multipliers: the default method alone, the best one in a batch, against the fastest call."""
    targets = []
    for robot in dict.fromkeys(row.robot for row in rows):
        for states, floor in _CONSTRAINED:
            found = [row for row in rows if (row.robot, row.states) == (robot, states)]
            calls = dict.fromkeys(row.quantity for row in found if row.quantity != "derivatives")
            ratios = {method: best_ratio([row for row in found if row.quantity == method]) for method in calls}
            if states == 1:
                ratios = {"sparse": ratios.get("sparse")}
            best = max((ratio for ratio in ratios.values() if ratio is not None), default=None)
            what = "sparse" if states == 1 else "best method"
            text = f"{robot}, {states} state{'s' if states > 1 else ''}: best of pin / ours ({what})"
            targets.append(Target(text, floor, None, best))
    return targets


def judge_standing(standing: Standing | None) -> list[Target]:
    """Talos on eight contact points, against MuJoCo."""
    ratios = {} if standing is None else standing.ratios
    targets = [
        Target(f"talos standing, {name}: mujoco / ours", floor, None, ratios.get(name)) for name, floor in _STANDING
    ]
    sinkage = None if standing is None else 1e3 * standing.sinkage
    difference = None if standing is None else 100.0 * standing.force_difference
    chatter = None if standing is None else 100.0 * standing.chatter
    return [
        *targets,
        Target("talos standing, compliant: sinkage, mm", None, 1.0, sinkage),
        Target("talos standing, compliant: difference of foot forces from MuJoCo, %", None, 5.0, difference),
        Target("talos standing, compliant: change of force from step to step, %", None, 1.0, chatter),
    ]


def judge_control(control: ControlStep | None) -> list[Target]:
    """Controllers in Python, beyond the physics."""
    found = {} if control is None else asdict(control)
    return [
        Target(f"hrp2, a controller that {what}: us a step beyond the physics", None, ceiling, found.get(name))
        for name, what, ceiling in _CONTROL
    ]


def judge_trotting(trotting: Trotting | None) -> list[Target]:
    """Solo12 on its feet, action by action, against MuJoCo."""
    ratios = {} if trotting is None else trotting.ratios
    return [Target(f"solo12, {name}: mujoco / ours", floor, None, ratios.get(name)) for name, floor in _TROTTING]


def judge_drawing(rows: Sequence[Drawing]) -> list[Target]:
    """Pictures of videos."""
    rates = {row.robot: row.rate for row in rows}
    text = "pictures of 640 x 480 pixels a second of the processor"
    return [Target(f"{robot}: {text}", PICTURE_RATE, None, rates.get(robot)) for robot in DRAWN]


def judge_programs(programs: Sequence[ProgramRow]) -> list[Target]:
    """Warm-started quadratic programs with 32 variables and 98 rows, against bare DAQP."""
    row = next((row for row in programs if row.what == TARGETED), None)
    what = f"quadratic programs, {TARGETED}"
    return [
        Target(f"{what}: bare daqp / native", 2.0, None, None if row is None else row.ratio),
        Target(f"{what}: daqp through QP / bare daqp", None, 1.3, None if row is None else row.overhead),
    ]


def judge_fitting(fitting: Sequence[FittedRobot]) -> list[Target]:
    """Volumes with at most four a link: how tight they are, and what they cost."""
    found = {row.robot: row for row in fitting}
    targets = []
    for robot in FITTED_ROBOTS:
        row = found.get(robot)
        tightness = None if row is None else row.tightness
        targets.append(Target(f"fit of {robot}: enclosed volume / convex hulls", None, 1.6, tightness))
        targets.append(Target(f"fit of {robot}: s CPU", None, 10.0, None if row is None else row.seconds))
    return targets


def judge_distances(distances: Distances | None) -> list[Target]:
    """Swept spheres in a batch against coal, and all pairs of a humanoid against Pinocchio with coal."""
    ratios = {} if distances is None else distances.ratios
    queries = [Target(f"{query} in a batch: coal / ours", floor, None, ratios.get(query)) for query, floor in _QUERIES]
    ours = f"ours, {SWEPT_STATES} states"
    return queries + [
        Target(f"talos, 190 pairs, {SWEPT_STATES} states: {peer} / ours", floor, None, ratios.get(f"{peer} / {ours}"))
        for peer, floor in _SWEEPS
    ]


def judge_driven(points: Sequence[DrivenPoint]) -> list[Target]:
    """Drives cost no more than as many bodies of a chain."""
    single = max((point.ratio for point in points), default=None)
    batch = max((point.ratio_batch for point in points), default=None)
    name = "Coil(n) with drives"
    return [
        Target(f"{name} / Coil(2n), one state, largest ratio", None, 1.15, single),
        Target(f"{name} / Coil(2n), {BATCH} states, largest ratio", None, 1.15, batch),
        Target(
            f"{name}: slope of time against n from {SMALLEST_FITTED}",
            1.0 - SLOPE_NOISE,
            1.0 + SLOPE_NOISE,
            driven_slope(points),
        ),
    ]


def judge_methods(methods: Sequence[Row]) -> list[Target]:
    """No method of forward dynamics is slower than its equivalent."""
    ratios = {row.quantity: row.ratio for row in methods}
    return [
        Target(f"{method}, 1 state: pin ({call}) / ours", 1.0, None, ratios.get(method))
        for method, call in EQUIVALENTS.items()
    ]


def judge(
    rows: Iterable[Row], threads: Iterable[ThreadRow], coil: list[CoilPoint], footprint: Footprint | None
) -> list[Target]:
    """All targets; ratios are those of Talos with a free base."""
    talos = {(row.quantity, row.states): row for row in rows if row.robot == "talos" and row.peer == "pin"}
    targets = []
    for quantity, states, floor, out in _AGAINST_PIN:
        row = talos.get((quantity, states))
        measured = None if row is None else row.ratio_out if out else row.ratio
        what = f"{quantity}{' with out=' if out else ''}, {states} state{'s' if states > 1 else ''}: pin / ours"
        targets.append(Target(what, floor, None, measured))
    for pair in threads:
        if pair.robot == "talos":
            text = f"{pair.quantity}, {pair.states} states: one thread / two threads"
            targets.append(Target(text, 1.7, None, pair.ratio))
    growth = {point.n: point.single for point in coil}
    ends = growth[4096] / growth[32] if {32, 4096} <= growth.keys() else None
    targets.append(Target("Coil(n), forward dynamics: time per body at n = 4096 / n = 32", None, 2.0, ends))
    f = footprint
    targets.append(Target("import tarsus after numpy, ms", None, 80.0, None if f is None else 1e3 * f.import_tarsus))
    resident = None if f is None else f.resident_talos / 1e6
    targets.append(Target("resident memory after loading Talos, MB", None, 150.0, resident))
    chain = None if f is None else f.load_chain
    targets.append(Target("loading a URDF chain of 10000 links, s", None, 5.0, chain))
    calls = 10**6 if f is None else f.growth_calls
    text = f"growth of resident memory over {calls} calls, kB"
    targets.append(Target(text, None, GROWTH_NOISE / 1e3, None if f is None else f.growth / 1e3))
    return targets
