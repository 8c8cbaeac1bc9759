"""What the gate says about a commit before it is made: lines for people, and a document for programs."""

from collections.abc import Iterator
from dataclasses import replace

from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import Waivers, can_be_offered, ended_text, is_waivable, typed_options, use_text
from reknit.core.text.format import counted

COMMAND = "reknit check"
_OF_AN_ATTEMPT = frozenset({"too-much", "nothing-changed"})
"""They are about one attempt of a run: a commit may be large, or change only a message."""


def for_commit(verdict: GateVerdict) -> GateVerdict:
    """Without the rules that only an attempt has to keep."""
    return replace(
        verdict,
        refusals=tuple(refusal for refusal in verdict.refusals if refusal.rule not in _OF_AN_ATTEMPT),
        rules=tuple(rule for rule in verdict.rules if rule not in _OF_AN_ATTEMPT),
        allowed=tuple(use for use in verdict.allowed if use.rule not in _OF_AN_ATTEMPT),
    )


def check_lines(verdict: GateVerdict, waivers: Waivers) -> Iterator[str]:
    """A line per refusal, then what a person may do about them."""
    yield from map(_refusal_line, verdict.refusals)
    yield from map(use_text, verdict.allowed)
    yield from map(ended_text, waivers.ended)
    if verdict.accepted and not verdict.rules:
        yield "nothing was checked: there is no commit yet to compare with"
        return
    staged = f"{counted(verdict.files, 'staged file')}, +{verdict.added} -{verdict.removed}"
    if verdict.accepted:
        yield f"the gate accepts this commit: {staged}" if verdict.files else "nothing is staged"
        return
    yield f"the gate refuses this commit from an agent: {counted(len(verdict.refusals), 'refusal')} in {staged}"
    if can := [(each.rule, each.path) for each in verdict.refusals if can_be_offered(each.rule, each.path, waivers)]:
        yield f"  a person may allow  {COMMAND} {typed_options(can)}"
        yield "                      or, for every commit, `[[gate.allow]]` in that person's own config file"
    if never := dict.fromkeys(each.rule for each in verdict.refusals if not is_waivable(each.rule)):
        yield f"  nobody may allow    {', '.join(never)}: `reknit explain {next(iter(never))}` says why"
    forbidden = dict.fromkeys(waivers.forbidding(each.rule, each.path) for each in verdict.refusals if each.path)
    yield from (f"  forbidden here      {entry} (gate.forbid)" for entry in forbidden if entry)
    yield "  your own commit     a person may make it: `git commit --no-verify`"


def check_document(verdict: GateVerdict, waivers: Waivers, exit_code: int) -> dict[str, object]:
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
                "rule": each.rule,
                "path": each.path,
                "sentence": each.sentence,
                "allow": typed_options([(each.rule, each.path)])
                if can_be_offered(each.rule, each.path, waivers)
                else None,
            }
            for each in verdict.refusals
        ],
        "allowed": [
            {"rule": use.rule, "path": use.path, "reason": use.reason, "origin": use.origin} for use in verdict.allowed
        ],
        "ended": [ended_text(waiver) for waiver in waivers.ended],
    }


def _refusal_line(refusal: Refusal) -> str:
    return f"{refusal.rule}  {f'{refusal.path}: ' if refusal.path else ''}{refusal.sentence}"
