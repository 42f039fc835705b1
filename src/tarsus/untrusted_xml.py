"""Reading XML that nobody vouches for: no entities, no network, bounded size and depth, refusals with file and line."""

from __future__ import annotations

import codecs
import os
import re
import stat

from lxml import etree

from tarsus.errors import ModelFileError, Problem

MAX_FILE_SIZE = 64 * 2**20
"""Largest file that is read by default [bytes]."""
MAX_DEPTH = 256
"""Deepest nesting of elements; the root is at depth 1."""
MAX_NODES = 2_000_000
"""Largest number of tags and attributes: each of them costs about 100 bytes of memory, however short it is written."""

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_ENCODINGS = frozenset({"utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1252", "utf-16-le", "utf-16-be"})
_DECLARATION = re.compile(r"""<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']""", re.ASCII)
_VERSION = re.compile(r"""(<\?xml\s+version\s*=\s*["'])([0-9.]{1,8})["']""", re.ASCII)
_COMMENT_OR_SECTION = re.compile(r"<!--(.*?)-->|<!\[CDATA\[.*?\]\]>", re.DOTALL)
_MOST_ODD = 20
"""Comments that are told."""
_XML_SPACE = " \t\r\n"
_TOO_DEEP = etree.XPath("(" + "/*" * (MAX_DEPTH + 1) + ")[1]")


def parse_untrusted(
    data: bytes | str, name: str = "<string>", *, max_size: int = MAX_FILE_SIZE, long_text: bool = False
) -> tuple[etree._Element, list[Problem]]:
    """Parse the contents of a file.

    Parameters
    ----------
    data : bytes or str
    name : str
        Stands for the file in messages.
    max_size : int
        Refuse larger files [bytes].
    long_text : bool
        Admit more than 10 MB of text in one element, as meshes have it.

    Returns
    -------
    root : lxml element
        Without comments and processing instructions.
    problems : list of Problem
        Warnings: namespace prefixes that are declared nowhere, comments with two hyphens, versions that are none, NUL
        characters at the end.

    Raises
    ------
    ModelFileError
        If the contents are too large, nested too deeply or not well-formed, or contain a DOCTYPE.
    """
    if len(data) > max_size:
        raise refusal("file-size", f"{len(data)} bytes are more than the limit of {max_size}", name, str(len(data)))
    text = data.removeprefix("\ufeff") if isinstance(data, str) else _decoded(data, name)
    text, ended = _without_last_nul(text, name)
    _check_characters(text, name)
    text = _without_displaced_declaration(text)
    _refuse_doctype(text, name)
    text, odd = _readable(text, name)
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise refusal("encoding", "a lone surrogate is not a character", name, line=line) from None
    root, undeclared = _parsed(encoded, name, long_text)
    if root.getroottree().docinfo.internalDTD is not None:
        raise refusal("doctype", "a document type declaration is not accepted", name, line=1)
    warnings = [Problem("warning", "undeclared-prefix", message, file=name, line=line) for line, message in undeclared]
    warnings = [*ended, *odd, *warnings]
    deep = _TOO_DEEP(root)
    if isinstance(deep, list) and deep and isinstance(deep[0], etree._Element):
        message = f"elements are nested more than {MAX_DEPTH} deep"
        place = line_of(deep[0])
        raise ModelFileError(
            [Problem("error", "nesting", message, element_label(deep[0]), file=name, line=place), *warnings]
        )
    return root, warnings


def tag_of(node: etree._Element) -> str:
    """Tag of an element; "" for comments, processing instructions and entity references."""
    tag = node.tag
    return tag if isinstance(tag, str) else ""


def line_of(node: etree._Element) -> int:
    """Line of the file where an element starts; 0 where it is not known."""
    line = node.sourceline
    return line if isinstance(line, int) else 0


def element_label(node: etree._Element) -> str:
    """Name an element for a person: "link 'tibia'", "mass of link 'tibia'"."""
    tag = tag_of(node)
    name = node.get("name")
    if name:
        return f"{tag} {name!r}"
    ancestor = node.getparent()
    while ancestor is not None and not ancestor.get("name"):
        ancestor = ancestor.getparent()
    return tag if ancestor is None else f"{tag} of {tag_of(ancestor)} {ancestor.get('name')!r}"


def refusal(
    rule: str, message: str, file: str, value: str = "", *, line: int = 0, element: str = "file"
) -> ModelFileError:
    """Error that refuses a whole file for one reason."""
    return ModelFileError([Problem("error", rule, message, element, value, file, line)])


def read_bytes(name: str, *, max_size: int = MAX_FILE_SIZE) -> bytes:
    """Contents of a regular file; its size is checked before anything is read."""
    try:
        mode = os.stat(name)
        if not stat.S_ISREG(mode.st_mode):
            kind = "a directory" if stat.S_ISDIR(mode.st_mode) else "not a regular file"
            raise refusal("not-a-file", f"{name!r} is {kind}", name)
        if mode.st_size > max_size:
            message = f"{mode.st_size} bytes are more than the limit of {max_size}"
            raise refusal("file-size", message, name, str(mode.st_size))
        with open(name, "rb") as stream:
            data = stream.read(min(max_size, mode.st_size) + 1)  # what is asked for is taken from memory at once
    except ModelFileError:
        raise
    except FileNotFoundError:
        raise refusal("file-not-found", f"there is no file {name!r}", name) from None
    except (OSError, ValueError) as error:
        raise refusal("file-unreadable", f"cannot read {name!r}: {error}", name) from None
    if len(data) > max_size:
        raise refusal("file-size", f"the file is longer than the limit of {max_size} bytes", name)
    return data


def _decoded(data: bytes, name: str) -> str:
    """Text of the file: UTF-8 unless a byte-order mark or the XML declaration names another accepted encoding."""
    encoding = next((codec for mark, codec in _BYTE_ORDER_MARKS if data.startswith(mark)), "")
    if not encoding:
        encoding = _declared_encoding(data, name)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        value = data[error.start : error.end].hex(" ")
        raise refusal("encoding", f"bytes {value} are not valid {encoding}", name, value, line=line) from None
    return text.removeprefix("\ufeff")


def _declared_encoding(data: bytes, name: str) -> str:
    match = _DECLARATION.match(data[:1024].lstrip().decode("latin-1"))
    if match is None:
        return "utf-8"
    try:
        codec = codecs.lookup(match[1]).name
    except LookupError:
        codec = ""
    if codec not in _ENCODINGS:
        raise refusal("encoding", f"encoding {match[1]!r} is not accepted; use UTF-8", name, match[1], line=1)
    if codec.startswith("utf-16"):
        raise refusal("encoding", f"encoding {match[1]!r} is declared, but the file is not", name, match[1], line=1)
    return codec


def _without_last_nul(text: str, name: str) -> tuple[str, list[Problem]]:
    """Text without NUL characters at its end, at which other readers stop, with a warning where there are any."""
    body = text.rstrip(_XML_SPACE + "\0")
    tail = text[len(body) :]
    if "\0" not in tail:
        return text, []
    line = text.count("\n", 0, len(body) + tail.index("\0")) + 1
    message = "NUL characters at the end of the file are left out"
    return body + tail.replace("\0", " "), [Problem("warning", "nul-byte", message, value="\\0", file=name, line=line)]


def _check_characters(text: str, name: str) -> None:
    position = text.find("\0")
    if position >= 0:
        line = text.count("\n", 0, position) + 1
        raise refusal("nul-byte", "the file contains a NUL character", name, "\\0", line=line)
    if not text or text.isspace():
        raise refusal("empty-file", "the file is empty", name)
    nodes = text.count("<") + text.count("=")
    if nodes > MAX_NODES:
        message = f"about {nodes} tags and attributes are more than the limit of {MAX_NODES}"
        raise refusal("file-size", message, name, str(nodes))


def _without_displaced_declaration(text: str) -> str:
    """Blank out an XML declaration that stands behind white space, where the parser would not take it."""
    start = len(text) - len(text.lstrip(_XML_SPACE))
    if start == 0 or not text.startswith("<?xml ", start):
        return text
    end = text.find("?>", start)
    return text if end < 0 else text[:start] + re.sub(r"[^\n]", " ", text[start : end + 2]) + text[end + 2 :]


def _refuse_doctype(text: str, name: str) -> None:
    """Refuse a DOCTYPE before the parser sees it; it can only stand between the declaration and the root element."""
    position = 0
    while True:
        start = text.find("<", position)
        if start < 0:
            return
        if text.startswith("<!--", start):
            close = text.find("-->", start + 4)
            position = close + 3
        elif text.startswith("<?", start):
            close = text.find("?>", start + 2)
            position = close + 2
        else:
            break
        if close < 0:
            return
    if text.startswith("<!DOCTYPE", start):
        line = text.count("\n", 0, start) + 1
        value = text[start : start + 80].splitlines()[0]
        raise refusal("doctype", "a document type declaration is not accepted", name, value, line=line)


def _readable(text: str, name: str) -> tuple[str, list[Problem]]:
    """Text without two things that other readers bear and this parser does not, each with a warning.

    These are versions of XML that there are none of, and two hyphens within a comment. Places of what follows stay.
    """
    warnings = []
    version = _VERSION.match(text)
    if version is not None and version[2] not in ("1.0", "1.1"):
        message = f"there is no version {version[2]} of XML; it is read as 1.0"
        warnings.append(Problem("warning", "xml-version", message, value=version[2], file=name, line=1))
        text = text[: version.start(2)] + "1.0" + text[version.end(2) :]
    parts, position = [], 0
    for found in _COMMENT_OR_SECTION.finditer(text):
        inside = found[1]
        if inside is None or not ("--" in inside or inside.endswith("-")):
            continue
        if len(warnings) < _MOST_ODD:
            line = text.count("\n", 0, found.start()) + 1
            warnings.append(Problem("warning", "comment", "two hyphens within a comment", file=name, line=line))
        parts += [text[position : found.start(1)], inside.replace("-", " ")]
        position = found.end(1)
    return "".join([*parts, text[position:]]), warnings


def _parser(long_text: bool, recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=long_text,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
        recover=recover,
    )


def _parsed(data: bytes, name: str, long_text: bool) -> tuple[etree._Element, list[tuple[int, str]]]:
    """Root element and the (line, message) of tags whose namespace prefix is declared nowhere."""
    try:
        return etree.fromstring(data, _parser(long_text)), []
    except etree.XMLSyntaxError as error:
        if _code(error) != etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE:
            raise _syntax_refusal(_code(error), error.lineno or 0, str(error.msg), name) from None
    # Plain XML 1.0 allows undeclared prefixes, and files for Gazebo use them; anything else wrong stays an error.
    lenient = _parser(long_text, recover=True)
    try:
        root = etree.fromstring(data, lenient)
    except etree.XMLSyntaxError as error:
        raise _syntax_refusal(_code(error), error.lineno or 0, str(error.msg), name) from None
    undeclared = []
    for entry in lenient.error_log:
        if entry.type != etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE:
            raise _syntax_refusal(entry.type, entry.line, entry.message, name)
        undeclared.append((entry.line, entry.message))
    return root, undeclared


def _code(error: etree.XMLSyntaxError) -> int:
    return int(getattr(error, "code", 0) or 0)


_SYNTAX_RULES = {
    etree.ErrorTypes.ERR_ATTRIBUTE_REDEFINED: "duplicate-attribute",
    etree.ErrorTypes.NS_ERR_ATTRIBUTE_REDEFINED: "duplicate-attribute",
    etree.ErrorTypes.ERR_DOCUMENT_END: "trailing-content",
    etree.ErrorTypes.ERR_UNDECLARED_ENTITY: "entity",
    etree.ErrorTypes.WAR_UNDECLARED_ENTITY: "entity",
}


def _syntax_refusal(code: int, line: int, message: str, name: str) -> ModelFileError:
    rule = "nesting" if "Excessive depth" in message else _SYNTAX_RULES.get(code, "not-xml")
    text = " ".join(re.sub(r", line \d+, column \d+$", "", message).split())
    return refusal(rule, f"the file is not well-formed XML: {text}", name, line=line, element="document")
