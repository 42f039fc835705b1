"""What an estimator thinks of its own estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class EstimateStatus:
    """How the last step of a `BaseEstimator` went.

    Attributes
    ----------
    standing : tuple of str
        Frames of the supports that were used.
    slipped : tuple of str
        Frames that carry load and were not where they should be: they are not used until they have settled.
    rejected : mapping of str to str
        Sensors whose readings were not used, or not as they are, and why.
    doubtful : tuple of str
        Frames whose distance has changed under load: one of them slides, or an encoder in between is wrong. They are
        used.
    """

    standing: tuple[str, ...]
    slipped: tuple[str, ...]
    rejected: Mapping[str, str]
    doubtful: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Whether every sensor was believed and at least one support was used: nothing drifts with the IMU alone."""
        return bool(self.standing) and not (self.rejected or self.slipped or self.doubtful)

    def __str__(self) -> str:
        parts = [f"stands on {', '.join(self.standing)}" if self.standing else "no support: inertial unit alone"]
        parts += [f"{name} slipped" for name in self.slipped]
        parts += [f"distance of {', '.join(self.doubtful)} has changed"] if self.doubtful else []
        parts += [f"{name}: {why}" for name, why in self.rejected.items()]
        return "; ".join(parts)
