"""The document has every field of a plan's context under its own name."""

import json

from reknit.core.forge.values import OpenIssue, OpenPull
from reknit.core.planning.context import CommitLine, Doc, InstalledAgent, Inventory, RepoContext
from reknit.core.planning.exploration.document import to_document

NAMES = (
    "GitRoot", "CurrentBranch", "Commits", "DefaultBranch", "OnDefaultBranch", "DocsPresent", "DocsStale",
    "DocsMissing", "PlansDir", "PlansIndexExists", "PlansIndexFM", "PlansFiles", "GHAuthenticated", "OpenPRs",
    "OpenIssues", "AIWelcomeIssues", "Inventory", "LangCounts", "GovernanceMissing",
)  # fmt: skip

CONTEXT = RepoContext(
    as_of="2026-11-17",
    branch="main",
    default_branch="main",
    commits=(CommitLine("0123456789ab", "fix: é", "Ann", "2026-11-16"),),
    changed=("a b.py",),
    docs=(Doc("README.md", (("status", "current"),)), Doc("docs/x.md", problem="it is not UTF-8 text")),
    docs_stale=("docs/x.md",),
    state_age_days=3,
    plans_index=True,
    plans_index_frontmatter=(("title", "Plans: all"),),
    plans=(".reknit/plans/a.md",),
    has_forge_login=True,
    pulls=(OpenPull(4, "Draft", "topic", draft=True, merge_state="dirty", red_checks=("ci",), files=2, lines=9),),
    issues=(OpenIssue(5, "One"), OpenIssue(6, "Two", ("bug", "AI-Welcome"))),
    inventory=Inventory((InstalledAgent("claude", "2.1.0", login=True),), "bubblewrap", ("pytest",), issues=((3, 12),)),
    languages=((".py", 7),),
    governance_missing=("LICENSE",),
    problems=("tests: none",),
)


def test_every_name_is_there_and_no_other_spelling() -> None:
    found = to_document(CONTEXT)
    assert [name for name in NAMES if name not in found] == []
    assert found["OnDefaultBranch"] is True
    assert found["OpenPRs"] == [
        {"Number": 4, "Title": "Draft", "Branch": "topic", "Draft": True, "MergeStatus": "dirty",
         "RedChecks": ["ci"], "Files": 2, "Lines": 9, "Labels": []}
    ]  # fmt: skip
    assert found["AIWelcomeIssues"] == [{"Number": 6, "Title": "Two", "Labels": ["bug", "AI-Welcome"]}]
    assert found["DocsPresent"] == [
        {"Path": "README.md", "Frontmatter": {"status": "current"}},
        {"Path": "docs/x.md", "Frontmatter": {}, "Problem": "it is not UTF-8 text"},
    ]
    assert (found["GitRoot"], found["PlansDir"], found["LangCounts"]) == (".", ".reknit/plans", {".py": 7})


def test_it_is_a_plain_tree() -> None:
    assert json.loads(json.dumps(to_document(CONTEXT))) == to_document(CONTEXT)
