"""The option `--until` of the long stage (`conftest.py`)."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import conftest

PLAIN = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def run(folder, until):
    """Two files of tests in a folder of their own."""
    shutil.copy(Path(__file__).with_name("conftest.py"), folder)
    for name in ("one", "two"):
        (folder / f"test_{name}.py").write_text("def test_it():\n    pass\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir=."]
    done = subprocess.run([*command, f"--until={until}"], cwd=folder, env=PLAIN, capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_tests_that_begin_too_late_are_left_out_and_named(tmp_path):
    told = run(tmp_path, time.time() - 1.0)
    assert "2 skipped" in told and "passed" not in told
    named = told[told.index("2 tests were not run") :]
    assert "test_one.py::test_it" in named and "test_two.py::test_it" in named


def test_all_tests_are_run_while_there_is_time(tmp_path):
    told = run(tmp_path, time.time() + 1000.0)
    assert "2 passed" in told and "not run" not in told


def test_files_are_run_in_an_order_of_the_number_and_their_tests_in_that_of_the_file():
    orders = set()
    for until in range(20):
        items = [SimpleNamespace(path=path, name=name) for path in "abc" for name in "xy"]
        conftest.pytest_collection_modifyitems(SimpleNamespace(getoption=lambda _, until=until: float(until)), items)
        orders.add("".join(item.path + item.name for item in items))
    assert len(orders) == 6
    assert all(order[0::4] == order[2::4] and order[1::4] == "xxx" and order[3::4] == "yyy" for order in orders)
