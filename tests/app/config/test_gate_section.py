"""Only a person's own file allows anything; a repository may only forbid more."""

from datetime import date
from pathlib import Path

import pytest

from reknit.app.config.load import load
from reknit.core.errors import UsageProblem
from reknit.core.gate.waiver import Waiver, Waivers
from tests.app.config.files import write

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
    with pytest.raises(UsageProblem) as caught:
        loaded(tmp_path, text)
    assert said in caught.value.what
    assert caught.value.exit_code == 2


def test_a_repository_allows_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"`gate\.allow\.0\.rule` may not be set by a repository"):
        loaded(tmp_path, repository=entry())
    with pytest.raises(UsageProblem, match=r"`gate\.allow\.0\.rule` may not be set by a repository"):
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
    with pytest.raises(UsageProblem, match="cannot be set in the environment"):
        load(tmp_path, {}, {name: text})
