"""Pictures of sequences of stances of HRP-2: handstand, rising from kneeling, a stair."""

from __future__ import annotations

from pathlib import Path

import tarsus as ts
from tarsus.scenarios.stances.handstand import handstand
from tarsus.scenarios.stances.kneeling import kneeling
from tarsus.scenarios.stances.stair import stair
from tarsus.viewer import draw_stances

HERE = Path(__file__).parent


def main() -> None:
    """Draw the sequences of HRP-2."""
    model = ts.robots.hrp2()
    draw_stances(model, handstand(model, back=False).stances, path=HERE / "stances-handstand.png", dpi=85)
    draw_stances(model, kneeling(model).stances, path=HERE / "stances-kneeling.png", columns=8, dpi=80)
    draw_stances(model, stair(model).stances, path=HERE / "stances-stair.png", columns=5, ground=0.0, dpi=85)


if __name__ == "__main__":
    main()
