"""A key for the problem a run works on: an answer for an unchanged tree need not be paid for again."""

import hashlib
import json
import posixpath
from collections.abc import Sequence
from dataclasses import asdict

from reknit.core.finding import Finding
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand

_NOT_ASKED = ("budget_usd", "timeout_s", "waits", "wait_s", "patience_s")
"""Limits that do not change what an attempt can do."""


def problem_key(spec: RunSpec, tree: str, findings: Sequence[Finding]) -> str:
    """By content, not by path or commit: another clone of the same tree has the same key."""
    agents = [{**asdict(agent), "name": "", "key_env": ""} for agent in spec.agents]
    limits = {name: value for name, value in asdict(spec.limits).items() if name not in _NOT_ASKED}
    facts = {
        "tree": tree,
        "tests": [_without_place(tests) for tests in spec.projects],
        "failures": sorted(finding.fingerprint for finding in findings),
        "agents": agents,
        "limits": limits,
        "box": spec.box,
        "workspace": asdict(spec.workspace),
    }
    if spec.waivers.allowed:
        facts["allowed"] = sorted(waiver.name for waiver in spec.waivers.allowed)
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def baseline_key(spec: RunSpec, tree: str, environment: str) -> str:
    """For what the tests of a tree showed: only in this very repository, with the same programs and packages."""
    facts = {
        "baseline of": spec.repository,
        "tree": tree,
        "tests": [asdict(tests) for tests in spec.projects],
        "named": sorted(spec.named),
        "setups": [asdict(setup) for setup in spec.setups],
        "setup_base": spec.setup_base,
        "wall_s": spec.limits.test_wall_s,
        "workspace": asdict(spec.workspace),
        "environment": environment,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _without_place(tests: TestCommand) -> dict[str, object]:
    """The interpreter by its name: another clone has another environment."""
    program, *arguments = tests.argv
    return {**asdict(tests), "argv": [posixpath.basename(program), *arguments]}
