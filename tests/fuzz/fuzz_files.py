"""Fuzz of everything that reads files: mutated files load or are refused, in bounded time and memory, and nothing else.

    python tests/fuzz/fuzz_files.py --count 100000 --seed 1 --jobs 2

Every file is small, made from one of a few seeds by random mutations, and read: model files of three formats, SRDF,
meshes and recordings. What comes out must be what was asked for or a refusal; any other exception, a numerical warning,
two seconds, 500 MB, or the end of the process fails the run. A failing file is named by its number and may be written
out with ``--save``. With ``--results`` a long run can be ended and taken up again: shares that are done are in there.
"""

from __future__ import annotations

import argparse
import faulthandler
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from kinds import KINDS, made
from study import run_study, study_parser

from tarsus.analysis import Outcome
from tarsus.errors import ModelWarning, RecordingWarning

SECONDS_PER_FILE = 2.0
"""CPU time, so that a busy machine does not count as a slow reader."""
SECONDS_UNTIL_HANGING = 60.0
"""After which a process is ended that does not even listen to signals."""
MAX_RESIDENT_BYTES = 500 * 10**6
SHARE = 5000
"""Files of one kind that one process reads at a time."""


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS_PER_FILE} s")


def run(kind: str, seed: int, start: int, stop: int) -> dict[str, Any]:
    """Fuzz one share of the files in this process: verdicts, failures, the longest time [s] and the memory [bytes]."""
    verdicts: Counter[str] = Counter()
    failures, slowest = [], 0.0
    warnings.simplefilter("error")
    for harmless in (ModelWarning, RecordingWarning):
        warnings.simplefilter("ignore", harmless)
    signal.signal(signal.SIGVTALRM, _too_slow)
    with tempfile.TemporaryDirectory() as directory:
        for number in range(start, stop):
            suffix, data = made(kind, seed, number)
            path = Path(directory) / f"{number}{suffix}"
            begin = time.process_time()
            faulthandler.dump_traceback_later(SECONDS_UNTIL_HANGING, exit=True)
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_PER_FILE)
            try:
                verdicts[KINDS[kind].verdict(data, path)] += 1
            except Exception:
                failures.append((kind, number, traceback.format_exc(limit=-4)))
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
                faulthandler.cancel_dump_traceback_later()
                path.unlink(missing_ok=True)
            slowest = max(slowest, time.process_time() - begin)
    return {"verdicts": verdicts, "failures": failures, "slowest": slowest, "resident": most_resident()}


def most_resident() -> int:
    """Most memory of this process so far [bytes]; getrusage may tell that of the process it was started from."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    found = re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)
    assert found is not None, status
    return int(found[1]) * 1024


def shares(kinds: list[str], count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Arguments of `run` for every share."""
    total = sum(KINDS[kind].weight for kind in kinds)
    each = {kind: count * KINDS[kind].weight // total for kind in kinds}
    for start in range(0, count, SHARE):
        for kind in kinds:
            if start < each[kind]:
                yield {"kind": kind, "seed": seed, "start": start, "stop": min(start + SHARE, each[kind])}


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzz from the command line; 0 if every file loaded or was refused."""
    parser = study_parser(__doc__, 2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--save", type=Path, help="directory for files that fail")
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    found = run_study(options, run, shares(options.kinds, options.count, options.seed))
    return _tell(options, list(found), time.perf_counter() - start)


def _failures(outcome: Outcome) -> list[tuple[str, int, str]]:
    """Kind, number and text; the end of a process is a failure of its share."""
    if outcome.status == "done":
        return [(kind, number, text) for kind, number, text in outcome.value["failures"]]
    case = outcome.case
    text = f"a file from {case['start']} to {case['stop']}: {outcome.error}"
    return [(case["kind"], case["start"], text)]


def _tell(options: argparse.Namespace, outcomes: list[Outcome], elapsed: float) -> int:
    done = [outcome for outcome in outcomes if outcome.status == "done"]
    count = 0
    for kind in options.kinds:
        mine = [outcome.value["verdicts"] for outcome in done if outcome.case["kind"] == kind]
        total = sum(map(Counter, mine), Counter[str]())
        count += total.total()
        for name, number in total.most_common():
            print(f"{number:8d}  {kind}  {name}")
    failures = [failure for outcome in outcomes for failure in _failures(outcome)]
    for kind, number, text in failures[:10]:
        print(f"FAILED {kind} file {number} of seed {options.seed}\n{text}")
        if options.save:
            options.save.mkdir(parents=True, exist_ok=True)
            suffix, data = made(kind, options.seed, number)
            (options.save / f"{kind}-{options.seed}-{number}{suffix}").write_bytes(data)
    resident = max((outcome.value["resident"] for outcome in done), default=0)
    slowest = max((outcome.value["slowest"] for outcome in done), default=0.0)
    size = f"slowest {slowest:.3f} s, {resident / 1e6:.0f} MB"
    print(f"{count} files in {elapsed:.1f} s, {size}, {len(failures)} failures")
    return 1 if failures or resident > MAX_RESIDENT_BYTES else 0


if __name__ == "__main__":
    sys.exit(main())
