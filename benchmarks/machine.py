"""Facts about the machine and the versions that were compared; nothing that identifies the machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import tarsus as ts


def machine_facts(packages: Sequence[str] = ("numpy",)) -> dict[str, Any]:
    """CPU, instruction set, compiler, versions of `packages` and of tarsus, and the load when the run began."""
    info = ts.native_info()
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.machine()}",
        "isa": info["isa"],
        "lanes": info["lanes"],
        "compiler": info["compiler"],
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in packages},
        "tarsus": ts.__version__,
    }


def _cpu_model() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
