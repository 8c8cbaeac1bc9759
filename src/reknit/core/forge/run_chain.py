"""Counts consecutive runs on a branch, so that two bots cannot trigger each other beyond a limit."""

import re
from collections.abc import Sequence

HOP = 1


_TRAILER = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]*): (\S.*)")
_RUN = re.compile(r"r-[0-9a-z]{1,40}")
_HOP = re.compile(r"[1-9][0-9]{0,5}")
_BOT = re.compile(r"\[bot\](?: <|@)", re.IGNORECASE)
"""GitHub's form of an App's name and address."""


def hop_of(messages: Sequence[tuple[str, str, str]]) -> int:
    """The hop of a run that starts now, given (commit, message, author) of the branch, newest first.

    A person's commit resets the count; a commit that another bot pushed in between does not.
    """
    highest = 0
    for _commit, message, author in messages:
        trailers = _trailers(message)
        if _BOT.search(author):
            continue
        if not any(_RUN.fullmatch(value) for name, value in trailers if name == "Reknit-Run"):
            break
        stamped = [int(value) for name, value in trailers if name == "Reknit-Hop" and _HOP.fullmatch(value)]
        highest = max(highest, 1, *stamped)  # a run's commit without a readable stamp counts as hop 1
    return highest + 1


def _trailers(message: str) -> list[tuple[str, str]]:
    """Trailers of the last paragraph, if every line of it is one; a subject alone has none."""
    lines = [line.rstrip() for line in message.strip().split("\n")]
    if "" not in lines:
        return []
    last = lines[len(lines) - lines[::-1].index("") :]
    found = [_TRAILER.fullmatch(line) for line in last]
    return [(match[1], match[2]) for match in found if match] if all(found) else []
