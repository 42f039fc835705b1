"""Robots that stand on one or both feet, by multipliers, against Pinocchio: accelerations and their derivatives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from rich.table import Table

import tarsus as ts
from benchmarks.cells import difference, empty_table, micro, ratio
from benchmarks.contestants import TALOS, robot_file
from benchmarks.peers_pinocchio import to_pinocchio
from benchmarks.quantity import States, relative_difference
from benchmarks.result import PARITY, Row
from benchmarks.rival import CHECKED_STATES, Rival, best_ratio, rows_through
from benchmarks.section import Options, Section
from benchmarks.target import Target
from benchmarks.timing import Effort, Statement, race
from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints import Constraint, ball, weld
from tarsus.dynamics.constraints.constrained_dynamics import ConstrainedMotion, Method
from tarsus.io.interop import PinocchioLayout
from tarsus.model.model import Model

BATCHES = (1, 1024)
DERIVATIVES = "derivatives"
"""In place of a method, of rows that time accelerations with their derivatives."""
METHODS: tuple[Method, ...] = ("sparse", "recursive", "runs", "dense")
FEET = {"hrp2": ("l_sole", "r_sole"), "talos": ("left_sole_link", "right_sole_link")}
CORNERS = tuple((x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.05, 0.05))
"""Points of a foot that stand on the ground [m]."""
JOINT_BEND = 0.1
"""Angle [rad] by which joints differ from the robot's reference pose, before the feet are put back."""
KINDS = {"weld": 1, "points": len(CORNERS)}
"""Constraints of a foot: all six directions of its sole, or its corners; twelve rows for corners, of which six are
independent."""
SETTINGS = {
    "weld": {"constraintDynamics": (1e-12, 0.0, 1), "constraintDynamics, proximal": (1e-10, 1e-8, 20)},
    "points": {"constraintDynamics, proximal": (1e-10, 1e-8, 20)},
}
"""Accuracy, mu and iterations. Without regularisation (mu = 0) redundant rows are not solved at all; of the others
these are the fastest, by powers of ten, at which results are right to `PARITY`."""


@dataclass(frozen=True)
class Stance:
    """A robot that stands, here and there.

    Attributes
    ----------
    name : str
    model : Model
    constraints : tuple of Constraint
    states : States
        On the constraints at position and velocity level.
    rivals : list of Rival
    layout : PinocchioLayout
    """

    name: str
    model: Model
    constraints: tuple[Constraint, ...]
    states: States
    rivals: list[Rival]
    layout: PinocchioLayout

    def accelerations(self, method: str, count: int) -> FloatArray:
        """Ours, for the first states."""
        s = self.states.first(count)
        return _solve(self.model, s.q, s.v, s.tau, self.constraints, method=method).vdot

    def statement(self, method: str, count: int) -> Statement:
        """Write our evaluation of the first states in one call."""
        s = self.states.first(count)
        q, v, tau = (x[0] if count == 1 else x for x in (s.q, s.v, s.tau))
        names = {"f": ts.constrained_dynamics, "m": self.model, "q": q, "v": v, "tau": tau, "c": self.constraints}
        code = f"f(m, q, v, tau, c, method={method!r}, redundant='accept')"
        return Statement(code, names, count)


def _solve(*arguments: Any, method: Method) -> ConstrainedMotion:
    return ts.constrained_dynamics(*arguments, method=method, redundant="accept")


def robot(name: str) -> tuple[Model, Any]:
    """A robot here and in Pinocchio."""
    if name == "hrp2":
        model = ts.robots.hrp2()
        return model, to_pinocchio(model)
    path = str(robot_file(TALOS))
    return ts.load(path, base="free"), pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())


def standing(name: str, feet: int, kind: str, count: int, seed: int = 0) -> Stance:
    """A robot on one or two feet, in `count` states."""
    model, pin_model = robot(name)
    soles = FEET[name][:feet]
    welds = [weld("world", sole, ts.frame_pose(model, model.reference, sole)) for sole in soles]
    constraints = tuple(welds) if kind == "weld" else _points(model, soles)
    rng = np.random.default_rng(seed)
    q = model.integrate(model.reference, JOINT_BEND * rng.uniform(-1.0, 1.0, (count, model.nv)))
    q = ts.project_position(model, q, welds)
    v, tau = rng.normal(size=(2, count, model.nv))
    v = ts.project_velocity(model, q, v, welds)
    tau = ts.gravity_force(model, q) * model.actuated + tau
    states = States(q, v, _solve(model, q, v, tau, constraints, method="sparse").vdot, tau)
    rivals = [_rival(model, pin_model, soles, kind, call) for call in SETTINGS[kind]]
    label = f"{name}, {feet} {'foot' if feet == 1 else 'feet'}, {kind}"
    return Stance(label, model, constraints, states, rivals, PinocchioLayout(model, pin_model))


def _points(model: Model, soles: Sequence[str]) -> tuple[Constraint, ...]:
    made = []
    for sole in soles:
        X = ts.frame_pose(model, model.reference, sole)
        made += [ball("world", sole, X[:3, :3] @ corner + X[:3, 3], corner) for corner in CORNERS]
    return tuple(made)


def _rival(model: Model, pin_model: Any, soles: Sequence[str], kind: str, call: str) -> Rival:
    """Pinocchio's constrained dynamics with the same constraints."""
    constraints, details = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for sole in soles:
        frame = model.frames[sole]
        X = ts.frame_pose(model, model.reference, sole)
        joint = pin_model.getJointId(model.bodies[frame.body].joint)
        foot = _placed(np.linalg.inv(_joint_pose(model, pin_model, joint, frame.body)) @ _pose(model, sole))
        for corner in CORNERS if kind == "points" else ((0.0, 0.0, 0.0),):
            here = pin.SE3(np.eye(3), np.array(corner))
            contact = pin.ContactType.CONTACT_3D if kind == "points" else pin.ContactType.CONTACT_6D
            made = pin.RigidConstraintModel(contact, pin_model, joint, foot * here, 0, _placed(X) * here, pin.LOCAL)
            constraints.append(made)
            details.append(made.createData())
    data = pin_model.createData()
    pin.initConstraintDynamics(pin_model, data, constraints, details)
    names = {"f": pin.constraintDynamics, "m": pin_model, "d": data, "c": constraints, "e": details}
    names["s"] = pin.ProximalSettings(*SETTINGS[kind][call])
    layout = PinocchioLayout(model, pin_model)
    return Rival(call, "a = f(m, d, q, v, tau, c, e, s)", names, partial(rows_through, layout), layout.from_v)


def _pose(model: Model, frame: str) -> FloatArray:
    return ts.frame_pose(model, model.reference, frame)


def _joint_pose(model: Model, pin_model: Any, joint: int, body: str) -> FloatArray:
    """Where Pinocchio has the joint that carries a body, in the reference pose."""
    data = pin_model.createData()
    pin.forwardKinematics(pin_model, data, PinocchioLayout(model, pin_model).q(model.reference))
    return np.array(data.oMi[joint].homogeneous)


def _placed(X: FloatArray) -> Any:
    return pin.SE3(np.array(X[:3, :3]), np.array(X[:3, 3]))


def measure_stance(stance: Stance, count: int, effort: Effort) -> list[Row]:
    """Rows for every method and rival; the quantity of a row is the method.

    Before, results are compared at up to `CHECKED_STATES` states; what disagrees is not timed.
    """
    checked = stance.states.first(CHECKED_STATES)
    theirs = [rival.accelerations(checked) for rival in stance.rivals]
    rows = []
    for method in METHODS:
        mine = stance.accelerations(method, CHECKED_STATES)
        for rival, found in zip(stance.rivals, theirs, strict=True):
            apart = max(relative_difference(own, other) for own, other in zip(mine, found, strict=True))
            rows.append(Row(stance.name, method, count, "pin", rival.call, apart))
    ours = [stance.statement(method, count) for method in METHODS]
    times = race([*ours, *(rival.statement(stance.states) for rival in stance.rivals)], effort)
    own, peer = times[: len(METHODS)], times[len(METHODS) :]
    for i, row in enumerate(rows):
        if row.disagreement <= PARITY:
            mine_time = own[i // len(stance.rivals)]
            rows[i] = row.timed(mine_time, mine_time, peer[i % len(stance.rivals)])
    return rows


def measure_derivatives(stance: Stance, count: int, effort: Effort) -> list[Row]:
    """One row: accelerations with all their derivatives, for welded feet."""
    rival = stance.rivals[0]
    code = f"{rival.code}; g(m, d, c, e, s); a = d.ddq_dq"
    peer = Rival(
        f"{rival.call} + derivatives", code, {**rival.names, "g": pin.computeConstraintDynamicsDerivatives}, rival.rows,
        partial(_square_back, stance.layout.v(np.eye(stance.model.nv))),
    )  # fmt: skip
    s = stance.states.first(CHECKED_STATES)
    mine = ts.constrained_dynamics_derivatives(stance.model, s.q, s.v, s.tau, stance.constraints).vdot[:, 0]
    apart = max(relative_difference(own, other) for own, other in zip(mine, peer.accelerations(s), strict=True))
    row = Row(stance.name, DERIVATIVES, count, "pin", peer.call, apart)
    if apart > PARITY:
        return [row]
    s = stance.states.first(count)
    q, v, tau = (x[0] if count == 1 else x for x in (s.q, s.v, s.tau))
    names = {"f": ts.constrained_dynamics_derivatives, "m": stance.model, "q": q, "v": v, "tau": tau}
    ours = Statement("f(m, q, v, tau, c)", {**names, "c": stance.constraints}, count)
    own, other = race([ours, peer.statement(stance.states)], effort)
    return [row.timed(own, own, other)]


def _square_back(units: FloatArray, theirs: FloatArray) -> FloatArray:
    """A matrix of Pinocchio's velocities in our order; rows of `units` are our unit velocities in theirs."""
    return np.asarray(units @ theirs @ units.T)


def measure_constrained(effort: Effort) -> Iterator[list[Row]]:
    """Yield the rows of one robot, stance and batch size."""
    for name in FEET:
        for feet in (1, 2):
            for kind in KINDS:
                stance = standing(name, feet, kind, max(BATCHES))
                for count in BATCHES:
                    yield [
                        *measure_stance(stance, count, effort),
                        *(measure_derivatives(stance, count, effort) if kind == "weld" else ()),
                    ]


STEPS = len(FEET) * 2 * len(KINDS) * len(BATCHES)
"""How many times `measure_constrained` yields."""


_CONSTRAINED = (
    # states, floor
    (1, 1.0),
    (1024, 4.0),
)


def constrained_table(rows: Iterable[Row]) -> Table:
    """Robots that stand, by every method of multipliers, against `constraintDynamics`."""
    table = empty_table(
        "dynamics under constraints: time per state, ratio = pin / ours",
        ("robot", "method", "states", "ours, us", "pin", "pin, us", "ratio", "difference"),
        left=("robot", "method", "pin"),
    )
    for row in rows:
        table.add_row(
            row.robot,
            row.quantity,
            str(row.states),
            micro(row.ours),
            row.call,
            micro(row.peer_time),
            ratio(row.ratio),
            difference(row.disagreement),
        )
    return table


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


def _measured(options: Options) -> Iterator[Row]:
    for rows in measure_constrained(options.effort):
        yield from rows


SECTION = Section("constrained", _measured, lambda rows: [constrained_table(rows)], judge_constrained)
