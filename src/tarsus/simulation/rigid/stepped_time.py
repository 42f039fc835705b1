"""How much of a run on rigid ground was gone through in steps instead of from event to event."""

from __future__ import annotations

from tarsus.recording.trajectory import Trajectory


def stepped_time(run: Trajectory) -> float:
    """Time that was stepped through [s], of all robots of a batch together: the events "stepped" of a run."""
    events = run.metadata.get("events", [])
    return sum(float(entry["duration"]) for entry in events if entry["event"] == "stepped")


def stepped_problem(run: Trajectory, robots: int) -> str | None:
    """A sentence for a warning where some of the time was stepped through, else None."""
    stepped, duration = stepped_time(run), float(run.time[-1] - run.time[0]) * robots
    if stepped == 0.0 or duration <= 0.0:
        return None
    return (
        f"{100 * stepped / duration:.2g} % of the time ({stepped:.3g} s) on rigid ground was gone through in steps "
        "with solved impulses: events followed one another too fast, or no contact forces were found; "
        'metadata["events"] tells when ("stepped")'
    )
