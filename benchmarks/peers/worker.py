"""A process in a peer's environment that answers questions, one line of JSON each."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from benchmarks.peers.environment import HERE, PeerUnavailable, python_of

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Worker:
    """Runs `benchmarks/peers/<peer>_side.py`, which knows the peer and nothing of this project.

    Use it as a context: the process ends with it. It waits for its turn, so that at any time one program runs.
    """

    def __init__(self, peer: str) -> None:
        self.peer = peer
        script = HERE / f"{peer}_side.py"
        self._process = subprocess.Popen(
            [str(python_of(peer)), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PATH": "/usr/bin:/bin", **ONE_THREAD},
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=30)

    def ask(self, call: str, **arguments: Any) -> Any:
        """What the peer answers; its errors are raised here with its name."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"call": call, **arguments}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise PeerUnavailable(f"the process of {self.peer} ended without an answer to {call!r}")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerUnavailable(f"{self.peer}: {answer['error']}")
        return answer["result"]
