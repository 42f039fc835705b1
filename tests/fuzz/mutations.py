"""Random changes of files: of text that mostly stays well-formed, and of bytes."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable, Sequence

NASTY = [
    *(
        "nan",
        "-inf",
        "1e999",
        "-1e308",
        "1e308",
        "1e-320",
        "0",
        "-0",
        "-1",
        "1e5",
        "1e9",
        "0x10",
        "1,2,3",
        "1_0",
        "9" * 400,
    ),
    *("", " ", "1 2", "1 2 3", "0 0 0", "1 2 3 4 5 6 7", "nan nan nan", "1e308 1e308 1e308", "1e-200 0 0", "1e200 0 0"),
    *("true", "false", "a", "base", "hip", "world", "free", "ball", "spherical", "${x}", "\u0661", "&#0;", "&x;"),
    *("../../../../etc/passwd", "file:///dev/zero", "package://a/../../b", "http://localhost:9/x"),
    *("99999999999999999999", "-99999999999999999999"),
]
TOKENS = [
    *(b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<", b">", b"/>", b'"', b"&amp;"),
    *(b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\xe2\x80\xa8", b"<a>" * 300, b"xmlns='urn:x' "),
    *(b"<?xml version='1.0' encoding='utf-16'?>", b"<x:y/>", b"<include file='x.xml'/>"),
    *(b"<replicate count='100000'>", b"<default class='leg'>"),
]

_VALUE = re.compile(rb'(?<==")[^"<>]*(?=")|(?<=>)[^<>\s][^<>]*(?=<)')
_TAG = re.compile(rb"(?<=<)[A-Za-z_]+")


def _span(rng: random.Random, data: bytes, longest: int = 200) -> slice:
    start = rng.randrange(len(data) + 1)
    return slice(start, min(len(data), start + rng.randrange(1, longest)))


def _flip(rng: random.Random, data: bytes) -> bytes:
    copy = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        if copy:
            copy[rng.randrange(len(copy))] ^= 1 << rng.randrange(8)
    return bytes(copy)


def _delete(rng: random.Random, data: bytes) -> bytes:
    span = _span(rng, data)
    return data[: span.start] + data[span.stop :]


def _duplicate(rng: random.Random, data: bytes) -> bytes:
    span = _span(rng, data)
    return data[: span.stop] + data[span] * rng.choice((1, 1, 1, 20)) + data[span.stop :]


def _insert(rng: random.Random, data: bytes) -> bytes:
    position = rng.randrange(len(data) + 1)
    return data[:position] + rng.choice(TOKENS) + data[position:]


def _cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _replace(rng: random.Random, data: bytes, pattern: re.Pattern[bytes], new: Callable[[list[bytes]], bytes]) -> bytes:
    matches = list(pattern.finditer(data))
    if not matches:
        return data
    target = rng.choice(matches)
    return data[: target.start()] + new([match[0] for match in matches]) + data[target.end() :]


def _nasty_value(rng: random.Random, data: bytes) -> bytes:
    return _replace(rng, data, _VALUE, lambda _: rng.choice(NASTY).encode())


def _other_value(rng: random.Random, data: bytes) -> bytes:
    return _replace(rng, data, _VALUE, rng.choice)


def _other_tag(rng: random.Random, data: bytes) -> bytes:
    """Rename all elements of one kind, or the start tag of one element."""
    if rng.random() < 0.2:
        return _replace(rng, data, _TAG, rng.choice)
    tags = sorted({match[0] for match in _TAG.finditer(data)})
    if not tags:
        return data
    old, new = rng.choice(tags), rng.choice(tags)
    return re.sub(rb"(</?)" + old + rb"\b", rb"\1" + new, data)


def _move_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    action = rng.randrange(3)
    if action == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif action == 1:
        lines.insert(i, lines[j])
    else:
        del lines[i]
    return b"\n".join(lines)


# Mutations that keep the file well-formed come often, or little beyond the parser would ever be reached.
MUTATIONS = [_nasty_value, _other_value] * 10 + [_other_tag, _move_lines, _flip, _delete, _duplicate, _insert, _cut]

NUMBERS = [0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**40, 2**63 - 1, 2**63, 2**64 - 1]


def _number(rng: random.Random, data: bytes) -> bytes:
    """Put an integer of an awkward size, or a float that is none, over some bytes."""
    width = rng.choice((1, 2, 4, 8))
    if rng.random() < 0.2:
        width, new = 4, struct.pack("<f", rng.choice((float("nan"), float("inf"), -float("inf"), 3e38, 1e-45)))
    else:
        new = (rng.choice(NUMBERS) % 256**width).to_bytes(width, rng.choice(("little", "big")))
    start = rng.randrange(max(len(data) - width, 0) + 1)
    return data[:start] + new + data[start + width :]


_JSON_VALUE = re.compile(
    rb'(?<=: )(?:"[^"]*"|-?[0-9.]+(?:e-?[0-9]+)?|true|false|null|\[[^\[\]]*\]|\{[^{}]*\})|(?<=[ \[])-?[0-9.]+(?=[,\]])'
)
_JSON_NUMBER = re.compile(rb"(?<=[ \[])-?[0-9.]+(?=[,\]])")
_JSON_NASTY = [
    *(b"null", b"true", b"-1", b"0", b"1e999", b"-1e308", b"1e308", b"1e300", b"NaN", b"9" * 400, b"1.5", b"100000000"),
    *(b'""', b'"arm"', b'"base"', b'"spherical"', b'"free"', b"[]", b"{}", b"[[]]", b"[1,2,3]", b'{"a":1}'),
]


def _json_value(rng: random.Random, data: bytes) -> bytes:
    return _replace(rng, data, _JSON_VALUE, lambda found: rng.choice(_JSON_NASTY if rng.random() < 0.4 else found))


def _json_number(rng: random.Random, data: bytes) -> bytes:
    new = [b"0", b"-1", b"1.5", b"1e-300", b"1e30", b"1e300", b"7"]
    return _replace(rng, data, _JSON_NUMBER, lambda _: rng.choice(new))


JSON_MUTATIONS = [_json_value] * 8 + [_json_number] * 8 + [_flip, _delete, _duplicate, _cut]
BYTE_MUTATIONS = [_number] * 6 + [_flip] * 6 + [_delete, _duplicate, _insert, _cut]


def changed(rng: random.Random, seeds: Sequence[bytes], mutations: Sequence[Callable[..., bytes]]) -> bytes:
    """Return one of the seeds after a few mutations."""
    data = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        data = rng.choice(mutations)(rng, data)
    return data
