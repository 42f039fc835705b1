"""What tarsus does, in a few minutes: ``make demo``.

Talos' dynamics beside Pinocchio; Talos standing by its sensors while it is pushed; HRP-2 dropped and landing; the
7-link biped of Shah, Saha and Dutt walking, and Talos walking. Prints what it measured and writes recordings, pictures,
plots and animations to the folder ``demo``.
"""

from __future__ import annotations

import os
from pathlib import Path

from examples import drop_hrp2, push_talos, shah7_walk, talos_dynamics, walk_talos
from rich.console import Console

import tarsus as ts
from tarsus.walking import shah_walk


def main() -> None:
    """Everything in a row."""
    console = Console()
    folder = Path(os.path.relpath(talos_dynamics.OUTPUT))
    console.rule("dynamics of Talos")
    talos_dynamics.main()
    console.rule("Talos stands by encoders, IMU and foot forces while it is pushed from all sides")
    push_talos.main(str(folder), progress=True)
    console.rule("HRP-2 dropped, landing, pushed")
    drop_hrp2.main(str(folder), progress=True)
    console.rule("the 7-link biped walks")
    shah7_walk.main(str(folder / "shah7"), progress=True)
    walk = shah_walk(sample_dt=0.01)
    ts.save(walk, folder / "shah7_walk.h5")
    ts.viewer.write_animation(walk, folder / "shah7_walk.html")
    console.rule("Talos walks, by nothing but its model")
    walk_talos.main(str(folder), progress=True)
    console.rule("look at it")
    for command in (
        "tarsus view demo/walk.h5",
        "tarsus view demo/push_talos.h5",
        "tarsus replay demo/shah7_walk.h5",
        "tarsus plot demo/drop_hrp2.h5 --energy",
        "tarsus simulate robot:hrp2 --drop 0.1 --record fall.h5",
    ):
        console.print(f"  .venv/bin/{command}")
    console.print(
        "  demo/walk.html, demo/push_talos.html, demo/drop_hrp2.html and demo/shah7_walk.html play in any browser"
    )


if __name__ == "__main__":
    main()
