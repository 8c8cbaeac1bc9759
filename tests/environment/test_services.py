"""Services beside the tests, through the whole loop: with them a bug is fixed, without them the lack is named."""

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.environment.fault_scene import Build, Scene, build
from tests.tools.command_line import Answer, CommandLine
from tests.tools.patience import scale
from tests.tools.plain_python import plain_python

ROOT = Path(__file__).parent.parent.parent
AGENT = """\
import json, pathlib, subprocess, sys
print(sys.stdin.read())
for command in json.loads(sys.argv[2]):
    print(subprocess.run(command, shell=True, capture_output=True, text=True))
for path, text in json.loads(sys.argv[1]).items():
    pathlib.Path(path).write_text(text)
"""
"""Prints its task, runs commands in its box, then writes its fix."""

SERVER = """\
import http.server


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{page}")


http.server.HTTPServer(("127.0.0.1", 8000), Page).serve_forever()
"""
FETCHES = """\
import urllib.request


def test_page():
    assert urllib.request.urlopen("http://127.0.0.1:8000/").read() == b"right"
"""
OWN_SERVER = '[[services]]\nrun = "python3 server.py"\nready = 8000\nready_s = 20\n'


def told(answer: Answer) -> str:
    return " ".join((answer.out + answer.err).split())


def repair(scene: Scene, fix: Mapping[str, str], *commands: str) -> Answer:
    agent = {"kind": "any_command", "command": ["python3", "-c", AGENT, json.dumps(fix), json.dumps(commands)]}
    scene.command.configure(fixer="mine", agents={"mine": agent})
    return scene.here("fix", "tests", cwd=scene.repository)


def transcripts(scene: Scene) -> str:
    return "".join(path.read_text() for path in (scene.command.folder / "state").rglob("transcript.txt"))


def test_a_bug_of_the_projects_own_server_is_fixed(scene: Build) -> None:
    files = {"server.py": SERVER.format(page="wrong"), "test_page.py": FETCHES, "reknit.toml": OWN_SERVER}
    made = scene(files)
    fetch = "python3 -m pytest -q test_page.py; cat /tmp/services/1.log"
    answer = repair(made, {"server.py": SERVER.format(page="right")}, fetch)
    assert (answer.exit_code, made.ending[0]) == (0, "FIXED"), told(answer)
    assert "b'wrong'" in transcripts(made), "the agent's box has the server, too"
    assert '"GET / HTTP/1.1" 200' in transcripts(made), "and its log"


def test_a_server_that_does_not_start_reaches_the_agent_with_its_output(scene: Build) -> None:
    broken = SERVER.format(page="right").replace("HTTPServer", "HttpServer")
    made = scene({"server.py": broken, "test_page.py": FETCHES, "reknit.toml": OWN_SERVER})
    answer = repair(made, {"server.py": SERVER.format(page="right")}, "tail -n 1 /tmp/services/1.log")
    assert (answer.exit_code, made.ending[0]) == (0, "FIXED"), told(answer)
    assert "the service `python3 server.py` ended with exit code 1 before it was ready" in transcripts(made)
    assert "has no attribute 'HttpServer'" in transcripts(made)
    assert "this service did not become ready" in transcripts(made), "its box starts all the same"


def test_a_server_that_is_still_broken_is_never_green(scene: Build) -> None:
    broken = SERVER.format(page="right").replace("HTTPServer", "HttpServer")
    made = scene({"server.py": broken, "test_page.py": FETCHES, "reknit.toml": OWN_SERVER})
    answer = repair(made, {"server.py": broken + "\n"})
    assert (answer.exit_code, made.ending[0]) != (0, "FIXED"), told(answer)
    assert made.ending[0] not in ("FIXED", "CLEAN")


@pytest.mark.parametrize("ending", ["sys.exit(96)", 'print(\'{"number": 0, "exit_code": 1}\') or sys.exit(96)'])
def test_tests_that_look_like_a_broken_service_are_tests(scene: Build, ending: str) -> None:
    made = scene(
        {
            "server.py": SERVER.format(page="right"),
            "check.py": f"import sys\nimport value\nif value.is_wrong:\n    {ending}\n",
            "value.py": "is_wrong = True\n",
            "reknit.toml": OWN_SERVER + '[checks.tests]\nrun = "python3 check.py"\n',
        }
    )
    answer = repair(made, {"value.py": "is_wrong = False\n"})
    assert (answer.exit_code, made.ending[0]) == (0, "FIXED"), told(answer)


def test_a_server_of_the_machine_that_does_not_start_is_the_environments_fault(scene: Build) -> None:
    made = scene({"test_a.py": "def test_a():\n    assert 0\n", "reknit.toml": '[[services]]\nrun = "redis-server"\n'})
    fake = made.command.folder / "fake"
    fake.mkdir()
    (fake / "redis-server").write_text("#!/bin/sh\necho 'Fatal: no such option' >&2\nexit 1\n")
    (fake / "redis-server").chmod(0o755)
    command = CommandLine(made.command.folder, {"PATH": f"{fake}:{made.command.environment['PATH']}"})
    made = Scene(command.run, command, made.repository)
    answer = made.repair({})
    assert (made.agent_calls, answer.exit_code, *made.ending) == (0, 1, "BLOCKED", "environment"), told(answer)
    assert "the service `redis-server` ended with exit code 1 before it was ready" in told(answer)
    assert "it printed: Fatal: no such option" in told(answer)


def test_a_server_that_is_not_installed_is_named_before_anything_runs(scene: Build) -> None:
    made = scene({"test_a.py": "def test_a():\n    assert 0\n", "reknit.toml": '[[services]]\nrun = "nats-server"\n'})
    answer = made.repair({})
    assert (made.agent_calls, answer.exit_code) == (0, 2), told(answer)
    assert "error[not-installed]: nats-server is not installed, and a service needs it" in answer.err
    assert "apt install nats-server" in answer.err
    assert "apt install nats-server" in made.here("doctor", cwd=made.repository).out


@pytest.fixture(scope="session")
def python_with_psycopg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plain_python(tmp_path_factory.mktemp("psycopg") / "python", "psycopg", "psycopg-binary", "typing-extensions")


ORDERS = {
    "shop.py": "def total(orders):\n    return orders.execute('select count(price) from orders').fetchone()[0]\n",
    "test_shop.py": """\
import os

import psycopg

from shop import total


def test_total():
    url = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")
    with psycopg.connect(url) as orders:
        orders.execute("create temp table orders (price int)")
        orders.execute("insert into orders values (3), (4)")
        assert total(orders) == 7
""",
}
SUMS = {"shop.py": ORDERS["shop.py"].replace("count", "sum")}


def in_own_process(command: CommandLine) -> Build:
    """Not in this one: a process finds the user's browsers and programs once, and each test has others."""

    def run(*arguments: str, cwd: Path) -> Answer:
        child = command.start(*arguments, cwd=cwd)
        out, err = child.communicate(timeout=scale(500))
        return Answer(child.returncode, out, err)

    return lambda files, prepare=None: build(run, command, files, prepare)


@pytest.fixture
def shop(tmp_path: Path, python_with_psycopg: Path) -> Build:
    return in_own_process(CommandLine(tmp_path, {"PATH": f"{python_with_psycopg}:{os.environ['PATH']}"}))


@pytest.fixture
def site(tmp_path: Path) -> Build:
    return in_own_process(CommandLine(tmp_path))


@pytest.mark.e2e
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "settings",
    [
        '[[services]]\nrun = "postgres"\n',
        '[[services]]\nrun = "postgres"\nenv = { DATABASE_URL = "postgresql://shop:secret@localhost:5444/orders" }\n',
    ],
)
def test_a_suite_that_needs_postgres(shop: Build, settings: str) -> None:
    made = shop({**ORDERS, "reknit.toml": settings})
    answer = repair(made, SUMS, "python3 -m pytest -q test_shop.py")
    assert len(settings.splitlines()) <= 4
    assert (answer.exit_code, made.ending[0]) == (0, "FIXED"), told(answer)
    assert "assert 2 == 7" in transcripts(made), "the agent's box has the database, too"


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_without_postgres_the_run_and_the_doctor_name_it(shop: Build) -> None:
    made = shop(ORDERS)
    answer = made.repair(SUMS)
    assert (made.agent_calls, answer.exit_code, *made.ending) == (0, 1, "BLOCKED", "environment"), told(answer)
    doctor = made.here("doctor", cwd=made.repository)
    assert doctor.exit_code == 5
    for said in (told(answer), told(doctor)):
        assert "PostgreSQL is not running where the tests run" in said
        assert 'in reknit.toml: services = [{ run = "postgres" }]' in said


PAGE = {
    "server.js": """\
const { price } = require("./price.js");
require("http").createServer((_, answer) => answer.end(`<p id="price">${price(3)}</p>`)).listen(3000, "127.0.0.1");
""",
    "price.js": "exports.price = (count) => count + 2;\n",
    "page.spec.js": """\
const { test, expect } = require("@playwright/test");

test("the price of three", async ({ page }) => {
  await page.goto("http://127.0.0.1:3000/");
  await expect(page.locator("#price")).toHaveText("6", { timeout: 2000 });
});
""",
    "playwright.config.js": "module.exports = { testMatch: /.*\\.spec\\.js/ };\n",
    "package.json": json.dumps(
        {
            "name": "shop",
            "scripts": {"dev": "node server.js", "test": "playwright test"},
            "devDependencies": {"@playwright/test": "1.65.0"},
        }
    ),
    ".gitignore": "node_modules\n",
}
TIMES = {"price.js": PAGE["price.js"].replace("+", "*")}


def with_playwright(repository: Path) -> None:
    packages = ROOT / "node_modules"
    assert (packages / "@playwright/test").exists(), "make agents"
    for name in ("@playwright/test", "playwright", "playwright-core"):
        shutil.copytree(packages / name, repository / "node_modules" / name, symlinks=True)
    (repository / "node_modules/.bin").mkdir()
    (repository / "node_modules/.bin/playwright").symlink_to("../@playwright/test/cli.js")


def install_browser(home: Path) -> None:
    """As `playwright install` does it, but with the browser of the machine."""
    assert shutil.which("chromium"), "apt install chromium"
    known = (ROOT / "node_modules/playwright-core/browsers.json").read_text()
    revision = re.search(r'"chromium-headless-shell",\s+"revision": "(\d+)"', known)
    assert revision
    folder = home / f".cache/ms-playwright/chromium_headless_shell-{revision[1]}"
    program = folder / "chrome-headless-shell-linux64/chrome-headless-shell"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nexec /usr/bin/chromium --headless "$@"\n')
    program.chmod(0o755)
    (folder / "INSTALLATION_COMPLETE").touch()


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_a_suite_that_needs_a_server_and_a_browser(site: Build) -> None:
    settings = '[[services]]\nrun = "npm run dev"\nready = 3000\n'
    made = site({**PAGE, "reknit.toml": settings}, with_playwright)
    install_browser(Path(made.command.environment["HOME"]))
    answer = repair(made, TIMES, "npx playwright test")
    assert len(settings.splitlines()) <= 4
    assert (answer.exit_code, made.ending[0]) == (0, "FIXED"), told(answer)
    assert 'unexpected value "5"' in transcripts(made), "the agent's box has the server and the browser, too"


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_without_the_server_the_run_and_the_doctor_name_it(site: Build) -> None:
    made = site(PAGE, with_playwright)
    install_browser(Path(made.command.environment["HOME"]))
    answer = made.repair(TIMES)
    assert (made.agent_calls, answer.exit_code, *made.ending) == (0, 1, "BLOCKED", "environment"), told(answer)
    doctor = made.here("doctor", cwd=made.repository)
    assert doctor.exit_code == 5
    for said in (told(answer), told(doctor)):
        assert "nothing listens on port 3000, where the tests open a page" in said
        assert 'services = [{ run = "npm run dev", ready = 3000 }]' in said


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_without_the_browser_the_run_and_the_doctor_name_it(site: Build) -> None:
    made = site({**PAGE, "reknit.toml": '[[services]]\nrun = "npm run dev"\nready = 3000\n'}, with_playwright)
    answer = made.repair(TIMES)
    assert (made.agent_calls, answer.exit_code, *made.ending) == (0, 1, "BLOCKED", "environment"), told(answer)
    doctor = made.here("doctor", cwd=made.repository)
    assert doctor.exit_code == 5
    for said in (told(answer), told(doctor)):
        assert "the browser that the tests drive is not installed" in said
