"""The index of the plans: one line per plan file; all other lines are left as they are."""

import re

from reknit.core.planning.plan_file.plan import PlanFile, plan_name
from reknit.core.text.frontmatter import fences
from reknit.core.text.line_encoding import one_line
from reknit.core.text.markdown import plain

_LINK = re.compile(r"[ \t]*[-*+][ \t]+\[[^\]]*\]\((?:\./)?([^()]+)\)")
_UPDATED = re.compile(r"updated:.*?(\r?)")


def with_index_line(index_text: str, plan: PlanFile) -> str:
    """The index with the line of this plan, in the place of its earlier one; an empty index gets its fields first."""
    name = plan_name(plan.topic)
    line = f"- [{name}]({name}): {plain(one_line(plan.title))}; {plan.status}; updated {plan.updated}"
    if not index_text.strip("\ufeff \t\r\n"):
        return f"---\ntitle: Plans\nupdated: {plan.updated}\n---\n\n{line}\n"
    end = "\r\n" if "\r\n" in index_text else "\n"
    lines = index_text.split("\n")
    mine = [index for index, each in enumerate(lines) if _is_line_of(each, name)]
    for index in reversed(mine[1:]):
        del lines[index]
    if mine:
        lines[mine[0]] = line + ("\r" if lines[mine[0]].endswith("\r") else "")
        return "\n".join(_dated(lines, plan.updated))
    gap = "" if index_text.endswith("\n") else end
    return "\n".join(_dated(lines, plan.updated)) + f"{gap}{line}{end}"


def _is_line_of(line: str, name: str) -> bool:
    link = _LINK.match(line)
    return bool(link and link[1] == name)


def _dated(lines: list[str], updated: str) -> list[str]:
    """`updated` in its fields is the newest date of a plan."""
    found = fences([lines[0].removeprefix("\ufeff"), *lines[1:]])
    for index in range(found.first + 1, found.end):
        if (date := _UPDATED.fullmatch(lines[index])) and lines[index] < f"updated: {updated}":
            lines[index] = f"updated: {updated}{date[1]}"
    return lines
