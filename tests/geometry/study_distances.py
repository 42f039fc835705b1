"""10^6 pairs of every query against an exhaustive search; a run that was ended goes on where it was.

python tests/geometry/study_distances.py --count 1000000 --results benchmarks/results/distances.jsonl
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from geometry.exhaustive_distances import primitive_distances
from geometry.volume_pairs import CLASSES, KINDS, scale_of

from tarsus.geometry.volume_distances import volume_distances

BLOCK = 25000
"""Pairs of one class that are looked at together, one line of the results."""
EXACT = 1e-12
"""Of the scale."""


def commit() -> str:
    told = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=Path(__file__).parent
    )
    return told.stdout.strip()


def block(kind: tuple[int, int], number: int) -> dict[str, Any]:
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000000, help="pairs of every query")
    parser.add_argument("--results", type=Path, required=True, help="file that is added to, one line a block")
    options = parser.parse_args()
    options.results.parent.mkdir(parents=True, exist_ok=True)
    done = {}
    if options.results.is_file():
        for line in options.results.read_text().splitlines():
            entry = json.loads(line)
            done[tuple(entry["kind"]), entry["number"]] = entry
    blocks = -(-options.count // BLOCK)
    for kind in KINDS:
        for number in range(blocks):
            if (kind, number) in done:
                continue
            entry = {"kind": kind, "number": number, "commit": commit(), **block(kind, number)}
            done[kind, number] = entry
            with options.results.open("a") as file:
                file.write(json.dumps(entry) + "\n")
        mine = [entry for (other, _), entry in done.items() if other == kind]
        error, off = (max(entry[what] for entry in mine) for what in ("error", "off"))
        told = f"{len(mine) * BLOCK} pairs, worst error {error:.1e} of the scale, points off by {off:.1e}"
        print(f"{kind[0]} and {kind[1]} vertices: {told}", flush=True)
    return 1 if any(not max(entry["error"], entry["off"]) <= EXACT for entry in done.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
