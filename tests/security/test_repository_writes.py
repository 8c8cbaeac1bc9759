"""A repository that uses every setting it may set to reach for a file of the user's: reknit writes none of them."""

from pathlib import Path
from typing import Any

import pytest
import tomlkit

from reknit.app.config.load import load
from reknit.app.config.repository_settings import REPOSITORY_MAY_SET
from reknit.core.errors import UsageError
from tests.tools.operator_settings import EVERY, path_of
from tests.tools.repository_print import fingerprint
from tests.tools.review_scene import (
    ANSWER,
    COR,
    MEAN,
    SETTINGS,
    ReviewScene,
    confirms,
    mends,
    module,
    problem,
    says,
)  # fmt: skip
from tests.tools.setting_spellings import other_value

pytestmark = pytest.mark.security

LISTED, COMMANDS = ("projects", "services"), (".run", "setup")
OUTSIDE, PLAN = "outside/mark.txt", ".reknit/plans/x-advisor.md"


def hostile_values(scene: ReviewScene) -> tuple[str, ...]:
    """Ignored, linked, above, absolute, of git, a plan."""
    outside = (f"../{OUTSIDE}", str(scene.folder / OUTSIDE))
    return (".env", "secrets/key.txt", "secrets", "linked/mark.txt", "link", *outside, ".git/config", PLAN)


def is_text(name: str) -> bool:
    value = other_value(EVERY[name].annotation)
    return value == "host" or isinstance(value, list)


AGENTS = ("fixer", "fallback", "agent", "agents", "reviewers")
"""They name agents and reviewers: a value that is none of them is refused when the run starts."""
TEXTS = [name for name in REPOSITORY_MAY_SET if is_text(name) and name.split(".")[-1] not in AGENTS]


def with_setting(name: str, value: str) -> dict[str, Any]:
    """The settings of the scene and this one, as tables."""
    table: dict[str, Any] = tomlkit.parse(SETTINGS).unwrap()
    *folders, last = path_of(name.replace("projects.*.", "projects.").replace("services.*.", "services."))
    inner = table
    for key in folders:
        deeper: Any = inner.setdefault(key, [{}] if key in LISTED else {})
        inner = deeper[0] if isinstance(deeper, list) else deeper
    inner[last] = [value] if isinstance(other_value(EVERY[name].annotation), list) else value
    return table


def prepare(folder: Path) -> ReviewScene:
    scene = ReviewScene(folder, modules=1)
    (folder / OUTSIDE).parent.mkdir()
    (folder / OUTSIDE).write_text("outside")
    (scene.root / "link").symlink_to(folder / OUTSIDE)
    (scene.root / "linked").symlink_to(folder / "outside")
    scene.write({".gitignore": ".env\nsecrets/\n", PLAN: "a plan\n"})
    scene.commit("links")
    scene.write({".env": "KEY=1\n", "secrets/key.txt": "secret\n"})
    scene.tell([says(COR, problem(1)), confirms()], [mends(1)])
    return scene


def users_files(scene: ReviewScene) -> dict[str, str]:
    ours = ("tree:reknit.toml", "tree:PROGRESS.txt")
    return {name: text for name, text in fingerprint(scene.root).items() if name not in ours} | {
        str(path): path.read_text() for path in (scene.folder / "outside").iterdir()
    }


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    result = dict(one)
    for key, value in other.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def starts(scene: ReviewScene, table: dict[str, Any]) -> bool:
    """Whether a review can start with these settings."""
    (scene.root / "reknit.toml").write_text(tomlkit.dumps(table))
    try:
        load(scene.root, {}, scene.command.environment)
        scene.plan(COR, flags={"box": "bubblewrap"})
    except UsageError:
        return False
    return True


@pytest.mark.parametrize("is_command", [False, True], ids=["data", "commands"])
def test_no_setting_makes_a_review_write_a_file_that_a_repository_names(tmp_path: Path, *, is_command: bool) -> None:
    """Each setting with every value; those that are not refused go through a whole run together."""
    scene = prepare(tmp_path)
    before, table = users_files(scene), tomlkit.parse(SETTINGS).unwrap()
    accepted: list[str] = []
    for name in [name for name in TEXTS if name.endswith(COMMANDS) == is_command]:
        for value in hostile_values(scene):
            hostile = with_setting(name, value)
            if starts(scene, hostile) and starts(scene, merged(table, hostile)):
                table, accepted = merged(table, hostile), [*accepted, name]
                break
    assert len(accepted) > 1
    assert users_files(scene) == before
    scene.write({"reknit.toml": tomlkit.dumps(table)})
    scene.commit("hostile")
    scene.git("branch", "-q", "-f", "main")
    scene.write({module(1): f"{ANSWER}{MEAN}# more\n"})
    scene.commit("change")
    before = users_files(scene)
    print(accepted, scene.play(COR, flags={"box": "bubblewrap"}).ending)
    assert is_command or scene.progress.exists()
    assert users_files(scene) == before


def test_control_the_operator_can_name_the_file(tmp_path: Path) -> None:
    scene = prepare(tmp_path)
    before = users_files(scene)
    scene.tell([says(COR, problem(1)), confirms()], [mends(1)], review={"agent": "reader", "progress": "log.txt"})
    scene.play(COR, flags={"box": "bubblewrap"})
    after = users_files(scene)
    assert {path for path in after if before.get(path) != after[path]} == {"tree:log.txt"}
    scene.tell([says(COR, problem(1))], [mends(1)], review={"agent": "reader", "progress": ".env"})
    with pytest.raises(UsageError, match=r"'\.env' has other text than entries of reviews"):
        scene.plan(COR)
