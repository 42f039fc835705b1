"""Runs of the fuzz of everything that reads files: a short one, and a long one for the second stage."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

KINDS = ("urdf", "mjcf", "sdf", "srdf", "mesh", "recording", "document")
DRIVER = Path(__file__).with_name("fuzz_files.py")


@pytest.mark.parametrize(("count", "jobs"), [(2000, 1), pytest.param(100_000, 2, marks=pytest.mark.long)])
def test_mutated_files_load_or_are_refused(count: int, jobs: int) -> None:
    command = [sys.executable, str(DRIVER), "--count", str(count), "--seed", "20240", "--jobs", str(jobs)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    total = re.search(r"^(\d+) files in .*, 0 failures$", result.stdout, re.MULTILINE)
    loaded = {kind: int(number) for number, kind in re.findall(r"^ *(\d+)  (\w+)  loaded$", result.stdout, re.M)}
    assert total is not None, result.stdout
    assert count - len(KINDS) <= int(total[1]) <= count
    for kind in KINDS:  # the mutations reach beyond the parser
        made = sum(int(n) for n in re.findall(rf"^ *(\d+)  {kind}  ", result.stdout, re.M))
        assert made // 25 < loaded.get(kind, 0) < made * 3 // 4, (kind, result.stdout)


def verdicts(lines: list[str]) -> list[dict[str, int]]:
    return [json.loads(line)["value"]["verdicts"] for line in lines[1:]]


def test_a_run_that_was_ended_goes_on_where_it_was(tmp_path: Path) -> None:
    results = tmp_path / "results" / "fuzz.jsonl"
    command = [sys.executable, str(DRIVER), "--count", "60", "--kinds", "mesh", "srdf", "--results", str(results)]
    first = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = results.read_text().splitlines()
    assert len(lines) == 1 + 2
    results.write_text("\n".join(lines[:2]) + "\n")  # as if it had been ended after the first share
    second = subprocess.run(command, capture_output=True, text=True, check=True)
    again = results.read_text().splitlines()
    assert again[:2] == lines[:2]
    assert verdicts(again) == verdicts(lines)
    assert first.stdout.splitlines()[:-1] == second.stdout.splitlines()[:-1]
