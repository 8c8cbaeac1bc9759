"""Renders files in a repository that show other tools the state of a loop.

An edit of them has no effect, and no run takes them into its tree.
"""

import json
from collections.abc import Mapping
from typing import Any

FOLDER = ".claude"
BUG_STATE = f"{FOLDER}/fix-state.json"
PULL_STATE = f"{FOLDER}/fix-pr-state.json"
PULL_NOTE = f"{FOLDER}/fix-pr.local.md"
_CHECKS = {check: f"{FOLDER}/fix-pr-check-{check}.json" for check in ("review", "tests", "ci")}
EXPORTS = (BUG_STATE, PULL_STATE, PULL_NOTE, *_CHECKS.values())
NEW = ".new-"
"""Suffix for the file that is about to replace an export. A killed process may leave such a file."""
IGNORE = (f"{FOLDER}/fix-state.json*", f"{FOLDER}/fix-pr*")
"""Lines for `.gitignore`."""


def is_export(path: str) -> bool:
    """Return True if a path is an export, or a file that is about to replace one."""
    return path.partition(NEW)[0] in EXPORTS


def render_bug_export(document: Mapping[str, object], owner: str) -> dict[str, str]:
    """Return path -> text for a bug that a window works on. `owner`: the window."""
    return {BUG_STATE: _to_json({**document, "owner": owner})}


def render_pull_exports(state: Mapping[str, Any], owner: str, *, is_parked: bool = False) -> dict[str, str | None]:
    """Return path -> text for a pull-request run; None: the check has no result yet, so it has no file.

    `state`: the document that `show --format state` prints for the run.
    """
    results = state["check_results"]
    checks = {
        path: _to_json({**results[check], "owner": owner}) if check in results else None
        for check, path in _CHECKS.items()
    }
    return {
        **checks,
        PULL_STATE: _to_json({**state, "owner": owner}),
        PULL_NOTE: _render_note(state, owner, is_parked=is_parked),
    }


def _render_note(state: Mapping[str, Any], owner: str, *, is_parked: bool) -> str:
    head = {
        "active": not state["ending"] and not is_parked,
        **{key: state[key] for key in ("iteration", "max_iterations", "pr_number", "pr_url", "run", "ending")},
        "owner": owner,
    }
    lines = "\n".join(f"{key}: {json.dumps(value)}" for key, value in head.items())
    return f"---\n{lines}\n---\n\nWritten by reknit; editing it changes nothing. `reknit show {state['run']}`\n"


def _to_json(document: Mapping[str, object]) -> str:
    return json.dumps(document, indent=2) + "\n"
