"""The settings of the backlog: each limit can be set, none is without a bound, and no repository softens its judge."""

import tomllib
from dataclasses import asdict, fields
from datetime import date
from pathlib import Path

import pytest
import tomlkit

from reknit.app.config.capability_sections import BatchSection, ChallengerSection, IssuesSection, VoteSection
from reknit.app.config.load import Config, load
from reknit.app.config.project_sections import Section
from reknit.core.errors import UsageError
from reknit.core.gate.waiver import Waiver, Waivers
from reknit.core.runs.limits import IssueLimits, VoteLimits
from tests.app.config.files import write

SETTINGS: dict[str, tuple[str, float]] = {
    "batch_points": ("batch.points", 7),
    "batch_issues": ("batch.issues", 2),
    "per_run": ("issues.per_run", 9),
    "rounds": ("challenger.max_iterations", 2),
    "threshold_0_100": ("challenger.satisfaction_threshold", 99.0),
    "challenger_tries": ("challenger.tries", 3),
}
"""Limit -> its setting and another value."""
VOTE_SETTINGS: dict[str, tuple[str, float]] = {"approve_0_100": ("vote.approve", 90.0), "tries": ("vote.tries", 3)}


def read(tmp_path: Path, text: str = "", *, user: str = "") -> Config:
    own = tmp_path / "own.toml"
    own.write_text(user)
    (tmp_path / "reknit.toml").write_text(text)
    return load(tmp_path, {}, {"REKNIT_CONFIG": str(own)})


def refused(tmp_path: Path, text: str = "", *, user: str = "") -> UsageError:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text, user=user)
    return caught.value


def line_of(setting: str, value: object) -> str:
    table, _, key = setting.rpartition(".")
    return f"[{table}]\n{key} = {tomlkit.item(value).as_string()}"


def test_the_defaults(tmp_path: Path) -> None:
    config = read(tmp_path)
    assert (config.batch.points, config.batch.issues, config.issues.per_run) == (15, 5, 50)
    assert (config.challenger.enabled, config.challenger.max_iterations) == (True, 3)
    assert (config.challenger.satisfaction_threshold, config.challenger.thinking_budget) == (95.0, 10_000)
    assert (config.challenger.agent, config.challenger.model, config.vote.agents) == ("", "", ())
    assert (config.vote.approve, config.issue_limits(), config.vote_limits()) == (80.0, IssueLimits(), VoteLimits())


@pytest.mark.parametrize("limit", [field.name for field in fields(IssueLimits)])
def test_every_limit_can_be_set_and_changes_no_other(tmp_path: Path, limit: str) -> None:
    setting, value = SETTINGS[limit]
    assert asdict(read(tmp_path, line_of(setting, value)).issue_limits()) == {**asdict(IssueLimits()), limit: value}


@pytest.mark.parametrize("limit", [field.name for field in fields(VoteLimits)])
def test_so_can_those_of_a_vote(tmp_path: Path, limit: str) -> None:
    setting, value = VOTE_SETTINGS[limit]
    assert asdict(read(tmp_path, line_of(setting, value)).vote_limits()) == {**asdict(VoteLimits()), limit: value}


def test_every_number_is_a_limit_but_how_long_it_thinks() -> None:
    parts: dict[str, type[Section]] = {
        "batch": BatchSection,
        "issues": IssuesSection,
        "challenger": ChallengerSection,
        "vote": VoteSection,
    }
    numbers = {
        f"{table}.{name}"
        for table, part in parts.items()
        for name, field in part.model_fields.items()
        if field.annotation in (int, float)
    }
    of_limits = {setting for setting, _ in (*SETTINGS.values(), *VOTE_SETTINGS.values())}
    assert numbers - of_limits == {"challenger.thinking_budget"}


@pytest.mark.parametrize(
    "setting",
    [
        "batch.points = 0", "batch.points = 101", "batch.issues = 0", "batch.issues = 51", "issues.per_run = 0",
        "issues.per_run = 201", "challenger.max_iterations = 0", "challenger.max_iterations = 11",
        "challenger.satisfaction_threshold = 0", "challenger.satisfaction_threshold = 100.1",
        "challenger.satisfaction_threshold = nan", "challenger.thinking_budget = 0", "challenger.tries = 0",
        "challenger.tries = 6", "vote.approve = 0", "vote.approve = 101", "vote.tries = 0", "vote.tries = 6",
    ],
)  # fmt: skip
def test_none_is_without_a_bound(tmp_path: Path, setting: str) -> None:
    name, _, value = setting.partition(" = ")
    problem = refused(tmp_path, user=line_of(name, tomllib.loads(f"x = {value}")["x"]))
    assert problem.message.startswith(f"{name}: Input should be")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        pytest.param("challenger.enabled = false", "enabled = false is laxer than true", id="no judge at all"),
        pytest.param(
            "challenger.satisfaction_threshold = 94.9",
            "satisfaction_threshold = 94.9 is laxer than 95.0",
            id="a lower threshold",
        ),
        pytest.param("vote.approve = 10", "approve = 10.0 is laxer than 80.0", id="a lower mark for votes"),
    ],
)
def test_a_repository_does_not_soften_its_judge(tmp_path: Path, text: str, what: str) -> None:
    name, _, value = text.partition(" = ")
    text = line_of(name, tomllib.loads(f"x = {value}")["x"])
    problem = refused(tmp_path, text)
    assert what in problem.message
    assert problem.where == "reknit.toml:2"
    assert problem.help == "set it in your own config file"
    assert read(tmp_path, text, user=text).model_dump() == read(tmp_path, user=text).model_dump()


def test_it_may_make_it_stricter_than_its_user(tmp_path: Path) -> None:
    user = "[challenger]\nenabled = false\nsatisfaction_threshold = 60\n[vote]\napprove = 50"
    text = "[challenger]\nenabled = true\nsatisfaction_threshold = 99\n[vote]\napprove = 70"
    config = read(tmp_path, text, user=user)
    assert (config.challenger.enabled, config.challenger.satisfaction_threshold, config.vote.approve) == (True, 99, 70)


def test_the_users_word_on_the_command_line_or_in_a_variable_is_theirs(tmp_path: Path) -> None:
    variables = {"REKNIT_CHALLENGER__SATISFACTION_THRESHOLD": "70"}
    config = load(tmp_path, {"vote": {"approve": 60}}, variables)
    assert (config.challenger.satisfaction_threshold, config.vote.approve) == (70, 60)


@pytest.mark.parametrize(
    ("setting", "own", "wanted"),
    [
        pytest.param("batch.points", 10, 12, id="points"),
        pytest.param("issues.per_run", 10, 11, id="issues of a run"),
        pytest.param("challenger.max_iterations", 1, 2, id="rounds"),
        pytest.param("vote.tries", 1, 2, id="tries of a voter"),
    ],
)
def test_a_limit_of_the_users_own_is_a_ceiling(tmp_path: Path, setting: str, own: int, wanted: int) -> None:
    problem = refused(tmp_path, line_of(setting, wanted), user=line_of(setting, own))
    assert problem.message == f"{setting} = {wanted} is above the {own} in your own own.toml"
    assert problem.where == "reknit.toml:2"


def test_extensions_are_routed(tmp_path: Path) -> None:
    config = read(tmp_path, '[issues]\nbackend = [".ts"]\nfrontend = ["html", "*.mjs"]')
    assert [config.kind_of(path) for path in ("a.ts", "a.html", "a.mjs", "a.tsx")] == [
        "backend", "frontend", "frontend", "frontend",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", ".", "*", "a/b", "src/*.py", ".a b"])
def test_something_else_is_no_extension(tmp_path: Path, text: str) -> None:
    assert f"{text!r} is not a file extension" in refused(tmp_path, line_of("issues.frontend", [text])).message


@pytest.mark.parametrize("names", [["claude"], ["claude", "claude"], ["claude", "gemini", "codex"]])
def test_two_vote(tmp_path: Path, names: list[str]) -> None:
    assert "expected two different agents, or none" in refused(tmp_path, line_of("vote.agents", names)).message
    assert read(tmp_path, line_of("vote.agents", ["codex", "claude"])).vote.agents == ("codex", "claude")


def own(tmp_path: Path, text: str) -> dict[str, str]:
    (tmp_path / "own.toml").write_text(text)
    return {"REKNIT_CONFIG": str(tmp_path / "own.toml")}


def test_each_can_be_set(tmp_path: Path) -> None:
    text = '[review]\nagent = "gemini"\nprogress = "notes/review.txt"\nsecond_opinion = "codex"\n'
    review = load(tmp_path, {}, own(tmp_path, text)).review
    assert (review.agent, review.progress, review.second_opinion) == ("gemini", "notes/review.txt", "codex")


def test_nothing_needs_to_be_set(tmp_path: Path) -> None:
    review = load(tmp_path, {}, own(tmp_path, "")).review
    assert (review.agent, review.progress, review.second_opinion) == ("", "", "")


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", ".git/config", "a/../../x", "a\\nb"])
def test_the_file_is_inside_the_repository(tmp_path: Path, path: str) -> None:
    with pytest.raises(UsageError):
        load(tmp_path, {}, own(tmp_path, f'[review]\nprogress = "{path}"\n'))


TODAY = date(2026, 11, 17)
ENTRY = '[[gate.allow]]\nrule = "{rule}"\npath = "{path}"\nreason = "{reason}"\n{until}'


def entry(rule: str = "protected-config", path: str = "uv.lock", reason: str = "as agreed", until: str = "") -> str:
    return ENTRY.format(rule=rule, path=path, reason=reason, until=f"until = {until}\n" if until else "")


def loaded(tmp_path: Path, own: str = "", repository: str = "", typed: tuple[Waiver, ...] = ()) -> Waivers:
    write(tmp_path / "repository" / "reknit.toml", repository)
    environment = {"REKNIT_CONFIG": str(write(tmp_path / "own.toml", own))}
    flags = {"gate": {"allow": typed}} if typed else {}
    return load(tmp_path / "repository", flags, environment).waivers(TODAY)


def test_a_persons_file_allows_with_a_reason_and_an_end(tmp_path: Path) -> None:
    own = entry(until="2026-11-17") + entry(rule="too-much", path="./go.sum", until='"2027-01-31"')
    assert loaded(tmp_path, own).allowed == (
        Waiver("protected-config", "uv.lock", "as agreed", "own.toml", "2026-11-17"),
        Waiver("too-much", "go.sum", "as agreed", "own.toml", "2027-01-31"),
    )


def test_a_waiver_that_has_ended_is_named_and_does_not_count(tmp_path: Path) -> None:
    waivers = loaded(tmp_path, entry(until="2026-11-16"))
    assert (waivers.allowed, [each.until for each in waivers.ended]) == ((), ["2026-11-16"])


def test_what_is_typed_adds_to_the_file(tmp_path: Path) -> None:
    typed = Waiver("too-much", "a.json")
    waivers = loaded(tmp_path, entry(), typed=(typed,))
    assert [each.name for each in waivers.allowed] == ["too-much:a.json", "protected-config:uv.lock"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(entry(rule="protected-confg"), "did you mean `protected-config`?", id="an unknown rule"),
        pytest.param(entry(rule="test-removed"), "nobody can allow test-removed", id="a rule that nobody can allow"),
        pytest.param(entry(path="../x"), "has an empty part", id="a path outside"),
        pytest.param(entry(path="**"), "stands for every file", id="every file"),
        pytest.param(entry(reason=" "), "gate.allow.0.reason: must not be empty", id="no reason"),
        pytest.param('[[gate.allow]]\nrule = "too-much"\npath = "a"\n', "reason: must not be empty", id="none given"),
        pytest.param("[[gate.allow]]\n", "3 settings are wrong", id="nothing given"),
        pytest.param(entry(until="20261231"), "expected a day", id="a number"),
        pytest.param(entry(until="2026-12-31T00:00:00Z"), "expected a day", id="a time"),
        pytest.param(entry(until='"2026-12-31T00:00"'), "expected a day", id="a time as text"),
        pytest.param(entry(until='"2026-13-31"'), "month must be in", id="no such day"),
        pytest.param('[gate]\nforbid = ["config:**"]\n', "no rule 'config'", id="an unknown rule is forbidden"),
        pytest.param('[gate]\nallow = ["too-much:a"]\n', "gate.allow", id="text instead of a table"),
    ],
)
def test_a_wrong_entry_is_refused_with_its_reason(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        loaded(tmp_path, text)
    assert said in caught.value.message
    assert caught.value.exit_code == 2


def test_a_repository_allows_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"`gate\.allow\.0\.rule` may not be set by a repository"):
        loaded(tmp_path, repository=entry())
    with pytest.raises(UsageError, match=r"`gate\.allow\.0\.rule` may not be set by a repository"):
        loaded(tmp_path, entry(), "[gate]\nallow = []\n")


def test_a_repository_forbids_more_and_takes_nothing_back(tmp_path: Path) -> None:
    own = '[gate]\nforbid = ["too-much:**"]\n'
    assert loaded(tmp_path, own, '[gate]\nforbid = ["protected-config:.github/**"]\n').forbidden == (
        "too-much:**",
        "protected-config:.github/**",
    )
    assert loaded(tmp_path, own, "[gate]\nforbid = []\n").forbidden == ("too-much:**",)


@pytest.mark.parametrize("name", ["REKNIT_GATE", "REKNIT_GATE__ALLOW", "REKNIT_GATE__FORBID", "REKNIT_GATE__ALLOW__0"])
def test_the_environment_allows_nothing(tmp_path: Path, name: str) -> None:
    text = '[{"rule": "too-much", "path": "a", "reason": "b"}]'
    with pytest.raises(UsageError, match="cannot be set in the environment"):
        load(tmp_path, {}, {name: text})
