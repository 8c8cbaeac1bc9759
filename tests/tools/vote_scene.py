"""The shop's pull request with two scripted voters, each with a word of its own that nobody else may see."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reknit.app.start.vote import plan_vote
from reknit.core.runs.spec import RunSpec
from tests.tools.github import GitHub
from tests.tools.pull_play import place_of
from tests.tools.pull_scene import REPORT, PullScene

ANN, BOB = "ann", "bob"
WORDS = {ANN: "quokka", BOB: "wombat"}

Move = dict[str, Any]


def ballot(agent: str, score: int, *severities: str, **more: Any) -> Move:
    """A move that votes; its feedback and each of its findings hold the voter's word."""
    word = WORDS[agent]
    findings = [
        {"category": "logic", "severity": severity, "file": REPORT, "line": line, "issue": f"{word} {severity}"}
        for line, severity in enumerate(severities, 3)
    ]
    verdict = "needs_work" if "blocking" in severities or score < 80 else "passed"
    report = {"verdict": verdict, "score_0_100": score, "summary": f"the {word} says so", "findings": findings}
    return {"report": report, "say": f"{word} {score}", "cost_usd": 0.05, **more}


def vote_scene(
    folder: Path,
    hub: GitHub,
    ann: Sequence[Move],
    bob: Sequence[Move],
    settings: Mapping[str, Any] | None = None,
    **shop: Any,
) -> PullScene:
    """`settings`: further tables of the configuration; `shop`: of `PullScene`."""
    scene = PullScene(folder, hub, answers=False, **shop)
    moves = {ANN: list(ann), BOB: list(bob)}
    agents = {name: {"kind": "scripted", "story": json.dumps(story)} for name, story in moves.items()}
    tables = {"agents": agents, "vote": {"agents": [ANN, BOB]}, "forge": {"api": hub.url}}
    scene.command.configure(**{**tables, **(settings or {})})
    return scene


def planned(scene: PullScene, flags: Mapping[str, Any] | None = None) -> RunSpec:
    """Without a sandbox, and with short waits."""
    spec = plan_vote(place_of(scene), scene.clone, scene.number, {"box": "host", **(flags or {})}).spec
    return replace(spec, limits=replace(spec.limits, wait_s=0.05))
