"""One line per plan in the index."""

from dataclasses import replace

import pytest

from reknit.core.planning.plan_file.index import MAX_PLANS, find_references, update_index
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
    assert update_index(before, PLAN) == after
    assert update_index(after, PLAN) == after


def test_a_title_is_no_link() -> None:
    text = update_index("", replace(PLAN, title=f"[x]({NAME})\n- [y]({NAME})"))
    assert text.count(f"]({NAME})") == 1
    assert update_index(text, PLAN) == NEW


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        pytest.param("- [Docs](docs-advisor.md)", [".reknit/plans/docs-advisor.md"], id="a link"),
        pytest.param("[a](./a.md#tasks) [b](<b.md>)", [".reknit/plans/a.md", ".reknit/plans/b.md"], id="other links"),
        pytest.param('[a](a.md "why")', [".reknit/plans/a.md"], id="a link with a title"),
        pytest.param("- a.md: why\n* `b.md`, x\nc.md", [f".reknit/plans/{x}.md" for x in "abc"], id="lines"),
        pytest.param("| a.md | current |", [".reknit/plans/a.md"], id="a table"),
        pytest.param("- .reknit/plans/a.md", [], id="a hidden folder is no word"),
        pytest.param("[a](.reknit/plans/a.md)", [".reknit/plans/a.md"], id="from the top"),
        pytest.param("[a](old/a.md)", [".reknit/plans/old/a.md"], id="a folder"),
        pytest.param("[a](../../README.md) [b](/etc/x.md)", [], id="outside"),
        pytest.param("[a](https://example.test/a.md)", [], id="elsewhere"),
        pytest.param("[self](index.md), a.txt, nothing", [], id="nothing"),
        pytest.param("[a](a.md) a.md", [".reknit/plans/a.md"], id="twice is once"),
    ],
)
def test_links_and_lines_name_plans(text: str, paths: list[str]) -> None:
    assert [*find_references(text)] == paths


def test_there_are_at_most_so_many() -> None:
    assert len(find_references(" ".join(f"a{number}.md" for number in range(MAX_PLANS + 9)))) == MAX_PLANS
