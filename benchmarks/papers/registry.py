"""The figures and tables that can be reproduced, in the order of the text."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.papers import (
    figure_2_15,
    figure_2_16,
    figure_3_1,
    figure_3_2,
    figure_3_3,
    figure_3_4,
    figure_3_5,
    figure_3_6,
    figure_3_7,
    figure_3_10,
    figure_3_11,
    figure_3_12,
    figure_3_13,
    figure_3_14,
    figure_5_7,
    figure_5_10,
    figure_5_11,
    figure_5_21,
    figure_5_22,
    figure_5_23,
    figure_5_24,
    figure_5_25,
    figure_5_26,
    figure_5_27,
    figure_5_28,
    figure_5_29,
    figure_5_30,
    figure_5_31,
    figure_5_32,
    figure_5_33,
    figure_5_34,
    figure_5_35,
    table_3_1,
)
from benchmarks.papers.figure import PaperFigure
from tarsus.errors import UnknownNameError, nearest

FIGURES: dict[str, PaperFigure] = {
    module.FIGURE.name: module.FIGURE
    for module in (
        figure_2_15,
        figure_2_16,
        figure_3_1,
        figure_3_2,
        figure_3_3,
        figure_3_4,
        figure_3_5,
        figure_3_6,
        table_3_1,
        figure_3_7,
        figure_3_10,
        figure_3_11,
        figure_3_12,
        figure_3_13,
        figure_3_14,
        figure_5_7,
        figure_5_10,
        figure_5_11,
        figure_5_21,
        figure_5_22,
        figure_5_23,
        figure_5_24,
        figure_5_25,
        figure_5_26,
        figure_5_27,
        figure_5_28,
        figure_5_29,
        figure_5_30,
        figure_5_31,
        figure_5_32,
        figure_5_33,
        figure_5_34,
        figure_5_35,
    )
}


def select_figures(names: Sequence[str]) -> list[PaperFigure]:
    """Figures by name, each once and in the order of the text; all of them where no name is given.

    Raises
    ------
    UnknownNameError
        With the nearest names, or all of them.
    """
    for name in names:
        if name not in FIGURES:
            hint = nearest(name, FIGURES) or f"; there are {', '.join(FIGURES)}"
            raise UnknownNameError(f"figure {name!r} not found{hint}")
    return [figure for name, figure in FIGURES.items() if not names or name in names]
