"""Runs a case for real: `reknit fix tests` with a scripted agent, in the box, then the hold-out question."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gauntlet import second_agent, tools
from gauntlet.case import Base, Case, Edits, Files
from gauntlet.corpus import apply, bases, files_of
from gauntlet.holdout import ask
from gauntlet.repository import commit_files
from gauntlet.row import NOT_ASKED, Row

MAX_RUN_S = 900


def run_case(case: Case, *, holdout: bool = False) -> Row:
    """`holdout`: a second agent writes further cases for a change that is proven."""
    base = bases()[case.base]
    told: dict[str, Any] = {"id": case.id, "kind": case.kind, "language": case.language, "group": case.group}
    told["holdout"] = NOT_ASKED if holdout else ""
    told["is_fresh"] = case.is_fresh
    if missing := tools.missing(base):
        return Row(**told, mode="real", not_run=f"{', '.join(missing)} not installed")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="work-", ignore_cleanup_errors=True) as folder:
        told.update(_outcome(case, base, Path(folder), holdout=holdout))
    return Row(**told, mode="real", seconds=round(time.monotonic() - began, 1))


def _outcome(case: Case, base: Base, folder: Path, *, holdout: bool) -> dict[str, Any]:
    repository = folder / "shop"
    before = files_of(case)
    commit_files(repository, tools.filled_in_files(before))
    tools.link_packages(base, repository)
    config = folder / "reknit.toml"
    config.write_text(settings_for(case, base, before, holdout=holdout))
    ours = {"REKNIT_STATE": str(folder / "state"), "REKNIT_CONFIG": str(config)}
    env = {**{name: text for name, text in os.environ.items() if not name.startswith("REKNIT_")}, **ours}
    argv = [sys.executable, "-m", "reknit", "fix", "tests", "--agent", "scripted", "--again", "--format", "json"]
    argv += ["--attempts", str(len(case.moves))]
    try:
        done = subprocess.run(argv, cwd=repository, env=env, capture_output=True, text=True, timeout=MAX_RUN_S)
    except subprocess.TimeoutExpired:
        return {"problem": f"no end after {MAX_RUN_S} seconds"}
    outcome = read_events(done.stdout)
    if not outcome["ending"]:
        return {"problem": outcome["what"] or " ".join(done.stderr[-300:].split()) or "no ending"}
    del outcome["what"]
    if commit := outcome.pop("commit"):
        outcome.update(ask(case, base, repository, commit))
    return outcome


def settings_for(case: Case, base: Base, before: Files, *, holdout: bool = False) -> str:
    lines = ["[agents.scripted]", _told(story(case.moves, before))]
    if holdout:
        lines += [f"[agents.{second_agent.NAME}]", 'kind = "scripted"', _told(second_agent.story(case.language))]
        lines += ["[proof]", 'holdout = "on"', f'holdout_agent = "{second_agent.NAME}"']
    if command := case.command or base.command:
        lines += ["[checks.tests]", f"run = {json.dumps(tools.filled_in(command))}"]
    shown = [path for path in base.show if Path(path).exists()]
    if any(b"{python}" in text for text in before.values()):
        shown += tools.python_folders()  # a script of the project starts it: reknit cannot know
    if shown:
        lines += ["[workspace]", f"show = {json.dumps(shown)}"]
    return "\n".join([*lines, ""])


def _told(moves: Sequence[Mapping[str, Any]]) -> str:
    return f"story = {json.dumps(json.dumps(moves))}"


def story(moves: Sequence[Edits], before: Files) -> list[dict[str, Any]]:
    fill = tools.filled_in_files
    return [_move(fill(before), fill(apply(move, before)), move) for move in moves]


def _move(before: Files, after: Files, edits: Edits) -> dict[str, Any]:
    """Whole files, since an agent's `replace` has one place per file; what is no UTF-8 is written by a shell."""
    changed = {path: text for path, text in after.items() if before.get(path) != text}
    texts, others = {}, {}
    for path, text in changed.items():
        try:
            texts[path] = text.decode()
        except UnicodeDecodeError:
            others[path] = text
    move: dict[str, Any] = {"write": texts, "delete": sorted(edits.delete), "say": "Fixed."}
    if others:
        move["run"] = ["sh", "-c", "\n".join(_printf(path, text) for path, text in others.items())]
    return move


def _printf(path: str, text: bytes) -> str:
    octal = "".join(f"\\{byte:03o}" for byte in text)
    return f"printf '{octal}' > '{path}'"


def read_events(output: str) -> dict[str, Any]:
    """From the lines of `--format json`."""
    events = [*_events(output)]
    last = events[-1] if events else {}
    by_name = [(event.get("event"), event) for event in events]
    refusals = {refusal["rule"] for name, event in by_name if name == "gate" for refusal in event["refusals"]}
    advice = {refusal["rule"] for name, event in by_name if name == "gate" for refusal in event.get("advice", ())}
    findings = [finding for name, event in by_name if name == "baseline" for finding in event.get("findings", ())]
    verified = [event for name, event in by_name if name == "verify"]
    answers = verified[-1].get("checks", []) if verified else []
    outcome: dict[str, Any] = {
        "ending": last.get("ending") or "",
        "reason": last.get("reason") or "",
        "what": last.get("what") or "",
        "commit": last.get("commit") or "",
        "rules": tuple(sorted(refusals)),
        "advice": tuple(sorted(advice)),
        "proof": tuple(str(event.get("proof")) for event in verified),
        "checks": tuple((answer["check"], answer["answer"]) for answer in answers),
        "saw": tuple(answer["saw"] for answer in answers if answer["answer"] != "held"),
        "baseline": tuple(finding["test"] for finding in findings),
    }
    if said := [event["sentence"] for name, event in by_name if name == "holdout"]:
        outcome["holdout"] = said[-1]
    if not any(name == "gate" for name, _ in by_name) and outcome["ending"]:
        outcome["problem"] = f"no attempt was judged: {outcome['ending']}, {outcome['reason']}"
    return outcome


def _events(output: str) -> Iterator[Mapping[str, Any]]:
    for line in output.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event
