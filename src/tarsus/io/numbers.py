"""Strict decimal numbers in attributes and text of model files, independent of the locale."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from typing import overload

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.io.report import Report
from tarsus.untrusted_xml import tag_of

_FOREIGN = re.compile(r"[^0-9eE.+\- \t\r\n]")
"""Anything that is no part of decimal numbers; what is left, `float` reads by the rules of the format."""
_SHORT = 64
"""Texts up to this length are remembered with their numbers: "0 0 0" stands in a file many times."""
_SHOWN = 60
"""A quoted value is cut after this many characters."""


@overload
def floats(
    report: Report,
    node: etree._Element,
    attribute: str,
    count: int | tuple[int, int],
    default: Sequence[float] | FloatArray,
) -> FloatArray: ...
@overload
def floats(
    report: Report, node: etree._Element, attribute: str, count: int | tuple[int, int], default: None = None
) -> FloatArray | None: ...
def floats(
    report: Report,
    node: etree._Element,
    attribute: str,
    count: int | tuple[int, int],
    default: Sequence[float] | FloatArray | None = None,
) -> FloatArray | None:
    """Numbers in an attribute, separated by white space.

    Parameters
    ----------
    report : Report
        Takes the errors.
    node : element
    attribute : str
    count : int or (int, int)
        How many there must be, or the least and the most.
    default : array_like, optional
        Returned (as an array) where the attribute is missing or wrong.

    Returns
    -------
    values : ndarray, shape (count,), or None
        None only if there is nothing to read and no `default`.
    """
    text = node.get(attribute)
    values = None if text is None else parse_floats(report, node, text, count, attribute)
    if values is None:
        return None if default is None else np.array(default, dtype=float)
    return np.array(values)


def text_floats(
    report: Report,
    node: etree._Element,
    count: int | tuple[int, int],
    default: Sequence[float] | FloatArray | None = None,
) -> FloatArray | None:
    """Numbers in the text of an element; see `floats`. An element without text is an error."""
    values = parse_floats(report, node, node.text or "", count, tag_of(node))
    if values is None:
        return None if default is None else np.array(default, dtype=float)
    return np.array(values)


@overload
def number(report: Report, node: etree._Element, attribute: str, default: float, required: bool = False) -> float: ...
@overload
def number(
    report: Report, node: etree._Element, attribute: str, default: None = None, required: bool = False
) -> float | None: ...
def number(
    report: Report, node: etree._Element, attribute: str, default: float | None = None, required: bool = False
) -> float | None:
    """One number in an attribute; `default` where it is missing (an error if `required`) or wrong."""
    text = node.get(attribute)
    if text is None:
        if required:
            report.error("missing-attribute", f"<{tag_of(node)}> needs the attribute {attribute!r}", node)
        return default
    values = _short_decimals(text) if len(text) <= _SHORT else None
    if values is None or len(values) != 1 or math.isinf(values[0]):
        values = parse_floats(report, node, text, 1, attribute)
    return default if values is None else values[0]


def parse_floats(
    report: Report, node: etree._Element, text: str, count: int | tuple[int, int], label: str
) -> tuple[float, ...] | None:
    """Numbers in `text`, or None after noting what is wrong with it; `label` names it in the message."""
    values = _short_decimals(text) if len(text) <= _SHORT else decimals(text)
    if values is None:
        _report_bad_token(report, node, text, count, label)
        return None
    if len(values) != count:
        least, most = (count, count) if isinstance(count, int) else count
        if not least <= len(values) <= most:
            message = f"{label}: found {len(values)} numbers, expected {_expected(least, most)}"
            report.error("number-count", message, node, shown(text))
            return None
    if math.inf in values or -math.inf in values:
        report.error("number-overflow", f"{label}: {shown(text)!r} overflows a double", node, shown(text))
        return None
    return values


def decimals(text: str) -> tuple[float, ...] | None:
    """Decimal numbers separated by white space, or None if there is anything else; infinite where they overflow."""
    if _FOREIGN.search(text):
        return None
    try:
        return tuple(map(float, text.split())) or None
    except ValueError:
        return None


_short_decimals = functools.lru_cache(maxsize=4096)(decimals)


def shown(text: str) -> str:
    """`text`, cut to a length that fits into a message."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _expected(least: int, most: int) -> str:
    return f"{least}" if least == most else f"{least} to {most}"


def _report_bad_token(
    report: Report, node: etree._Element, text: str, count: int | tuple[int, int], label: str
) -> None:
    if not text.strip():
        least, most = (count, count) if isinstance(count, int) else count
        report.error("number-count", f"{label}: empty, expected {_expected(least, most)} numbers", node, text[:_SHOWN])
        return
    if "${" in text or "$(" in text:
        message = f"{label}: {shown(text)!r} is an expression; run xacro on the file first"
        report.error("number-expression", message, node, shown(text))
        return
    token = next((t for t in text.split() if decimals(t) is None), text)
    plain = token.lower().lstrip("+-")
    if plain.startswith(("nan", "inf", "1.#")):
        report.error("number-not-finite", f"{label}: {shown(token)!r} is not a finite number", node, shown(text))
    else:
        report.error("number-syntax", f"{label}: {shown(token)!r} is not a decimal number", node, shown(text))
