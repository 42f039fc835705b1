"""What drivers of studies share: their options, and the sweep that a run which was ended goes on from."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tarsus.analysis import Sweep, sweep


def study_parser(description: str | None, count: int) -> argparse.ArgumentParser:
    """Parser with the options of every study."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--results", type=Path, help="file of results to write and to go on from")
    parser.add_argument("--mixed", action="store_true", help="go on with results of another commit")
    parser.add_argument("--overwrite", action="store_true", help="begin anew")
    return parser


def run_study(options: argparse.Namespace, function: Callable[..., Any], cases: Iterable[dict[str, Any]]) -> Sweep:
    """The sweep of a study; in this process where there is one job and no file."""
    engine = "serial" if options.jobs == 1 and options.results is None else "processes"
    return sweep(
        function,
        cases,
        engine=engine,
        workers=options.jobs,
        results=options.results,
        mixed=options.mixed,
        overwrite=options.overwrite,
        retries=1,
    )
