"""Default classes of MJCF, and elements that look up what they do not say themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.errors import nearest
from tarsus.io.mjcf.expansion.attachment import SCOPE
from tarsus.io.numbers import shown
from tarsus.io.xml import Report, floats, number, tag_of

ACTUATORS = frozenset(
    {
        "general",
        "motor",
        "position",
        "velocity",
        "intvelocity",
        "damper",
        "cylinder",
        "muscle",
        "adhesion",
        "dcmotor",
        "pid",
        "orientation",
        "plugin",
    }
)
"""Tags in an <actuator> section; they share one set of defaults."""


class Holder(NamedTuple):
    """The element of a default class that gives an attribute; `level` is larger the nearer the class is."""

    level: int
    node: etree._Element


class DefaultClass:
    """A class of <default>: its own elements, behind which stand those of the class around it.

    A class takes over what the class around it says up to the place where it is opened: a later <default> section
    that adds to the top-level class does not reach the classes opened before.
    """

    def __init__(self, name: str, parent: DefaultClass | None, opened: int) -> None:
        self.name = name
        self.parent = parent
        self.level: int = 0 if parent is None else parent.level + 1
        self._opened = opened
        self._nodes: dict[str, list[tuple[int, etree._Element]]] = {}
        self._found: dict[tuple[str, str], Holder | None] = {}
        self._overlaid: dict[tuple[str, str], FloatArray] = {}

    def add(self, order: int, node: etree._Element) -> None:
        """Take over an element of the class; `order` counts the elements of the whole file."""
        self._nodes.setdefault(family(tag_of(node)), []).append((order, node))

    def holder(self, tag: str, attribute: str) -> Holder | None:
        """Return the element that gives `attribute` to elements of kind `tag` in this class."""
        key = (tag, attribute)
        if key not in self._found:
            self._found[key] = next(self._holders(tag, attribute), None)
        return self._found[key]

    def overlay(self, report: Report, tag: str, attribute: str, initial: Sequence[float]) -> FloatArray:
        """Numbers of an attribute that may be given in part: each class overwrites the first ones."""
        key = (tag, attribute)
        if key not in self._overlaid:
            values = np.array(initial, dtype=float)
            for holder in reversed(list(self._holders(tag, attribute))):
                given = floats(report, holder.node, attribute, (1, len(values)), ())
                values[: len(given if given is not None else ())] = given
            self._overlaid[key] = values
        return self._overlaid[key]

    def _holders(self, tag: str, attribute: str) -> Iterator[Holder]:
        """Elements that give an attribute, the nearest first."""
        place: DefaultClass | None = self
        before: float = np.inf
        while place is not None:
            for order, node in reversed(place._nodes.get(tag, ())):
                if order < before and node.get(attribute) is not None:
                    yield Holder(place.level, node)
            before = min(before, place._opened)
            place = place.parent


class Defaults:
    """All default classes of a document."""

    def __init__(self, root: etree._Element, report: Report) -> None:
        self._report = report
        self._classes: dict[str, DefaultClass] = {}
        self._order = 0
        self.top = DefaultClass("main", None, 0)
        own = [section for section in root.iterchildren("default") if section.get(SCOPE) is None]
        for position, section in enumerate(own):
            name = section.get("class", "main" if position == 0 else self.top.name)
            if position == 0:
                self.top.name = name
                self._classes[name] = self.top
            elif name not in (self.top.name, "main"):
                message = f"the top-level default class is called {self.top.name!r} and cannot be renamed"
                report.error("default-class-renamed", message, section, shown(name))
            self._read(section, self.top)
        self._classes.setdefault("main", self.top)
        for section in root.iterchildren("default"):
            if section.get(SCOPE) is not None:
                self._read_attached(section)

    def _read_attached(self, section: etree._Element) -> None:
        """Top-level class of an attached model, which takes over nothing from the model around it."""
        name = section.get("class", "")
        if name in self._classes and self._classes[name].parent is not None:
            self._report.error("duplicate-name", f"default class {name!r} is defined twice", section, shown(name))
            return
        self._order += 1
        if name not in self._classes or self._classes[name] is self.top:
            self._classes[name] = DefaultClass(name, None, self._order)
        self._read(section, self._classes[name])

    def _read(self, section: etree._Element, place: DefaultClass) -> None:
        """Elements first, then nested classes; nesting is bounded by the depth of the document."""
        for node in section:
            if tag_of(node) and tag_of(node) != "default":
                self._order += 1
                place.add(self._order, node)
        for node in section.iterchildren("default"):
            name = node.get("class")
            if not name:
                self._report.error("missing-attribute", "a nested <default> needs the attribute 'class'", node)
                continue
            if name in self._classes:
                self._report.error("duplicate-name", f"default class {name!r} is defined twice", node, shown(name))
                continue
            self._order += 1
            self._classes[name] = DefaultClass(name, place, self._order)
            self._read(node, self._classes[name])

    def find(self, name: str, node: etree._Element) -> DefaultClass:
        """Return the class `name`, which `node` asks for; the top-level class after an error if there is none."""
        found = self._classes.get(name)
        if found is None:
            message = f"default class {shown(name)!r} does not exist{nearest(name[:100], self._classes)}"
            self._report.error("unknown-default-class", message, node, shown(name))
            self._classes[name] = found = self.top
        return found

    def element(self, node: etree._Element, childclass: DefaultClass | None, kind: str = "") -> Element:
        """`node` with its defaults: of its own class, else of `childclass`, else of the top-level class.

        `kind` is the tag that stands for it in <default>, where that is not its own.
        """
        name = node.get("class")
        place = self.find(name, node) if name is not None else childclass or self.top
        return Element(node, self._report, place, kind)


class Element:
    """An element and the default class that speaks where it is silent."""

    __slots__ = ("_place", "_report", "_tag", "node")

    def __init__(self, node: etree._Element, report: Report, place: DefaultClass | None, kind: str = "") -> None:
        self.node = node
        self._report = report
        self._place = place
        self._tag = kind or family(tag_of(node))

    def holder(self, attribute: str) -> Holder | None:
        """Return the element that gives `attribute`: this one, or one of a default class."""
        if self.node.get(attribute) is not None:
            return Holder(_OWN_LEVEL, self.node)
        return None if self._place is None else self._place.holder(self._tag, attribute)

    def has(self, attribute: str) -> bool:
        """Whether the element or its default class gives `attribute`."""
        return self.holder(attribute) is not None

    def text(self, attribute: str, default: str = "") -> str:
        """Text of an attribute."""
        found = self.holder(attribute)
        return default if found is None else found.node.get(attribute, default)

    def numbers(
        self, attribute: str, count: int | tuple[int, int], default: Sequence[float] | None = None
    ) -> FloatArray | None:
        """Numbers of an attribute, or `default`."""
        found = self.holder(attribute)
        if found is None:
            return None if default is None else np.array(default, dtype=float)
        return floats(self._report, found.node, attribute, count, default)

    def partial(self, attribute: str, initial: Sequence[float]) -> FloatArray:
        """Numbers of an attribute that may be given in part, the rest coming from the defaults."""
        values = np.array(initial, dtype=float)
        if self._place is not None:
            values = self._place.overlay(self._report, self._tag, attribute, initial).copy()
        given = floats(self._report, self.node, attribute, (1, len(values)), ())
        if given is not None:
            values[: len(given)] = given
        return values

    def number(self, attribute: str, default: float) -> float:
        """One number."""
        found = self.holder(attribute)
        value = None if found is None else number(self._report, found.node, attribute, default)
        return default if value is None else value

    def integer(self, attribute: str, default: int) -> int:
        """One whole number."""
        value = self.number(attribute, default)
        if value != int(value):
            self._report.error("number-syntax", f"{attribute}: {value} is not a whole number", self.node, str(value))
            return default
        return int(value)

    def keyword(self, attribute: str, choices: Sequence[str], default: str, rule: str = "keyword") -> str:
        """One of several words."""
        found = self.holder(attribute)
        if found is None:
            return default
        word: str = found.node.get(attribute, "")
        if word not in choices:
            message = f"{attribute}: {shown(word)!r} is none of {', '.join(choices)}"
            self._report.error(rule, message, found.node, shown(word))
            return default
        return word

    def flag(self, attribute: str, default: bool) -> bool:
        """Return a word of "true" and "false"."""
        return self.keyword(attribute, ("false", "true"), "true" if default else "false") == "true"

    def switch(self, attribute: str, given: bool, autolimits: bool) -> bool:
        """Return a word of "true", "false" and "auto", where "auto" asks whether the range was `given`."""
        word = self.keyword(attribute, ("false", "true", "auto"), "auto")
        return (given and autolimits) if word == "auto" else word == "true"


_OWN_LEVEL = 1_000_000


_FAMILIES = {**dict.fromkeys(ACTUATORS, "general"), "spatial": "tendon", "fixed": "tendon"}


def family(tag: str) -> str:
    """Kind of element as far as defaults are concerned."""
    return _FAMILIES.get(tag, tag)
