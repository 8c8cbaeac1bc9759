"""Packages with three bugs each; a bug is repaired alone, by taking it back and by other right code."""

from collections.abc import Callable
from pathlib import Path

from tests.realworld.python_projects import INSTALL, PYTEST, VENV
from tests.realworld.real_project import Bug, RealProject
from tests.realworld.sources import Npm, PyPI

NPM_INSTALL = "npm install --no-package-lock --no-audit --no-fund --silent --ignore-scripts"
IGNORE = "echo '*' > .venv/.gitignore"
COVERAGE = "pytest-cov==5.0.0"


def _find_tests_py(root: Path) -> None:
    """Name the one test module, as the project's Makefile does, without a test that fails on a busy machine."""
    flaky = "humanfriendly/tests.py::HumanFriendlyTestCase::test_timer"
    (root / "pytest.ini").write_text(f"[pytest]\npython_files = tests.py\naddopts = --deselect {flaky}\n")


Change = Callable[[Path], None]


def build_python(
    source: PyPI, shape: str, bugs: tuple[Bug, ...] = (), packages: str = "", change: Change | None = None
) -> RealProject:
    """Return a project with its environment; releases that take their version from the history are told it."""
    install = f"SETUPTOOLS_SCM_PRETEND_VERSION={source.version} {INSTALL} -e . {PYTEST} {packages}"
    return RealProject(source.name, shape, {".": source}, bugs, (VENV, IGNORE, install), change)


def build_npm(source: Npm, shape: str, bugs: tuple[Bug, ...] = ()) -> RealProject:
    """Return a project with its packages."""
    return RealProject(source.name.rpartition("/")[2], shape, {".": source}, bugs, (NPM_INSTALL,))


def _break(path: str, *texts: tuple[str, str, str]) -> tuple[Bug, ...]:
    """Return a bug for each right, wrong and rewritten text."""
    return tuple(Bug(path, right, wrong, repair=rewritten) for right, wrong, rewritten in texts)


INJECTED_BUGS = (
    build_python(
        PyPI("parse", "1.22.4"),
        "one module, coverage in the settings",
        _break(
            "parse/__init__.py",
            (
                "return float(string[:-1]) / 100.0",
                "return float(string[:-1])",
                'number, _, _ = string.partition("%")\n    return float(number) / 100',
            ),
            (
                'elif am == "PM":\n            H += 12',
                'elif am == "PM":\n            H += 11',
                'elif am == "PM":\n            H = H % 12 + 12',
            ),
            ('u = int(u.ljust(6, "0")[:6])', "u = int(u[:6])", 'u = int("{:0<6.6}".format(u))'),
        ),
        COVERAGE,
    ),
    build_python(
        PyPI("humanfriendly", "10.0"),
        "its tests are a module of the package, beside one that it offers to the tests of its users",
        _break(
            "humanfriendly/testing.py",
            ("returncode = e.code", "returncode = str(e)", "returncode = getattr(e, 'code', 1)"),
        )
        + _break(
            "humanfriendly/text.py",
            (
                "    if len(items) > 1:\n        final_item",
                "    if len(items) > 2:\n        final_item",
                "    if not items:\n        return ''\n    if items[1:]:\n        final_item",
            ),
        )
        + _break(
            "humanfriendly/__init__.py",
            (
                "if len(tokens) == 1 or normalized_unit.startswith('b'):",
                "if len(tokens) == 1:",
                "if not tokens[1:] or normalized_unit.startswith('b'):",
            ),
        ),
        "capturer==3.0 coloredlogs==15.0.1 docutils==0.21.2 mock==5.1.0",
        _find_tests_py,
    ),
    build_python(
        PyPI("pyflakes", "4.1.0"),
        "unittest in a folder `test` of the package",
        _break(
            "pyflakes/checker.py",
            ("getNodeName(node) == 'NotImplemented'", "getNodeName(node) == 'Any'", "node.id == 'NotImplemented'"),
            (
                "            super().redefines(other) or\n            (isinstance(other, Assignment)",
                "            super().redefines(other) and\n            (isinstance(other, Assignment)",
                "            Binding.redefines(self, other) or\n            (isinstance(other, Assignment)",
            ),
        )
        + _break(
            "pyflakes/reporter.py",
            ("line = text.splitlines()[-1]", "line = text.splitlines()[0]", "*_, line = text.splitlines()"),
        ),
    ),
    build_python(
        PyPI("iniconfig", "2.3.1"),
        "src layout, tests in a folder `testing`",
        _break(
            "src/iniconfig/_parse.py",
            (
                "    c = line.lstrip()[:1]\n    return c in COMMENTCHARS",
                "    c = line[:1]\n    return c in COMMENTCHARS",
                "    text = line.lstrip()\n    return not text or text.startswith(tuple(COMMENTCHARS))",
            ),
            (
                'raise ParseError(path, lineno, f"duplicate name {name!r}")',
                "continue",
                'message = f"duplicate name {name!r}"\n                raise ParseError(path, lineno, message)',
            ),
        )
        + _break(
            "src/iniconfig/__init__.py",
            (
                "yield from sorted(section, key=lineof)",
                "yield from sorted(section)",
                "by_line = {lineof(key): key for key in section}\n        yield from map(by_line.get, sorted(by_line))",
            ),
        ),
    ),
    build_python(
        PyPI("cssselect", "1.6.0"),
        "examples in the documentation are tests",
        _break(
            "cssselect/xpath.py",
            (
                "                for part in split_at_single_quotes(s)\n                if part\n",
                "                for part in split_at_single_quotes(s)\n",
                "                for part in filter(None, split_at_single_quotes(s))\n",
            ),
            (
                '        if other.path != "*/":\n            path += other.path\n',
                "        path += other.path\n",
                '        path += "" if other.path == "*/" else other.path\n',
            ),
        )
        + _break(
            "cssselect/parser.py",
            (
                'if ident.lower() in ("first-line", "first-letter", "before", "after"):',
                'if ident in ("first-line", "first-letter", "before"):',
                'if re.fullmatch("first-(?:line|letter)|before|after", ident, re.IGNORECASE):',
            ),
        ),
        "lxml==5.3.0 sybil==9.0.0",
    ),
    build_python(
        PyPI("ordered-set", "4.1.0"),
        "doctests in the module and in the README",
        _break(
            "ordered_set/__init__.py",
            (
                "if v >= i:\n                    self.map[k] = v - 1",
                "if v > i + 1:\n                    self.map[k] = v - 1",
                "if v > i:\n                    self.map[k] -= 1",
            ),
            (
                "common = set.intersection(*map(set, sets))",
                "common = set.union(*map(set, sets))",
                "common = set(sets[0]).intersection(*sets[1:])",
            ),
            (
                "return isinstance(obj, str) or isinstance(obj, tuple)",
                "return isinstance(obj, str)",
                "return isinstance(obj, (str, tuple))",
            ),
        ),
    ),
    build_python(
        PyPI("docopt-ng", "0.9.0"),
        "a conftest that collects cases from a file of its own format",
        _break(
            "docopt/__init__.py",
            (
                "sub_trans_cost = 0 if source[i - 1] == target[j - 1] else 1",
                "sub_trans_cost = 0 if source[i - 1] == target[j - 1] else 2",
                "sub_trans_cost = int(source[i - 1] != target[j - 1])",
            ),
            ("e.value = e.value.split()", "e.value = [e.value]", 'e.value = re.findall(r"\\S+", e.value)'),
            (
                'matched = re.findall(r"\\[default: (.*)\\]", description, flags=re.I)',
                'matched = re.findall(r"\\[default: (.*?)\\s", description)',
                'matched = re.compile(r"\\[default: (.*)\\]", re.IGNORECASE).findall(description)',
            ),
        ),
    ),
    build_python(
        PyPI("deepmerge", "4.0.0"),
        "tests inside the package",
        _break(
            "deepmerge/strategy/list.py",
            (
                "                merged.append(item)\n                base_as_set._insert(item)",
                "                merged.append(item)",
                "                merged.append(item)\n                base_as_set = ExtendedSet(merged)",
            ),
        )
        + _break(
            "deepmerge/strategy/set.py", ("return base & nxt", "return base ^ nxt", "return base.intersection(nxt)")
        )
        + _break(
            "deepmerge/extended_set.py",
            (
                "return any(obj == existing for existing in bucket)",
                "return bool(bucket)",
                "return next((True for existing in bucket if obj == existing), False)",
            ),
        ),
    ),
    build_python(
        PyPI("unidiff", "1.0.1"),
        "unittest and sample files",
        _break(
            "unidiff/patch.py",
            (
                "            and self.source_file[2:] != self.target_file[2:])",
                "            and self.source_file != self.target_file)",
                "            and not self.source_file[2:] == self.target_file[2:])",
            ),
            (
                "            filepath = filepath[2:]\n",
                "            filepath = filepath[1:]\n",
                "            _, _, filepath = filepath.partition('/')\n",
            ),
            (
                "        if tgt_len is None:\n            tgt_len = 1",
                "        if tgt_len is None:\n            tgt_len = src_len",
                "        tgt_len = 1 if tgt_len is None else tgt_len",
            ),
        ),
    ),
    build_python(
        PyPI("wheel-filename", "2.1.0"),
        "src layout, a coverage threshold in tox.ini",
        _break(
            "src/wheel_filename/__init__.py",
            ('yield "-".join([py, abi, plat])', 'yield "-".join([py, plat, abi])', 'yield f"{py}-{abi}-{plat}"'),
            (
                "return (int(m[0]), self.build[m.end() :])",
                "return (int(m[0]), self.build)",
                "return (int(m[0]), self.build.removeprefix(m[0]))",
            ),
            (
                "basename = os.path.basename(os.fsdecode(filename))",
                "basename = str(filename)",
                "_, basename = os.path.split(os.fsdecode(filename))",
            ),
        ),
        COVERAGE,
    ),
    build_npm(
        Npm("@fastify/accept-negotiator", "2.1.2"),
        "node --test inside c8, type tests after it",
        _break(
            "index.js",
            (
                "if (quality === 0 || preferredEncodingQuality > quality) {",
                "if (preferredEncodingQuality > quality) {",
                "if (!quality || quality < preferredEncodingQuality) {",
            ),
            (
                "} else if (preferredEncodingPriority > priority) {",
                "} else if (preferredEncodingPriority < priority) {",
                "} else if (priority < preferredEncodingPriority) {",
            ),
            (
                "  if (!this.cache.has(header)) {\n",
                "  if (this.cache.has(header)) {\n",
                "  const isKnown = this.cache.has(header)\n  if (!isKnown) {\n",
            ),
        ),
    ),
    build_npm(
        Npm("reusify", "1.1.0"),
        "tape, judged by its exit code",
        _break(
            "reusify.js",
            ("current.next = null", "current.next = current", "delete current.next"),
            (
                "    tail.next = obj\n    tail = obj",
                "    tail.next = obj\n    tail = head",
                "    tail = tail.next = obj",
            ),
            ("head = new Constructor()\n      tail = head", "head = tail", "tail = head = new Constructor()"),
        ),
    ),
)
