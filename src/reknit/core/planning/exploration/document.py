"""Renders the explored repository as a document in compact YAML, with the field names that plans have always used."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from reknit.core.forge.values import OpenIssue, OpenPull
from reknit.core.planning.context import Doc, Inventory, RepoContext
from reknit.core.planning.plan_file.plan import PLANS
from reknit.core.text.truncate import count_bytes, divide_fairly

Tree: TypeAlias = "str | int | bool | list[Tree] | dict[str, Tree] | None"
LEFT_OUT = "LeftOut"
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./@+-]*+(?: [A-Za-z0-9_./@+-]++)*+")
_OTHER_MEANING = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""YAML has them only as escapes."""
_NOTE_BYTES = 20
"""Reserve for the count of lost entries, beside the section's name."""


def to_document(context: RepoContext) -> dict[str, Tree]:
    """Return the document.

    Every path is relative to the top of the repository, so it names no folder of this machine.
    """
    return {
        "AsOf": context.as_of,
        "GitRoot": ".",
        "CurrentBranch": context.branch,
        "DefaultBranch": context.default_branch,
        "DefaultBranchProblem": context.default_branch_problem,
        "OnDefaultBranch": context.on_default_branch,
        "BranchFiles": context.branch_files,
        "BranchLines": context.branch_lines,
        "Status": [*context.changed],
        "StatusKnown": context.has_status,
        "Commits": [
            {"Id": commit.id, "Subject": commit.subject, "Author": commit.author, "Date": commit.date}
            for commit in context.commits
        ],
        "DocsPresent": [_doc_tree(doc) for doc in context.docs],
        "DocsNotListed": context.omitted_docs,
        "DocsStale": [*context.docs_stale],
        "DocsMissing": [*context.docs_missing],
        "StateAgeDays": context.state_age_days,
        "PlansDir": PLANS,
        "PlansIndexExists": context.plans_index,
        "PlansIndexFM": dict(context.plans_index_frontmatter),
        "PlansFiles": [*context.plans],
        "GHAuthenticated": context.has_forge_login,
        "ForgeProblem": context.forge_problem,
        "OpenPRs": [_pull_tree(pull) for pull in context.pulls],
        "OpenIssues": _issue_trees(context.issues),
        "AIWelcomeIssues": _issue_trees(context.welcoming_issues),
        "OpenNotListed": context.omitted_work,
        "Inventory": _inventory_tree(context.inventory),
        "LangCounts": dict(context.languages),
        "GovernanceMissing": [*context.governance_missing],
        "Configured": context.is_configured,
        "Problems": [*context.problems],
    }


def _doc_tree(doc: Doc) -> Tree:
    problem: dict[str, Tree] = {"Problem": doc.problem} if doc.problem else {}
    return {"Path": doc.path, "Frontmatter": dict(doc.frontmatter), **problem}


def _pull_tree(pull: OpenPull) -> Tree:
    return {
        "Number": pull.number,
        "Title": pull.title,
        "Branch": pull.branch,
        "Draft": pull.draft,
        "MergeStatus": pull.merge_state,
        "RedChecks": [*pull.red_checks],
        "Files": pull.files,
        "Lines": pull.lines,
        "Labels": [*pull.labels],
    }


def _issue_trees(issues: Sequence[OpenIssue]) -> Tree:
    return [{"Number": issue.number, "Title": issue.title, "Labels": [*issue.labels]} for issue in issues]


def _inventory_tree(inventory: Inventory) -> Tree:
    return {
        "Agents": [{"Name": agent.name, "Version": agent.version, "Login": agent.login} for agent in inventory.agents],
        "Box": inventory.box,
        "Tests": [*inventory.tests],
        "CI": inventory.ci,
        "Reviewers": [*inventory.reviewers],
        "AgentFiles": [*inventory.agent_files],
        "MCPServers": [*inventory.mcp_servers],
        "IssuesByPoints": {str(points): count for points, count in inventory.issues},
    }


def to_yaml(tree: Mapping[str, Tree], most_bytes: int = 0) -> str:
    """Render a tree in at most `most_bytes`, if given: long lists are cut, and `LeftOut` counts the lost entries.

    Only entries of lists and maps are cut, so a limit below a few KB may not be kept.
    """
    sections = list(_split_sections(tree))
    if most_bytes and sum(count_bytes(section.text) for section in sections) > most_bytes:
        _cut_sections(sections, most_bytes)
    lost: dict[str, Tree] = {section.name: section.lost for section in sections if section.lost}
    note = f"{LEFT_OUT}: {_render_flow(lost)}\n" if lost else ""
    return "".join(section.text for section in sections) + note


class _Section:
    """A name of the document with the value beside it, or with the lines below it."""

    def __init__(self, path: tuple[str, ...], beside: str, lines: Iterable[str] = ()) -> None:
        """Render the lines below a name. `beside`: the value that stands there if there are no lines."""
        indent = "  " * (len(path) - 1)
        self.name, self.lost, self._beside = ".".join(path), 0, beside
        self._label = f"{indent}{_render_scalar(path[-1])}:"
        self.lines = [f"{indent}{line}\n" for line in lines]

    @property
    def head(self) -> str:
        return f"{self._label}\n" if self.lines or not self._beside else f"{self._label} {self._beside}\n"

    @property
    def text(self) -> str:
        return self.head + "".join(self.lines)

    def cut(self, most_bytes: int) -> None:
        count = size = 0
        for line in self.lines:
            size += count_bytes(line)
            if size > most_bytes:
                break
            count += 1
        self.lost = len(self.lines) - count
        del self.lines[count:]


def _cut_sections(sections: list[_Section], most_bytes: int) -> None:
    lists = [section for section in sections if section.lines]
    fixed = sum(count_bytes(section.head) for section in sections) + count_bytes(LEFT_OUT)
    notes = sum(count_bytes(section.name) + _NOTE_BYTES for section in lists)
    sizes = [sum(map(count_bytes, section.lines)) for section in lists]
    for section, share in zip(lists, divide_fairly(sizes, max(most_bytes - fixed - notes, 0)), strict=True):
        section.cut(share)


def _split_sections(tree: Mapping[str, Tree], above: tuple[str, ...] = ()) -> Iterator[_Section]:
    """Yield one section per name. A map that has lists, such as the inventory, is one section per name in it."""
    for key, value in tree.items():
        path = (*above, key)
        if isinstance(value, dict) and any(isinstance(inner, list) for inner in value.values()):
            yield _Section(path, "")
            yield from _split_sections(value, path)
        elif isinstance(value, dict):
            yield _Section(
                path, "{}", (f"  {_render_scalar(inner)}: {_render_flow(entry)}" for inner, entry in value.items())
            )
        elif isinstance(value, list):
            yield _Section(path, "[]", (f"- {_render_flow(entry)}" for entry in value))
        else:
            yield _Section(path, _render_scalar(value))


def _render_flow(value: Tree) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_render_flow, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_render_scalar(name)}: {_render_flow(inner)}' for name, inner in value.items())}}}"
    return _render_scalar(value)


def _render_scalar(value: str | int | bool | None) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _OTHER_MEANING:
        return value
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
