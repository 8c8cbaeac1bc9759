import pytest

from reknit.core.fix_issues.selection import choose, why_not
from reknit.core.issues.model import Issue

TRACKED = frozenset({"shop/a.py", "tests/test_a.py", "pyproject.toml", "tests/__snapshots__/a.snap"})


def issue(number: int, path: str) -> Issue:
    return Issue(number, "shop", "f" * 32, "OPEN", path, 1, 1, "F401", "unused", "important", (), "new")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("shop/a.py", ""),
        ("", "no file"),
        ("shop/new.py", "in a file that is not at HEAD"),
        ("tests/test_a.py", "in tests, which a fix may not change"),
        ("tests/__snapshots__/a.snap", "in tests, which a fix may not change"),
        ("pyproject.toml", "in configuration, which a fix may not change"),
    ],
)
def test_no_agent_is_paid_for_what_the_gate_would_refuse(path: str, why: str) -> None:
    assert why_not(issue(1, path), TRACKED) == why


def test_a_run_takes_so_many_and_counts_what_it_passes_over() -> None:
    issues = [issue(1, "shop/a.py"), issue(2, "tests/test_a.py"), issue(3, "shop/a.py"), issue(4, "shop/a.py")]
    chosen, passed_over = choose(issues, TRACKED, 2)
    assert [one.id for one in chosen] == [1, 3]
    assert dict(passed_over) == {"in tests, which a fix may not change": 1}
    assert choose(issues, TRACKED, 9)[0] == (issues[0], issues[2], issues[3])
