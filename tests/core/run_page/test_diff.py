"""Diffs on a page."""

import pytest

from reknit.core.run_page.diff import MAX_LINE_CHARS, DiffView, FileDiff, view_diff
from tests.tools.run_page_samples import DELETED, DIFF

REFUSALS = [
    {"rule": "test-removed", "path": "tests/test_pricing.py", "sentence": "it removed a test"},
    {"rule": "too-much", "path": "", "sentence": "it is too large"},
]


def test_a_diff_is_shown_by_file_with_what_was_refused() -> None:
    assert view_diff(DIFF + DELETED, 10_000, REFUSALS).files == (
        FileDiff(
            "shop/pricing.py",
            "+1 -1",
            (
                ("hunk", "@@ -1,3 +1,3 @@ def discount(price, percent):"),
                ("same", " # a discount"),
                ("del", "-    return price - percent"),
                ("add", "+    return price * (1 - percent / 100)"),
            ),
        ),
        FileDiff(
            "tests/test_pricing.py",
            "+0 -2",
            (
                ("hunk", "@@ -1,2 +0,0 @@"),
                ("del", "-def test_discount_is_a_share():\n-    assert discount(200, 10) == 180"),
            ),
            ("test-removed: it removed a test",),
        ),
    )


@pytest.mark.parametrize(
    ("diff", "path"),
    [
        pytest.param("diff --git a/logo.png b/logo.png\nBinary files differ\n", "logo.png", id="binary"),
        pytest.param("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n", "run.sh", id="mode"),
        pytest.param("diff --git a/n b/n\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+++ b/evil\n", "n", id="added text"),
    ],
)
def test_a_file_has_its_path(diff: str, path: str) -> None:
    assert [file.path for file in view_diff(diff, 10_000).files] == [path]


def test_a_long_diff_is_cut_and_says_so() -> None:
    diff = DIFF + "".join(f"+<line {number}>\n" for number in range(1_000))
    view = view_diff(diff, 2_000)
    assert view.rest.endswith(" more lines")
    shown = sum(text.count("\n") + 1 for _, text in view.files[0].blocks)
    assert int(view.rest.split()[0]) == 1_000 + 3 - (shown - 1)
    assert view_diff(DIFF, 10) == DiffView((), "8 more lines")
    assert view_diff("", 10) == DiffView()


def test_a_line_is_short_visible_and_without_secrets() -> None:
    key = "ghp_" + "a" * 36
    view = view_diff(f"{DIFF}+{'x' * 1_000}\n+\x1b[2J\u202e {key}\n", 10_000)
    assert view.files[0].blocks[-1] == (
        "add",
        "\n".join(
            [
                "+    return price * (1 - percent / 100)",
                f"+{'x' * (MAX_LINE_CHARS - 1)}…",
                "+\\x1b[2J\\u202e [GitHub token redacted]",
            ]
        ),
    )
