"""Sweeps: the same bits everywhere, failures that are told, and files from which they go on."""

import functools
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from analysis.sweeps import studied
from distributed import Client, LocalCluster
from threadpoolctl import threadpool_limits

import tarsus as ts
from tarsus.analysis import grid, read_results, sweep
from tarsus.analysis.sweeps.task import Task, run_task
from tarsus.errors import ArgumentError, SweepError, UnknownNameError

TESTS = Path(__file__).parents[2]
OTHERS = ["processes", "joblib", "dask"]


@pytest.fixture(autouse=True)
def workers_find_the_tests(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(TESTS))


def cases(count):
    return [{"x": x} for x in range(count)]


@pytest.fixture(scope="module")
def serial_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("serial") / "drawn.jsonl"
    sweep(studied.drawn, cases(8), seed=7, results=path)
    return path


@pytest.mark.parametrize(("engine", "workers"), [("processes", 1), ("processes", 2), ("joblib", 2)])
def test_every_engine_writes_the_bytes_of_the_serial_run(engine, workers, serial_file, tmp_path):
    path = tmp_path / "drawn.jsonl"
    sweep(studied.drawn, cases(8), seed=7, engine=engine, workers=workers, results=path)
    assert path.read_bytes() == serial_file.read_bytes()


def test_values_come_back_with_their_bits():
    found = sweep(studied.drawn, [{"x": 1}], seed=3)
    seed = found.outcomes[0].seed
    with threadpool_limits(1):  # as in a sweep
        direct = studied.drawn(1, seed)
    value = found.values[0]
    for name in ("inverse", "single", "none", "product"):
        assert value[name].dtype == direct[name].dtype
        assert value[name].shape == direct[name].shape
        assert value[name].tobytes() == direct[name].tobytes()
    assert np.array(value["special"]).tobytes() == np.array(direct["special"]).tobytes()
    assert value["large"] == direct["large"]


def test_a_case_has_its_seed_wherever_it_stands():
    first = {outcome.case["x"]: outcome.seed for outcome in sweep(studied.drawn, cases(3), seed=5)}
    turned = {outcome.case["x"]: outcome.seed for outcome in sweep(studied.drawn, cases(3)[::-1], seed=5)}
    assert first == turned
    assert len(set(first.values())) == 3
    assert sweep(studied.drawn, cases(1), seed=6).outcomes[0].seed != first[0]


@pytest.mark.parametrize("engine", ["serial", "processes", "joblib"])
def test_a_case_that_raises_is_told_with_its_error_and_the_others_go_on(engine):
    found = sweep(studied.picky, cases(4), engine=engine, workers=2)
    assert [outcome.status for outcome in found] == ["done", "failed", "done", "failed"]
    assert found.outcomes[1].error == "ValueError: 1 is odd"
    assert "in picky" in found.outcomes[1].traceback
    assert "run_task" not in found.outcomes[1].traceback
    with pytest.raises(SweepError, match=r"2 of 4 cases have no value: \{'x': 1\}: ValueError: 1 is odd; \{'x': 3\}"):
        _ = found.values


def test_a_case_that_exits_or_returns_an_object_is_told():
    left = sweep(studied.exits, cases(1)).outcomes[0]
    assert (left.status, left.error) == ("failed", "SystemExit: case 0 wants to leave")
    strange = sweep(studied.object_value, cases(1)).outcomes[0]
    assert strange.status == "failed"
    assert "value['deep'][0] is of type object" in strange.error


@pytest.mark.parametrize("engine", ["processes", "joblib"])
def test_a_killed_worker_costs_nothing_but_time(engine, tmp_path):
    given = grid(x=range(6), marks=[str(tmp_path)], victim=[2])
    found = sweep(studied.killed_once, given, engine=engine, workers=2)
    assert (tmp_path / "killed").exists()
    assert found.values == [x * x for x in range(6)]


@pytest.mark.parametrize("engine", OTHERS)
def test_a_case_that_always_kills_its_worker_is_told_by_name_and_no_other_is(engine, tmp_path):
    given = grid(x=range(6), victim=[3])
    path = tmp_path / "killed.jsonl"
    found = sweep(studied.always_killed, given, engine=engine, workers=2, retries=1, results=path)
    assert [outcome.status for outcome in found] == ["done"] * 3 + ["lost"] + ["done"] * 2
    lost = found.failures[0]
    assert lost.case["x"] == 3
    assert "worker" in lost.error and "2 times in all" in lost.error
    if engine == "processes":
        assert "SIGKILL" in lost.error
    with pytest.raises(SweepError, match="1 of 6 cases have no value.*'x': 3"):
        _ = found.values
    assert [outcome.status for outcome in read_results(path)] == [outcome.status for outcome in found]


def test_a_worker_of_a_running_cluster_may_be_killed_and_bytes_are_those_of_the_serial_run(serial_file, tmp_path):
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        given = grid(x=range(6), marks=[str(tmp_path)], victim=[2])
        assert sweep(studied.killed_once, given, engine="dask", client=client).values == [x * x for x in range(6)]
        assert (tmp_path / "killed").exists()
        path = tmp_path / "drawn.jsonl"
        sweep(studied.drawn, cases(8), seed=7, engine="dask", client=cluster.scheduler_address, results=path)
        assert path.read_bytes() == serial_file.read_bytes()


def test_what_is_done_is_not_done_again(tmp_path):
    marks, path = tmp_path / "marks", tmp_path / "results.jsonl"
    marks.mkdir()
    sweep(studied.leaves_marks, grid(x=range(3), marks=[str(marks)]), results=path)
    found = sweep(studied.leaves_marks, grid(x=range(5), marks=[str(marks)]), results=path, engine="processes")
    assert found.values == [0, 1, 4, 9, 16]
    assert sorted(mark.name for mark in marks.iterdir()) == [f"{x}-0" for x in range(5)]


@pytest.mark.parametrize("cut", [1, 30])
def test_a_line_that_was_torn_is_done_again(cut, tmp_path):
    path = tmp_path / "results.jsonl"
    whole = sweep(studied.square, cases(4), results=path).values
    data = path.read_bytes()
    path.write_bytes(data[:-cut])  # as if the power had failed while it was written
    assert len(read_results(path)) == 3
    assert sweep(studied.square, cases(4), results=path).values == whole
    assert path.read_bytes() == data


def test_a_torn_header_is_begun_again(tmp_path):
    path = tmp_path / "results.jsonl"
    sweep(studied.square, cases(1), results=path)
    data = path.read_bytes()
    path.write_bytes(data[:10])
    sweep(studied.square, cases(1), results=path)
    assert path.read_bytes() == data


INTERRUPTED = """
import sys
from analysis.sweeps import studied
from tarsus.analysis import grid, sweep

if __name__ == "__main__":
    sweep(studied.waits, grid(x=range(6), marks=[sys.argv[2]]), engine=sys.argv[3], workers=2, results=sys.argv[1])
"""


def listening():
    """Commands in the background of a shell start deaf to Ctrl-C; those that people start do not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(("engine", "ending"), [("serial", signal.SIGINT), ("processes", signal.SIGINT),
                                                ("processes", signal.SIGKILL), ("joblib", signal.SIGINT)])  # fmt: skip
def test_an_interrupted_sweep_leaves_a_valid_file_and_goes_on(engine, ending, tmp_path):
    script, path, marks = tmp_path / "script.py", tmp_path / "results.jsonl", tmp_path / "marks"
    script.write_text(INTERRUPTED)
    marks.mkdir()
    command = [sys.executable, str(script), str(path), str(marks), engine]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=listening)
    while not (path.exists() and len(path.read_text().splitlines()) > 3):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    if ending == signal.SIGINT:
        os.killpg(process.pid, ending)  # as a terminal does
    else:
        process.kill()
    _, told = process.communicate()
    assert ("KeyboardInterrupt" in told) == (ending == signal.SIGINT)
    assert {outcome.case["x"]: outcome.value for outcome in read_results(path)} == {0: 0, 1: 1, 2: 4}
    seen = []

    def quick(x, marks):
        seen.append(x)
        return x * x

    quick.__module__, quick.__qualname__ = studied.waits.__module__, studied.waits.__qualname__
    found = sweep(quick, grid(x=range(6), marks=[str(marks)]), results=path, mixed=True)
    assert seen == [3, 4, 5]
    assert found.values == [0, 1, 4, 9, 16, 25]


def test_files_of_other_sweeps_are_refused(tmp_path):
    path = tmp_path / "results.jsonl"
    sweep(studied.square, cases(2), results=path)
    kept = path.read_bytes()
    with pytest.raises(SweepError, match=r"holds results of function '.*square', this sweep has '.*picky'"):
        sweep(studied.picky, cases(2), results=path)
    sweep(studied.drawn, cases(1), seed=1, results=tmp_path / "drawn.jsonl")
    with pytest.raises(SweepError, match="holds results of seed 1, this sweep has 2"):
        sweep(studied.drawn, cases(1), seed=2, results=tmp_path / "drawn.jsonl")
    assert path.read_bytes() == kept
    assert sweep(studied.picky, [{"x": 2}], results=path, overwrite=True).values == [2]


@pytest.mark.parametrize("content", ["notes\n", '{"sweep": 9}\n', "[]\n", '{"a": 1}\n', "no end of line", "\x00\xff\n"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_files_that_are_something_else_are_refused_and_stay(content, overwrite, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(SweepError, match=r"notes.txt"):
        sweep(studied.square, cases(2), results=path, overwrite=overwrite)
    assert path.read_bytes() == content.encode("latin-1")


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "results.jsonl"
    sweep(studied.square, cases(3), results=path)
    lines = path.read_text().splitlines()
    lines[2] = lines[2].replace('"value"', '"worth"')
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(SweepError, match=r"results.jsonl:3: is no result"):
        sweep(studied.square, cases(3), results=path)


def test_results_of_other_code_are_refused_unless_mixed(tmp_path):
    path = tmp_path / "results.jsonl"
    sweep(studied.picky, cases(2), results=path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *(line.replace("tarsus ", "tarsus 9.") for line in lines[1:])]) + "\n")
    with pytest.raises(SweepError, match=r"was computed by 'tarsus 9\..*mixed=True"):
        sweep(studied.picky, cases(2), results=path)
    found = sweep(studied.picky, cases(2), results=path, mixed=True)
    assert found.outcomes[0].code.startswith("tarsus 9.")
    assert not found.outcomes[1].code.startswith("tarsus 9.")  # errors are tried again


def test_a_changed_file_of_the_function_is_other_code(tmp_path):
    code = "from tarsus.analysis import sweep\ndef f(x):\n    return x{}\n\nif __name__ == '__main__':\n" \
           "    print(sweep(f, [{{'x': 2}}], results='r.jsonl').values)\n"  # fmt: skip
    script = tmp_path / "script.py"
    for added, good in (("", True), ("", True), (" + 1", False)):
        script.write_text(code.format(added))
        done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode == 0) == good, done.stderr
    assert "was computed by" in done.stderr


def test_two_sweeps_do_not_write_one_file(tmp_path):
    path = tmp_path / "results.jsonl"

    def inner(x):
        with pytest.raises(SweepError, match="another sweep is writing it"):
            sweep(studied.square, cases(1), results=path)
        return x

    assert sweep(inner, cases(2), results=path).values == [0, 1]


def test_a_worker_of_another_version_does_not_run_a_case():
    from tarsus.analysis.sweeps.cases import Case

    body = run_task(studied.square, Task(0, Case('{"x":2}', None), "tarsus 0.0.1 avx9"))
    assert list(json.loads(body)) == ["stranger"]


def test_a_sweep_ends_where_a_worker_is_a_stranger(monkeypatch):
    monkeypatch.setattr("tarsus.analysis.sweeps.sweep.program", lambda: "tarsus 0.0.1 avx9")
    with pytest.raises(SweepError, match=r"a worker runs 'tarsus .*', this is 'tarsus 0.0.1 avx9'"):
        sweep(studied.square, cases(2))


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"engine": "proceses"}, UnknownNameError, "no engine 'proceses'; close: 'processes'"),
        ({"workers": 0}, ArgumentError, "workers is 0"),
        ({"retries": -1}, ArgumentError, "retries is -1"),
        ({"seed": 1.5}, ArgumentError, "seed is 1.5"),
        ({"seed": 1}, ArgumentError, r"cases\[0\] does not suit the function.*'seed'"),
        ({"cases": [{"y": 1}]}, ArgumentError, r"cases\[0\] does not suit the function: missing a required"),
        ({"cases": [{"x": 1}, {"x": 1}]}, ArgumentError, r"cases\[1\] is the same as cases\[0\]"),
        ({"cases": [1]}, ArgumentError, r"cases\[0\] is of type int"),
        ({"cases": {"x": 1}}, ArgumentError, "cases is of type dict"),
        ({"cases": [{"x": object()}]}, ArgumentError, r"cases\[0\]\['x'\] is of type object"),
        ({"cases": [{"x": 1j}]}, ArgumentError, "of type complex"),
        ({"cases": [{"x": np.array(["a"])}]}, ArgumentError, "is an array of <U1"),
        ({"function": 3}, ArgumentError, "function is of type int"),
        ({"engine": "processes", "function": lambda x: x}, ArgumentError, "cannot be sent to another process"),
        ({"client": "tcp://nowhere"}, ArgumentError, "client is for engine 'dask'"),
        ({"engine": "dask", "client": 3}, ArgumentError, "client is of type int"),
        ({"function": functools.partial(studied.square, 3), "cases": [{}]}, ArgumentError, "positional arguments"),
    ],
)
def test_bad_arguments_are_named(change, error, text):
    given = {"function": studied.square, "cases": cases(1), "engine": "serial"} | change
    with pytest.raises(error, match=text):
        sweep(given.pop("function"), given.pop("cases"), **given)


def test_a_function_that_workers_cannot_import_is_named(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        from tarsus.analysis import sweep
        if __name__ == "__main__":
            def f(x):
                return x
            sweep(f, [{"x": 1}], engine="processes")
    """)
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert "a worker cannot import the function (AttributeError" in done.stderr
    script.write_text("from tarsus.analysis import sweep\nfrom analysis.sweeps.studied import square\n"
                      "sweep(square, [{'x': 1}], engine='processes', workers=1)\n")  # fmt: skip
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert "SweepError: workers cannot be started" in done.stderr
    assert '__name__ == "__main__"' in done.stderr


def test_arguments_of_partial_functions_are_part_of_the_name(tmp_path):
    path = tmp_path / "results.jsonl"
    bound = functools.partial(studied.always_killed, victim=9)
    assert sweep(bound, cases(2), results=path).values == [0, 1]
    with pytest.raises(SweepError, match=r"always_killed\(victim=9\)'.*always_killed\(victim=8\)'"):
        sweep(functools.partial(studied.always_killed, victim=8), cases(2), results=path)


def test_no_cases_are_no_error(tmp_path):
    assert sweep(studied.square, []).values == []


def test_grids_are_products_and_refuse_text():
    assert grid(a=[1, 2], b="x y".split()) == [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"},
                                               {"a": 2, "b": "y"}]  # fmt: skip
    with pytest.raises(ArgumentError, match="b is 'xy'"):
        grid(a=[1], b="xy")


def test_names_are_found_in_the_package():
    assert ts.analysis.sweep is sweep
