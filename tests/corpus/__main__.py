"""List what becomes of MJCF files: python -m corpus [DIRECTORY ...], from the directory `tests`."""

import sys
from collections import Counter
from pathlib import Path

from corpus.archives import PACKAGES, mjcf_files, package_directory
from corpus.comparison import compare

total: Counter[str] = Counter()
reasons: Counter[tuple[str, str]] = Counter()
directories = [Path(argument) for argument in sys.argv[1:]] or [package_directory(package) for package in PACKAGES]
for directory in directories:
    counts: Counter[str] = Counter()
    for path in mjcf_files(directory):
        outcome = compare(path, directory)
        counts[outcome.verdict] += 1
        reasons.update((outcome.verdict, reason) for reason in outcome.reasons)
        if outcome.verdict in ("differs", "refused", "incomplete"):
            print(f"{outcome.verdict}: {path}: {outcome.detail}")
    print(f"{directory.name}: {dict(counts)}")
    total.update(counts)
print(f"together: {dict(total)}")
for (verdict, reason), count in reasons.most_common():
    print(f"{count:5d} {verdict}: {reason}")
