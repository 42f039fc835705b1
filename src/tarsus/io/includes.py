"""Model files that include others: bounded in number, size and depth, and every problem with the file it is in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from lxml import etree

from tarsus.errors import ModelFileError
from tarsus.io.packages import Resolution, missing_message, outside_message
from tarsus.io.xml import MAX_DEPTH, Report, parse_xml_text, read_bytes
from tarsus.model.coupling import Source

ORIGIN = "{urn:tarsus}file"
"""Attribute that remembers which file an inserted element was read from."""


@dataclass
class DocumentReport(Report):
    """Report about a document that is put together from several files; it tells the same problem once."""

    inserted: bool = False
    seen: set[tuple[str, str, str, str, int]] = field(default_factory=set)

    def source(self, node: etree._Element | None) -> Source:
        """Where `node` is written, in its own file."""
        usual = super().source(node)
        ancestor = node if self.inserted else None
        while ancestor is not None:
            file = ancestor.get(ORIGIN)
            if file is not None:
                return Source(file, usual.line)
            ancestor = ancestor.getparent()
        return usual

    def error(
        self, rule: str, message: str, node: etree._Element | None = None, value: str = "", element: str = ""
    ) -> None:
        """Note an error once, however many elements share it."""
        if self._is_new("error", rule, message, node):
            super().error(rule, message, node, value, element)

    def warning(
        self, rule: str, message: str, node: etree._Element | None = None, value: str = "", element: str = ""
    ) -> None:
        """Note a warning once, however many elements share it."""
        if self._is_new("warning", rule, message, node):
            super().warning(rule, message, node, value, element)

    def _is_new(self, severity: str, rule: str, message: str, node: etree._Element | None) -> bool:
        source = self.source(node)
        key = (severity, rule, message, source.file, source.line)
        if key in self.seen:
            return False
        self.seen.add(key)
        return True


class IncludeReader:
    """Opens included files.

    Parameters
    ----------
    report : DocumentReport
        Takes the errors; its `file` is the main file.
    budget : int
        Limit of the size of all included files together [bytes].
    max_files : int
        Limit of their number.
    repeatable : bool
        Whether a file may be included more than once.
    """

    def __init__(self, report: DocumentReport, budget: int, max_files: int, *, repeatable: bool) -> None:
        self._report = report
        self._budget = budget
        self._max_files = max_files
        self._repeatable = repeatable
        self._count = 0
        self._files: set[str] = set()
        self.main = os.path.realpath(report.file)

    def open(
        self, node: etree._Element, uri: str, found: Resolution, chain: tuple[str, ...]
    ) -> tuple[str, etree._Element] | None:
        """Path and root element of an included file, or None after an error.

        `node` is the including element; `chain` lists the files it stands in, the main file first.
        """
        report = self._report
        path = found.path
        if found.verdict == "outside":
            report.error("path-outside-package", outside_message("include", uri, found), node, uri)
        elif found.verdict == "remote":
            report.error("include-remote", f"include {uri!r} is not a local file; nothing is fetched", node, uri)
        elif path is None:
            report.error("include-not-found", f"include {missing_message(uri, found)}", node, uri)
        elif path in chain:
            report.error("include-cycle", f"{uri!r} includes itself", node, uri)
        elif path in self._files and not self._repeatable:
            report.error("include-repeated", f"{uri!r} is included twice; a file may be included once", node, uri)
        elif self._count >= self._max_files:
            report.error("include-size", f"more than {self._max_files} files are included", node, uri)
        else:
            root = self._read(node, path)
            return None if root is None else (path, root)
        return None

    def _read(self, node: etree._Element, path: str) -> etree._Element | None:
        report = self._report
        self._count += 1
        self._files.add(path)
        try:
            size = os.path.getsize(path)
            if size > self._budget:
                message = f"an included file of {size} bytes exceeds the {self._budget} left of the size limit"
                report.error("include-size", message, node, path)
                return None
            data = read_bytes(path, max_size=self._budget)
            self._budget -= len(data)
            root, inner = parse_xml_text(data, path)
        except OSError as error:
            report.error("file-unreadable", f"cannot read {path!r}: {error}", node, path)
            return None
        except ModelFileError as error:
            report.problems.extend(error.problems)
            return None
        report.problems.extend(inner.problems)
        if depth(node) + height(root) > MAX_DEPTH:
            report.error("nesting", f"with its includes, elements are nested more than {MAX_DEPTH} deep", node)
            return None
        report.inserted = True
        return root


def depth(node: etree._Element) -> int:
    """Return the number of elements from the root down to `node`."""
    return 1 + sum(1 for _ in node.iterancestors())


def height(root: etree._Element) -> int:
    """Return the number of elements from `root` down to the deepest one."""
    deepest = level = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        level += 1 if event == "start" else -1
        deepest = max(deepest, level)
    return deepest
