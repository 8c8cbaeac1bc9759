"""Makes keys under which results are stored, so that a run on an unchanged tree can use them again."""

import hashlib
import json
import posixpath
from collections.abc import Sequence
from dataclasses import asdict

from reknit.core.finding import Finding
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand

_IRRELEVANT_LIMITS = ("budget_usd", "timeout_s", "waits", "wait_s", "patience_s")
"""Limits that do not change what an attempt can do."""


def make_problem_key(spec: RunSpec, tree: str, findings: Sequence[Finding]) -> str:
    """Return the key of a problem by content, not by path or commit: another clone of the tree has the same key."""
    agents = [{**asdict(agent), "name": "", "key_env": ""} for agent in spec.agents]
    limits = {name: value for name, value in asdict(spec.limits).items() if name not in _IRRELEVANT_LIMITS}
    facts = {
        "tree": tree,
        "tests": [_drop_interpreter_path(tests) for tests in spec.projects],
        "failures": sorted(finding.fingerprint for finding in findings),
        "agents": agents,
        "limits": limits,
        "box": spec.box,
        "workspace": asdict(spec.workspace),
    }
    if spec.waivers.allowed:
        facts["allowed"] = sorted(waiver.name for waiver in spec.waivers.allowed)
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def make_baseline_key(spec: RunSpec, named_tests: Sequence[str], tree: str, environment: str) -> str:
    """Return the key of a baseline, which holds for one tree in one repository with the same programs and packages."""
    facts = {
        "baseline of": spec.repository,
        "tree": tree,
        "tests": [asdict(tests) for tests in spec.projects],
        "named": sorted(named_tests),
        "setups": [asdict(setup) for setup in spec.setups.commands],
        "setup_base": spec.setups.base,
        "wall_s": spec.limits.test_wall_s,
        "workspace": asdict(spec.workspace),
        "environment": environment,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _drop_interpreter_path(tests: TestCommand) -> dict[str, object]:
    """Return the command with the interpreter's name: another clone has another environment."""
    program, *arguments = tests.argv
    return {**asdict(tests), "argv": [posixpath.basename(program), *arguments]}
