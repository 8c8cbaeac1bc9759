"""The files in a repository that show other tools where a loop is. Edited, they change nothing; no run has them."""

FOLDER = ".claude"
BUG_STATE = f"{FOLDER}/fix-state.json"
PULL_STATE = f"{FOLDER}/fix-pr-state.json"
EXPORTS = (
    BUG_STATE,
    PULL_STATE,
    f"{FOLDER}/fix-pr.local.md",
    *(f"{FOLDER}/fix-pr-check-{check}.json" for check in ("review", "tests", "ci")),
)
