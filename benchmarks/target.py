"""What a benchmark was built to reach."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A target; `measured` is None where the run did not include it."""

    text: str
    floor: float | None
    ceiling: float | None
    measured: float | None

    @property
    def reached(self) -> bool | None:
        """Whether the measured value is on the right side."""
        if self.measured is None:
            return None
        return (self.floor is None or self.measured >= self.floor) and (
            self.ceiling is None or self.measured <= self.ceiling
        )

    @property
    def asked(self) -> str:
        """The bounds in words."""
        if self.floor is not None and self.ceiling is not None:
            return f"{self.floor:g} to {self.ceiling:g}"
        return f">= {self.floor:g}" if self.floor is not None else f"<= {self.ceiling:g}"
