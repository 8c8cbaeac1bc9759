"""Options that select issues."""

import json
from pathlib import Path

import click
import pytest

from reknit.interfaces.cli.options.issues import ALL, ISSUE, build_issue_filter
from tests.tools.issue_list import Here, listed, names


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param(("--rule", "F841"), ["I-3"], id="rule"),
        pytest.param(("--rule", "F841", "--rule", "F401"), ["I-4", "I-3", "I-2", "I-1"], id="two rules"),
        pytest.param(("--tool", "mypy"), [], id="another tool"),
        pytest.param(("--path", "src/area.py"), ["I-3", "I-2", "I-1"], id="file"),
        pytest.param(("--path", "src"), ["I-4", "I-3", "I-2", "I-1"], id="folder"),
        pytest.param(("--path", "src/gr*"), ["I-4"], id="pattern"),
        pytest.param(("--path", "area.py"), [], id="no such path from the root"),
        pytest.param(("--weight", "minor"), [], id="weight"),
        pytest.param(("--kind", "backend"), ["I-4", "I-3", "I-2", "I-1"], id="backend"),
        pytest.param(("--kind", "frontend"), [], id="frontend"),
        pytest.param(("--baseline", "new"), ["I-4", "I-3", "I-2", "I-1"], id="baseline"),
        pytest.param(("--baseline", "absent"), [], id="absent"),
        pytest.param(("--rule", "f841"), ["I-3"], id="rule as people type it"),
        pytest.param(("--status", "failed"), [], id="status"),
        pytest.param(("--status", "all"), ["I-4", "I-3", "I-2", "I-1"], id="every status"),
    ],
)
def test_filters_choose(here: Here, full: Path, options: tuple[str, ...], expected: list[str]) -> None:
    assert names(listed(here, full, *options)) == expected


def test_paths_are_from_here_where_they_are_here(here: Here, full: Path) -> None:
    answer = here("issues", "list", "--path", "area.py", "--format", "json", cwd=full / "src")
    assert names(json.loads(answer.out)) == ["I-3", "I-2", "I-1"]
    absolute = here(
        "issues", "list", "--path", str(full / "src" / "area.py"), "--format", "json", cwd=full.parent / "plot"
    )
    assert names(json.loads(absolute.out)) == ["I-3", "I-2", "I-1"]
    here_all = here("issues", "list", "--path", ".", "--format", "json", cwd=full / "src")
    assert len(json.loads(here_all.out)) == 4


@pytest.mark.parametrize(("given", "number"), [("I-42", 42), ("i-42", 42), ("42", 42), ("I-007", 7)])
def test_an_issue_is_named(given: str, number: int) -> None:
    assert ISSUE.convert(given, None, None) == number


@pytest.mark.parametrize("given", ["", "I-", "I-0", "0", "-1", "I42", "I-4²", "r-42", "1" * 10, "4 2"])
def test_what_is_no_issue_is_refused(given: str) -> None:
    with pytest.raises(click.UsageError, match="is not an issue"):
        ISSUE.convert(given, None, None)


NOTHING: dict[str, tuple[str, ...]] = dict.fromkeys(("tools", "rules", "paths", "weights", "kinds"), ())


def test_no_status_means_the_default_and_all_means_any() -> None:
    assert build_issue_filter(NOTHING, "/r", default=("OPEN",)).statuses == ("OPEN",)
    assert build_issue_filter({**NOTHING, "statuses": ("FAILED",)}, "/r", default=("OPEN",)).statuses == ("FAILED",)
    assert build_issue_filter({**NOTHING, "statuses": ("FAILED", ALL)}, "/r", default=("OPEN",)).statuses == ()


@pytest.mark.parametrize(
    ("path", "from_root"),
    [
        pytest.param("area.py", "src/area.py", id="a file that is here"),
        pytest.param("*.py", "*.py", id="a pattern without a folder is from the root"),
        pytest.param("deep/*.py", "src/deep/*.py", id="a pattern in a folder that is here"),
        pytest.param("..", ".", id="the folder above"),
        pytest.param("./gone/", "gone", id="what is not here is from the root"),
    ],
)
def test_a_path_is_from_here_or_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, from_root: str
) -> None:
    (tmp_path / "src/deep").mkdir(parents=True)
    (tmp_path / "src/area.py").touch()
    monkeypatch.chdir(tmp_path / "src")
    assert build_issue_filter({**NOTHING, "paths": (path,)}, str(tmp_path)).paths == (from_root,)
