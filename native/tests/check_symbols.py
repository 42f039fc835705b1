"""Checks that no function of one instruction set can be linked in place of another one's.

The kernels are compiled once per instruction set. A weak symbol that two of the object files define (an inline function
or a template outside the namespace of its set) would be kept once by the linker, in whichever version it meets first,
and run on processors that do not have the instructions. Every symbol that an object file of a set defines for others
must therefore live in the namespace of that set.

Usage: python check_symbols.py BUILD_DIR
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SANITIZER = ("__asan_", "__odr_asan", "__ubsan_", "_sub_D_", "_sub_I_", "DW.ref.")
"""Beginnings of names that sanitizers and the unwinder add; none of them is code with vector instructions."""


def object_files(build: Path) -> dict[str, list[Path]]:
    """Object files of the kernels for each instruction set."""
    found: dict[str, list[Path]] = {}
    for kernels in sorted(build.rglob("kernels.cpp.o")):
        folders = [part for part in kernels.parts if part.startswith("tarsus_") and part.endswith(".dir")]
        if folders:
            isa = folders[-1].removeprefix("tarsus_").removesuffix(".dir")
            found[isa] = sorted(kernels.parent.glob("*.cpp.o"))
    return found


def defined_symbols(path: Path) -> set[str]:
    """Mangled names that the file defines and other files can see; weak ones included."""
    done = subprocess.run(
        ["nm", "--defined-only", "--extern-only", "--format=posix", path], capture_output=True, text=True, check=True
    )
    names = {line.split()[0] for line in done.stdout.splitlines() if line.strip()}
    return {name for name in names if not name.startswith(SANITIZER)}


def readable(names: list[str]) -> list[str]:
    """Demangled names, where the tool for it exists."""
    try:
        done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return names
    return done.stdout.splitlines()


def leaks(symbols: dict[str, set[str]]) -> list[str]:
    """Symbols that do not belong to the namespace of their set, or that two sets define; readable, with their sets."""
    bad: dict[str, list[str]] = {}
    for isa, names in symbols.items():
        own = f"6tarsus{len(isa)}{isa}"  # tarsus::isa:: in a mangled name
        for name in names:
            shared = [other for other in symbols if other != isa and name in symbols[other]]
            if shared or own not in name:
                bad.setdefault(name, []).append(isa)
    order = sorted(bad)
    return [f"{text}  ({', '.join(bad[name])})" for name, text in zip(order, readable(order), strict=True)]


def main(arguments: list[str]) -> int:
    """Print what leaks; the exit code is 1 where something does."""
    if len(arguments) != 1:
        print(__doc__)
        return 2
    files = object_files(Path(arguments[0]))
    if not files:
        print(f"no object files of kernels below {arguments[0]}")
        return 1
    symbols = {isa: set().union(*map(defined_symbols, paths)) for isa, paths in files.items()}
    missing = [isa for isa, names in symbols.items() if not any("kernel_table" in name for name in names)]
    found = leaks(symbols)
    for text in found:
        print(f"leaks out of its instruction set: {text}")
    for isa in missing:
        print(f"{isa} exports no kernel table")
    counts = ", ".join(f"{isa} {len(names)}" for isa, names in symbols.items())
    print(f"symbols of instruction sets: {counts}; {len(found)} leak")
    return 1 if found or missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
