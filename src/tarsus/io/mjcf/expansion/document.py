"""An MJCF document in one piece: includes inserted, attached models and replicas written out, all within bounds."""

from __future__ import annotations

import os

from lxml import etree

from tarsus.io.includes import ORIGIN, DocumentReport, IncludeReader
from tarsus.io.mjcf.expansion.attachment import Attacher
from tarsus.io.mjcf.expansion.replication import Replicator
from tarsus.io.packages import PackageFinder
from tarsus.io.xml import parse_xml_text, tag_of

MAX_INCLUDES = 256
"""Largest number of files that one model may include, and of those that it may attach."""


def open_document(
    data: bytes | str, name: str, finder: PackageFinder, max_size: int
) -> tuple[etree._Element, DocumentReport]:
    """Parse a document and write out its <include>, <attach> and <replicate> elements.

    Parameters
    ----------
    data : bytes or str
        Contents of the main file.
    name : str
        Its name in messages.
    finder : PackageFinder
        Says which files may be included.
    max_size : int
        Limit for all files together [bytes].

    Raises
    ------
    ModelFileError
        If a file is not well-formed, the root is not <mujoco>, or an include, attachment or replica is out of bounds.
    """
    root, first = parse_xml_text(data, name, max_size=max_size)
    report = DocumentReport(problems=first.problems, file=name)
    if tag_of(root) != "mujoco":
        report.error("root-element", f"the root element is <{tag_of(root)}>, expected <mujoco>", root, tag_of(root))
        report.raise_if_errors()
    budget = max_size - len(data)
    main = IncludeReader(report, budget, MAX_INCLUDES, repeatable=False)
    _insert_includes(root, report, finder, main, (main.main,))
    report.raise_if_errors()
    models = IncludeReader(report, budget, MAX_INCLUDES, repeatable=True)

    def insert(child: etree._Element, chain: tuple[str, ...]) -> None:
        _insert_includes(child, report, finder, models, chain)

    Attacher(report, finder, models, insert).write_out(root, (main.main,))
    report.raise_if_errors()
    Replicator(report).write_out(root)
    report.raise_if_errors()
    return root, report


def _insert_includes(
    root: etree._Element, report: DocumentReport, finder: PackageFinder, reader: IncludeReader, chain: tuple[str, ...]
) -> None:
    """Put the children of included files in place of <include>; `chain` lists the files around `root`."""
    pending = [(node, chain) for node in root.iter("include")]
    while pending and not report.has_errors:
        node, files = pending.pop()
        uri = node.get("file")
        if not uri:
            report.error("missing-attribute", "<include> needs the attribute 'file'", node)
            return
        found = finder.resolve(uri)
        if found.verdict == "missing" and finder.directory is not None:
            found = finder.resolve(uri, os.path.dirname(files[-1]))
        opened = reader.open(node, uri, found, files)
        if opened is None:
            return
        path, included = opened
        children = list(included)
        if not children:
            report.error("include-empty", f"included file {path!r} contains nothing", node, path)
        for child in children:
            child.set(ORIGIN, path)
            node.addprevious(child)
            pending += [(inner, (*files, path)) for inner in child.iter("include")]
        parent = node.getparent()
        if parent is not None:
            parent.remove(node)
