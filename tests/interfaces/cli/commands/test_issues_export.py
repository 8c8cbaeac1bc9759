"""Issues leave the ledger as SARIF or JSON, and come back without a change."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.issues.test_sarif_export import problems
from tests.tools.command_line import Answer
from tests.tools.plot import ODD, make_plot, ruff

Here = Callable[..., Answer]


@pytest.fixture
def plot(here: Here, tmp_path: Path) -> Path:
    """Four issues, of which I-2 is ignored."""
    root = make_plot(tmp_path)
    assert here("issues", "import", str(ruff(root)), cwd=root).exit_code == 0
    assert here("issues", "ignore", "I-2", "--why", "needed at run time", cwd=root).exit_code == 0
    return root


def results(text: str) -> list[dict[str, Any]]:
    document = json.loads(text)
    assert problems(document) == []
    return [result for run in document["runs"] for result in run["results"]]


def test_an_export_is_what_github_takes(here: Here, plot: Path) -> None:
    answer = here("issues", "export", cwd=plot)
    assert (answer.exit_code, answer.err) == (0, "stdout: 4 results in 1 run(s)\n")
    found = results(answer.out)
    assert [result["properties"]["issue"] for result in found] == ["I-1", "I-2", "I-3", "I-4"]
    assert [result["baselineState"] for result in found] == ["new"] * 4
    assert found[1]["suppressions"][0]["justification"] == "needed at run time"
    assert found[3]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "src/gr%C3%B6%C3%9Fe%202.py"


def test_a_round_trip_changes_nothing(here: Here, plot: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.sarif"
    assert here("issues", "export", "-o", str(file), cwd=plot).out == ""
    before = json.loads(here("issues", "export", "--format", "json", cwd=plot).out)
    report = here("issues", "import", str(file), "--format", "json", cwd=plot).ending
    assert (report["new"], report["known"], report["reports"][0]["tools"]) == (0, 3, ["ruff"])
    after = json.loads(here("issues", "export", "--format", "json", cwd=plot).out)
    kept = ("issue", "status", "path", "line", "column", "rule", "message", "weight", "fingerprint", "effort", "files")
    assert [[issue[key] for key in kept] for issue in after] == [[issue[key] for key in kept] for issue in before]


def test_filters_choose_and_a_tool_without_results_keeps_its_run(here: Here, plot: Path) -> None:
    assert len(results(here("issues", "export", "--path", ODD, cwd=plot).out)) == 1
    assert results(here("issues", "export", "--status", "merged", cwd=plot).out) == []
    document = json.loads(here("issues", "export", "--status", "merged", cwd=plot).out)
    assert [run["tool"]["driver"]["name"] for run in document["runs"]] == ["ruff"]


def test_what_is_no_longer_seen_is_only_there_when_it_is_asked_for(here: Here, plot: Path) -> None:
    (plot / ODD).write_text("x = 1\n")
    here("issues", "import", str(ruff(plot)), cwd=plot)
    assert [one["baselineState"] for one in results(here("issues", "export", cwd=plot).out)] == ["unchanged"] * 3
    (absent,) = results(here("issues", "export", "--baseline", "absent", cwd=plot).out)
    assert (absent["properties"]["issue"], absent["baselineState"]) == ("I-4", "absent")


def test_a_list_as_sarif_has_what_the_list_has(here: Here, plot: Path) -> None:
    found = results(here("issues", "list", "--format", "sarif", cwd=plot).out)
    assert [result["properties"]["issue"] for result in found] == ["I-1", "I-3", "I-4"]


def test_json_has_everything_the_oldest_first(here: Here, plot: Path, tmp_path: Path) -> None:
    found = json.loads(here("issues", "export", "--format", "json", cwd=plot).out)
    assert [(issue["issue"], issue["status"]) for issue in found] == [
        ("I-1", "OPEN"), ("I-2", "IGNORED"), ("I-3", "OPEN"), ("I-4", "OPEN"),
    ]  # fmt: skip
    file = tmp_path / "out.json"
    told = here("issues", "export", "--format", "json", "-o", str(file), cwd=plot)
    assert (told.exit_code, told.out, told.err) == (0, "", f"{file}: {len(found)} issues\n")
    assert json.loads(file.read_text()) == found


def test_nothing_to_export_is_still_a_valid_file(here: Here, shop: Path) -> None:
    assert results(here("issues", "export", cwd=shop).out) == []
    assert here("issues", "export", "--format", "json", cwd=shop).out == "[]\n"
