"""The documents say what the code says: generated pages are current, links lead somewhere, commands exist."""

import re
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from scripts.draw_demo import PICTURE, demo_lines, stable
from scripts.generate_docs import ENDINGS, pages, stale, with_ending_checks

from reknit.app.config.repository_settings import REPOSITORY_MAY_SET
from reknit.core.agent_reports.tools import TOOLS
from reknit.core.runs.ending import EXIT_CODES
from reknit.interfaces.cli.main import cli

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
WRITTEN_BY_HAND = [path for path in DOCUMENTS if path.parent.name != "reference"]
ADRS = sorted((ROOT / "docs" / "adr").glob("*.md"))
LAYERS = "core|workflows|adapters|store|app|interfaces|prompts"


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def code_in(text: str) -> str:
    """Fenced blocks and inline code; prose that happens to start with `reknit` is no command."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    return "\n".join([*blocks, *spans])


def commands_in(text: str) -> set[str]:
    """`reknit fix tests` -> "fix tests"; a second word that is an argument does no harm to a plain command."""
    found = re.findall(r"(?<![\w/.-])reknit[ \t]+([a-z]+(?:[ \t]+[a-z]+)?)(?![\w-])", code_in(text))
    return {" ".join(words.split()) for words in found}


def is_known(words: str) -> bool:
    first, _, second = words.partition(" ")
    context = click.Context(cli)
    command = cli.get_command(context, first)
    if isinstance(command, click.Group) and second:
        return command.get_command(context, second) is not None
    return command is not None


def test_generated_pages_are_current() -> None:
    assert stale() == [], "run python -m scripts.generate_docs"


def test_a_changed_or_missing_page_is_stale(tmp_path: Path) -> None:
    made = pages()
    for name, text in made.items():
        (tmp_path / name).write_text(text)
    assert stale(tmp_path) == []
    (tmp_path / "cli.md").write_text(made["cli.md"] + "\n")
    (tmp_path / "config.md").unlink()
    assert stale(tmp_path) == ["cli.md", "config.md"]


def test_the_table_of_what_endings_rest_on_is_current() -> None:
    text = ENDINGS.read_text()
    assert with_ending_checks(text) == text, "run python -m scripts.generate_docs"
    assert "| `reknit fix issues` | `FIXED`, `PARTIAL`, `RESOLVED` |" in text


def test_every_command_has_its_help_in_the_reference() -> None:
    text = pages()["cli.md"]
    missing = [name for name in cli.list_commands(click.Context(cli)) if f"## `reknit {name}`" not in text]
    assert missing == []
    assert "## `reknit fix tests`" in text


def test_what_a_repository_may_set_is_in_the_reference() -> None:
    listed = dict(re.findall(r"^\| `(\S+)` .* \| ([^|]+) \|$", pages()["config.md"], re.M))
    assert (listed["box"], listed["agents.NAME.key_env"]) == ("nothing", "nothing")
    shown = {
        name.replace("NAME", "*").replace("[]", ".*"): words for name, words in listed.items() if words != "nothing"
    }
    assert {name: words for name, words in shown.items() if not name.isupper()} == REPOSITORY_MAY_SET


def test_every_field_of_a_report_is_in_the_reference() -> None:
    text = pages()["reports.md"]
    parts = dict(re.findall(r"^## `(\w+)`, for role `\w+`\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    listed = {name: re.findall(r"^\| `(\w+)` \|", part, re.M) for name, part in parts.items()}
    assert listed == {tool.name: [field.name for field in tool.fields] for role in TOOLS for tool in TOOLS[role]}


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_relative_links_lead_to_a_file(path: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", path.read_text())
    assert [target for target in targets if not (path.parent / target).exists()] == []


@pytest.mark.parametrize("path", WRITTEN_BY_HAND, ids=name_of)
def test_commands_that_are_named_exist(path: Path) -> None:
    assert sorted(words for words in commands_in(path.read_text()) if not is_known(words)) == []


def test_the_readme_names_commands_at_all() -> None:
    assert {"demo", "doctor", "fix tests"} <= commands_in((ROOT / "README.md").read_text())


@pytest.mark.parametrize("path", WRITTEN_BY_HAND, ids=name_of)
def test_source_files_that_are_named_exist(path: Path) -> None:
    named = re.findall(rf"`((?:{LAYERS})/[\w/.]+)`", path.read_text())
    assert [name for name in named if not (ROOT / "src" / "reknit" / name).exists()] == []


def test_the_endings_of_the_readme_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (\d+) \|", (ROOT / "README.md").read_text(), re.M)
    assert {word: int(code) for word, code in rows} == EXIT_CODES


def test_every_ending_is_explained() -> None:
    text = (ROOT / "docs" / "concepts" / "endings.md").read_text()
    assert [word for word in EXIT_CODES if f"`{word}`" not in text] == []


@pytest.mark.parametrize("path", ADRS, ids=name_of)
def test_a_decision_is_short_and_whole(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 60
    assert re.findall(r"^## (.+)$", text, re.M) == ["Context", "Decision", "Figures", "Consequences"]


def test_the_picture_of_the_readme_is_what_the_demo_prints() -> None:
    rows = ElementTree.parse(PICTURE).getroot().iter("{http://www.w3.org/2000/svg}text")
    drawn = [" ".join(span.text or "" for span in row) for row in rows]
    printed = [" ".join(line.split()) for line in stable(demo_lines()) if line]
    assert [" ".join(line.split()) for line in stable(drawn)] == printed, "run python scripts/draw_demo.py"
