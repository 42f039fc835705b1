"""Commands of a walk over time as they are written on the command line and in files."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import typer

KEYS = ("time", "speed", "side", "turn")
"""Of an entry: [s], [m/s], [m/s], [degrees/s]."""

Entry = tuple[float, float, float, float]


def commands_of(text: str) -> list[Entry]:
    """Entries (time, speed, side, turn [rad/s]) of TIME:SPEED,SIDE,TURN;..., turns in degrees a second."""
    found = []
    for part in text.split(";"):
        try:
            time, velocities = part.split(":")
            speed, side, turn = (float(number) for number in velocities.split(","))
            found.append(_entry(float(time), speed, side, turn))
        except ValueError:
            raise typer.BadParameter(
                f"{part.strip()!r} is no command; expected TIME:SPEED,SIDE,TURN with finite numbers, such as "
                '"0:0.3,0,0;5:0.2,0,20"'
            ) from None
    return found


def commands_in(path: Path) -> list[Entry]:
    """Entries of a file of TOML with tables [[command]] that have time, speed, side, turn, 0 where left out."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise typer.BadParameter(f"{str(path)!r} cannot be read: {error}") from None
    tables = document.get("command")
    if not isinstance(tables, list) or not tables or set(document) != {"command"}:
        raise typer.BadParameter(f"{str(path)!r} holds {sorted(document)}; expected tables [[command]] only")
    found = []
    for number, table in enumerate(tables, 1):
        unknown = [key for key in table if key not in KEYS] if isinstance(table, dict) else ["no table"]
        try:
            values = [table.get(key, 0.0) for key in KEYS] if not unknown else []
            if unknown or not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
                raise ValueError
            found.append(_entry(*(float(value) for value in values)))
        except ValueError:
            raise typer.BadParameter(
                f"{str(path)!r}: command {number} is {table!r}; expected finite numbers {', '.join(KEYS)}"
            ) from None
    return found


def _entry(time: float, speed: float, side: float, turn: float) -> Entry:
    if not all(math.isfinite(x) for x in (time, speed, side, turn)):
        raise ValueError
    return time, speed, side, math.radians(turn)
