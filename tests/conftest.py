"""Long tests that must be over by a certain time.

`pytest -m long --until SECONDS`, in seconds since 1970: tests that have not begun by then are skipped, and named at the
end. Files are run in an order of that number, so that what is left out on a slow machine is something else each time.
"""

import random
import time

import pytest

LEFT_OUT = "no time was left"


def pytest_addoption(parser):
    parser.addoption("--until", type=float, help="skip, and name, tests that have not begun by then [s since 1970]")


def pytest_collection_modifyitems(config, items):
    until = config.getoption("--until")
    if until is None:
        return
    files = list(dict.fromkeys(item.path for item in items))
    random.Random(until).shuffle(files)  # the same in all workers
    place = {path: number for number, path in enumerate(files)}
    items.sort(key=lambda item: place[item.path])


def pytest_runtest_setup(item):
    until = item.config.getoption("--until")
    if until is not None and time.time() > until:
        pytest.skip(f"{LEFT_OUT}: the machine was too slow")


def pytest_terminal_summary(terminalreporter):
    left_out = [
        report.nodeid for report in terminalreporter.stats.get("skipped", []) if LEFT_OUT in str(report.longrepr)
    ]
    if left_out:
        terminalreporter.section(f"{len(left_out)} tests were not run, no time was left")
        for name in left_out:
            terminalreporter.line(name)
