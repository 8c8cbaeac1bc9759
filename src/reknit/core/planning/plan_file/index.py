"""Reads and updates the index of the plans: one line per plan file; all other lines stay."""

import posixpath
import re

from reknit.core.planning.plan_file.plan import INDEX, PLANS, PlanFile, plan_name
from reknit.core.text.forge_text import escape_markdown
from reknit.core.text.frontmatter import find_fences
from reknit.core.text.line_encoding import encode_line

_LINK = re.compile(r"[ \t]*[-*+][ \t]+\[[^\]]*\]\((?:\./)?([^()]+)\)")
_UPDATED = re.compile(r"updated:.*?(\r?)")
MAX_PLANS = 200
_MARKDOWN_LINK = re.compile(r"\]\(\s{0,3}<?([^()<>\s#]{1,200}\.md)(?:#[^()\s]{0,200})?>?\s{0,3}(?:\"[^\"]{0,200}\")?\)")
_NAMED = re.compile(r"(?<![^\s`\[(|])([\w][\w./-]{0,200}\.md)(?![\w/-])")


def update_index(index_text: str, plan: PlanFile) -> str:
    """Return the index with the line of this plan in place of its earlier one; an empty index gets its fields first."""
    name = plan_name(plan.topic)
    line = f"- [{name}]({name}): {escape_markdown(encode_line(plan.title))}; {plan.status}; updated {plan.updated}"
    if not index_text.strip("\ufeff \t\r\n"):
        return f"---\ntitle: Plans\nupdated: {plan.updated}\n---\n\n{line}\n"
    end = "\r\n" if "\r\n" in index_text else "\n"
    lines = index_text.split("\n")
    mine = [index for index, line in enumerate(lines) if _is_line_of(line, name)]
    for index in reversed(mine[1:]):
        del lines[index]
    if mine:
        lines[mine[0]] = line + ("\r" if lines[mine[0]].endswith("\r") else "")
        return "\n".join(_update_date(lines, plan.updated))
    gap = "" if index_text.endswith("\n") else end
    return "\n".join(_update_date(lines, plan.updated)) + f"{gap}{line}{end}"


def _is_line_of(line: str, name: str) -> bool:
    link = _LINK.match(line)
    return bool(link and link[1] == name)


def _update_date(lines: list[str], updated: str) -> list[str]:
    """Set `updated` in the fields to the newest date of a plan."""
    fence = find_fences([lines[0].removeprefix("\ufeff"), *lines[1:]])
    for index in range(fence.first + 1, fence.end):
        if (date := _UPDATED.fullmatch(lines[index])) and lines[index] < f"updated: {updated}":
            lines[index] = f"updated: {updated}{date[1]}"
    return lines


def find_references(text: str) -> tuple[str, ...]:
    """Return the Markdown files in the plans' folder that links and lines name, from the top of the repository."""
    names = {*_MARKDOWN_LINK.findall(text), *_NAMED.findall(text)}
    paths = {_resolve_in_folder(name) for name in names} - {"", INDEX}
    return tuple(sorted(paths)[:MAX_PLANS])


def _resolve_in_folder(name: str) -> str:
    """Return the path of a name, which is relative to the index or to the top. Empty: it leads elsewhere."""
    relative_path = name if name.startswith(f"{PLANS}/") else f"{PLANS}/{name}"
    path = posixpath.normpath(relative_path)
    is_elsewhere = name.startswith("/") or "://" in name or not path.startswith(f"{PLANS}/")
    return "" if is_elsewhere else path
