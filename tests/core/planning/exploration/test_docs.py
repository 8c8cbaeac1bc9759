"""Documents: which files they are, and what their first bytes tell."""

import pytest

from reknit.core.planning.context import Doc
from reknit.core.planning.exploration.docs import FIRST_BYTES, doc_of, documents_among, text_of


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
    assert documents_among(paths) == ("README.md", "docs.md", "z.markdown", "docs/a/c.MD", "docs/b.md")


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
    assert doc_of("a", begun) == doc


def test_a_character_may_be_cut_only_at_the_end_of_what_was_read() -> None:
    whole = "é".encode() * FIRST_BYTES
    assert text_of(b"x" + whole[: FIRST_BYTES - 1]) == "x" + "é" * (FIRST_BYTES // 2 - 1)
    assert text_of(b"x" + whole[:10] + b"\xc3") is None
    assert text_of(b"\xff" + whole[: FIRST_BYTES - 1]) is None
