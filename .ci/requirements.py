"""Prints the packages that tarsus and some of its extras need, one a line, as pyproject.toml names them.

The Makefile installs them while the extension is compiled; pip itself would begin with them only afterwards.

Usage: python .ci/requirements.py [EXTRA ...]
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]


def expanded(requirements: list[str]) -> list[str]:
    """Requirements with extras of the project itself replaced by what they stand for."""
    result: list[str] = []
    for requirement in requirements:
        own = re.fullmatch(r"tarsus\[(.*)\]", requirement)
        extras = own[1].split(",") if own else []
        result += [r for extra in extras for r in expanded(project["optional-dependencies"][extra])] or [requirement]
    return result


print("\n".join(expanded(project["dependencies"] + [f"tarsus[{extra}]" for extra in sys.argv[1:]])))
