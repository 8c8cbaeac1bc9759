"""The files that the index of the plans refers to."""

import posixpath
import re

from reknit.core.planning.plan_file.plan import INDEX, PLANS

MOST_PLANS = 200
_LINK = re.compile(r"\]\(\s{0,3}<?([^()<>\s#]{1,200}\.md)(?:#[^()\s]{0,200})?>?\s{0,3}(?:\"[^\"]{0,200}\")?\)")
_NAMED = re.compile(r"(?<![^\s`\[(|])([\w][\w./-]{0,200}\.md)(?![\w/-])")


def references(text: str) -> tuple[str, ...]:
    """Markdown files that its links and lines name, from the top of the repository; only those in the plans' folder."""
    names = {*_LINK.findall(text), *_NAMED.findall(text)}
    paths = {_in_folder(name) for name in names} - {"", INDEX}
    return tuple(sorted(paths)[:MOST_PLANS])


def _in_folder(name: str) -> str:
    """A name in the index is relative to it, or to the top of the repository. Empty: it leads elsewhere."""
    written = name if name.startswith(f"{PLANS}/") else f"{PLANS}/{name}"
    path = posixpath.normpath(written)
    is_elsewhere = name.startswith("/") or "://" in name or not path.startswith(f"{PLANS}/")
    return "" if is_elsewhere else path
