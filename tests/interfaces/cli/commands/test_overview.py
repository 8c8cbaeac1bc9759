"""`reknit` alone: what is here, at no cost."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.adapters.git.landing import commit_all
from tests.tools.command_line import Answer, CommandLine
from tests.tools.repository_print import fingerprint

Here = Callable[..., Answer]


def test_it_says_what_is_here_and_changes_nothing(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    before = fingerprint(shop)
    answer = here(cwd=shop)
    assert answer.exit_code == 0
    lines = answer.out.splitlines()
    assert lines[0].startswith("shop at ")
    assert "nothing was changed and no model was called" in lines[0]
    assert "scripted 1 found" in answer.out
    assert "  tests     python3 run_tests.py" in answer.out
    assert "  cost      a run may spend at most $5.00" in answer.out
    assert lines[-1] == "  next      reknit doctor    then: reknit fix tests"
    assert not (reknit.folder / "state").exists()
    assert fingerprint(shop) == before


def test_a_branch_on_a_forge_may_have_a_pull_request(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    for key, value in {
        "remote.origin.url": "https://github.com/acme/shop.git",
        "branch.main.remote": "origin",
        "branch.main.merge": "refs/heads/main",
    }.items():
        subprocess.run(["git", "config", key, value], cwd=shop, check=True)
    last = here(cwd=shop).out.splitlines()[-1]
    assert last.endswith("reknit fix tests; or, for the pull request of this branch: reknit fix pr")


def test_past_runs_ci_and_an_unclean_tree_are_named(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    workflows = shop / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "ci.yml").write_text("on: push\n")
    source = shop / "shop" / "pricing.py"
    source.write_text(source.read_text().replace("price - percent", "price * (1 - percent / 100)"))
    commit_all(str(shop), "ci")
    (shop / "new.txt").write_text("x")
    ran = here("fix", "tests", cwd=shop)
    assert ran.exit_code == 0
    unseen = "ignored: uncommitted changes in 1 file: new.txt; commit them, or use `reknit fix tests --dirty`"
    assert f"  note  {unseen}\n" in ran.err
    assert ran.out.strip().splitlines()[0] == f"note    {unseen}"
    assert "nothing to repair" not in ran.out
    out = here(cwd=shop).out
    assert "  ci        GitHub Actions, .github/workflows/ci.yml" in out
    assert f"  tree      {unseen}" in out
    assert f"CLEAN  {unseen}; no test fails at " in out
    assert "the last 1 here spent $0.00" in out


def test_findings_lead_to_a_plan_that_costs_nothing(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    found = {"ruleId": "x", "severity": 2, "message": "m", "line": 1}
    report = [{"filePath": str(shop / "shop/pricing.py"), "messages": [found]}]
    (reknit.folder / "eslint.json").write_text(json.dumps(report))
    assert here("issues", "import", str(reknit.folder / "eslint.json"), cwd=shop).exit_code == 0
    offer = "            reknit fix issues --dry-run    "
    lines = here(cwd=shop).out.splitlines()
    assert "  next      reknit doctor    then: reknit fix tests" in lines
    assert lines[-1].startswith(offer)
    (reknit.folder / "eslint.json").write_text(json.dumps([{**report[0], "messages": []}]))
    assert here("issues", "import", str(reknit.folder / "eslint.json"), cwd=shop).exit_code == 0
    gone = here(cwd=shop).out
    assert "  findings  1 open (1 of them absent)    reknit issues list" in gone.splitlines()
    assert offer not in gone


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param(
            {"fixer": "mine", "agents": {"mine": {"command": ["no-such-program"]}}}, "mine not found", id="agent"
        ),
        pytest.param({"fixer": "claude", "agents": {"claude": {"binary": "/nowhere"}}}, "reknit demo", id="next"),
    ],
)
def test_what_is_missing_is_said(
    here: Here, reknit: CommandLine, shop: Path, settings: dict[str, object], expected: str
) -> None:
    (shop / "reknit.toml").unlink()
    commit_all(str(shop), "no file")
    reknit.configure(**settings)
    assert expected in here(cwd=shop).out


def test_a_repository_without_tests_says_how_to_name_them(here: Here, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "README").write_text("nothing")
    commit_all(str(empty), "first")
    assert "  tests     none found    set checks.tests.run in reknit.toml" in here(cwd=empty).out
    refused = here("fix", "tests", cwd=empty)
    assert (refused.exit_code, refused.err.partition(":")[0]) == (2, "error[no-tests]")
