"""The question a run answers is the same only while nothing that matters has changed."""

from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentSettings
from reknit.core.finding import Finding
from reknit.core.fix_tests.task import FixTests
from reknit.core.gate.waiver import Waiver, Waivers
from reknit.core.runs.limits import Limits
from reknit.core.runs.reuse_keys import make_baseline_key, make_problem_key
from reknit.core.runs.spec import ProjectSetups, RunSpec
from reknit.core.testing.command import TestCommand

SPEC = RunSpec(
    "r-1", "/shop", "base", FixTests(), TestCommand("pytest", ("pytest",), "junit"), (AgentSettings("a", "claude"),)
)
FINDING = Finding("T-1", "tests", "test-failed", "t::one", message="1 != 2")
FIRST = make_problem_key(SPEC, "tree", [FINDING])


@pytest.mark.parametrize(
    ("spec", "findings"),
    [
        pytest.param(replace(SPEC, run_id="r-2", created_at=9.0), [FINDING], id="another run"),
        pytest.param(replace(SPEC, repository="/clone", base="other"), [FINDING], id="another clone of the same tree"),
        pytest.param(
            replace(SPEC, tests=replace(SPEC.tests, argv=("/clone/.venv/bin/pytest",))),
            [FINDING],
            id="the environment of another clone",
        ),
        pytest.param(SPEC, [replace(FINDING, message="3 != 4")], id="the same failure with other numbers"),
        pytest.param(replace(SPEC, limits=Limits(budget_usd=9.0)), [FINDING], id="more money"),
    ],
)
def test_it_is_the_same_question(spec: RunSpec, findings: list[Finding]) -> None:
    assert make_problem_key(spec, "tree", findings) == FIRST


@pytest.mark.parametrize(
    ("spec", "tree", "findings"),
    [
        pytest.param(SPEC, "other", [FINDING], id="the tree changed"),
        pytest.param(SPEC, "tree", [replace(FINDING, message="timeout")], id="it fails in another way"),
        pytest.param(replace(SPEC, agents=(AgentSettings("a", "gemini"),)), "tree", [FINDING], id="another agent"),
        pytest.param(
            replace(SPEC, agents=(AgentSettings("a", "claude", "big"),)), "tree", [FINDING], id="another model"
        ),
        pytest.param(
            replace(SPEC, agents=(SPEC.agent, *(AgentSettings("b", "codex"),))),
            "tree",
            [FINDING],
            id="one more agent to fall over to",
        ),
        pytest.param(replace(SPEC, other_projects=(SPEC.tests,)), "tree", [FINDING], id="one more project"),
        pytest.param(replace(SPEC, limits=Limits(attempts=5)), "tree", [FINDING], id="more attempts"),
        pytest.param(replace(SPEC, limits=Limits(agent_wall_s=9)), "tree", [FINDING], id="more time for the agent"),
        pytest.param(
            replace(SPEC, agents=(AgentSettings("a", "claude", env=(("MODEL", "b"),)),)),
            "tree",
            [FINDING],
            id="its settings",
        ),
    ],
)
def test_it_is_another_question(spec: RunSpec, tree: str, findings: list[Finding]) -> None:
    assert make_problem_key(spec, tree, findings) != FIRST


@pytest.mark.parametrize(
    ("spec", "tree", "environment", "is_same"),
    [
        pytest.param(
            replace(SPEC, agents=(AgentSettings("b", "codex"),), run_id="r-2"), "tree", "env", True, id="same"
        ),
        pytest.param(SPEC, "other", "env", False, id="another tree"),
        pytest.param(SPEC, "tree", "other", False, id="another environment"),
        pytest.param(replace(SPEC, repository="/clone"), "tree", "env", False, id="another repository"),
        pytest.param(replace(SPEC, setups=ProjectSetups(base="c0ffee")), "tree", "env", False, id="another set-up"),
        pytest.param(
            replace(SPEC, tests=replace(SPEC.tests, argv=("/b/pytest",))), "tree", "env", False, id="another program"
        ),
    ],
)
def test_what_the_tests_showed_holds_only_for_the_same(
    spec: RunSpec, tree: str, environment: str, is_same: bool
) -> None:
    assert (make_baseline_key(spec, (), tree, environment) == make_baseline_key(SPEC, (), "tree", "env")) == is_same


def test_named_tests_show_something_else() -> None:
    assert make_baseline_key(SPEC, ("t::one",), "tree", "env") != make_baseline_key(SPEC, (), "tree", "env")


def test_what_a_person_allows_is_another_problem() -> None:
    allowed = replace(SPEC, waivers=Waivers((Waiver("protected-config", "uv.lock"),)))
    assert make_problem_key(allowed, "tree", ()) != make_problem_key(SPEC, "tree", ())
    assert make_problem_key(replace(SPEC, waivers=Waivers(ends_at_once=True)), "tree", ()) == make_problem_key(
        SPEC, "tree", ()
    )
