"""The report: tables on the terminal and the same numbers as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.alternating import AlternatingRow
from benchmarks.coil import BATCH, CoilPoint
from benchmarks.control_step import ControlStep
from benchmarks.distances import TABLE_5_1, Distances
from benchmarks.drawing import Drawing
from benchmarks.driven_coil import DrivenPoint, driven_slope
from benchmarks.fitting import FittedRobot
from benchmarks.footprint import Footprint
from benchmarks.quadratic_programs import ProgramRow
from benchmarks.result import PARITY, Row
from benchmarks.standing import Standing
from benchmarks.targets import (
    Target,
    judge,
    judge_constrained,
    judge_control,
    judge_distances,
    judge_drawing,
    judge_driven,
    judge_fitting,
    judge_loops,
    judge_methods,
    judge_programs,
    judge_standing,
    judge_trotting,
)
from benchmarks.threads import ThreadRow
from benchmarks.trotting import Trotting
from tarsus.files import write_whole


@dataclass
class Report:
    """Everything that one run measured."""

    machine: dict[str, Any]
    rows: list[Row] = field(default_factory=list)
    threads: list[ThreadRow] = field(default_factory=list)
    coil: list[CoilPoint] = field(default_factory=list)
    bandwidth: float | None = None
    footprint: Footprint | None = None
    loops: list[Row] = field(default_factory=list)
    driven: list[DrivenPoint] = field(default_factory=list)
    methods: list[Row] = field(default_factory=list)
    constrained: list[Row] = field(default_factory=list)
    standing: Standing | None = None
    control: ControlStep | None = None
    trotting: Trotting | None = None
    distances: Distances | None = None
    alternating: list[AlternatingRow] = field(default_factory=list)
    drawing: list[Drawing] = field(default_factory=list)
    programs: list[ProgramRow] = field(default_factory=list)
    fitting: list[FittedRobot] = field(default_factory=list)

    @property
    def targets(self) -> list[Target]:
        """The targets and whether they were reached."""
        further = judge_loops(self.loops) + judge_driven(self.driven) + judge_methods(self.methods)
        further += judge_constrained(self.constrained) + judge_standing(self.standing)
        further += judge_control(self.control)
        further += judge_trotting(self.trotting) + judge_drawing(self.drawing)
        further += judge_programs(self.programs) + judge_fitting(self.fitting) + judge_distances(self.distances)
        return judge(self.rows, self.threads, self.coil, self.footprint) + further

    @property
    def disagreements(self) -> list[Row]:
        """Rows whose results differ from the peer's, so that their times were not compared; one for each call."""
        found: dict[tuple[str, str, str, str], Row] = {}
        for row in (*self.rows, *self.loops, *self.methods, *self.constrained):
            if not row.disagreement <= PARITY:
                found.setdefault((row.robot, row.quantity, row.peer, row.call), row)
        return list(found.values())

    def as_json(self) -> dict[str, Any]:
        """Plain data; times in seconds per state."""
        return {
            "machine": self.machine,
            "targets": [asdict(target) | {"reached": target.reached} for target in self.targets],
            "comparison": _rows_as_json(self.rows),
            "threads": [asdict(row) | {"ratio": row.ratio} for row in self.threads],
            "alternating": [asdict(row) | {"ratio": row.ratio} for row in self.alternating],
            "coil": {"bandwidth": self.bandwidth, "batch": BATCH, "points": [asdict(point) for point in self.coil]},
            "footprint": None if self.footprint is None else asdict(self.footprint),
            "loops": _rows_as_json(self.loops),
            "driven_coil": {
                "batch": BATCH,
                "slope": driven_slope(self.driven),
                "points": [
                    asdict(point) | {"ratio": point.ratio, "ratio_batch": point.ratio_batch} for point in self.driven
                ],
            },
            "methods": _rows_as_json(self.methods),
            "constrained": _rows_as_json(self.constrained),
            "standing": None if self.standing is None else asdict(self.standing) | {"ratios": self.standing.ratios},
            "control": None if self.control is None else asdict(self.control),
            "trotting": None if self.trotting is None else asdict(self.trotting) | {"ratios": self.trotting.ratios},
            "drawing": [asdict(row) | {"rate": row.rate} for row in self.drawing],
            "programs": [asdict(row) | {"ratio": row.ratio, "overhead": row.overhead} for row in self.programs],
            "fitting": [asdict(row) for row in self.fitting],
            "distances": None if self.distances is None else asdict(self.distances) | {"ratios": self.distances.ratios},
        }

    def save(self, path: Path) -> None:
        """Write the JSON file, completely or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, f"{json.dumps(self.as_json(), indent=1)}\n".encode())


def print_report(console: Console, report: Report) -> None:
    """All tables."""
    for robot in dict.fromkeys(row.robot for row in report.rows):
        console.print(comparison_table(robot, [row for row in report.rows if row.robot == robot]))
    if report.threads:
        console.print(thread_table(report.threads))
    if report.alternating:
        console.print(alternating_table(report.alternating))
    if report.coil:
        console.print(coil_table(report.coil))
    if report.bandwidth is not None:
        console.print(f"memory copies at {report.bandwidth / 1e9:.1f} GB/s, read and write counted")
    if report.loops:
        console.print(rival_table("forward dynamics with loops and gears, minimal coordinates", report.loops))
    if report.driven:
        console.print(driven_table(report.driven))
    if report.methods:
        console.print(rival_table("forward dynamics of talos by every method", report.methods))
    if report.constrained:
        console.print(constrained_table(report.constrained))
    if report.standing is not None:
        console.print(standing_table(report.standing))
    if report.control is not None:
        console.print(control_table(report.control))
    if report.trotting is not None:
        console.print(trotting_table(report.trotting))
    if report.drawing:
        console.print(drawing_table(report.drawing))
    if report.programs:
        console.print(program_table(report.programs))
    if report.fitting:
        console.print(fitting_table(report.fitting))
    if report.distances is not None:
        console.print(query_table(report.distances))
        console.print(sweep_table(report.distances))
    console.print(target_table(report.targets))


def comparison_table(robot: str, rows: Iterable[Row]) -> Table:
    """Ratios of one robot, a line per quantity and batch size."""
    table = Table(title=f"{robot}: time per state, ratio = peer / ours", title_justify="left")
    for name in ("quantity", "states"):
        table.add_column(name, justify="right" if name == "states" else "left")
    for name in ("ours, us", "out=, us", "peer", "peer, us", "ratio", "ratio out=", "difference"):
        table.add_column(name, justify="left" if name == "peer" else "right")
    for row in rows:
        table.add_row(
            row.quantity,
            str(row.states),
            _micro(row.ours),
            _micro(row.ours_out),
            row.peer,
            _micro(row.peer_time),
            _ratio(row.ratio),
            _ratio(row.ratio_out),
            _difference(row.disagreement),
        )
    return table


def thread_table(rows: Iterable[ThreadRow]) -> Table:
    """Two threads against one."""
    table = Table(title="two threads against one", title_justify="left")
    for name in ("robot", "quantity", "states", "one, us", "two, us", "ratio"):
        table.add_column(name, justify="left" if name in ("robot", "quantity") else "right")
    for row in rows:
        table.add_row(row.robot, row.quantity, str(row.states), _micro(row.one), _micro(row.two), _ratio(row.ratio))
    return table


def alternating_table(rows: Iterable[AlternatingRow]) -> Table:
    """Batches of all quantities in turn, with new result arrays."""
    table = Table(title="in turn with new result arrays: time per state, ratio = peer / ours", title_justify="left")
    for name in ("robot", "quantity", "states", "ours, us", "alone with out=, us", "peer", "peer, us", "ratio"):
        table.add_column(name, justify="left" if name in ("robot", "quantity", "peer") else "right")
    for row in rows:
        times = _micro(row.ours), _micro(row.alone), row.peer, _micro(row.peer_time)
        table.add_row(row.robot, row.quantity, str(row.states), *times, _ratio(row.ratio))
    return table


def coil_table(points: Iterable[CoilPoint]) -> Table:
    """Forward dynamics of Coil(n)."""
    table = Table(title="forward dynamics of Coil(n), time per body", title_justify="left")
    for name in ("n", "one state, ns", f"{BATCH} states, ns per state"):
        table.add_column(name, justify="right")
    for point in points:
        table.add_row(str(point.n), f"{1e9 * point.single:.1f}", f"{1e9 * point.batch:.1f}")
    return table


def rival_table(title: str, rows: Iterable[Row]) -> Table:
    """Ways of forward dynamics, ours per state of the batch against one call of theirs."""
    table = Table(title=f"{title}: time per state, ratio = pin / ours", title_justify="left")
    for name in ("ours", "states", "ours, us", "out=, us", "pin", "pin, us", "ratio", "ratio out=", "difference"):
        table.add_column(name, justify="left" if name in ("ours", "pin") else "right")
    for row in rows:
        table.add_row(
            row.robot if row.quantity == "forward_dynamics" else row.quantity,
            str(row.states),
            _micro(row.ours),
            _micro(row.ours_out),
            row.call,
            _micro(row.peer_time),
            _ratio(row.ratio),
            _ratio(row.ratio_out),
            _difference(row.disagreement),
        )
    return table


def standing_table(standing: Standing) -> Table:
    """Talos standing on eight points, here and in MuJoCo."""
    table = Table(title="talos standing on eight contact points, steps of 1 ms", title_justify="left")
    for name in ("", "ours, us a step", "mujoco, us a step", "ratio"):
        table.add_column(name, justify="right" if name else "left")
    times = {
        "1024 robots, compliant": (standing.compliant, standing.rollout),
        "1024 robots, least-constraint": (standing.least_constraint, standing.rollout),
        "1024 robots finding their stance, least-constraint": (standing.landing, standing.rollout),
        "1 robot, compliant": (standing.single, standing.mj_step),
    }
    for name, (ours, theirs) in times.items():
        table.add_row(name, f"{ours:.3g}", f"{theirs:.3g}", f"{theirs / ours:.2f}")
    table.caption = (
        f"sinkage {1e3 * standing.sinkage:.2f} mm, foot forces within {100 * standing.force_difference:.2f} % of "
        f"MuJoCo's, force changes by {100 * standing.chatter:.2g} % from step to step; a limp robot with all its "
        f"points falls and lies on least-constraint ground at {min(standing.limp):.2f} to {max(standing.limp):.2f} s "
        "of the processor a second"
    )
    return table


def control_table(control: ControlStep) -> Table:
    """Controllers in Python, a call every step."""
    table = Table(title="hrp2 stands, a controller is called every step of 1 ms", title_justify="left")
    table.add_column("what it reads and returns")
    table.add_column("us a step", justify="right")
    table.add_row("the physics alone, which are taken off below", f"{control.physics:.1f}")
    for what, cost in control.beyond.items():
        table.add_row(what, f"{cost:.1f}")
    return table


def program_table(rows: Iterable[ProgramRow]) -> Table:
    """Sequences of quadratic programs."""
    table = Table(title="quadratic programs from Python: 32 variables, 98 rows, warm", title_justify="left")
    for name in ("sequence", "active", "native, us", "daqp through QP, us", "bare daqp, us", "bare / native",
                 "through QP / bare", "difference"):  # fmt: skip
        table.add_column(name, justify="left" if name == "sequence" else "right")
    for row in rows:
        times = _micro(row.native), _micro(row.through_us), _micro(row.bare)
        ratios = _ratio(row.ratio), _ratio(row.overhead), _difference(row.disagreement)
        table.add_row(row.what, f"{row.active:.1f}", *times, *ratios)
    return table


def fitting_table(rows: Iterable[FittedRobot]) -> Table:
    """Volumes around robots."""
    table = Table(title="fitting of swept-sphere volumes, at most four a link", title_justify="left")
    for name in ("robot", "s CPU", "links", "volumes", "most of a link", "enclosed / hulls"):
        table.add_column(name, justify="left" if name == "robot" else "right")
    for row in rows:
        numbers = (f"{row.seconds:.1f}", str(row.links), str(row.volumes), str(row.largest), f"{row.tightness:.2f}")
        table.add_row(row.robot, *numbers)
    return table


def trotting_table(trotting: Trotting) -> Table:
    """Solo12 standing and trotting, here and in MuJoCo."""
    table = Table(title="1024 solo12, ten steps of 2 ms an action", title_justify="left")
    for name in ("", "ours, us a step", "mujoco, us a step", "ratio"):
        table.add_column(name, justify="right" if name else "left")
    times = {
        "standing": (trotting.standing, trotting.standing_peer),
        "trotting": (trotting.trotting, trotting.trotting_peer),
        "trotting, masses and friction of their own": (trotting.different, trotting.trotting_peer),
    }
    for name, (ours, theirs) in times.items():
        table.add_row(name, f"{ours:.3g}", f"{theirs:.3g}", f"{theirs / ours:.2f}")
    table.caption = f"trotting robots travel {trotting.travel[0]:.2f} m in 2 s, MuJoCo's {trotting.travel[1]:.2f} m"
    return table


def drawing_table(rows: Iterable[Drawing]) -> Table:
    """Pictures by the software renderer."""
    table = Table(title="pictures of 640 x 480 pixels, processor time", title_justify="left")
    for name in ("robot", "preparing the meshes, s", "a picture, s", "pictures a second"):
        table.add_column(name, justify="left" if name == "robot" else "right")
    for row in rows:
        table.add_row(row.robot, f"{row.preparation:.2f}", f"{row.picture:.3f}", f"{row.rate:.1f}")
    return table


def query_table(distances: Distances) -> Table:
    """Queries of two swept spheres, here and in coal."""
    table = Table(title="distances of swept spheres, ns a query on one core", title_justify="left")
    for name in ("", "ours, batch", "distance alone", "coal, C++", "ratio", "relative", "table 5.1"):
        table.add_column(name, justify="right" if name else "left")
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
    table = Table(title=title, title_justify="left")
    table.add_column("")
    table.add_column("us a configuration", justify="right")
    for what, seconds in distances.sweep.items():
        table.add_row(what, f"{1e6 * seconds:.2f}")
    return table


def constrained_table(rows: Iterable[Row]) -> Table:
    """Robots that stand, by every method of multipliers, against `constraintDynamics`."""
    table = Table(title="dynamics under constraints: time per state, ratio = pin / ours", title_justify="left")
    for name in ("robot", "method", "states", "ours, us", "pin", "pin, us", "ratio", "difference"):
        table.add_column(name, justify="left" if name in ("robot", "method", "pin") else "right")
    for row in rows:
        table.add_row(
            row.robot,
            row.quantity,
            str(row.states),
            _micro(row.ours),
            row.call,
            _micro(row.peer_time),
            _ratio(row.ratio),
            _difference(row.disagreement),
        )
    return table


def driven_table(points: Sequence[DrivenPoint]) -> Table:
    """Coil(n) with drives beside Coil(2n)."""
    exponent = driven_slope(points)
    grows = "" if exponent is None else f"; time grows as n^{exponent:.2f}"
    table = Table(title=f"forward dynamics of Coil(n) with drives against Coil(2n){grows}", title_justify="left")
    for name in ("n", "driven, us", "plain, us", "ratio", f"driven, {BATCH} states, us", "plain, us", "ratio"):
        table.add_column(name, justify="right")
    for point in points:
        single = _micro(point.driven), _micro(point.plain), _ratio(point.ratio)
        batch = _micro(point.driven_batch), _micro(point.plain_batch), _ratio(point.ratio_batch)
        table.add_row(str(point.n), *single, *batch)
    return table


def target_table(targets: Iterable[Target]) -> Table:
    """Targets, measured values, verdicts."""
    table = Table(title="targets", title_justify="left")
    table.add_column("target")
    table.add_column("asked", justify="right")
    table.add_column("measured", justify="right")
    table.add_column("")
    for target in targets:
        verdict = {True: "[green]reached[/]", False: "[red]missed[/]", None: "not measured"}[target.reached]
        table.add_row(target.text, _asked(target), "" if target.measured is None else f"{target.measured:.2f}", verdict)
    return table


def compare_table(new: dict[str, Any], old: dict[str, Any]) -> Table:
    """Show times of this run beside those of an older one, where both have them."""
    table = Table(title="against the older run: time per state, ratio = old / new", title_justify="left")
    for name in ("robot", "quantity", "states", "old, us", "new, us", "ratio"):
        table.add_column(name, justify="left" if name in ("robot", "quantity") else "right")
    before = {(row["robot"], row["quantity"], row["states"]): row["ours"] for row in old.get("comparison", ())}
    seen = set()
    for row in new["comparison"]:
        key = (row["robot"], row["quantity"], row["states"])
        if key in seen or before.get(key) is None or row["ours"] is None:
            continue
        seen.add(key)
        ratio = before[key] / row["ours"]
        table.add_row(key[0], key[1], str(key[2]), _micro(before[key]), _micro(row["ours"]), _ratio(ratio))
    return table


def _rows_as_json(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [asdict(row) | {"ratio": row.ratio, "ratio_out": row.ratio_out} for row in rows]


def _asked(target: Target) -> str:
    if target.floor is not None and target.ceiling is not None:
        return f"{target.floor:g} to {target.ceiling:g}"
    return f">= {target.floor:g}" if target.floor is not None else f"<= {target.ceiling:g}"


def _difference(relative: float) -> str:
    return f"{relative:.0e}" if relative <= PARITY else f"[red]{relative:.0e}[/]"


def _micro(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e6 * seconds:.3g}"


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"[bold]{ratio:.2f}[/]"
