"""Model files in XML: parsed as files that nobody vouches for, with a report for the problems found in them."""

from __future__ import annotations

import os

from lxml import etree

from tarsus.io.numbers import floats, number, parse_floats, text_floats
from tarsus.io.report import Report
from tarsus.untrusted_xml import (
    MAX_DEPTH,
    MAX_FILE_SIZE,
    element_label,
    parse_untrusted,
    read_bytes,
    refusal,
    tag_of,
)

__all__ = [
    "MAX_DEPTH",
    "MAX_FILE_SIZE",
    "Report",
    "element_label",
    "floats",
    "number",
    "parse_floats",
    "parse_xml",
    "parse_xml_text",
    "read_bytes",
    "refusal",
    "tag_of",
    "text_floats",
]


def parse_xml(path: str | os.PathLike[str], *, max_size: int = MAX_FILE_SIZE) -> tuple[etree._Element, Report]:
    """Parse a file.

    Parameters
    ----------
    path : path-like
    max_size : int
        Refuse larger files [bytes].

    Returns
    -------
    root : lxml element
        Without comments and processing instructions.
    report : Report
        For problems found later; it knows the name of the file.

    Raises
    ------
    ModelFileError
        If the file is missing, unreadable, too large or not well-formed, or contains a DOCTYPE.
    """
    name = os.fspath(path)
    return parse_xml_text(read_bytes(name, max_size=max_size), name, max_size=max_size)


def parse_xml_text(
    data: bytes | str, name: str = "<string>", *, max_size: int = MAX_FILE_SIZE
) -> tuple[etree._Element, Report]:
    """Parse the contents of a file; see `parse_xml`. `name` stands for the file in messages."""
    root, problems = parse_untrusted(data, name, max_size=max_size)
    return root, Report(problems, name)
