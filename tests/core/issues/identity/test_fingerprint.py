"""Digests of a place that moved lines and formatting leave as they are."""

import pytest

from reknit.core.issues.identity.fingerprint import (
    AFTER,
    DIGEST_BYTES,
    EXACT_BYTES,
    NormalizedFile,
    locate_result,
    make_fingerprint,
)
from reknit.core.issues.model import LocatedResult, ReportResult

TEXT = """\
import os
def total(items, rate='net'):
    result = compute(items, rate)
    if result == None:
        return eval('result')
    return result
"""


def at(text: str, line: int, column: int = 0, message: str = "m", rule: str = "X-1") -> LocatedResult:
    return locate_result(ReportResult("tool", rule, "-", line, column, message), "a.py", NormalizedFile(text.encode()))


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        pytest.param("\n\n" + TEXT, 7, 16, id="moved-down"),
        pytest.param(TEXT.replace("    ", "\t"), 5, 10, id="other-indentation"),
        pytest.param(TEXT.replace("'", '"'), 5, 16, id="other-quotes"),
        pytest.param(
            TEXT.replace("(items, rate)", "(\n        items,\n        rate,\n    )"), 8, 16, id="a-split-call"
        ),
        pytest.param(TEXT.replace("\n", "\r\n"), 5, 16, id="other-line-ends"),
        pytest.param(TEXT.replace("return eval", "return \\\n eval"), 6, 2, id="a-continued-line"),
    ],
)
def test_surroundings_outlive_formatting(text: str, line: int, column: int) -> None:
    assert at(text, line, column).context_digests == at(TEXT, 5, 16).context_digests


def test_each_side_has_its_own_digest() -> None:
    plain = at(TEXT, 5, 16)
    above = at(TEXT.replace("    if", "    print(1)\n    if"), 6, 16)
    below = at(TEXT.replace("    return result", "    print(1)\n    return result"), 5, 16)
    assert (above.context_digests[:DIGEST_BYTES], above.line_digest) == (
        plain.context_digests[:DIGEST_BYTES],
        plain.line_digest,
    )
    assert above.context_digests[DIGEST_BYTES:] != plain.context_digests[DIGEST_BYTES:]
    assert (below.context_digests[DIGEST_BYTES:], below.line_digest) == (
        plain.context_digests[DIGEST_BYTES:],
        plain.line_digest,
    )
    assert below.context_digests[:DIGEST_BYTES] != plain.context_digests[:DIGEST_BYTES]
    assert len(plain.context_digests) == 2 * DIGEST_BYTES


def test_what_is_far_away_does_not_count() -> None:
    far = "x = 1\n" * AFTER
    assert (
        at(f"a = 1\n{far}{TEXT}{far}b = 1\n", AFTER + 6, 16).context_digests
        == at(f"{far}{TEXT}{far}", AFTER + 5, 16).context_digests
    )


def test_a_line_that_says_little_has_a_shorter_digest() -> None:
    assert len(at("except Exception:\n", 1).line_digest) == DIGEST_BYTES - 1
    assert len(at("    subprocess.run(command, shell=True)\n", 1).line_digest) == DIGEST_BYTES


def test_columns_are_counted_in_characters() -> None:
    assert (
        at("x = 'äöü', eval(y)\n", 1, 12).context_digests[:DIGEST_BYTES]
        == at("x = 'aou', eval(y)\n", 1, 12).context_digests[:DIGEST_BYTES]
    )
    assert at("x = '\xe9', eval(y)\n", 1, 99).context_digests == at("x = '\xe9', eval(y)\n", 1, 500).context_digests, (
        "a column that is not there"
    )


def test_places_far_out_in_a_long_line_are_told_apart_and_found_again() -> None:
    line = "".join(f"call_{number}(a, b); " for number in range(2_000))
    columns = [line.index(f"call_{number}(") + 1 for number in (3, 900, 1_500)]
    wides = [at(f"{line}\n", 1, column).context_digests for column in columns]
    assert len(set(wides)) == 3
    once = NormalizedFile(f"{line}\n".encode())
    assert [
        locate_result(ReportResult("tool", "X-1", "-", 1, column, "m"), "a.py", once).context_digests
        for column in columns
    ] == wides
    assert wides == [
        at("\n" + line.replace(", ", ",") + "\n", 2, column).context_digests
        for column in _without_blanks(line, columns)
    ]
    assert at(f"{line}é\n", 1, columns[2]).context_digests[:DIGEST_BYTES] == wides[2][:DIGEST_BYTES]
    assert at(f"{line}\n", 1, 10**6).line_digest == at(f"{line}\n", 1, 1).line_digest


def _without_blanks(line: str, columns: list[int]) -> list[int]:
    return [column - line[: column - 1].count(", ") for column in columns]


def test_names_on_one_line_are_told_apart() -> None:
    text = "from os import path, sep\n"
    results = [at(text, 1, 1, f"Unused {name} imported from os", "unused-import") for name in ("path", "sep")]
    assert results[0].context_digests != results[1].context_digests and results[0].line_digest != results[1].line_digest
    pointed = at(text, 1, 16, "`os.path` imported but unused", "unused-import")
    assert pointed.line_digest == results[0].line_digest and pointed.message_digests == results[0].message_digests


@pytest.mark.parametrize("text", ["import numpy as np\n", "import numpy\tas np\n"])
def test_an_alias_is_what_its_file_calls_it(text: str) -> None:
    first = at(text, 1, 17, "`numpy` imported but unused", "unused-import")
    second = at(text, 1, 17, 'Import "np" is not accessed', "unused-import")
    assert (first.context_digests, first.line_digest) == (second.context_digests, second.line_digest)
    assert at(text, 1, 19, "`numpy` imported but unused", "unused-import").line_digest != first.line_digest, (
        "no name is there"
    )
    assert at(text, 1, 0, "`numpy` imported but unused", "unused-import").line_digest != first.line_digest


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param("Too long (121 > 120)", "Too long (88 > 79)", True, id="numbers"),
        pytest.param("in line 12.", "in line 1,234.", True, id="a-number-that-ends-a-sentence"),
        pytest.param("took 12.5s, not 300ms, of 40%", "took 3s, not 1ms, of 2.5%", True, id="measures"),
        pytest.param("see `a.py:12:5`", "see `a.py:9:17`", True, id="places"),
        pytest.param("in /home/ci/b/c.py", "in /builds/d/c.py", True, id="folders-of-a-machine"),
        pytest.param("in `/tmp/x1/c.py`", "in `/private/x2/c.py`", True, id="quoted-folders"),
        pytest.param("in /tmp/c.py", "in file:///home/c.py", False, id="another-kind-of-address"),
        pytest.param("at 0x7fab", "at 0x12cd", True, id="addresses"),
        pytest.param("0xc000012345 leaks", "0xc0000abcde leaks", True, id="long-addresses"),
        pytest.param("error 0x80070005", "error 0x80070006", False, id="codes"),
        pytest.param("use 'x'", "use `x`", True, id="quotes"),
        pytest.param("use x", "use y", False, id="words"),
        pytest.param("x" * 3000 + "a", "x" * 3000 + "b", True, id="the-end-of-a-very-long-one"),
        pytest.param("CVE-2021-45115 in it", "CVE-2019-14234 in it", False, id="identifiers"),
        pytest.param("CWE-79", "CWE-89", False, id="short-identifiers"),
        pytest.param("weak hash md5", "weak hash md4", False, id="digits-of-a-name"),
        pytest.param("`x1` is unused", "`x2` is unused", False, id="numbered-names"),
        pytest.param("see #12", "see #13", False, id="numbered-issues"),
        pytest.param("django 3.2.1 is old", "django 4.2.1 is old", False, id="versions"),
        pytest.param("Python 3.8 is old", "Python 3.9 is old", False, id="short-versions"),
        pytest.param("django==3", "django==4", False, id="pinned-versions"),
        pytest.param("10.0.0.1 is open", "10.0.0.2 is open", False, id="hosts"),
        pytest.param("`lodash/merge` is unsafe", "`axios/merge` is unsafe", False, id="modules"),
        pytest.param("/api/drop is open", "/admin/drop is open", False, id="routes"),
        pytest.param("see x/home/a/b", "see x/home/c/b", False, id="a-folder-like-one-of-a-machine"),
    ],
)
def test_what_is_said(one: str, other: str, same: bool) -> None:
    assert (
        at(TEXT, 1, 0, one).message_digests[:DIGEST_BYTES] == at(TEXT, 1, 0, other).message_digests[:DIGEST_BYTES]
    ) is same


def test_the_whole_message_is_told_apart_beside_its_words() -> None:
    one, other = (at(TEXT, 1, 0, f"port {port} is open").message_digests for port in (22, 443))
    assert (one[:DIGEST_BYTES], len(one)) == (other[:DIGEST_BYTES], DIGEST_BYTES + EXACT_BYTES) and one != other
    assert at(TEXT, 1, 0, "port '22' is open").message_digests == one
    names = (
        at(TEXT, 1, 0, f"`os` imported but unused {times} times", "unused-import").message_digests for times in (1, 2)
    )
    assert len({*names}) == 1, "the name that is meant is all that counts"


def test_a_message_may_hold_anything() -> None:
    assert at(TEXT, 1, 0, "\ud800 \0").message_digests != at(TEXT, 1, 0, "").message_digests
    assert len(make_fingerprint(locate_result(ReportResult("t", "r", "-"), "\udcff.py", None), 0)) == 32


def bare(*, given: str = "", snippet: str = "", message: str = "m", line: int = 3) -> LocatedResult:
    return locate_result(
        ReportResult("tool", "X-1", "-", line, message=message, snippet=snippet, fingerprint=given), "a.py", None
    )


def test_without_text_a_tools_own_fingerprint_stands_for_it_then_the_snippet_then_the_words() -> None:
    assert (
        bare(given="1", snippet="a").context_digests
        == bare(given="1", snippet="b", message="n", line=9).context_digests
    )
    assert bare(given="1").context_digests != bare(given="2").context_digests
    assert (
        bare(snippet=" a ,\n").line_digest
        == bare(snippet="a", message="n").line_digest
        != bare(snippet="b").line_digest
    )
    assert bare().context_digests == bare(line=9).context_digests != bare(message="n").context_digests
    assert len({bare(given="x").line_digest, bare(snippet="x").line_digest, bare(message="x").line_digest}) == 3


@pytest.mark.parametrize("line", [0, 8, 10**9, -1])
def test_a_line_that_is_not_there_has_no_text(line: int) -> None:
    assert at(TEXT, line).context_digests == bare(line=line).context_digests


def test_the_stable_name_is_of_concept_path_surroundings_and_ordinal() -> None:
    one = at(TEXT, 5, 16)
    moved = locate_result(one.result, "b.py", NormalizedFile(TEXT.encode()))
    names = {
        make_fingerprint(one, 0),
        make_fingerprint(one, 1),
        make_fingerprint(moved, 0),
        make_fingerprint(at(TEXT, 5, 16, rule="X-2"), 0),
    }
    assert len(names) == 4 and all(len(name) == 32 for name in names)
    assert make_fingerprint(one, 0) == make_fingerprint(at("\n" + TEXT, 6, 16), 0)
