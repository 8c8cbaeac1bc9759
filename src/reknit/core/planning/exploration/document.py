"""What was explored as a document, in the field names that plans have always used for it."""

from collections.abc import Sequence
from typing import TypeAlias

from reknit.core.forge.open_work import OpenIssue, OpenPull
from reknit.core.planning.context import Doc, Frontmatter, Inventory, RepoContext
from reknit.core.planning.plan_file.plan import PLANS

Tree: TypeAlias = "str | int | bool | list[Tree] | dict[str, Tree] | None"


def document(context: RepoContext) -> dict[str, Tree]:
    """Every path is relative to the top of the repository; where that is on this machine is not said."""
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
        "StatusKnown": context.status_known,
        "Commits": [
            {"Id": each.id, "Subject": each.subject, "Author": each.author, "Date": each.date}
            for each in context.commits
        ],
        "DocsPresent": [_doc(each) for each in context.docs],
        "DocsNotListed": context.docs_not_listed,
        "DocsStale": [*context.docs_stale],
        "DocsMissing": [*context.docs_missing],
        "StateAgeDays": context.state_age_days,
        "PlansDir": PLANS,
        "PlansIndexExists": context.plans_index,
        "PlansIndexFM": _mapped(context.plans_index_frontmatter),
        "PlansFiles": [*context.plans],
        "GHAuthenticated": context.forge_login,
        "ForgeProblem": context.forge_problem,
        "OpenPRs": [_pull(each) for each in context.pulls],
        "OpenIssues": _issues(context.issues),
        "AIWelcomeIssues": _issues(context.welcoming_issues),
        "OpenNotListed": context.not_listed,
        "Inventory": _inventory(context.inventory),
        "LangCounts": dict(context.languages),
        "GovernanceMissing": [*context.governance_missing],
        "Configured": context.configured,
        "Problems": [*context.problems],
    }


def _doc(doc: Doc) -> Tree:
    problem: dict[str, Tree] = {"Problem": doc.problem} if doc.problem else {}
    return {"Path": doc.path, "Frontmatter": _mapped(doc.frontmatter), **problem}


def _mapped(frontmatter: Frontmatter) -> Tree:
    return dict(frontmatter)


def _pull(pull: OpenPull) -> Tree:
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


def _issues(issues: Sequence[OpenIssue]) -> Tree:
    return [{"Number": each.number, "Title": each.title, "Labels": [*each.labels]} for each in issues]


def _inventory(inventory: Inventory) -> Tree:
    return {
        "Agents": [{"Name": each.name, "Version": each.version, "Login": each.login} for each in inventory.agents],
        "Box": inventory.box,
        "Tests": [*inventory.tests],
        "CI": inventory.ci,
        "Reviewers": [*inventory.reviewers],
        "AgentFiles": [*inventory.agent_files],
        "MCPServers": [*inventory.mcp_servers],
        "IssuesByPoints": {str(points): count for points, count in inventory.issues},
    }
