"""Contact forces of the simulation that is calling its controller at present, for sensors inside the controller."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import NamedTuple

from tarsus.devices.sensors.motion import Contacts
from tarsus.recording.signal_log import SAME_TIME


class _Calling(NamedTuple):
    time: float
    batch: tuple[int, ...]
    contacts: Callable[[], Contacts]


_calling: ContextVar[_Calling | None] = ContextVar("tarsus_calling", default=None)


class calling_controller:
    """While the block runs, `running_contacts` tells these contacts.

    A class, since it is entered at every call of a controller, and generators take longer.

    Parameters
    ----------
    time : float
        At which the controller is called [s].
    batch : tuple of int
        Axes of the simulation before those of a state.
    contacts : callable
        ``contacts()`` finds them; called where a sensor asks.
    """

    __slots__ = ("_calling", "_token")

    def __init__(self, time: float, batch: tuple[int, ...], contacts: Callable[[], Contacts]) -> None:
        self._calling = _Calling(time, batch, contacts)

    def __enter__(self) -> None:
        self._token = _calling.set(self._calling)

    def __exit__(self, *error: object) -> None:
        _calling.reset(self._token)


def running_contacts(time: float, batch: tuple[int, ...]) -> Contacts | None:
    """Contacts at that time [s] of the simulation whose controller is running; None where nobody knows.

    Nobody knows outside a controller, in another thread, at other times than that of the call, and for states with
    other batch axes than those of the simulation.
    """
    calling = _calling.get()
    if calling is None or abs(calling.time - time) > SAME_TIME or calling.batch != batch:
        return None
    return calling.contacts()
