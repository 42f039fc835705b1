"""Random quadratic programs in large numbers: the optimum, or the verdict that there is none, is right.

    python tests/optimization/study_programs.py --count 100000 --seed 1 --jobs 2 --results results.jsonl

With ``--results`` a run can be ended and taken up again: shares of the same seed and commit that are done are in there.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from optimization.random_programs import defects, random_case

from tarsus.optimization import QP

SHARE = 1000
"""Programs that one process solves at a time."""


def run(backend: str, seed: int, start: int, stop: int) -> dict[str, object]:
    """Solve one share of the programs; what was found, and what is wrong with it."""
    verdicts: Counter[str] = Counter()
    failures = []
    for number in range(start, stop):
        case = random_case(seed, number)
        solution = QP(**case.given).solve(backend)
        verdicts[f"{case.kind}: {solution.status}"] += 1
        failures += [(number, case.kind, text) for text in defects(case, solution)]
    return {"start": start, "stop": stop, "verdicts": dict(verdicts), "failures": failures}


def commit() -> str:
    """Commit of the code that is studied."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return "unknown"


def main(arguments: list[str] | None = None) -> int:
    """Run the study from the command line; 0 if every answer is right."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--backend", default="native", help="backend of QP.solve")
    parser.add_argument("--results", type=Path, help="file of outcomes to write and to go on from")
    options = parser.parse_args(arguments)
    begin = time.perf_counter()
    label = {"seed": options.seed, "backend": options.backend, "commit": commit()}
    done = []
    if options.results and options.results.exists():
        rows = [json.loads(line) for line in options.results.read_text(encoding="utf-8").splitlines()]
        done = [row for row in rows if all(row[key] == value for key, value in label.items())]
    known = {(row["start"], row["stop"]) for row in done}
    shares = [(a, min(a + SHARE, options.count)) for a in range(0, options.count, SHARE)]
    with ProcessPoolExecutor(options.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        todo = [pool.submit(run, options.backend, options.seed, *share) for share in shares if share not in known]
        for future in as_completed(todo):
            done.append(label | future.result())
            if options.results:
                options.results.parent.mkdir(parents=True, exist_ok=True)
                with options.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(done[-1]) + "\n")
    total = sum((Counter(row["verdicts"]) for row in done), Counter[str]())
    failures = [failure for row in done for failure in row["failures"]]
    for name, number in sorted(total.items()):
        print(f"{number:8d}  {name}")
    for number, kind, text in failures[:20]:
        print(f"FAILED program {number} of seed {options.seed} ({kind}): {text}")
    print(f"{total.total()} programs in {time.perf_counter() - begin:.1f} s, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
