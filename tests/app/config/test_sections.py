"""The settings of the pull-request loop: each of its limits can be set, and none is without a bound."""

import tomllib
from dataclasses import asdict, fields
from pathlib import Path

import pytest
import tomlkit

from reknit.app.config.load import Config, load
from reknit.app.config.sections import CiSection, LoopSection, PullLoopSection
from reknit.core.errors import UsageError
from reknit.core.runs.limits import Limits, PullLimits

OTHER = PullLimits(
    iterations=7,
    stall_after=4,
    fruitless=6,
    blocking_only_after=2,
    churn_share=0.5,
    churn_rounds=3,
    flat_rounds=4,
    grown_source=40,
    grown_tests=41,
    error_retries=5,
    ci_wait_s=11.0,
    ci_watch_s=22.0,
    ci_patience_s=33.0,
    ci_grace_s=44.0,
    ci_required_only=True,
    reruns=2,
    pushes=5,
    hops=6,
)
PLACES = {"iterations": "loop.max_iterations", "reruns": "checks.ci.reruns"}
"""Limits whose setting is not called as they are."""


def read(tmp_path: Path, text: str, *, user: str = "") -> Config:
    own = tmp_path / "own.toml"
    own.write_text(user)
    (tmp_path / "reknit.toml").write_text(text)
    return load(tmp_path, {}, {"REKNIT_CONFIG": str(own)})


def setting_of(limit: str) -> str:
    return PLACES.get(limit) or (f"checks.ci.{limit[3:]}" if limit.startswith("ci_") else f"loop.{limit}")


def line_of(setting: str, value: object) -> str:
    table, _, key = setting.rpartition(".")
    return f"[{table}]\n{key} = {tomlkit.item(value).as_string()}"


def test_without_a_word_the_defaults_hold(tmp_path: Path) -> None:
    assert read(tmp_path, "").pull_limits() == PullLimits()
    assert read(tmp_path, "").limits() == Limits()


def test_every_limit_has_another_value_here() -> None:
    assert all(asdict(OTHER)[field.name] != field.default for field in fields(PullLimits))


@pytest.mark.parametrize("limit", [field.name for field in fields(PullLimits)])
def test_every_limit_can_be_set_and_changes_no_other(tmp_path: Path, limit: str) -> None:
    value = asdict(OTHER)[limit]
    found = read(tmp_path, line_of(setting_of(limit), value)).pull_limits()
    assert asdict(found) == {**asdict(PullLimits()), limit: value}


def test_every_setting_is_a_limit() -> None:
    own = {f"loop.{name}" for name in PullLoopSection.model_fields if name not in LoopSection.model_fields}
    of_ci = {f"checks.ci.{name}" for name in CiSection.model_fields}
    assert own | of_ci == {setting_of(field.name) for field in fields(PullLimits)}


@pytest.mark.parametrize(
    "setting",
    [
        "loop.max_iterations = 0", "loop.max_iterations = 101", "loop.stall_after = 1", "loop.stall_after = 11",
        "loop.fruitless = 0", "loop.fruitless = 21", "loop.blocking_only_after = -1", "loop.churn_share = 0",
        "loop.churn_share = 1.1", "loop.churn_rounds = 0", "loop.flat_rounds = 1", "loop.grown_source = 0",
        "loop.grown_source = 100001", "loop.grown_tests = 0", "loop.error_retries = 11", "loop.pushes = 0",
        "loop.pushes = 11", "loop.hops = 0", "loop.hops = 21", "checks.ci.wait_s = 0.5", "checks.ci.wait_s = 3601",
        "checks.ci.watch_s = inf", "checks.ci.patience_s = 0", "checks.ci.patience_s = 1e9", "checks.ci.grace_s = -1",
        "checks.ci.grace_s = 3601", "checks.ci.reruns = 4", "checks.ci.reruns = -1",
    ],
)  # fmt: skip
def test_none_is_without_a_bound(tmp_path: Path, setting: str) -> None:
    name, _, value = setting.partition(" = ")
    with pytest.raises(UsageError) as caught:
        read(tmp_path, "", user=line_of(name, tomllib.loads(f"x = {value}")["x"]))
    assert caught.value.message.startswith(f"{name}: Input should be")


def test_a_limit_of_the_users_own_is_a_ceiling(tmp_path: Path) -> None:
    user = "[loop]\nmax_iterations = 3"
    assert read(tmp_path, "[loop]\nmax_iterations = 2", user=user).pull_limits().iterations == 2
    with pytest.raises(UsageError, match=r"loop\.max_iterations = 4 is above the 3 in your own"):
        read(tmp_path, "[loop]\nmax_iterations = 4", user=user)


def test_who_reviews_and_whether_a_comment_is_left_is_the_repositorys_word_too(tmp_path: Path) -> None:
    config = read(tmp_path, '[checks.review]\nagent = "gemini"\n[forge]\ncomment = false')
    assert (config.checks.review.agent, config.forge.comment) == ("gemini", False)
    named = read(tmp_path, '[checks.review]\nreviewers = ["correctness", "security"]').checks.review.reviewers
    assert (named, read(tmp_path, "").checks.review.reviewers) == (("correctness", "security"), ())
    with pytest.raises(UsageError, match=r"checks\.review\.reviewers: expected a list, such as \['security'\]"):
        read(tmp_path, '[checks.review]\nreviewers = "security"')
    assert (read(tmp_path, "").checks.review.agent, read(tmp_path, "").forge.comment) == ("", True)


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        pytest.param(
            "[loop]\nmax_iteration = 3", "loop.max_iteration", "did you mean `max_iterations`?", id="in the loop"
        ),
        pytest.param("[checks.ci]\npatience = 3", "checks.ci.patience", "did you mean `patience_s`?", id="in CI"),
        pytest.param(
            "[checks.review]\nagnet = 'x'", "checks.review.agnet", "did you mean `agent`?", id="in the review"
        ),
        pytest.param("[forge]\ncomments = true", "forge.comments", "did you mean `comment`?", id="in the forge"),
    ],
)
def test_a_slip_of_the_pen_names_the_nearest(tmp_path: Path, text: str, what: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text)
    assert (caught.value.message, caught.value.help) == (f"unknown setting `{what}`", hint)
