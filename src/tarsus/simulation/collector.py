"""Samples of a run in memory, and on disk where a recording is asked for."""

from __future__ import annotations

import os
from typing import Any, final

from tarsus.deferred_signals import deferred_signals
from tarsus.errors import RecordingError
from tarsus.recording.samples import Samples, joined_samples
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.runs.run import Run


@final
class Collector:
    """Samples of a run, to be used in a `with` statement that closes the recording.

    Parameters
    ----------
    record : path-like or None
        File for a recording.
    metadata : dict
        Metadata of the trajectory; events are added to its list "events" where there is one.

    Attributes
    ----------
    parts : list of Samples
        What was collected so far.
    """

    def __init__(self, run: Run, record: str | os.PathLike[str] | None, metadata: dict[str, Any]) -> None:
        self._run, self._metadata = run, metadata
        self.parts: list[Samples] = []
        self._recorder = None
        if record is not None:
            from tarsus.recording.recorder import Recorder

            self._recorder = Recorder(record, run.model, contacts=run.robots.world.names, metadata=metadata)

    def __enter__(self) -> Collector:
        if self._recorder is not None:
            self._recorder.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if isinstance(error[1], RecordingError):
            error[1].trajectory = self.trajectory(str(error[1]))
        if self._recorder is None:
            return
        try:
            self._recorder.__exit__(*error)
        except RecordingError as failure:
            failure.trajectory = self.trajectory(str(failure))
            raise

    def add(self, samples: Samples | None) -> None:
        """Keep these samples, where there are any."""
        if samples is None:
            return
        if self._recorder is None:
            self._keep(samples)
            return
        with deferred_signals():  # memory and recording hold the same, whatever comes
            self._keep(samples)
            self._recorder.metadata = dict(self._metadata)
            self._recorder.append(**samples._asdict())

    def _keep(self, samples: Samples) -> None:
        self._metadata.get("events", []).extend(self._run.take_events())
        self.parts.append(samples)

    def interrupted(self, reason: str) -> Trajectory:
        """Everything until the user ended the run; the recording is closed with the reason, too."""
        if self._recorder is not None:
            self._recorder.close(finished=False, reason=reason)
        return self.trajectory(reason)

    def stopped(self, reason: str) -> Trajectory:
        """Everything until the controller ended the run, which is finished; so is the recording."""
        if self._recorder is not None:
            self._recorder.close(finished=True, reason=reason)
        return self.trajectory(reason, finished=True)

    def trajectory(self, reason: str = "", *, finished: bool = False) -> Trajectory:
        """Everything so far; `reason` tells what ended the run early."""
        every = joined_samples(self.parts or [self._run.present()])
        return Trajectory(
            model=self._run.model,
            contacts=self._run.robots.world.names,
            **every._asdict(),
            metadata=self._metadata,
            finished=finished or not reason,
            reason=reason,
        )
