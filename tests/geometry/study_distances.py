"""10^6 pairs of every query against an exhaustive search; a run that was ended goes on where it was.

python tests/geometry/study_distances.py --count 1000000 --results benchmarks/results/distances.jsonl
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from geometry.exhaustive_distances import primitive_distances
from geometry.volume_pairs import CLASSES, KINDS, scale_of
from study import run_study, study_parser

from tarsus.geometry.volume_distances import volume_distances

BLOCK = 25000
"""Pairs of one class that are looked at together, one line of the results."""
EXACT = 1e-12
"""Of the scale."""


def block(kind: list[int], number: int) -> dict[str, Any]:
    """Worst errors of one block, as shares of the scale."""
    make = CLASSES[number % len(CLASSES)]
    rng = np.random.default_rng([*kind, number])
    a, b = make(rng, *kind, BLOCK)
    found = volume_distances(a, 0.0, b, 0.0)
    scale = scale_of(a, b)
    error = np.abs(found.distance - primitive_distances(a, b)) / scale
    place = scale + np.abs(np.concatenate([a, b], axis=1)).max((1, 2))
    off = [primitive_distances(p[:, None], x) / place for p, x in ((found.point_a, a), (found.point_b, b))]
    return {"error": float(error.max()), "row": int(error.argmax()), "off": float(np.max(off)), "class": make.__name__}


def main() -> int:
    options = study_parser(__doc__, 1000000).parse_args()
    blocks = -(-options.count // BLOCK)
    found = run_study(options, block, ({"kind": kind, "number": n} for kind in KINDS for n in range(blocks)))
    done = found.values
    for kind in KINDS:
        mine = [value for outcome, value in zip(found, done, strict=True) if tuple(outcome.case["kind"]) == kind]
        error, off = (max(entry[what] for entry in mine) for what in ("error", "off"))
        told = f"{len(mine) * BLOCK} pairs, worst error {error:.1e} of the scale, points off by {off:.1e}"
        print(f"{kind[0]} and {kind[1]} vertices: {told}", flush=True)
    return 1 if any(not max(entry["error"], entry["off"]) <= EXACT for entry in done) else 0


if __name__ == "__main__":
    sys.exit(main())
