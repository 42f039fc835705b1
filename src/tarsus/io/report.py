"""Problems collected while a model file is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lxml import etree

from tarsus.errors import ModelFileError, Problem
from tarsus.model.coupling import Source
from tarsus.untrusted_xml import element_label, line_of

MAX_PROBLEMS = 1000
"""Reading ends at this many errors, and this many warnings are kept: nobody reads more, and memory is finite."""


@dataclass
class Report:
    """Collects problems while one file is read.

    Attributes
    ----------
    problems : list of Problem
        Shared by the reports of all files of a model where there are several.
    file : str
        Name of the file, as given.
    """

    problems: list[Problem] = field(default_factory=list)
    file: str = ""

    def error(
        self, rule: str, message: str, node: etree._Element | None = None, value: str = "", element: str = ""
    ) -> None:
        """Note an error; file, line and (unless given) element are taken from `node`."""
        self._add("error", rule, message, node, value, element)

    def warning(
        self, rule: str, message: str, node: etree._Element | None = None, value: str = "", element: str = ""
    ) -> None:
        """Note a warning; file, line and (unless given) element are taken from `node`."""
        self._add("warning", rule, message, node, value, element)

    def source(self, node: etree._Element | None) -> Source:
        """Where `node` is written."""
        return Source(self.file, 0 if node is None else line_of(node))

    @property
    def has_errors(self) -> bool:
        """Whether an error was noted."""
        return any(problem.severity == "error" for problem in self.problems)

    def raise_if_errors(self) -> None:
        """Raise `ModelFileError` with all problems, errors first, if one of them is an error."""
        if self.has_errors:
            raise ModelFileError(sorted(self.problems, key=lambda problem: problem.severity != "error"))

    def _add(
        self,
        severity: Literal["error", "warning"],
        rule: str,
        message: str,
        node: etree._Element | None,
        value: str,
        element: str,
    ) -> None:
        if severity == "warning" and len(self.problems) >= MAX_PROBLEMS:
            return
        file, line = self.source(node)
        if node is not None and not element:
            element = element_label(node)
        self.problems.append(Problem(severity, rule, message, element, value, file, line))
        if severity == "error" and len(self.problems) >= MAX_PROBLEMS:
            self._end_at_limit()

    def _end_at_limit(self) -> None:
        if sum(problem.severity == "error" for problem in self.problems) >= MAX_PROBLEMS:
            message = f"there are more than {MAX_PROBLEMS} errors; the rest of the file was not read"
            self.problems.append(Problem("error", "too-many-problems", message, "file", file=self.file))
            self.raise_if_errors()
