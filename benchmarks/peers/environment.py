"""Environments of peers: made on demand from `benchmarks/peers/<peer>.txt` below `build/peers`."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILT = HERE.parent.parent / "build" / "peers"


class PeerUnavailable(RuntimeError):
    """A peer could not be installed; the message says what pip said."""


def peers() -> list[str]:
    """Names of all peers that have a list of requirements."""
    return sorted(path.stem for path in HERE.glob("*.txt"))


def python_of(peer: str) -> Path:
    """Interpreter of a peer's environment, which is made where it is missing or was made from another list."""
    requirements = HERE / f"{peer}.txt"
    if not requirements.is_file():
        raise PeerUnavailable(f"peer {peer!r} has no {requirements.name}; there are {', '.join(peers())}")
    directory = BUILT / peer
    python, stamp = directory / "bin" / "python", directory / "requirements.txt"
    if stamp.is_file() and stamp.read_text() == requirements.read_text():
        return python
    print(f"making the environment of {peer} in {directory} (pip, once)", file=sys.stderr, flush=True)
    venv.create(directory, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
        raise PeerUnavailable(f"peer {peer!r} could not be installed: {last[0]}")
    stamp.write_text(requirements.read_text())
    return python


def available(names: Sequence[str]) -> list[str]:
    """Those of the peers that can be used; of the others, standard error is told why not."""
    found = []
    for name in names:
        try:
            python_of(name)
            found.append(name)
        except PeerUnavailable as error:
            print(error, file=sys.stderr, flush=True)
    return found
