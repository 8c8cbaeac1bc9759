"""The comment of a vote on a pull request: both votes, written once both are in."""

from collections.abc import Iterator

from reknit.core.text.format import file_line, spent_of, words
from reknit.core.text.layout import LONGEST, fitting
from reknit.core.text.markdown import code, plain, prose
from reknit.core.vote.decision import Tally, Vote
from reknit.core.vote.run_text import READ, heaviest_first

FINDINGS = 20
SUMMARY = 1_500
KEY = "vote"
_RESERVED = 4_000
"""Reserved for text that is not from a voter."""


def comment(run_id: str, tally: Tally, *, spent_usd: float, budget_usd: float) -> str:
    space = (LONGEST - _RESERVED) // len(tally.votes)
    parts = [
        f"### reknit vote: {_word(tally)}",
        f"Average **{tally.average:g}** of 100, needs {tally.approve_0_100:g}.",
        *([f"**{plain(tally.warning)}.** {READ if tally.approved else ''}".rstrip()] if tally.warning else []),
        _table(tally),
        *(part for vote in tally.votes for part in _feedback(vote, space)),
        _about(tally),
        f"Spent {spent_of(spent_usd, budget_usd)}. `reknit show {run_id}` has both votes.",
    ]
    return "\n\n".join(parts) + "\n"


def _word(tally: Tally) -> str:
    if not tally.approved:
        return "not approved, a person must decide"
    if not tally.doubt:
        return "approved"
    return f"approved at {tally.head[:7]}, but {'unverified' if tally.now is None else 'the branch has moved since'}"


def _table(tally: Tally) -> str:
    rows = (
        f"| {plain(vote.agent)} | {vote.review.score_0_100} | {len(vote.review.findings)} ({vote.blocking} blocking) |"
        for vote in tally.votes
    )
    return "\n".join(["| voter | score | findings |", "|--|--|--|", *rows])


def _feedback(vote: Vote, space: int) -> Iterator[str]:
    said = words(vote.review.summary, SUMMARY)
    yield f"**{plain(vote.agent)}, {vote.review.score_0_100}** {plain(said)}".rstrip()
    findings = heaviest_first(vote.review.findings)
    lines = [
        f"- {finding.severity} {code(words(file_line(finding.file, finding.line)))} {plain(words(finding.issue))}"
        for finding in findings[:FINDINGS]
    ]
    shown = fitting(lines, space - len(plain(said)))
    more = [f"- … and {len(findings) - len(shown)} more"] if len(findings) > len(shown) else []
    if lines:
        yield "\n".join([*shown, *more])


def _about(tally: Tally) -> str:
    text = f"Both votes are about {tally.head}; neither voter saw the other's vote."
    doubt = words(tally.doubt, SUMMARY)
    return prose(f"{text} {doubt[0].upper()}{doubt[1:]}." if doubt else text)
