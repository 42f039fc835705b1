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
import functools
import json
import multiprocessing
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

from kinds import KINDS, made

from tarsus.errors import ModelWarning, RecordingWarning

SECONDS_PER_FILE = 2.0
"""CPU time, so that a busy machine does not count as a slow reader."""
SECONDS_UNTIL_HANGING = 60.0
"""After which a process is ended that does not even listen to signals."""
MAX_RESIDENT_BYTES = 500 * 10**6
SHARE = 5000
"""Files of one kind that one process reads at a time."""


@dataclass
class Outcome:
    """What became of a share of the files."""

    kind: str
    start: int
    stop: int
    verdicts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, int, str]] = field(default_factory=list)
    slowest: float = 0.0
    resident: int = 0


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS_PER_FILE} s")


def run(kind: str, seed: int, start: int, stop: int) -> Outcome:
    """Fuzz one share of the files in this process."""
    outcome = Outcome(kind, start, stop)
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
                outcome.verdicts[KINDS[kind].verdict(data, path)] += 1
            except Exception:
                outcome.failures.append((kind, number, traceback.format_exc(limit=-4)))
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
                faulthandler.cancel_dump_traceback_later()
                path.unlink(missing_ok=True)
            outcome.slowest = max(outcome.slowest, time.process_time() - begin)
    outcome.resident = most_resident()
    return outcome


def most_resident() -> int:
    """Most memory of this process so far [bytes]; getrusage may tell that of the process it was started from."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    found = re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)
    assert found is not None, status
    return int(found[1]) * 1024


def shares(kinds: list[str], count: int) -> Iterator[tuple[str, int, int]]:
    """Kind, first and last file of every share."""
    total = sum(KINDS[kind].weight for kind in kinds)
    each = {kind: count * KINDS[kind].weight // total for kind in kinds}
    for start in range(0, count, SHARE):
        for kind in kinds:
            if start < each[kind]:
                yield kind, start, min(start + SHARE, each[kind])


def outcomes(options: argparse.Namespace, todo: list[tuple[str, int, int]]) -> Iterator[Outcome]:
    """Outcomes of shares as they come; the end of a process is a failure of its share."""
    if options.jobs == 1 and not options.results:
        for share in todo:
            yield run(share[0], options.seed, *share[1:])
        return
    context = multiprocessing.get_context("spawn")
    while todo:
        with ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
            waiting = [(share, pool.submit(run, share[0], options.seed, *share[1:])) for share in todo]
            for place, (share, future) in enumerate(waiting):
                try:
                    yield future.result()
                except BrokenProcessPool:
                    yield _alone(options, share)
                    todo = todo[place + 1 :]
                    break
            else:
                return


def _alone(options: argparse.Namespace, share: tuple[str, int, int]) -> Outcome:
    """Outcome of a share during which some process ended, read again by itself."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            return pool.submit(run, share[0], options.seed, *share[1:]).result()
        except BrokenProcessPool:
            text = f"a file from {share[1]} to {share[2]} ends the process"
            return Outcome(*share, failures=[(share[0], share[1], text)])


class Results:
    """Outcomes in a file, one line each, which a later run goes on from."""

    def __init__(self, path: Path | None, seed: int) -> None:
        self._path, self._seed = path, seed
        self.done: list[Outcome] = []
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                if row.pop("seed") == seed and row.pop("commit", "") == commit():
                    self.done.append(Outcome(**{**row, "verdicts": Counter(row["verdicts"])}))

    def keep(self, outcome: Outcome) -> None:
        """Add an outcome."""
        self.done.append(outcome)
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"seed": self._seed, "commit": commit(), **vars(outcome)}) + "\n")


@functools.cache
def commit() -> str:
    """Commit of the code that is fuzzed."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return "unknown"


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzz from the command line; 0 if every file loaded or was refused."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000, help="number of files, all kinds together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--save", type=Path, help="directory for files that fail")
    parser.add_argument("--results", type=Path, help="file of outcomes to write and to go on from")
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    results = Results(options.results, options.seed)
    known = {(outcome.kind, outcome.start, outcome.stop) for outcome in results.done}
    todo = [share for share in shares(options.kinds, options.count) if share not in known]
    for outcome in outcomes(options, todo):
        results.keep(outcome)
    return _tell(options, results.done, time.perf_counter() - start)


def _tell(options: argparse.Namespace, done: list[Outcome], elapsed: float) -> int:
    for kind in options.kinds:
        total = sum((outcome.verdicts for outcome in done if outcome.kind == kind), Counter[str]())
        for name, number in total.most_common():
            print(f"{number:8d}  {kind}  {name}")
    failures = [failure for outcome in done for failure in outcome.failures]
    for kind, number, text in failures[:10]:
        print(f"FAILED {kind} file {number} of seed {options.seed}\n{text}")
        if options.save:
            options.save.mkdir(parents=True, exist_ok=True)
            suffix, data = made(kind, options.seed, number)
            (options.save / f"{kind}-{options.seed}-{number}{suffix}").write_bytes(data)
    count = sum(outcome.verdicts.total() for outcome in done)
    resident = max((outcome.resident for outcome in done), default=0)
    slowest = max((outcome.slowest for outcome in done), default=0.0)
    size = f"slowest {slowest:.3f} s, {resident / 1e6:.0f} MB"
    print(f"{count} files in {elapsed:.1f} s, {size}, {len(failures)} failures")
    return 1 if failures or resident > MAX_RESIDENT_BYTES else 0


if __name__ == "__main__":
    sys.exit(main())
