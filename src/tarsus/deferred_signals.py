"""Signals that wait until something is done that must not be torn apart."""

from __future__ import annotations

import importlib
import inspect
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

_plain = importlib.import_module("_signal")
"""What `signal` is made of: without names for numbers, and ten times as fast."""
_NUMBERS = tuple(sorted(map(int, signal.valid_signals())))
_Handler = Callable[[int, FrameType | None], Any]


class deferred_signals:
    """Block in which no handler of a signal runs, and so none raises: those of Ctrl-C, of timers, of termination.

    Signals that come meanwhile are handled when the block has ended, whatever ended it. Python runs handlers in the
    main thread only: elsewhere there is nothing to defer. Blocks may be nested; signals wait for the outermost.
    """

    _outermost: deferred_signals | None = None

    def __init__(self) -> None:
        self._handlers: dict[int, _Handler] = {}
        self._waiting: list[int] = []
        self._holds = False

    def __enter__(self) -> Self:
        if deferred_signals._outermost is not None or threading.current_thread() is not threading.main_thread():
            return self
        self._holds, deferred_signals._outermost = True, self
        try:
            for number in _NUMBERS:
                handler = _plain.getsignal(number)
                if callable(handler):
                    self._handlers[number] = handler
                    _plain.signal(number, self._take)
        except ValueError:  # not the main interpreter: no handler runs here
            self._release()
        except BaseException:  # a signal came before its turn
            self._release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if deferred_signals._outermost is self:
            try:
                self._release()
            finally:
                self._deliver()

    def handle(self) -> None:
        """Handle what has waited so far, at a place inside the block where it may raise."""
        while self._waiting:
            number = self._waiting.pop(0)
            self._handlers[number](number, inspect.currentframe())

    def _take(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal in place of its own handler."""
        if self._holds:
            self._waiting.append(number)
        else:  # a signal that came amid `_release` left this handler behind: step aside
            self._handlers[number](number, frame)

    def _release(self) -> None:
        """Put the handlers back; one that raises at once does not keep the others from their places."""
        try:
            self._put_back()
        except BaseException:
            self._put_back()
            raise
        finally:
            self._holds, deferred_signals._outermost = False, None

    def _put_back(self) -> None:
        for number, handler in self._handlers.items():
            if _plain.getsignal(number) == self._take:
                _plain.signal(number, handler)

    def _deliver(self) -> None:
        """Handle what has waited, all of it even where handlers raise."""
        if self._waiting:
            try:
                signal.raise_signal(self._waiting.pop(0))
            finally:
                self._deliver()
