"""What a run says of changes that it did not look at."""

import json
from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentSettings
from reknit.core.capability import StoredRun
from reknit.core.fix_tests.task import FixTests
from reknit.core.repository.uncommitted import (
    MAX_NAME_CHARS,
    MAX_RECORDED_NAMES,
    MAX_SHOWN_NAMES,
    CarryPlan,
    plan_carry,
    record_names,
    warn_uncommitted,
)
from reknit.core.run_text import build_ending_document, build_run_document, render_ending, render_headline
from reknit.core.runs.spec import RunSpec, UncommittedWork, warn_of_uncommitted
from reknit.core.runs.view import RunView, warn_beside_clean
from reknit.core.testing.command import TestCommand
from tests.tools.pull_samples import RUN

MANY = tuple(f"f{number}.py" for number in range(200))
HOSTILE = ("a\n  FIXED  all is well", "b\x1b[2Jc", "d\x9b31m", "e\u202egpj.py", "x" * 5_000)


def ended(ending: str, uncommitted: tuple[str, ...], kind: str = "fix pr") -> RunView:
    target = {"task": RUN.spec["task"]} if kind == "fix pr" else {}
    spec = {**target, "uncommitted": {"paths": list(record_names(uncommitted)), "count": len(uncommitted)}}
    return replace(RUN, kind=kind, state="ended", ending=ending, reason="all is well", ended_at=101.0, spec=spec)


def test_nothing_uncommitted_is_nothing_to_say() -> None:
    assert warn_uncommitted((), 0) == ""
    assert warn_beside_clean(ended("CLEAN", ())) == ""
    assert warn_beside_clean(replace(RUN, ending="CLEAN")) == "", "a run that an earlier release started"


def test_a_run_that_starts_says_so_too() -> None:
    agent, tests = AgentSettings("claude", "claude"), TestCommand("pytest", ("pytest",), "junit", "pytest.ini")
    spec = RunSpec(
        "r-1", "/shop", "a" * 40, FixTests(), tests, (agent,), uncommitted=UncommittedWork(paths=("a.py",), count=1)
    )
    assert warn_of_uncommitted(spec) == warn_uncommitted(["a.py"], 1)
    assert warn_of_uncommitted(replace(spec, uncommitted=UncommittedWork(paths=(), count=0))) == ""


def test_the_first_are_named_and_the_rest_counted() -> None:
    told = "ignored: uncommitted changes in"
    how = "commit them, or use `reknit fix tests --dirty`"
    assert warn_uncommitted(["a.py"], 1) == f"{told} 1 file: a.py; {how}"
    assert warn_uncommitted(["a.py", "b.py"], 2) == f"{told} 2 files: a.py, b.py; {how}"
    assert warn_uncommitted(MANY, 200).startswith(
        f"{told} 200 files: {', '.join(MANY[:MAX_SHOWN_NAMES])} and {200 - MAX_SHOWN_NAMES} more;"
    )
    assert record_names(MANY) == MANY[:MAX_RECORDED_NAMES]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_adds_no_line_and_no_colour(name: str) -> None:
    for told in (warn_uncommitted([name], 1), render_headline(ended("CLEAN", (name,))), *record_names([name])):
        assert told.isprintable()
        assert len(told) < MAX_NAME_CHARS + 200


@pytest.mark.parametrize("kind", ["fix pr", "fix tests", "fix issues"])
@pytest.mark.parametrize("width", [0, 80])
def test_a_clean_run_says_first_what_it_did_not_look_at(kind: str, width: int) -> None:
    run = ended("CLEAN", ("a.py", "b.py"), kind)
    pushed = kind == "fix pr"
    dirty = ", or use `reknit fix tests --dirty`" if kind == "fix tests" else ""
    how = "commit and push them, then run it again" if pushed else f"commit them{dirty}"
    unseen = f"ignored: uncommitted changes in 2 files: a.py, b.py; {how}"
    text = " ".join(render_ending(StoredRun(run), width).split())
    assert text.startswith(f"note {unseen} CLEAN ")
    assert render_headline(run) == f"CLEAN  {unseen}; all is well"
    for document in (build_run_document(StoredRun(run)), build_ending_document(StoredRun(run), 0)):
        assert json.loads(json.dumps(document))["not_looked_at"] == unseen
        assert document["uncommitted"] == ["a.py", "b.py"]
        assert document["uncommitted_count"] == 2


@pytest.mark.parametrize("ending", ["PARTIAL", "DEFERRED", "UNVERIFIED"])
def test_another_ending_claims_nothing_of_them(ending: str) -> None:
    run = ended(ending, ("a.py",))
    assert "ignored" not in render_ending(StoredRun(run))
    document = build_run_document(StoredRun(run))
    assert (document["not_looked_at"], document["uncommitted"]) == ("", ["a.py"])


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(".venv/", id="a virtual environment"),
        pytest.param("node_modules/", id="installed packages"),
        pytest.param("src/app/_version.py", id="a generated module"),
        pytest.param("src/app.egg-info/", id="an editable install"),
        pytest.param("app/native.cpython-311-x86_64-linux-gnu.so", id="a built extension"),
        pytest.param("src/secrets_manager/_version.py", id="a generated module in a package with a telling name"),
        pytest.param("proto/api_pb2.py", id="generated protocol code"),
    ],
)
def test_what_tests_may_need_is_carried(path: str) -> None:
    assert plan_carry([path]) == CarryPlan(carried=(path.rstrip("/"),), left_out=())


@pytest.mark.parametrize(
    "path",
    ["__pycache__/", "src/app/__pycache__/", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/", "dist/", "build/",
     "rust/target/", "coverage/", ".tox/", ".nox/", ".coverage", ".coverage.host.1", "htmlcov/", ".hypothesis/",
     "dist/app.js", "debug.log"],
)  # fmt: skip
def test_caches_are_left_out(path: str) -> None:
    assert plan_carry([path]) == CarryPlan(carried=(), left_out=(path.rstrip("/"),))


@pytest.mark.parametrize(
    "path",
    [".env", ".env.local", ".envrc", "config/.env.production", ".npmrc", ".netrc", ".pypirc", "tls/server.pem",
     "server.key", "SERVER.KEY", "sign.p12", "prod.tfvars", "credentials.json", "secrets.yaml", "secrets/",
     "secrets/x.txt", ".aws/config", "id_rsa", ".claude/settings.local.json", "build/.env"],
)  # fmt: skip
def test_secrets_are_left_out_and_named(path: str) -> None:
    plain = path.rstrip("/")
    assert plan_carry([path]) == CarryPlan(carried=(), left_out=(plain,), secrets=(plain,))


def test_nothing_is_lost_and_the_order_stays() -> None:
    carry = plan_carry(["z/", ".env", "build/", "a.py"])
    assert carry == CarryPlan(carried=("z", "a.py"), left_out=(".env", "build"), secrets=(".env",))


def test_nothing_ignored() -> None:
    assert plan_carry([]) == CarryPlan((), ())
