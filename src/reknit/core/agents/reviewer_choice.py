"""Which reviewers look at a change: those that were named, without those whose languages it does not touch."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from reknit.core.agents.reviewer import Reviewer
from reknit.core.errors import UsageProblem
from reknit.core.text.did_you_mean import did_you_mean
from reknit.core.text.format import words


@dataclass(frozen=True)
class ReviewerChoice:
    asked: tuple[Reviewer, ...]
    skipped: tuple[Reviewer, ...] = ()
    """By their language filter: no changed file is theirs."""


def choose(reviewers: Sequence[Reviewer], names: Collection[str], paths: Sequence[str]) -> ReviewerChoice:
    """`names`: empty for all; raises UsageProblem if one is unknown. `paths`: the files that the change touches."""
    chosen = named(reviewers, names, "--reviewer") if names else tuple(reviewers)
    asked = tuple(reviewer for reviewer in chosen if reviewer.is_for(paths))
    return ReviewerChoice(asked, tuple(reviewer for reviewer in chosen if reviewer not in asked))


def named(reviewers: Sequence[Reviewer], names: Collection[str], setting: str) -> tuple[Reviewer, ...]:
    """In the order of `reviewers`. `setting`: the option or the key that has the names."""
    known = [reviewer.name for reviewer in reviewers]
    unknown = [name for name in dict.fromkeys(names) if name not in known]
    if unknown:
        which = " or ".join(repr(words(name, 60)) for name in unknown)
        hint = " ".join(dict.fromkeys(filter(None, (did_you_mean(name, known) for name in unknown))))
        known_names = f"known: {', '.join(known)}"
        raise UsageProblem(
            "reviewer", f"{setting}: no reviewer is called {which}", help=f"{hint} {known_names}".strip()
        )
    return tuple(reviewer for reviewer in reviewers if reviewer.name in names)


def instructions(reviewers: Sequence[Reviewer], paths: Sequence[str]) -> str:
    """The texts of those that are for these files, one after the other, for one call that does all their work."""
    asked = (reviewer for reviewer in reviewers if reviewer.is_for(paths))
    return "\n\n".join(f"Reviewer {reviewer.name}:\n\n{reviewer.text}" for reviewer in asked)
