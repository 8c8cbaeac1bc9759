"""A cut diff: within its room, small files whole, and it says what is missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.repository.prompt_excerpts import (
    CONVENTIONS_BYTES,
    MAX_LINE_CHARS,
    _describe_gap,
    _parse_file_diff,
    cut_diff,
    render_conventions,
)
from tests.tools.work import quickly

TOKEN = "ghp_" + "a1B2" * 10
SMALL = """diff --git a/shop/a.py b/shop/a.py
index 1111111..2222222 100644
--- a/shop/a.py
+++ b/shop/a.py
@@ -1,2 +1,2 @@
 def total(cart):
-    return sum(cart)
+    return discount(sum(cart))"""
SHOWN = SMALL.replace("index 1111111..2222222 100644\n", "")
BINARY = """diff --git a/logo.png b/logo.png
new file mode 100644
index 0000000..2222222
Binary files /dev/null and b/logo.png differ"""
PATCH = """diff --git a/logo.gif b/logo.gif
new file mode 100644
index 0000000..2222222
GIT binary patch
literal 9
zcmZQzU|?imU|?ckU|{6^

literal 0
HcmV?d00001"""


def large(path: str, *, lines: int = 2_000, start: int = 1, text: str = "value = compute(order, customer)") -> str:
    body = "\n".join(f"+{text} {number}" for number in range(start, start + lines))
    return (
        f"diff --git a/{path} b/{path}\nindex 1..2 100644\n--- a/{path}\n+++ b/{path}\n"
        f"@@ -{start},0 +{start},{lines} @@\n{body}"
    )


def many(count: int, *, lines: int) -> str:
    return "\n".join(large(f"shop/part_{number:04}.py", lines=lines) for number in range(count))


def size(text: str) -> int:
    return len(text.encode())


@pytest.mark.parametrize(
    ("diff", "shown"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param(f"{SMALL}\n", SHOWN, id="one file, without the line of its hashes"),
        pytest.param(f"{SMALL}\n{BINARY}\n", f"{SHOWN}\n{BINARY}".replace("index 0000000..2222222\n", ""), id="binary"),
        pytest.param(
            PATCH,
            "diff --git a/logo.gif b/logo.gif\nnew file mode 100644\n[a binary file, not shown]",
            id="the bytes of a binary patch are not shown",
        ),
        pytest.param(SMALL.replace("\n", "\r\n"), SHOWN, id="line ends of Windows"),
        pytest.param(f"{SMALL}\u202e{TOKEN}", rf"{SHOWN}\u202e[GitHub token redacted]", id="hidden text and secrets"),
        pytest.param("no diff at all", "no diff at all", id="something else"),
    ],
)
def test_what_fits_is_whole(diff: str, shown: str) -> None:
    assert cut_diff(diff, 1_000) == shown


def test_small_files_are_whole_and_large_ones_say_what_is_missing() -> None:
    cut = cut_diff("\n".join([large("app/big.py", start=11), SMALL, BINARY, large("zoo/big.py")]), 6_000)
    assert size(cut) <= 6_000
    assert SHOWN in cut
    assert "Binary files /dev/null and b/logo.png differ" in cut
    places = [cut.index(f"diff --git a/{path}") for path in ("app/big.py", "shop/a.py", "logo.png", "zoo/big.py")]
    assert places == sorted(places), "in the order of the diff"
    first = cut.split("diff --git")[1].splitlines()
    told = len(first) - 1  # its last line is the note
    assert first[-1] == (
        f"[{2_004 - told} of 2004 lines of this file's diff are left out: "
        f"they cover lines {11 + told - 4}-2010 of the file]"
    )
    assert first[-2] == f"+value = compute(order, customer) {11 + told - 5}", "the line before those"
    assert cut.endswith("[In total 4 file(s) changed, +4001 -1 lines; this diff is truncated to fit.]")


@pytest.mark.parametrize(
    ("place", "lines"),
    [
        pytest.param(1, "17 of 18 lines of this file's diff are left out: they cover lines 100-302", id="all hunks"),
        pytest.param(8, "10 of 18 lines of this file's diff are left out: they cover lines 200-302", id="a hunk"),
        pytest.param(10, "8 of 18 lines of this file's diff are left out: they cover lines 201-302", id="a removal"),
        pytest.param(12, "6 of 18 lines of this file's diff are left out: they cover lines 202-302", id="one line"),
        pytest.param(13, "5 of 18 lines of this file's diff are left out: they cover lines 300-302", id="the last"),
    ],
)
def test_the_lines_to_look_at_are_those_of_the_file_as_it_is_now(place: int, lines: str) -> None:
    hunks = [f"@@ -{at},3 +{at},3 @@ def x():\n same\n-old\n+new\n same" for at in (100, 200, 300)]
    file = _parse_file_diff("\n".join(["diff --git a/a.py b/a.py", "--- a/a.py", "+++ b/a.py", *hunks]).split("\n"))
    assert _describe_gap(file, place) == f"[{lines} of the file]"


@pytest.mark.parametrize(
    ("diff", "note"),
    [
        pytest.param(
            "diff --git a/old.py b/old.py\ndeleted file mode 100644\n--- a/old.py\n+++ /dev/null\n@@ -1,900 +0,0 @@\n"
            + "\n".join(["-gone = 1"] * 900),
            " lines of this file's diff are left out]\n[In total 1 file(s) changed, +0 -900 lines;",
            id="a removed file has no lines to look at",
        ),
        pytest.param(
            "diff --git a/x.js b/x.js\n--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-a\n+" + "x" * 9_000,
            f"\n+{'x' * (MAX_LINE_CHARS - 4)}…\n[long lines of this file are truncated]\n",
            id="one very long line",
        ),
        pytest.param("word " * 9_000, "…\n[long lines of this file are truncated]\n", id="no diff at all"),
        pytest.param(
            f"diff --git a/{'deep/' * 200}x.py b/{'deep/' * 200}x.py\n" + large("x.py").partition("\n")[2],
            "…\n[2003 of 2004 lines of this file",
            id="a path longer than its share",
        ),
        pytest.param(
            large("x.py").replace("@@ -1,0 +1,2000 @@", "@@@ combined @@@"),
            " lines of this file's diff are left out]\n",
            id="a hunk of another kind",
        ),
        pytest.param(
            "diff --git a/x.py b/x.py\n" + "\n".join(f"strange {n}" for n in range(300)) + "\n@@ -7 +7 @@\n+a",
            "are left out: they cover lines 7-7 of the file]\n",
            id="a head that alone is too long",
        ),
    ],
)
def test_what_is_left_out_of_a_file_is_said(diff: str, note: str) -> None:
    cut = cut_diff(diff, 2_000)
    assert note in cut
    assert size(cut) <= 2_000


def test_files_made_by_programs_get_what_the_others_leave() -> None:
    files = [large("package-lock.json"), large("shop/a.py", lines=60), large("vendor/x.py"), large("dist/a.min.js")]
    cut = cut_diff("\n".join(files), 9_000)
    assert large("shop/a.py", lines=60).replace("index 1..2 100644\n", "") in cut
    crowded = cut_diff("\n".join([*files, large("shop/b.py")]), 9_000)
    assert "3 file(s) not shown: package-lock.json (+2000 -0), vendor/x.py (+2000 -0), dist/a.min.js" in crowded


def test_of_very_many_files_the_rest_is_named_and_counted() -> None:
    cut = cut_diff(many(500, lines=30), 24_000)
    assert 18_000 < size(cut) <= 24_000
    shown = cut.count("diff --git")
    closing = cut.rpartition("\n")[2]
    assert closing.startswith("[In total 500 file(s) changed, +15000 -0 lines;")
    assert f"{500 - shown} file(s) not shown: shop/part_" in closing
    assert closing.endswith(f" and {500 - shown - 20} more]")


@pytest.mark.parametrize(
    ("head", "name"),
    [
        pytest.param("a/shop/a.py b/shop/a.py", "shop/a.py", id="the same twice"),
        pytest.param("a/a b.py b/a b.py", "a b.py", id="with a blank"),
        pytest.param(r'"a/caf\303\251.py" "b/caf\303\251.py"', r"caf\303\251.py", id="in quotes"),
        pytest.param("a/old.py b/newer.py", "a/old.py b/newer.py", id="two names"),
        pytest.param(f"a/{TOKEN} b/{TOKEN}", "[GitHub token redacted]", id="a secret"),
    ],
)
def test_a_file_that_is_not_shown_is_named(head: str, name: str) -> None:
    named = f"diff --git {head}\n{large('x.py', lines=9_000).partition(chr(10))[2]}"
    cut = cut_diff("\n".join([large("x.py"), named]), 1_800)
    assert cut.endswith(f" 1 file(s) not shown: {name} (+9000 -0)]")


def test_a_line_of_content_cannot_pass_for_the_head_of_a_file() -> None:
    hostile = f"{SMALL}\n+x\rdiff --git a/evil.py b/evil.py\u2028diff --git a/evil.py b/evil.py"
    cut = cut_diff(f"{hostile}\n{large('b.py')}", 2_000)
    assert "[In total 2 file(s) changed," in cut
    assert "\ndiff --git a/evil.py" not in cut


def test_escapes_do_not_make_it_longer_than_it_may_be() -> None:
    cut = cut_diff(f"{SMALL}\n" + "\n".join(["+" + "\u202e" * 20] * 12), 1_500)
    assert size(cut) <= 1_500
    assert r"+\u202e\u202e" in cut
    assert cut.endswith("this diff is truncated to fit.]")


def test_ten_megabytes_are_cut_in_a_moment() -> None:
    text = "\n".join([large("a.py", lines=100_000), many(300, lines=500), f"{SMALL}\n+{'é' * 500_000}"])
    assert size(text) > 10_000_000
    with quickly():
        cut = cut_diff(text, 24_000)
    assert size(cut) <= 24_000


@given(
    st.lists(st.one_of(st.text(max_size=200), st.sampled_from([SMALL, BINARY, PATCH, large("a.py", lines=30)]))),
    st.integers(4, 3_000),
)
def test_whatever_comes_it_stays_within_its_room(pieces: list[str], limit: int) -> None:
    assert size(cut_diff("\n".join(pieces), limit)) <= limit


def test_files_without_text_are_left_out() -> None:
    text = render_conventions([("CLAUDE.md", "Be brief.\n"), ("AGENTS.md", " \n"), ("GEMINI.md", "Use tabs.\n")])
    assert text == "# CLAUDE.md\nBe brief.\n\n# GEMINI.md\nUse tabs."
    assert render_conventions([]) == ""


def test_a_long_one_is_cut_at_a_whole_letter_and_says_so() -> None:
    text = render_conventions([("CLAUDE.md", "ä" * 4_000)])
    assert CONVENTIONS_BYTES - 100 <= len(text.encode()) <= CONVENTIONS_BYTES
    assert text.endswith("ä…\n[CLAUDE.md is cut here: it has 8,000 bytes]")


def test_a_long_one_leaves_room_for_the_others() -> None:
    text = render_conventions([("CLAUDE.md", "x" * 90_000), ("AGENTS.md", "Use tabs."), ("GEMINI.md", "y" * 90_000)])
    assert len(text.encode()) <= CONVENTIONS_BYTES
    assert "# AGENTS.md\nUse tabs.\n" in text
    assert text.count(" is cut here: it has 90,000 bytes]") == 2
