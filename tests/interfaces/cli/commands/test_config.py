"""`reknit config` and `reknit init`."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.tools.command_line import Answer

Here = Callable[..., Answer]


def test_the_effective_configuration_is_shown_whole(here: Here, shop: Path) -> None:
    shown = json.loads(here("config", "show", cwd=shop).out)
    assert (shown["fixer"], shown["loop"]["attempts"], shown["box"]) == ("scripted", 3, "bubblewrap")


def test_a_configuration_is_validated_with_file_and_line(here: Here, shop: Path) -> None:
    assert here("config", "validate", cwd=shop) == Answer(0, "the configuration is valid\n", "")
    (shop / "reknit.toml").write_text("[loop]\nattempts = 0\n")
    wrong = here("config", "validate", cwd=shop)
    assert wrong.exit_code == 2
    assert "  --> reknit.toml:2\n" in wrong.err


def test_editors_get_a_schema(here: Here, shop: Path) -> None:
    schema = json.loads(here("config", "schema", cwd=shop).out)
    assert set(schema["properties"]) >= {"fixer", "box", "loop", "checks", "workspace", "agents"}
