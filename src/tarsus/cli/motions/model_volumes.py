"""Volumes of a model that was named on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from tarsus.cli.options.text import printable
from tarsus.errors import ArgumentError

if TYPE_CHECKING:
    from tarsus.model.model import Model


def with_volumes(model: Model) -> Model:
    """The model with volumes, fitted where it has none."""
    if model.volumes:
        return model
    from tarsus.cli.models.fit import fitted

    typer.echo(f"{printable(model.name)} has no volumes; some are fitted to its shapes", err=True)
    try:
        found = fitted(model, {"shapes": "collision"})
    except ArgumentError:
        found = fitted(model, {"shapes": "visual"})
    return model.with_volumes(found)
