"""A diff as a person reads it at the end of a run."""

import pytest

from reknit.core.text.diff_text import render_diff

DIFF = """\
diff --git a/shop/pricing.py b/shop/pricing.py
index 111..222 100644
--- a/shop/pricing.py
+++ b/shop/pricing.py
@@ -1,3 +1,3 @@ def discount
 def f():
-\treturn 1
+\treturn 2
\\ No newline at end of file
diff --git a/logo.png b/logo.png
new file mode 100644
index 000..333
Binary files /dev/null and b/logo.png differ
"""


def test_paths_and_changed_lines_are_shown() -> None:
    assert render_diff(DIFF, "reknit show r-1 --diff") == [
        "  shop/pricing.py", "     def f():", "    -   return 1", "    +   return 2", "  logo.png", "    (not text)",
    ]  # fmt: skip


@pytest.mark.parametrize(("most", "last"), [(5, "  (2 more lines: reknit show)"), (6, "    (not text)")])
def test_the_rest_of_a_long_diff_is_counted_with_the_command_that_shows_it(most: int, last: str) -> None:
    lines = render_diff(DIFF, "reknit show", most=most)
    assert (len(lines), lines[-1]) == (most, last)


def test_lines_fit_the_terminal_and_cannot_control_it() -> None:
    hostile = DIFF.replace("return 2", "x = '\x1b[31m'" + "y" * 100)
    lines = render_diff(hostile, "", width=40)
    assert max(map(len, lines)) == 40
    assert not any("\x1b" in line for line in lines)
