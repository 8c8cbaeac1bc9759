"""Reads a diff for a page: by file, shortened to a number of bytes, without anything hidden or secret."""

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from reknit.core.text.format import pluralize, sanitize_line
from reknit.core.text.redact import escape_hidden, redact
from reknit.core.text.truncate import count_bytes

MAX_LINE_CHARS = 400
_LINE_BYTES = 8
_CLASSES = {"+": "add", "-": "del", "@": "hunk"}


@dataclass(frozen=True)
class FileDiff:
    """The change of one file, as far as it is shown."""

    path: str
    size: str
    """Number of lines: `+1 -2`."""
    blocks: tuple[tuple[str, str], ...]
    """(class, lines): add, del, hunk or same."""
    refusals: tuple[str, ...] = ()
    """Sentences of the rules that refused the change of this file."""


@dataclass(frozen=True)
class DiffView:
    """A diff as it is shown."""

    files: tuple[FileDiff, ...] = ()
    rest: str = ""
    """The amount that is left out; empty: nothing is."""


def shorten(text: str, most: int = 240) -> str:
    """Return untrusted text of any length as one short line."""
    return sanitize_line(text[: 4 * most], most)


def measure_html(text: str) -> int:
    """Return the size of the text in a page, in bytes."""
    return count_bytes(html.escape(text))


def view_diff(diff: str, most_bytes: int, refusals: Sequence[Mapping[str, str]] = ()) -> DiffView:
    """Return the first lines of a diff that fit."""
    text = redact(escape_hidden(diff[: most_bytes + MAX_LINE_CHARS]))
    lines: list[str] = []
    for line in text.splitlines():
        short = line[:MAX_LINE_CHARS] + ("…" if len(line) > MAX_LINE_CHARS else "")
        most_bytes -= measure_html(short) + _LINE_BYTES
        if most_bytes < 0:
            break
        lines.append(short)
    left_out = diff.count("\n") - len(lines)
    rest = f"{pluralize(left_out, 'more line')}" if left_out > 0 else ""
    return DiffView(tuple(_read_files(lines, refusals)), rest)


def _read_files(lines: Sequence[str], refusals: Sequence[Mapping[str, str]]) -> Iterator[FileDiff]:
    starts = [place for place, line in enumerate(lines) if line.startswith("diff --git ")]
    for start, end in pairwise([*starts, len(lines)]):
        part = lines[start:end]
        body = next((place for place, line in enumerate(part) if line.startswith("@@")), len(part))
        path = _read_path(part[:body])
        signs = [line[:1] for line in part[body:]]
        blocks = groupby(part[body:], key=lambda line: _CLASSES.get(line[:1], "same"))
        yield FileDiff(
            shorten(path),
            f"+{signs.count('+')} -{signs.count('-')}",
            tuple((kind, "\n".join(group)) for kind, group in blocks),
            tuple(shorten(f"{entry['rule']}: {entry['sentence']}") for entry in refusals[:20] if entry["path"] == path),
        )


def _read_path(header: Sequence[str]) -> str:
    """Return the path after the change; of a deleted file, the path before."""
    paths = [line[6:] for line in header if line.startswith(("--- a/", "+++ b/"))]
    return paths[-1] if paths else header[0].removeprefix("diff --git a/").partition(" b/")[0]
