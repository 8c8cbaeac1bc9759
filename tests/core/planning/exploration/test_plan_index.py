"""What the index of the plans refers to."""

import pytest

from reknit.core.planning.exploration.plan_index import MOST_PLANS, references


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
    assert [*references(text)] == paths


def test_there_are_at_most_so_many() -> None:
    assert len(references(" ".join(f"a{number}.md" for number in range(MOST_PLANS + 9)))) == MOST_PLANS
