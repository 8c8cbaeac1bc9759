"""Renders the gate's verdict on a commit before it is made: lines for people, a document for programs."""

from collections.abc import Iterator
from dataclasses import replace

from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import Waivers, can_be_offered, is_waivable, render_ended, render_options, render_use
from reknit.core.text.format import pluralize

COMMAND = "reknit check"
_OF_AN_ATTEMPT = frozenset({"too-much", "nothing-changed"})
"""Rules for one attempt of a run: a commit may be large, or change only a message."""


def keep_commit_rules(verdict: GateVerdict) -> GateVerdict:
    """Return the verdict without the rules that only an attempt has to keep."""
    return replace(
        verdict,
        refusals=tuple(refusal for refusal in verdict.refusals if refusal.rule not in _OF_AN_ATTEMPT),
        rules=tuple(rule for rule in verdict.rules if rule not in _OF_AN_ATTEMPT),
        allowed=tuple(use for use in verdict.allowed if use.rule not in _OF_AN_ATTEMPT),
    )


def render_check(verdict: GateVerdict, waivers: Waivers) -> Iterator[str]:
    """Yield a line per refusal, then what a person may do about them."""
    yield from map(_render_refusal, verdict.refusals)
    yield from map(render_use, verdict.allowed)
    yield from map(render_ended, waivers.ended)
    if verdict.is_accepted and not verdict.rules:
        yield "nothing was checked: there is no commit yet to compare with"
        return
    staged = f"{pluralize(verdict.files, 'staged file')}, +{verdict.added} -{verdict.removed}"
    if verdict.is_accepted:
        yield f"the gate accepts this commit: {staged}" if verdict.files else "nothing is staged"
        return
    yield f"the gate refuses this commit from an agent: {pluralize(len(verdict.refusals), 'refusal')} in {staged}"
    if offered := [
        (refusal.rule, refusal.path)
        for refusal in verdict.refusals
        if can_be_offered(refusal.rule, refusal.path, waivers)
    ]:
        yield f"  a person may allow  {COMMAND} {render_options(offered)}"
        yield "                      or, for every commit, `[[gate.allow]]` in that person's own config file"
    if never := dict.fromkeys(refusal.rule for refusal in verdict.refusals if not is_waivable(refusal.rule)):
        yield f"  nobody may allow    {', '.join(never)}: `reknit explain {next(iter(never))}` says why"
    forbidden = dict.fromkeys(
        waivers.find_forbidding(refusal.rule, refusal.path) for refusal in verdict.refusals if refusal.path
    )
    yield from (f"  forbidden here      {entry} (gate.forbid)" for entry in forbidden if entry)
    yield "  your own commit     a person may make it: `git commit --no-verify`"


def check_to_document(verdict: GateVerdict, waivers: Waivers, exit_code: int) -> dict[str, object]:
    """Return the verdict for `--format json`."""
    return {
        "schema": 1,
        "event": "checked",
        "exit_code": exit_code,
        "files": verdict.files,
        "added": verdict.added,
        "removed": verdict.removed,
        "rules": list(verdict.rules),
        "refusals": [
            {
                "rule": refusal.rule,
                "path": refusal.path,
                "sentence": refusal.sentence,
                "allow": render_options([(refusal.rule, refusal.path)])
                if can_be_offered(refusal.rule, refusal.path, waivers)
                else None,
            }
            for refusal in verdict.refusals
        ],
        "allowed": [
            {"rule": use.rule, "path": use.path, "reason": use.reason, "origin": use.origin} for use in verdict.allowed
        ],
        "ended": [render_ended(waiver) for waiver in waivers.ended],
    }


def _render_refusal(refusal: Refusal) -> str:
    return f"{refusal.rule}  {f'{refusal.path}: ' if refusal.path else ''}{refusal.sentence}"
