"""Configuration: who wins over whom, and what a mistake is told."""

from pathlib import Path

import pytest

from reknit.app.config.load import collect_waivers, load
from reknit.core.errors import UsageError
from reknit.core.gate.waiver import Waiver, Waivers
from reknit.core.runs.limits import Limits
from tests.adapters.git.users_git import git, repository
from tests.app.config.files import read, refused, write


def test_without_any_file_the_defaults_hold(tmp_path: Path) -> None:
    config = load(tmp_path, {}, {})
    assert (config.fixer, config.box, config.limits()) == ("claude", "bubblewrap", Limits())


def test_outside_a_repository_only_the_user_decides(tmp_path: Path) -> None:
    own = write(tmp_path / "own.toml", 'fixer = "scripted"')
    assert load(None, {}, {"REKNIT_CONFIG": str(own)}).fixer == "scripted"


def test_the_stronger_source_wins_setting_by_setting(tmp_path: Path) -> None:
    user = "[loop]\nattempts = 1\nbudget_usd = 9.0\nwaits = 9\nagent_turns = 9"
    variables = {"REKNIT_LOOP__WAITS": "3", "REKNIT_LOOP__AGENT_TURNS": "3"}
    text = "[loop]\nbudget_usd = 2.0\nwaits = 2\nagent_turns = 2"
    loop = read(tmp_path, text, user=user, flags={"loop": {"agent_turns": 4}}, variables=variables).loop
    assert (loop.attempts, loop.budget_usd, loop.waits, loop.agent_turns) == (1, 2.0, 3, 4)


def test_a_repository_may_lower_the_users_limit_but_not_raise_it(tmp_path: Path) -> None:
    user = "[loop]\nbudget_usd = 2.0"
    assert read(tmp_path, "[loop]\nbudget_usd = 1.0", user=user).loop.budget_usd == 1.0
    with pytest.raises(UsageError, match=r"is above the 2\.0 in your own") as caught:
        read(tmp_path, "[loop]\nbudget_usd = 3.0", user=user)
    assert caught.value.where == "reknit.toml:2"


@pytest.mark.parametrize("text", ["[loop]\nbudget_usd = 5.01", "[loop]\nbudget_usd = 1000"])
def test_a_repository_may_not_raise_the_budget_of_a_user_who_said_nothing(tmp_path: Path, text: str) -> None:
    problem = refused(tmp_path, text)
    assert "a repository may only lower it" in problem.message
    assert problem.help == "raise it in your own config file or with --budget"
    assert problem.where == "reknit.toml:2"
    assert read(tmp_path, "[loop]\nbudget_usd = 4").loop.budget_usd == 4


def test_the_user_may_raise_it_in_every_way(tmp_path: Path) -> None:
    text = "[loop]\nbudget_usd = 20"
    assert read(tmp_path, text, user="[loop]\nbudget_usd = 30").loop.budget_usd == 20
    assert read(tmp_path, text, flags={"loop": {"budget_usd": 7.0}}).loop.budget_usd == 7
    assert read(tmp_path, text, variables={"REKNIT_LOOP__BUDGET_USD": "8"}).loop.budget_usd == 8


@pytest.mark.parametrize(
    "line",
    [
        "budget_usd = 1001", "budget_usd = inf", "budget_usd = nan", "attempts = 11", "timeout_s = 1e12",
        "agent_wall_s = 86401", "agent_idle_s = inf", "agent_turns = 100000", "test_wall_s = 1e12", "waits = 1001",
        "wait_s = 1e9", "changed_files = 1001", "changed_lines = 100001",
    ],
)  # fmt: skip
def test_no_limit_is_without_a_limit(tmp_path: Path, line: str) -> None:
    assert f"loop.{line.split()[0]}: Input should be" in refused(tmp_path, user=f"[loop]\n{line}").message


@pytest.mark.parametrize(
    "run",
    [
        "{home}/other/bin/deploy", "A=b {home}/other/bin/pytest -q", "../other/bin/deploy", "x/../../other/bin/deploy",
        "/usr/../{home}/other/bin/deploy", "/proc/self/root{home}/other/bin/deploy", "/usr/bin/../bin/python3",
    ],
)  # fmt: skip
def test_a_repository_names_no_program_outside_of_it(tmp_path: Path, run: str) -> None:
    run = run.format(home=tmp_path.parent)
    problem = refused(tmp_path, f'[checks.tests]\nrun = "{run}"')
    assert "a program outside the repository" in problem.message
    assert problem.where == "reknit.toml:2"
    assert read(tmp_path, user=f'[checks.tests]\nrun = "{run}"').checks.tests.run == run


@pytest.mark.parametrize("run", ["pytest -q", "/usr/bin/python3 x.py", "./test", "bin/../test", "{here}/test", ""])
def test_its_own_programs_and_the_systems_it_names(tmp_path: Path, run: str) -> None:
    run = run.format(here=tmp_path)
    assert read(tmp_path, f'[checks.tests]\nrun = "{run}"').checks.tests.run == run


@pytest.mark.parametrize(
    ("text", "what", "where", "hint"),
    [
        pytest.param(
            "[loop]\n\nattemts = 2",
            "unknown setting `loop.attemts`",
            "reknit.toml:3",
            "did you mean `attempts`?",
            id="a slip of the pen names the nearest setting and its line",
        ),
        pytest.param(
            'fixr = "claude"', "unknown setting `fixr`", "reknit.toml:1", "did you mean `fixer`?", id="at the top level"
        ),
        pytest.param(
            '[agents.mine]\nmodle = "x"',
            "unknown setting `agents.mine.modle`",
            "reknit.toml:2",
            "did you mean `model`?",
            id="inside an agent of one's own",
        ),
        pytest.param(
            "[loop]\nzzz = 2",
            "unknown setting `loop.zzz`",
            "reknit.toml:2",
            "`reknit config show` lists every setting",
            id="nothing is near",
        ),
        pytest.param(
            "[checks]\ntests = { rnu = 'x' }",
            "unknown setting `checks.tests.rnu`",
            "reknit.toml",
            "did you mean `run`?",
            id="in an inline table the file alone is named",
        ),
    ],
)
def test_an_unknown_setting_names_the_nearest_one(tmp_path: Path, text: str, what: str, where: str, hint: str) -> None:
    problem = refused(tmp_path, text)
    assert (problem.message, problem.where, problem.help) == (what, where, hint)


def test_a_value_out_of_bounds_says_which_and_where(tmp_path: Path) -> None:
    problem = refused(tmp_path, "[loop]\nattempts = 0")
    assert problem.message == "loop.attempts: Input should be greater than or equal to 1 (got 0)"
    assert problem.where == "reknit.toml:2"


def test_a_mistake_in_pyproject_is_found_in_our_table_only(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[loop]\nattempts = 0\n[tool.reknit.loop]\nattempts = 0")
    with pytest.raises(UsageError) as caught:
        load(tmp_path, {}, {})
    assert caught.value.where == "pyproject.toml:4"


def test_a_mistake_in_the_environment_is_a_mistake_too(tmp_path: Path) -> None:
    assert "REKNIT_LOOP__ATTEMPTS: " in refused(tmp_path, variables={"REKNIT_LOOP__ATTEMPTS": "none"}).message


def test_something_else_than_a_table_hides_no_operator_setting(tmp_path: Path) -> None:
    assert "agents" in refused(tmp_path, "agents = 3").message


ENTRY = '[[gate.allow]]\nrule = "too-much"\npath = "a"\nreason = "b"\n'


def waivers(shop: Path, own: Path) -> Waivers:
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(ENTRY)
    return collect_waivers(str(shop), load(shop, {}, {"REKNIT_CONFIG": str(own)}))


def test_the_file_of_a_person_counts(shop: Path, tmp_path: Path) -> None:
    assert waivers(shop, tmp_path / "home" / "mine.toml").allowed == (Waiver("too-much", "a", "b", "mine.toml"),)


def test_a_file_in_the_repository_is_not_a_persons_own(shop: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="belongs to a repository"):
        waivers(shop, shop / ".cache" / "mine.toml")
    link = tmp_path / "link.toml"
    link.symlink_to(shop / ".cache" / "mine.toml")
    with pytest.raises(UsageError, match="belongs to a repository"):
        waivers(shop, link)


@pytest.mark.parametrize("name", ["reknit.toml", "pyproject.toml", "mine.toml", "tools/mine.toml"])
@pytest.mark.parametrize("is_worktree", [True, False])
def test_a_file_in_another_repository_or_working_tree_is_not_a_persons_own(
    shop: Path, tmp_path: Path, name: str, is_worktree: bool
) -> None:
    other = repository(tmp_path / "other", {"a": "a"})
    if is_worktree:
        git(other, "worktree", "add", "--quiet", str(tmp_path / "linked"))
    with pytest.raises(UsageError, match="belongs to a repository"):
        waivers(shop, tmp_path / ("linked" if is_worktree else "other") / name)


def test_an_empty_folder_called_git_makes_no_repository(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "home" / ".git").mkdir(parents=True)
    assert waivers(shop, tmp_path / "home" / "mine.toml").allowed


def test_without_waivers_any_file_will_do(shop: Path) -> None:
    own = shop / "mine.toml"
    own.write_text("loop.attempts = 1\n")
    config = load(shop, {}, {"REKNIT_CONFIG": str(own)})
    assert collect_waivers(str(shop), config) == Waivers(ends_at_once=True)
