"""Documents: which files they are, and what their first bytes tell."""

from datetime import date

import pytest

from reknit.core.planning.context import Doc
from reknit.core.planning.exploration.docs import (
    FIRST_BYTES,
    decode_head,
    find_stale,
    find_state_age_days,
    parse_date,
    read_doc,
    select_documents,
)


def test_documents_are_markdown_at_the_root_and_below_docs() -> None:
    paths = [
        "docs/b.md",
        "docs/a/c.MD",
        "z.markdown",
        "README.md",
        "README.rst",
        "docs/x.png",
        ".github/y.md",
        "docs.md",
    ]
    assert select_documents(paths) == ("README.md", "docs.md", "z.markdown", "docs/a/c.MD", "docs/b.md")


@pytest.mark.parametrize(
    ("begun", "doc"),
    [
        pytest.param(b"---\nstatus: current\n---\n", Doc("a", (("status", "current"),)), id="frontmatter"),
        pytest.param(b"# Text", Doc("a"), id="none"),
        pytest.param(b"---\noops\n---\n", Doc("a", (), "line 2: `oops` is not a field"), id="broken"),
        pytest.param(b"caf\xe9", Doc("a", (), "it is not UTF-8 text"), id="Latin-1"),
        pytest.param("it is a symlink", Doc("a", (), "it is a symlink"), id="not read"),
    ],
)
def test_what_cannot_be_read_is_said(begun: bytes | str, doc: Doc) -> None:
    assert read_doc("a", begun) == doc


def test_a_character_may_be_cut_only_at_the_end_of_what_was_read() -> None:
    whole = "é".encode() * FIRST_BYTES
    assert decode_head(b"x" + whole[: FIRST_BYTES - 1]) == "x" + "é" * (FIRST_BYTES // 2 - 1)
    assert decode_head(b"x" + whole[:10] + b"\xc3") is None
    assert decode_head(b"\xff" + whole[: FIRST_BYTES - 1]) is None


@pytest.mark.parametrize(
    "written",
    [
        "2026-11-07", "2026/11/07", "2026.11.7", " 2026-11-07 ", "2026-11-07 10:00", "2026-11-07T23:59:59",
        "2026-11-07T10:00:00Z", "2026-11-07T23:30:00-00:10", "2026-11-06T23:30:00-01:00", "2026-11-08T00:30:00+01:00",
        "7.11.2026", "07.11.2026", "7 Nov 2026", "7-nov-2026", "7th November 2026", "Nov 7, 2026", "November 7th, 2026",
        "NOV. 7 2026", "2026-11-07 (draft)",
    ],
)  # fmt: skip
def test_the_usual_spellings_are_read(written: str) -> None:
    assert parse_date(written) == date(2026, 11, 7)


@pytest.mark.parametrize(
    "written",
    ["", "soon", "11/07/2026", "2026-13-01", "31.4.2026", "30 Feb 2026", "7 Foo 2026", "Foo 7, 2026", "0000-01-01",
     "2026-11", "20261107", "0001-01-01T00:00:00+10:00"],
)  # fmt: skip
def test_what_is_no_date_or_could_be_two_is_none(written: str) -> None:
    assert parse_date(written) is None


TODAY = date(2026, 11, 17)


@pytest.mark.parametrize(
    ("fields", "is_stale"),
    [
        pytest.param((("status", "stale"),), True, id="it says so"),
        pytest.param((("status", "Stale"),), True, id="in other letters"),
        pytest.param((("status", "current"), ("updated", "2026-10-17")), True, id="31 days before"),
        pytest.param((("updated", "2026-10-18"),), False, id="30 days before"),
        pytest.param((("updated", "2027-01-01"),), False, id="in the future"),
        pytest.param((("updated", "some day"),), False, id="no date"),
        pytest.param((), False, id="no frontmatter"),
    ],
)
def test_stale_is_a_status_or_an_age(fields: tuple[tuple[str, str], ...], is_stale: bool) -> None:
    assert find_stale([Doc("docs/a.md", fields)], TODAY) == (("docs/a.md",) if is_stale else ())


@pytest.mark.parametrize(
    ("docs", "age"),
    [
        pytest.param([Doc("STATE.md", (("updated", "2026-11-01"),))], 16, id="at the root"),
        pytest.param([Doc("docs/State.md", (("updated", "2026-11-16"),))], 1, id="in docs"),
        pytest.param(
            [Doc("STATE.md", (("updated", "2026-01-01"),)), Doc("docs/STATE.md", (("updated", "2026-11-15"),))],
            2,
            id="the newer of two",
        ),
        pytest.param([Doc("STATE.md", (("updated", "2026-12-01"),))], 0, id="in the future"),
        pytest.param([Doc("STATE.md", (("status", "current"),))], None, id="without a date"),
        pytest.param([Doc("README.md", (("updated", "2026-01-01"),))], None, id="another document"),
        pytest.param([Doc("docs/old/STATE.md", (("updated", "2026-01-01"),))], None, id="deeper"),
    ],
)
def test_the_age_of_the_state_is_in_days(docs: list[Doc], age: int | None) -> None:
    assert find_state_age_days(docs, TODAY) == age
