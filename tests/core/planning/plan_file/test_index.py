"""One line per plan in the index."""

from dataclasses import replace

import pytest

from reknit.core.planning.plan_file.index import with_index_line
from tests.tools.plan_files import PLAN

NAME = "finish-next-milestone-advisor.md"
LINE = f"- [{NAME}]({NAME}): Finish the next milestone; current; updated 2026-11-17"
NEW = f"---\ntitle: Plans\nupdated: 2026-11-17\n---\n\n{LINE}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", NEW, id="new"),
        pytest.param(NEW.replace("current", "fallback"), NEW, id="replaced"),
        pytest.param(NEW + f"- [old](./{NAME})\n", NEW, id="one-of-two"),
        pytest.param("my plans\n", f"my plans\n{LINE}\n", id="no-fields"),
        pytest.param("my plans", f"my plans\n{LINE}\n", id="no-line-end"),
        pytest.param("- [b.md](b.md): b\r\n", f"- [b.md](b.md): b\r\n{LINE}\r\n", id="crlf"),
        pytest.param(f"* [x]({NAME})\r\nmore\r\n", f"{LINE}\r\nmore\r\n", id="crlf-replaced"),
        pytest.param("---\nupdated: 2026-01-01\n---\n", f"---\nupdated: 2026-11-17\n---\n{LINE}\n", id="newer"),
        pytest.param("---\nupdated: 2027-01-01\n---\n", f"---\nupdated: 2027-01-01\n---\n{LINE}\n", id="older"),
        pytest.param("---\nupdated: 2026-01-01\n", f"---\nupdated: 2026-01-01\n{LINE}\n", id="fields-without-end"),
        pytest.param(f"see [x]({NAME})\n", f"see [x]({NAME})\n{LINE}\n", id="only-mentioned"),
    ],
)
def test_exactly_one_line(before: str, after: str) -> None:
    assert with_index_line(before, PLAN) == after
    assert with_index_line(after, PLAN) == after


def test_a_title_is_no_link() -> None:
    text = with_index_line("", replace(PLAN, title=f"[x]({NAME})\n- [y]({NAME})"))
    assert text.count(f"]({NAME})") == 1
    assert with_index_line(text, PLAN) == NEW
