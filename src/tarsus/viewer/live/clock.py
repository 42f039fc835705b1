"""The clock of an animation: play, pause, speed, and jumps."""

from __future__ import annotations


class Clock:
    """Time of an animation that follows the time of the world.

    Parameters
    ----------
    duration : float
        [s].
    """

    def __init__(self, duration: float) -> None:
        self.duration = duration
        self.repeat = True
        self._playing = False
        self._speed = 1.0
        self._anchor = 0.0
        self._since = 0.0

    @property
    def playing(self) -> bool:
        """Whether it runs."""
        return self._playing

    @property
    def speed(self) -> float:
        """Seconds of animation per second."""
        return self._speed

    def time(self, now: float) -> float:
        """Time of the animation at the time `now` of the world, between 0 and the duration [s]."""
        t = self._anchor + (now - self._since) * self._speed if self._playing else self._anchor
        if t <= self.duration:
            return max(t, 0.0)
        if self.repeat and self.duration > 0.0:
            return t % self.duration
        return self.duration

    def ended(self, now: float) -> bool:
        """Whether a run that is not repeated has come to its end."""
        return self._playing and not self.repeat and self.time(now) >= self.duration

    def play(self, now: float) -> None:
        """Run on, from the start if the end had been reached."""
        t = self.time(now)
        self._set(0.0 if t >= self.duration else t, now)
        self._playing = True

    def pause(self, now: float) -> None:
        """Stop where it is."""
        self._set(self.time(now), now)
        self._playing = False

    def jump(self, t: float, now: float) -> None:
        """Go to a time and run on from there if running."""
        self._set(min(max(t, 0.0), self.duration), now)

    def set_speed(self, speed: float, now: float) -> None:
        """Change the speed without a jump."""
        self._set(self.time(now), now)
        self._speed = speed

    def _set(self, t: float, now: float) -> None:
        self._anchor, self._since = t, now
