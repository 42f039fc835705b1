"""Safe parsing, strict numbers, problems with their place."""

import locale
import os
import socket
import stat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.errors import ModelFileError
from tarsus.io.xml import MAX_DEPTH, Report, floats, number, parse_xml, parse_xml_text, text_floats

GOOD = '<a name="top">\n<b x="1 2 3"/>\n</a>'


def refused(data: bytes | str, **keywords: int) -> str:
    """Return the rule by which `data` is refused."""
    with pytest.raises(ModelFileError) as caught:
        parse_xml_text(data, **keywords)
    assert len(caught.value.problems) == 1
    return caught.value.first.rule


def test_elements_know_their_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(GOOD)
    root, report = parse_xml(path)
    assert report.source(root[0]) == (str(path), 2)
    assert root[0].get("x") == "1 2 3"


def test_lines_are_right_beyond_the_first_65535() -> None:
    root, report = parse_xml_text("<a>" + "\n<b/>" * 70_000 + "</a>")
    assert report.source(root[-1]).line == 70_001


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError) as caught:
        parse_xml(tmp_path / "nothing.urdf")
    assert caught.value.first.rule == "file-not-found"
    assert caught.value.first.file == str(tmp_path / "nothing.urdf")


def test_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError) as caught:
        parse_xml(tmp_path)
    assert caught.value.first.rule == "not-a-file"


def test_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.urdf")
    with pytest.raises(ModelFileError) as caught:
        parse_xml(tmp_path / "pipe.urdf")
    assert caught.value.first.rule == "not-a-file"


def test_file_that_cannot_be_opened_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.xml"
    path.write_text(GOOD)

    def no_permission(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", no_permission)  # a mode of 000 would not stop an administrator
    with pytest.raises(ModelFileError) as caught:
        parse_xml(path)
    assert caught.value.first.rule == "file-unreadable"


def test_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(ModelFileError) as caught:
        parse_xml("a\0b")
    assert caught.value.first.rule == "file-unreadable"


def test_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse.urdf"
    with open(path, "wb") as stream:
        stream.truncate(1 << 40)  # a terabyte that takes no room
    assert stat.S_ISREG(path.stat().st_mode)
    with pytest.raises(ModelFileError) as caught:
        parse_xml(path)
    assert caught.value.first.rule == "file-size"


def test_size_limit_counts_bytes_inclusively(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(GOOD)
    assert parse_xml(path, max_size=len(GOOD))[0].tag == "a"
    with pytest.raises(ModelFileError):
        parse_xml(path, max_size=len(GOOD) - 1)


def test_file_of_very_many_short_tags_is_refused() -> None:
    assert refused("<a>" + "<b/>" * 2_100_000 + "</a>") == "file-size"


def test_nesting_is_refused_above_and_accepted_at_the_limit() -> None:
    def nested(depth: int) -> str:
        return "<a>" * depth + "</a>" * depth

    assert parse_xml_text(nested(MAX_DEPTH))[0].tag == "a"
    assert refused(nested(MAX_DEPTH + 1)) == "nesting"
    assert refused(nested(3 * MAX_DEPTH)) == "nesting"


def test_entities_touch_neither_files_nor_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_: object, **__: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "socket", no_network)
    monkeypatch.setattr(socket, "create_connection", no_network)
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    for target in (secret.as_uri(), "http://127.0.0.1:9/x"):
        text = f'<!DOCTYPE a [<!ENTITY e SYSTEM "{target}">]><a>&e;</a>'
        with pytest.raises(ModelFileError) as caught:
            parse_xml_text(text)
        assert caught.value.first.rule == "doctype"
        assert "hidden" not in str(caught.value)


def test_doctype_inside_a_comment_or_text_is_no_doctype() -> None:
    root, _ = parse_xml_text("<!-- <!DOCTYPE a> --><?x <!DOCTYPE a>?><a><![CDATA[<!DOCTYPE a>]]></a>")
    assert root.text == "<!DOCTYPE a>"


def test_external_schema_and_stylesheet_are_ignored() -> None:
    text = (
        '<?xml-stylesheet href="http://127.0.0.1:9/x.xsl"?>'
        '<a xmlns:i="http://www.w3.org/2001/XInclude"><i:include href="/etc/passwd"/></a>'
    )
    root, report = parse_xml_text(text)
    assert len(root) == 1
    assert report.problems == []


def test_undeclared_prefix_hides_no_other_error() -> None:
    root, report = parse_xml_text("<a>\n<x:b/></a>")
    assert root[0].tag == "x:b"
    assert [(problem.rule, problem.severity, problem.line) for problem in report.problems] == [
        ("undeclared-prefix", "warning", 2)
    ]
    assert refused("<a><x:b/><c></a>") == "not-xml"
    assert refused('<a><x:b/><c d="1" d="2"/></a>') == "duplicate-attribute"


def test_report_names_the_element_and_its_owner() -> None:
    root, report = parse_xml_text('<robot name="r"><link name="tibia"><mass/></link></robot>')
    report.error("rule", "message", root[0])
    report.warning("rule", "message", root[0][0], value="7")
    report.error("rule", "message", root[0][0], element="this one")
    assert [problem.element for problem in report.problems] == ["link 'tibia'", "mass of link 'tibia'", "this one"]
    with pytest.raises(ModelFileError) as caught:
        report.raise_if_errors()
    assert [problem.severity for problem in caught.value.problems] == ["error", "error", "warning"]


def test_report_with_warnings_only_does_not_raise() -> None:
    report = Report()
    report.warning("rule", "message")
    report.raise_if_errors()
    assert not report.has_errors


def test_reading_ends_after_a_thousand_errors_and_keeps_no_more_warnings() -> None:
    report = Report(file="a.xml")
    for _ in range(2000):
        report.warning("rule", "message")
    assert len(report.problems) == 1000
    with pytest.raises(ModelFileError) as caught:
        for _ in range(2000):
            report.error("rule", "message")
    assert len(caught.value.problems) == 2001
    assert caught.value.problems[1000].rule == "too-many-problems"


def read(text: str, count: int | tuple[int, int]) -> tuple[np.ndarray | None, list[str]]:
    """Numbers of an attribute and the rules of the problems it has."""
    root, report = parse_xml_text("<a/>")
    root.set("x", text)
    return floats(report, root, "x", count), [problem.rule for problem in report.problems]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_numbers_as_python_writes_them_are_read_back_exactly(values: list[float]) -> None:
    found, problems = read(" ".join(map(repr, values)), len(values))
    assert problems == []
    np.testing.assert_array_equal(found, values)


@given(st.text(min_size=1, max_size=12).filter(lambda text: not set(text) & set("\0") and text.isprintable()))
def test_any_text_is_a_finite_number_or_an_error(text: str) -> None:
    found, problems = read(text, (1, 6))
    assert (found is None) == bool(problems)
    assert found is None or np.isfinite(found).all()


def test_wrong_number_gives_the_default_and_an_error() -> None:
    root, report = parse_xml_text('<a x="one" y="1 2"/>')
    assert number(report, root, "x", 7.0) == 7.0
    np.testing.assert_array_equal(floats(report, root, "y", 3, (1.0, 2.0, 3.0)), (1.0, 2.0, 3.0))
    assert [problem.rule for problem in report.problems] == ["number-syntax", "number-count"]
    assert [problem.value for problem in report.problems] == ["one", "1 2"]


def test_missing_attribute_gives_the_default_and_an_error_only_if_required() -> None:
    root, report = parse_xml_text("<a/>")
    assert number(report, root, "x", 7.0) == 7.0
    assert number(report, root, "x") is None
    assert floats(report, root, "x", 3) is None
    assert report.problems == []
    assert number(report, root, "x", required=True) is None
    assert [problem.rule for problem in report.problems] == ["missing-attribute"]


def test_counts_may_be_a_range() -> None:
    assert read("1 2", (1, 3))[1] == []
    assert read("1 2 3 4", (1, 3))[1] == ["number-count"]


def test_numbers_in_text_are_read_like_those_in_attributes() -> None:
    root, report = parse_xml_text("<a><pose>1 2\n3</pose><pose/><pose>1 x 3</pose></a>")
    np.testing.assert_array_equal(text_floats(report, root[0], 3), (1.0, 2.0, 3.0))
    assert text_floats(report, root[1], 3) is None
    assert text_floats(report, root[2], 3) is None
    assert [problem.rule for problem in report.problems] == ["number-count", "number-syntax"]


def test_numbers_do_not_depend_on_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    # locale.localeconv is what locale-aware conversions ask; a comma locale may not be installed
    monkeypatch.setattr(locale, "localeconv", lambda: {"decimal_point": ",", "thousands_sep": "."})
    np.testing.assert_array_equal(read("1.5", 1)[0], [1.5])
    assert read("1,5", 1)[1] == ["number-syntax"]


def test_long_value_is_cut_in_the_message() -> None:
    root, report = parse_xml_text("<a/>")
    root.set("x", "y" * 10_000)
    number(report, root, "x")
    assert len(str(report.problems[0])) < 300


def test_pathological_digits_take_linear_time() -> None:
    # quadratic backtracking over a million characters would not end within the hour
    assert read("1" * 1_000_000 + "x", 1)[1] == ["number-syntax"]
    assert read("1 " * 500_000 + "x", 1)[1] == ["number-syntax"]
