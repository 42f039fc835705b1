"""Runs of the fuzz of the model file readers: a short one, and a long one for the second stage."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DRIVER = Path(__file__).with_name("fuzz_models.py")


@pytest.mark.parametrize(("count", "jobs"), [(2000, 1), pytest.param(100_000, 2, marks=pytest.mark.long)])
def test_mutated_model_files_load_or_are_refused(count: int, jobs: int) -> None:
    command = [sys.executable, str(DRIVER), "--count", str(count), "--seed", "20240", "--jobs", str(jobs)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    total = re.search(r"^(\d+) files in .*, 0 failures$", result.stdout, re.MULTILINE)
    loaded = re.search(r"^ *(\d+)  loaded$", result.stdout, re.MULTILINE)
    assert total is not None and loaded is not None, result.stdout
    assert count - 3 <= int(total[1]) <= count
    assert count // 20 < int(loaded[1]) < count // 2  # the mutations reach beyond the parser
