"""The question a run answers, as one word: what was answered on an unchanged tree need not be paid for again."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict

from reknit.core.findings import Finding
from reknit.core.run import RunSpec


def question(spec: RunSpec, tree: str, findings: Sequence[Finding]) -> str:
    """By content, not by place or commit: another clone of the same tree asks the same."""
    agents = [(agent.kind, agent.model, agent.effort, agent.thinking_tokens, agent.command) for agent in spec.agents]
    told = {
        "tree": tree,
        "tests": asdict(spec.tests),
        "failures": sorted(finding.fingerprint for finding in findings),
        "agents": agents,
        "stories": [agent.story for agent in spec.agents],
        "attempts": spec.limits.attempts,
        "setup": spec.workspace.setup,
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
