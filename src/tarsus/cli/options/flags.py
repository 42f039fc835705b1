"""Help that shows flags by their names, without the word for the type of a value that they do not take."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


def _plain(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return parameters


class PlainCommand(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters, also those that are added for help."""
        return _plain(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters, also those that are added for help."""
        return _plain(super().get_params(ctx))
