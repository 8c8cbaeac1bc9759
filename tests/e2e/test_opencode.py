"""opencode as an agent, by the very recipe of the guide: the real program in the real box, against a scripted model."""

import os
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tools import agent_binaries
from tests.tools.command_line import Answer, CommandLine
from tests.tools.scripted_model import ScriptedModel, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "agents.md"
HEADING = "## opencode, or any other command"
CANARY = "sk-canary-REAL-key-52c8e0"
RESET_S = 3


def blocks_of_the_guide() -> tuple[str, str]:
    """The configuration and the price of the model, as the guide prints them."""
    section = GUIDE.read_text().partition(f"\n{HEADING}\n")[2].partition("\n## ")[0]
    configuration, price = re.findall(r"^```toml\n(.*?)^```", section, re.M | re.S)
    return configuration, price


def fix_tests(repository: Path, turns: Sequence[Turn]) -> tuple[Answer, ScriptedModel]:
    """Nothing of the recipe is changed but the address of the model; opencode is found on PATH, as a user's is."""
    configuration, price = blocks_of_the_guide()
    settings = tomllib.loads(configuration)
    agent, folder = settings["agents"]["opencode"], repository.parent
    prices = folder / "prices.toml"
    prices.write_text(price)
    path = f"{Path(agent_binaries.opencode()).parent}:{os.environ['PATH']}"
    reknit = CommandLine(folder, {"PATH": path, "REKNIT_PRICES": str(prices), agent["key_env"]: CANARY})
    with ScriptedModel(turns=turns) as model:
        agent["upstream"] = model.url
        reknit.configure(**settings)
        return reknit.run("fix", "tests", "--agent", "opencode", "--format", "json", cwd=repository), model


def repair(repository: Path) -> list[Turn]:
    file = f"{repository}/shop/pricing.py"
    change = {"oldString": "return price - percent", "newString": "return price * (1 - percent / 100)"}
    return [
        {"tools": [{"name": "read", "input": {"filePath": file}}]},
        {"tools": [{"name": "bash", "input": {"command": "env > /tmp/seen; cat /tmp/seen", "description": "look"}}]},
        {"tools": [{"name": "edit", "input": {"filePath": file, **change}}]},
        {"text": "Repaired."},
    ]


def outcomes(done: Answer) -> list[str]:
    return [attempt["outcome"] for attempt in done.ending["attempts"]]


def test_the_recipe_of_the_guide_repairs_a_repository(shop: Path) -> None:
    done, model = fix_tests(shop, repair(shop))
    assert (done.exit_code, done.ending["ending"], outcomes(done)) == (0, "FIXED", ["done"]), done.err
    assert done.ending["receipt"]["agent"] == "opencode"
    assert done.ending["spent_usd"] > 0
    assert {request.headers["authorization"] for request in model.log} == {f"Bearer {CANARY}"}
    transcripts = [path.read_bytes() for path in shop.parent.rglob("transcript.txt")]
    assert any(b"OPENCODE_CONFIG_CONTENT=" in said for said in transcripts), "its shell told what it sees in the box"
    files = [path for path in (shop.parent / "state").rglob("*") if path.is_file() and not path.is_symlink()]
    assert [path.name for path in files if CANARY.encode() in path.read_bytes()] == []


def test_a_limit_is_waited_out_and_uses_no_attempt(shop: Path) -> None:
    limit: Turn = {"status": 429, "error": "slow down", "headers": {"retry-after": str(RESET_S)}}
    done, model = fix_tests(shop, [limit, *repair(shop)])
    assert (done.exit_code, done.ending["ending"], outcomes(done)) == (0, "FIXED", ["done"]), done.err
    told = model.work[0].at
    assert [request.path for request in model.log if told < request.at < told + RESET_S] == []
