"""Signals that wait until a block has ended."""

import os
import signal
import threading

import pytest

from tarsus.deferred_signals import deferred_signals


class Raised(BaseException):
    pass


@pytest.fixture(autouse=True)
def handlers():
    """SIGUSR1 raises, SIGUSR2 is noted."""
    noted = []

    def note(number, frame):
        noted.append(number)

    def end(number, frame):
        raise Raised

    before = signal.signal(signal.SIGUSR1, end), signal.signal(signal.SIGUSR2, note)
    yield end, note, noted
    signal.signal(signal.SIGUSR1, before[0])
    signal.signal(signal.SIGUSR2, before[1])


def send(number):
    os.kill(os.getpid(), number)


def test_a_handler_that_raises_does_so_when_the_block_has_ended(handlers):
    done = []
    with pytest.raises(Raised), deferred_signals():
        send(signal.SIGUSR1)
        done.append(1)
        with deferred_signals():
            send(signal.SIGUSR1)
        done.append(2)
    assert done == [1, 2]
    assert signal.getsignal(signal.SIGUSR1) is handlers[0]
    assert signal.getsignal(signal.SIGUSR2) is handlers[1]


def test_ctrl_c_waits_too():
    done = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
    try:
        with pytest.raises(KeyboardInterrupt), deferred_signals():
            send(signal.SIGINT)
            done.append(1)
        assert done == [1]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_every_signal_is_handled_though_another_raises(handlers):
    with pytest.raises(Raised), deferred_signals():
        send(signal.SIGUSR1)
        send(signal.SIGUSR2)
        send(signal.SIGUSR2)
        assert handlers[2] == []
    assert handlers[2] == [signal.SIGUSR2] * 2


def test_an_error_of_the_block_stays_the_reason():
    with pytest.raises(Raised) as caught, deferred_signals():
        send(signal.SIGUSR1)
        raise ValueError("of the block")
    assert isinstance(caught.value.__context__, ValueError)


def test_signals_can_be_handled_at_a_safe_place_inside(handlers):
    with deferred_signals() as waiting:
        send(signal.SIGUSR2)
        waiting.handle()
        assert handlers[2] == [signal.SIGUSR2]
        send(signal.SIGUSR1)
        with pytest.raises(Raised):
            waiting.handle()


def test_other_threads_have_nothing_to_defer(handlers):
    def work():
        with deferred_signals():
            assert signal.getsignal(signal.SIGUSR1) is handlers[0]

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_a_signal_before_the_block_leaves_all_handlers_in_their_places(handlers, monkeypatch):
    """It comes when half of the handlers are replaced."""
    import tarsus.deferred_signals as module

    plain = module._plain

    class Interrupting:
        getsignal = staticmethod(plain.getsignal)

        @staticmethod
        def signal(number, handler):
            if number == signal.SIGUSR2 and handler is not handlers[1]:
                raise Raised
            return plain.signal(number, handler)

    monkeypatch.setattr(module, "_plain", Interrupting)
    with pytest.raises(Raised), deferred_signals():
        pytest.fail("the block began")
    monkeypatch.undo()
    assert signal.getsignal(signal.SIGUSR1) is handlers[0]
    assert signal.getsignal(signal.SIGUSR2) is handlers[1]
    with deferred_signals():  # the next block defers again
        assert signal.getsignal(signal.SIGUSR1) is not handlers[0]
