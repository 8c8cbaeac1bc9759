"""Facts about a pull request that prompts show."""

from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.repository.diff_excerpt import cut_diff
from reknit.ports.repository import TrustedRepository

CONVENTIONS = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")


CONVENTIONS_BYTES = 4_000


DIFF_BYTES = 60_000
"""Limit on the diff in the prompt; a reader can open every file."""


def conventions(repository: TrustedRepository, base: str) -> str:
    """Read from the base, never from the head: a pull request must not write its own rules."""
    found = [(name, repository.read(base, name).strip()) for name in CONVENTIONS]
    kept_text = "\n\n".join(f"# {name}\n{text}" for name, text in found if text)
    return kept_text.encode()[:CONVENTIONS_BYTES].decode("utf-8", "ignore")


def change_facts(repository: TrustedRepository, title: str, snapshot: PullSnapshot) -> dict[str, object]:
    """What every reader of a pull request is given."""
    return {
        "title": title,
        "base_ref": snapshot.base_ref,
        "diff": cut_diff(repository.diff(snapshot.base, snapshot.head), DIFF_BYTES),
        "conventions": conventions(repository, snapshot.base),
        "files": repository.change(snapshot.base, snapshot.head).paths,
    }
