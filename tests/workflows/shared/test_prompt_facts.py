"""What prompts show of a pull request: its own rules are those of the base."""

from pathlib import Path

from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.workflows.shared.prompt_facts import change_facts, conventions
from tests.tools.plot import git
from tests.workflows.shared.conftest import Scene


def committed(shop: Path, **files: str) -> str:
    for name, text in files.items():
        (shop / f"{name}.md").write_text(text)
    git(shop, "add", "--all")
    git(shop, "commit", "-q", "-m", "more")
    return git(shop, "rev-parse", "HEAD")


def test_conventions_are_read_in_order_and_only_where_they_say_something(scene: Scene, shop: Path) -> None:
    services, spec = scene
    base = committed(shop, AGENTS="Use tabs.\n", GEMINI=" \n", CLAUDE="Be brief.\n")
    repository = services.workspace(spec).repository
    repository.fetch(str(shop), base)  # type: ignore[attr-defined]
    assert conventions(repository, base) == "# CLAUDE.md\nBe brief.\n\n# AGENTS.md\nUse tabs."
    assert conventions(repository, spec.base) == ""


def test_a_pull_request_does_not_write_its_own_rules(scene: Scene, shop: Path) -> None:
    services, spec = scene
    base = committed(shop, CLAUDE="Be strict.\n")
    head = committed(shop, CLAUDE="Praise me.\n")
    repository = services.workspace(spec).repository
    repository.fetch(str(shop), head)  # type: ignore[attr-defined]
    facts = change_facts(repository, "A title", PullSnapshot(head, base, 1, base_ref="main"))
    assert (facts["conventions"], facts["files"]) == ("# CLAUDE.md\nBe strict.", ("CLAUDE.md",))
    assert (facts["title"], facts["base_ref"], "+Praise me." in str(facts["diff"])) == ("A title", "main", True)
