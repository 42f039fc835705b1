"""The command `tarsus`, beside the package of the tool: importing that takes a third of a second."""

from __future__ import annotations

import signal


def main() -> None:
    """Import the tool and run it; Ctrl-C before it runs ends the process by the signal, without a traceback."""
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not where a shell has it ignored
    if heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from tarsus.cli.main import app

    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    app()
