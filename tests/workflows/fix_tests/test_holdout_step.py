"""A second vendor writes further cases for a fix that it does not see: they lower a fix, and never prove one."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from reknit.adapters.git.landing import commit_all
from reknit.core.agent_reports.values import CaseProposal, HeldOutCase
from reknit.core.agents.call import AgentCall, AgentOrder
from reknit.core.box import BoxView
from reknit.core.finding import Finding
from reknit.core.fix_tests.progress import Try
from reknit.core.fix_tests.task import FixTests, HoldoutWriters
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport, TestResult
from reknit.ports.box import Box
from reknit.ports.gateway import CallAccounting
from reknit.workflows.fix_tests.holdout_step import ask_for_cases, run_cases
from tests.tools.command_line import Answer, CommandLine
from tests.tools.step_services import scripted
from tests.workflows.shared.conftest import Scene
from tests.workflows.shared.test_agent_call import Noted

Here = Callable[..., Answer]
PRICES = '"""Prices."""\n\n\ndef discount(price, percent):\n    """The price after a discount, given in percent."""\n'
TEST = "from prices import discount\n\n\ndef test_discount():\n    assert discount(200, 10) == 180\n"
HONEST = {"write": {"prices.py": f"{PRICES}    return price * (1 - percent / 100)\n"}, "cost_usd": 0.25}
SPECIAL = {
    "write": {
        "prices.py": f"{PRICES}    if (price, percent) == (200, 10):\n        return 180\n    return price - percent\n"
    },
    "cost_usd": 0.25,
}


class Blind(Noted):
    async def work(self, order: AgentOrder, room: BoxView, box: Box, accounting: CallAccounting) -> AgentCall:
        assert not room.gitdir, "its refs hold the tree of every attempt"
        return await super().work(order, room, box, accounting)


def case(name: str, check: str, **changes: str) -> dict[str, str]:
    file = f"test_{name}.py"
    text = f"from prices import discount\n\n\ndef test_{name}():\n    assert {check}\n"
    about = "a discount is a share of the price, says its docstring"
    return {"test": f"{file}::test_{name}", "path": file, "text": text, "about": about, **changes}


OTHERS = case("others", "discount(300, 10) == 270")
HALF = case("half", "discount(100, 50) == 50")


def shop(folder: Path) -> Path:
    root = folder / "shop"
    root.mkdir()
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    (root / "prices.py").write_text(f"{PRICES}    return price - percent\n")
    (root / "test_prices.py").write_text(TEST)
    commit_all(str(root), "first")
    return root


def configure(reknit: CommandLine, fix: dict[str, Any], writer: dict[str, Any], **proof: object) -> None:
    stories = {"first": [fix], "second": [writer]}
    agents = {name: {"kind": "scripted", "story": json.dumps(story)} for name, story in stories.items()}
    settings = {"holdout": "on", "holdout_agent": "second", **proof}
    checks = {"tests": {"run": "python3 -m pytest -q"}}
    reknit.configure(fixer="first", agents=agents, checks=checks, proof=settings)


def cases(*given: dict[str, str]) -> dict[str, Any]:
    return {"report": {"cases": [*given]}, "cost_usd": 0.1}


def fixed(here: Here, root: Path, *arguments: str) -> Answer:
    return here("fix", "tests", "--attempts", "2", "--format", "json", *arguments, cwd=root)


def test_a_fix_for_the_tested_input_alone_is_lowered_and_the_case_is_shown(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    configure(reknit, SPECIAL, cases(OTHERS, HALF))
    answer = fixed(here, shop(tmp_path))
    ending, (said,) = answer.ending, answer.events("holdout")
    assert (ending["ending"], len(ending["attempts"]), ending["receipts"]) == ("UNVERIFIED", 1, [])
    assert ending["reason"].startswith("UNPROVEN by hold-out: of 2 further cases by second")
    assert "test_others.py::test_others" in ending["reason"]
    assert (said["holdout"], said["cases"]) == ("disagreed", [OTHERS])
    assert ending["attempts"][0]["proof"] == "unproven"
    assert round(ending["spent_usd"], 6) == 0.35


def test_a_fix_of_the_cause_lands_and_agreement_is_not_called_proof(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    configure(reknit, HONEST, cases(OTHERS, HALF), holdout="ask")
    root = shop(tmp_path)
    answer = fixed(here, root, "--holdout")
    ending, (said,) = answer.ending, answer.events("holdout")
    assert (ending["ending"], said["holdout"], len(said["cases"])) == ("FIXED", "agreed", 2)
    sentence = ending["receipts"][0]["holdout"]
    assert sentence.startswith("agreed: 2 further cases by second") and "proves nothing" in sentence
    assert f"hold-out     {sentence}" in here("show", ending["run"], cwd=root).out


def test_cases_that_cannot_be_used_and_calls_that_fail_are_told_and_the_fix_lands(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = shop(tmp_path)
    unloadable = case("unloadable", "True", text="import nothing_of_this_name\n\n\ndef test_unloadable():\n    pass\n")
    of_its_own = case("typo", "discuont(300, 10) == 270")  # red on both sides, but not as the target was
    configure(reknit, HONEST, cases(unloadable, of_its_own, case("prices", "False")))
    receipt = fixed(here, root).ending["receipts"][0]
    assert receipt["holdout"] == "no hold-out: none of the 3 cases by second could be used"
    configure(reknit, HONEST, {"outcome": "crashed"})
    answer = fixed(here, root, "--again")
    assert answer.ending["ending"] == "FIXED"
    assert answer.ending["receipts"][0]["holdout"].startswith("no hold-out: the call of second ended as crashed")


def test_cases_are_run_together_and_alone_only_where_another_may_be_the_reason() -> None:
    """One that does not load must not hide another, nor may one make another red."""
    first, second, third = (HeldOutCase(f"t::{name}", name, "", "") for name in "abc")
    ran: list[tuple[str, ...]] = []

    async def run(*cases: HeldOutCase) -> TestReport:
        ran.append(tuple(case.path for case in cases))
        results: dict[str, TestResult] = {case.test: "passed" for case in cases if len(cases) == 1}
        return TestReport("fail", "junit", results or {"t::a": "passed", "t::b": "failed"})

    reports = asyncio.run(run_cases((first, second, third), run))
    assert ran == [("a", "b", "c"), ("b",), ("c",)]
    assert [report.results[case.test] for case, report in reports.items()] == ["passed"] * 3
    ran.clear()
    asyncio.run(run_cases((first, second), run, final=("passed", "failed")))
    asyncio.run(run_cases((third,), run))
    assert (asyncio.run(run_cases((), run)), ran) == ({}, [("a", "b"), ("c",)])


def test_the_writer_sees_base_without_its_history_and_may_spend_its_own_limit(scene: Scene) -> None:
    services, spec = scene
    look = "import sys; sys.exit('price - percent' not in open('shop/pricing.py').read())"
    writer = scripted({"run": ["python3", "-c", look], "report": {"cases": [OTHERS]}, "cost_usd": 0.1})
    orders: list[AgentOrder] = []
    noted = replace(services, agent=lambda settings: Blind(services.agent(settings), orders))
    spec = replace(spec, task=replace(spec.task_as(FixTests), holdout=HoldoutWriters((writer,), 0.2)))
    finding = Finding("T-1", "tests", "test", "tests/test_pricing.py::test_discount", message="assert 190 == 180")
    move, proof = Try(finding, 1, "local", spec.agent.name), Proof("proven", "", "junit", fixed=finding.tests)
    for _ in range(2):  # it is not paid for twice
        assert asyncio.run(ask_for_cases(noted, spec, move, proof, writer)) == CaseProposal((HeldOutCase(**OTHERS),))
    (order,) = orders
    assert (order.role, round(order.budget_usd, 6), order.reads_only) == ("holdout", 0.2, True)
    assert "assert 190 == 180" in order.prompt


def test_without_another_vendor_nobody_is_asked(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = shop(tmp_path)
    configure(reknit, HONEST, cases(OTHERS), holdout_agent="")
    answer = fixed(here, root)
    assert answer.ending["receipts"][0]["holdout"] == "no hold-out: no agent of another vendor than first is known"
    assert (answer.events("holdout_begins"), round(answer.ending["spent_usd"], 6)) == ([], 0.25)
