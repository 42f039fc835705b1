import io
import json
import os
import platform

import pytest
from benchmarks import run
from benchmarks.alternating import measure_alternating
from benchmarks.coil import BATCH, Coil, CoilPoint, measure_coil, plot_coil
from benchmarks.contestants import TALOS, panda, robot_file
from benchmarks.control_step import ControlStep
from benchmarks.drawing import DRAWN, Drawing
from benchmarks.driven_coil import DrivenPoint
from benchmarks.fitting import FittedRobot
from benchmarks.footprint import Footprint, measure_footprint
from benchmarks.machine import machine_facts
from benchmarks.memory import copy_bandwidth
from benchmarks.quadratic_programs import TARGETED, ProgramRow
from benchmarks.quantity import QUANTITIES, random_states
from benchmarks.registry import SECTIONS
from benchmarks.report import Report, compare_table, print_report
from benchmarks.result import PARITY, Row
from benchmarks.section import Options
from benchmarks.threads import ThreadRow
from benchmarks.timing import Effort
from rich.console import Console
from rich.progress import Progress

SHORT = Effort(rounds=1, block=0.0, budget=0.0, fewest=1)


def small_report() -> Report:
    rows = [
        Row("talos", "inverse_dynamics", 1, "pin", "rnea", 1e-15).timed(1e-6, 0.8e-6, 9e-6),
        Row("talos", "forward_dynamics", 1, "pin", "aba", 1e-15).timed(2e-6, 2e-6, 4e-6),
        Row("talos", "center_of_mass", 1, "pin", "centerOfMass", 0.5),
    ]
    threads = [ThreadRow("talos", "inverse_dynamics", 1024, 2e-6, 1e-6)]
    coil = [CoilPoint(32, 1e-7, 5e-8), CoilPoint(4096, 2.5e-7, 5e-8)]
    loops = [
        Row("16 four-bars", "forward_dynamics", 1, "pin", "constraintDynamics", 1e-12).timed(1e-6, 1e-6, 20e-6),
        Row("16 four-bars", "forward_dynamics", 1, "pin", "lcaba", 1e-10).timed(1e-6, 1e-6, 7e-6),
        Row("16 four-bars", "forward_dynamics", 1024, "pin", "lcaba", 1e-10).timed(1e-6, 1e-6, 26e-6),
    ]
    driven = [DrivenPoint(32, 1e-6, 1e-6, 1e-6, 1e-6), DrivenPoint(64, 2.4e-6, 2e-6, 2e-6, 2e-6)]
    methods = [Row("talos", "gauss", 1, "pin", "computeAllTerms", 1e-13).timed(2e-6, 2e-6, 1e-6)]
    footprint = Footprint(0.1, 0.05, 10**8, 0, 10**6, 1e-7)
    standing = [Row("talos, 2 feet, weld", "sparse", 1, "pin", "constraintDynamics", 1e-14).timed(2e-6, 2e-6, 3e-6)]
    control = ControlStep(physics=7.0, torque=9.0, joint_law=8.0, sensors=34.0, sensors_torque=35.0)
    drawing = [Drawing("talos", 0.5, 0.1), Drawing("panda", 0.5, 0.8)]
    programs = [ProgramRow(TARGETED, 7.5, bare=35e-6, native=14e-6, through_us=42e-6, disagreement=1e-14)]
    fitting = [FittedRobot("lola", 4.0, 25, 55, 4, 1.3), FittedRobot("hrp2", 12.0, 31, 80, 4, 1.7)]
    results = {
        "comparison": rows,
        "threads": threads,
        "coil": [Coil(1e10, BATCH, coil)],
        "loops": loops,
        "driven_coil": driven,
        "methods": methods,
        "constrained": standing,
        "control": [control],
        "drawing": drawing,
        "programs": programs,
        "fitting": fitting,
        "footprint": [footprint],
    }
    return Report({"cpu": "x"}, results)


def test_ratios_are_peer_over_ours():
    row = small_report().results["comparison"][0]
    assert row.ratio == pytest.approx(9.0)
    assert row.ratio_out == pytest.approx(11.25)


def test_targets_are_judged_on_the_right_side_and_missing_ones_are_not_reached():
    verdicts = {target.text: target.reached for target in small_report().targets}
    assert verdicts["inverse_dynamics, 1 state: pin / ours"] is True
    assert verdicts["forward_dynamics, 1 state: pin / ours"] is False
    assert verdicts["joint_screws, 1 state: pin / ours"] is None
    assert verdicts["fit of lola: enclosed volume / convex hulls"] is True
    assert verdicts["fit of hrp2: enclosed volume / convex hulls"] is False
    assert verdicts["fit of hrp2: s CPU"] is False
    assert verdicts["fit of talos: s CPU"] is None
    assert verdicts["inverse_dynamics, 1024 states: one thread / two threads"] is True
    assert verdicts["Coil(n), forward dynamics: time per body at n = 4096 / n = 32"] is False
    assert verdicts["import tarsus after numpy, ms"] is True
    assert verdicts["talos: pictures of 640 x 480 pixels a second of the processor"] is True
    assert verdicts["panda: pictures of 640 x 480 pixels a second of the processor"] is False
    assert verdicts["talos, 2 feet, weld, 1 state: best of pin / ours (sparse)"] is True
    assert verdicts["talos, 2 feet, weld, 1024 states: best of pin / ours (best method)"] is None


def test_targets_of_loops_count_the_fastest_rival_and_the_largest_ratio():
    targets = {target.text: target for target in small_report().targets}
    alone = targets["16 four-bars, forward_dynamics, 1 state: best of pin / ours"]
    assert alone.measured == pytest.approx(7.0)
    assert alone.reached is False
    assert targets["16 four-bars, forward_dynamics, 1024 states: best of pin / ours"].reached is True
    assert targets["geared talos, forward_dynamics, 1 state: best of pin / ours"].reached is None
    assert targets["Coil(n) with drives / Coil(2n), one state, largest ratio"].measured == pytest.approx(1.2)
    assert targets["Coil(n) with drives / Coil(2n), one state, largest ratio"].reached is False
    assert targets["Coil(n) with drives / Coil(2n), 64 states, largest ratio"].reached is True
    assert targets["Coil(n) with drives: slope of time against n from 32"].reached is False
    assert targets["gauss, 1 state: pin (computeAllTerms, LAPACK dposv) / ours"].reached is False
    assert targets["denoc, 1 state: pin (aba) / ours"].reached is None


def test_rows_that_disagree_are_named_and_have_no_ratio():
    report = small_report()
    assert [row.quantity for row in report.disagreements] == ["center_of_mass"]
    assert report.disagreements[0].disagreement > PARITY
    assert report.disagreements[0].ratio is None


def test_saved_json_holds_every_number_that_is_printed(tmp_path):
    report = small_report()
    path = tmp_path / "new" / "b.json"
    report.save(path)
    data = json.loads(path.read_text())
    assert data["comparison"][0]["ratio"] == pytest.approx(9.0)
    assert data["threads"][0]["ratio"] == pytest.approx(2.0)
    assert [row["ratio"] for row in data["loops"]] == pytest.approx([20.0, 7.0, 26.0])
    assert data["driven_coil"]["points"][1]["ratio"] == pytest.approx(1.2)
    assert data["driven_coil"]["slope"] == pytest.approx(1.263, abs=1e-3)
    assert data["methods"][0]["ratio"] == pytest.approx(0.5)
    assert set(data) == {"machine", "targets", *SECTIONS}
    assert data["constrained"][0]["ratio"] == pytest.approx(1.5)
    assert data["control"]["sensors"] == 34.0
    assert data["drawing"][0]["rate"] == pytest.approx(10.0)
    assert data["programs"][0]["ratio"] == pytest.approx(2.5)
    assert data["programs"][0]["overhead"] == pytest.approx(1.2)
    assert data["fitting"][0]["tightness"] == 1.3
    assert [entry.name for entry in path.parent.iterdir()] == ["b.json"]


def test_printed_report_names_units_and_verdicts():
    console = Console(width=140, record=True, file=io.StringIO())
    print_report(console, small_report())
    text = console.export_text()
    for word in (
        "ours, us",
        "reached",
        "missed",
        "not measured",
        "memory copies at 10.0 GB/s",
        "MB",
        "0.9 to 1.1",
        "lcaba",
        "talos, 2 feet, weld",
        "the physics alone",
        "pictures a second",
    ):
        assert word in text


def test_comparison_with_an_older_run_divides_old_by_new():
    new, old = small_report().as_json(), small_report().as_json()
    old["comparison"][0]["ours"] = 3e-6
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(compare_table(new, old))
    assert "3.00" in console.export_text()


def test_machine_facts_name_versions_and_neither_host_nor_paths():
    facts = machine_facts(run.PACKAGES)
    assert facts["versions"]["pin"] != "not installed"
    assert facts["versions"]["mujoco"] != "not installed"
    text = json.dumps(facts)
    assert platform.node() not in text
    assert os.getcwd() not in text


def test_coil_is_measured_and_drawn(tmp_path):
    points = list(measure_coil(SHORT, (2, 3)))
    assert [point.n for point in points] == [2, 3]
    assert all(point.single > 0.0 and point.batch > 0.0 for point in points)
    plot_coil(points, copy_bandwidth(1024, repeats=1), tmp_path / "coil.png")
    assert (tmp_path / "coil.png").stat().st_size > 1000


def test_footprint_is_measured_in_processes_of_their_own():
    footprint = measure_footprint(robot_file(TALOS), SHORT, repeats=1, calls=50, links=30)
    assert footprint.import_tarsus > 0.0
    assert footprint.resident_talos > 10**7
    assert footprint.growth_calls == 50
    assert footprint.load_chain > 0.0


def test_parts_are_measured_one_by_one_and_the_others_are_left_open():
    with Progress(disable=True) as progress:
        report = run.measure(["drawing"], Options(quick=True), progress)
    assert list(report.results) == ["drawing"]
    measured = {target.text for target in report.targets if target.measured is not None}
    assert measured == {f"{robot}: pictures of 640 x 480 pixels a second of the processor" for robot in DRAWN}


def test_unknown_robots_and_parts_are_refused():
    with pytest.raises(SystemExit):
        run.parse(["--only", "nothing"])
    with pytest.raises(SystemExit):
        run.parse(["--robots", "nobody"])


def test_options_have_defaults():
    options = run.parse([])
    assert not options.quick
    assert set(options.robots) == {"humanoid", "talos", "hrp2", "panda"}


def test_batches_in_turn_are_timed_for_every_quantity():
    contestant = panda()
    rows = measure_alternating(contestant, random_states(contestant.model, 20), SHORT)
    assert [row.quantity for row in rows] == list(QUANTITIES)
    for row in rows:
        assert row.states == 20
        assert row.ours > 0.0 and row.alone > 0.0 and row.peer_time > 0.0
        assert row.ratio == pytest.approx(row.peer_time / row.ours)
    report = small_report()
    report.results["alternating"] = rows
    assert len(report.as_json()["alternating"]) == len(QUANTITIES)
    console = Console(file=io.StringIO(), width=200)
    print_report(console, report)
    assert "in turn with new result arrays" in console.file.getvalue()
