"""A bug with its own id in a repository with `frontend/` and `backend/`, repaired without configuration.

It is named by the path of its test, and repaired from outside and from inside a window.
"""

import json
import os
from pathlib import Path

import pytest

from tests.environment.fault_scene import Build, Scene, build
from tests.environment.test_services import install_browser, with_playwright
from tests.tools.command_line import Answer, CommandLine
from tests.tools.patience import scale
from tests.tools.stop_hook import stop_window

PYTEST_SPEC, PAGE_SPEC, UNIT_SPEC = (
    "backend/tests/test_cart.py",
    "frontend/e2e/page.spec.ts",
    "frontend/e2e/sum.spec.ts",
)
FILES = {
    ".gitignore": "node_modules\ntest-results\n",
    "backend/pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
    "backend/src/shop/cart.py": "def total(prices):\n    return sum(prices) - 1\n",
    PYTEST_SPEC: "from shop.cart import total\n\n\ndef test_total():\n    assert total([3, 4]) == 7\n",
    "frontend/package.json": json.dumps(
        {
            "name": "frontend",
            "scripts": {"start": "node server.js", "test": "ng test", "e2e": "playwright test"},
            "devDependencies": {"@playwright/test": "1.65.0"},
        }
    ),
    "frontend/playwright.config.ts": """\
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "./e2e",
  use: { baseURL: "http://127.0.0.1:4200" },
  webServer: { command: "npm start", url: "http://127.0.0.1:4200", reuseExistingServer: !process.env.CI },
});
""",
    "frontend/server.js": """\
const { total } = require("./src/cart.js");
const page = `<p id="total">${total([3, 4])}</p>`;
require("http").createServer((_, answer) => answer.end(page)).listen(4200, "127.0.0.1");
""",
    "frontend/src/cart.js": "exports.total = (prices) => prices.reduce((sum, price) => sum - price, 0);\n",
    PAGE_SPEC: """\
import { expect, test } from "@playwright/test";

test.describe("BUG-001", () => {
  test("the page shows the total", async ({ page }) => {
    await page.goto("/");
    await expect(page.locator("#total")).toHaveText("7", { timeout: 2000 });
  });
});
""",
    UNIT_SPEC: """\
import { expect, test } from "@playwright/test";
import { total } from "../src/cart.js";

test("the total of two", () => expect(total([3, 4])).toBe(7));
""",
}
RIGHT_PYTHON = {"backend/src/shop/cart.py": "def total(prices):\n    return sum(prices)\n"}
RIGHT_SCRIPT = {"frontend/src/cart.js": FILES["frontend/src/cart.js"].replace("sum - price", "sum + price")}


def stop(scene: Scene, cwd: Path, *, active: bool = False) -> tuple[int, str]:
    return stop_window(
        {**scene.command.environment, "CLAUDE_PROJECT_DIR": str(scene.repository)}, cwd, "w1", active=active
    )


def bug_state(scene: Scene) -> dict[str, object]:
    state: dict[str, object] = json.loads((scene.repository / ".claude/fix-state.json").read_text())
    return state


def write(repository: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (repository / name).write_text(text)


def test_pytest_in_the_backend_from_outside(scene: Build) -> None:
    made = scene(FILES)
    answer = made.repair(RIGHT_PYTHON, PYTEST_SPEC, "--bug", "BUG-002")
    assert (answer.exit_code, made.ending[0]) == (0, "FIXED"), answer
    assert "assert 6 == 7" in answer.err, "red by its assertion"
    state = json.loads(made.here("show", "--format", "state", cwd=made.repository).out)
    assert (state["bug_id"], state["test_path"], state["status"]) == ("BUG-002", PYTEST_SPEC, "FIXED")


@pytest.mark.parametrize("place", ["", "backend"])
def test_pytest_in_the_backend_from_inside(scene: Build, place: str) -> None:
    made = scene(FILES)
    (made.repository / ".claude").mkdir()
    where = made.repository / place
    armed = made.command.run("hook", "arm", "BUG-002", str(Path(PYTEST_SPEC).relative_to(place)), cwd=where)
    assert armed.out.startswith(f"BUG-002 is armed: {PYTEST_SPEC},"), armed
    code, text = stop(made, where)
    assert (code, "assert 6 == 7" in text, "ModuleNotFoundError" in text) == (2, True, False), text
    write(made.repository, RIGHT_PYTHON)
    assert stop(made, where, active=True) == (0, "SUCCESS: BUG-002 fixed on attempt 2\n")
    assert (bug_state(made)["status"], bug_state(made)["test_path"]) == ("FIXED", PYTEST_SPEC)


@pytest.fixture
def pages(tmp_path: Path, plain_bin: Path) -> Scene:
    """With a browser in the person's home. In a process of its own: one finds the browsers once."""
    command = CommandLine(tmp_path, {"PATH": f"{plain_bin}:{os.environ['PATH']}"})

    def run(*arguments: str, cwd: Path) -> Answer:
        child = command.start(*arguments, cwd=cwd)
        out, err = child.communicate(timeout=scale(500))
        return Answer(child.returncode, out, err)

    made = build(run, command, FILES)
    with_playwright(made.repository / "frontend")
    install_browser(Path(command.environment["HOME"]))
    return made


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_playwright_in_the_frontend_from_outside(pages: Scene) -> None:
    answer = pages.repair(RIGHT_SCRIPT, UNIT_SPEC, "--bug", "BUG-001")
    assert (answer.exit_code, pages.ending[0]) == (0, "FIXED"), answer
    state = json.loads(pages.here("show", "--format", "state", cwd=pages.repository).out)
    assert (state["bug_id"], state["test_path"], state["status"]) == ("BUG-001", UNIT_SPEC, "FIXED")


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_playwright_in_the_frontend_from_inside_with_a_real_page(pages: Scene) -> None:
    (pages.repository / ".claude").mkdir()
    armed = pages.command.run("hook", "arm", "BUG-001", PAGE_SPEC, cwd=pages.repository)
    assert armed.out.startswith(f"BUG-001 is armed: {PAGE_SPEC},"), armed
    code, text = stop(pages, pages.repository / "frontend")
    assert (code, 'unexpected value "-7"' in text) == (2, True), text
    assert text.startswith("RETRY: BUG-001 - Attempt 2 of 3\nStrategy: web_search\n"), text
    write(pages.repository, RIGHT_SCRIPT)
    assert stop(pages, pages.repository, active=True) == (0, "SUCCESS: BUG-001 fixed on attempt 2\n")
    assert (bug_state(pages)["status"], bug_state(pages)["test_path"]) == ("FIXED", PAGE_SPEC)
