"""The measuring of speed itself: at a tiny scale, so that it cannot rot unseen between two `make bench`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import bench.__main__ as command
from bench import batches, commit_check, exploration, issues_import, issues_page, reading, stop_hook
from bench.figure import Figure, line
from bench.inputs import JUNIT, SARIF, SOURCES, source, write_inputs
from bench.measure import Cost, Costs


@pytest.mark.parametrize(
    ("ratio", "limit", "bound", "verdict"),
    [
        pytest.param(0.34, 0.35, "at most", "ok", id="below what it may be at most"),
        pytest.param(0.36, 0.35, "at most", "MISSED", id="above it"),
        pytest.param(0.71, 0.7, "at least", "ok", id="above what it must be at least"),
        pytest.param(0.69, 0.7, "at least", "MISSED", id="below it"),
        pytest.param(9.0, None, "at most", "", id="a figure without a goal cannot miss it"),
    ],
)
def test_a_goal_is_reached_or_missed(ratio: float, limit: float | None, bound: str, verdict: str) -> None:
    figure = Figure("x", "1 s", "2 s", ratio, limit, "at most" if bound == "at most" else "at least")
    assert (figure.verdict, figure.is_missed) == (verdict, verdict == "MISSED")
    assert line(figure).split()[0] == "x"
    assert line(figure).endswith(verdict)


def test_the_ratio_is_the_middle_one_of_the_rounds() -> None:
    """One round on a machine that was busy with something else does not count."""
    ours = Costs((Cost(1.0, 5.0, 9), Cost(30.0, 7.0, 9), Cost(1.2, 6.0, 9)))
    anchor = Costs((Cost(2.0, 1.0, 9), Cost(2.0, 1.0, 9), Cost(2.0, 1.0, 9)))
    assert (ours.cpu_of(anchor), ours.peak_mb, ours.count) == (0.6, 7.0, 9)


def test_inputs_are_the_same_every_time_and_name_lines_that_are_there(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        write_inputs(tmp_path / name, 400)
    for file in (SARIF, JUNIT, f"{SOURCES}/{source(1)}"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "other" / file).read_bytes()
    for result in json.loads((tmp_path / "one" / SARIF).read_text())["runs"][0]["results"]:
        place = result["locations"][0]["physicalLocation"]
        lines = (tmp_path / "one" / SOURCES / place["artifactLocation"]["uri"]).read_text().splitlines()
        assert 0 < place["region"]["startLine"] <= len(lines)


def goals(figures: Iterator[Figure]) -> list[tuple[str, float]]:
    measured = list(figures)
    assert all(figure.ratio > 0 for figure in measured)
    return [(figure.bound, figure.limit) for figure in measured if figure.limit is not None]


def test_every_reader_is_measured_and_reads_all_there_is() -> None:
    assert goals(reading.figures(results=400, rounds=1)) == [("at most", 0.35), ("at most", 2), ("at most", 2.5)]


def test_imports_pages_and_batches_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issues_import, "ROUNDS", 1)
    monkeypatch.setattr(issues_page, "PAGES", 10)
    monkeypatch.setattr(batches, "ISSUES", 1000)
    assert goals(issues_import.figures(count=1000)) == [("at least", 0.7), ("at least", 0.6)]
    assert goals(issues_page.figures(count=2000)) == 6 * [("at most", 1.5), ("at most", 1.2)]
    assert goals(command.batching()) == [("at most", 1.05), ("at most", 15.0)]


def test_the_stop_hook_is_measured_beside_one_of_bash_and_jq() -> None:
    assert goals(stop_hook.figures(rounds=1, starts=1)) == [
        *(3 * [("at most", 1.15)]),
        ("at least", 8),
        ("at most", 3),
    ]


def test_a_missing_jq_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="jq is not installed"):
        list(stop_hook.figures(rounds=1, starts=1))


def test_a_check_of_staged_files_is_measured() -> None:
    assert goals(commit_check.figures(files=2, rounds=1)) == [("at most", 1.0)]


def test_an_exploration_is_measured() -> None:
    assert goals(exploration.figures(files=600, rounds=1)) == [("at most", 2.5)]


def test_a_missed_goal_is_an_exit_code_and_every_figure_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def part(*ratios: float) -> Iterator[Figure]:
        yield from (Figure(f"goal {ratio}", "1 s", "1 s", ratio, 1.0) for ratio in ratios)

    monkeypatch.setattr(command, "PARTS", {"good": lambda: part(0.5), "bad": lambda: part(0.6, 1.5)})
    file = tmp_path / "figures.json"
    assert command.main(["--only", "good"]) == 0
    assert command.main(["--json", str(file)]) == 1
    told = json.loads(file.read_text())
    assert [(each["name"], each["missed"]) for each in told] == [
        ("goal 0.5", False), ("goal 0.6", False), ("goal 1.5", True)
    ]  # fmt: skip
    assert capsys.readouterr().out.count("MISSED") == 1
