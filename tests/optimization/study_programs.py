"""Random quadratic programs in large numbers: the optimum, or the verdict that there is none, is right.

    python tests/optimization/study_programs.py --count 100000 --seed 1 --jobs 2 --results results.jsonl

With ``--results`` a run can be ended and taken up again: shares that are done are in there.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from optimization.random_programs import defects, random_case
from study import run_study, study_parser

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
    return {"verdicts": verdicts, "failures": failures}


def main(arguments: list[str] | None = None) -> int:
    """Run the study from the command line; 0 if every answer is right."""
    parser = study_parser(__doc__, 2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--backend", default="native", help="backend of QP.solve")
    options = parser.parse_args(arguments)
    begin = time.perf_counter()
    shares = [
        {"backend": options.backend, "seed": options.seed, "start": start, "stop": min(start + SHARE, options.count)}
        for start in range(0, options.count, SHARE)
    ]
    done = run_study(options, run, shares).values
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
