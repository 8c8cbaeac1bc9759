"""The second harness: a program whose names differ from run to run; it gets the tests' texts by standard input."""

import ast
import configparser
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set

from reknit.core.tamper_checks.checks import Harness, Targets, TargetTest
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.python.program import (
    fixtures,
    loading,
    parameters,
    requests,
    rewriting,
    running,
    stand_in,
    start,
)
from reknit.core.tamper_checks.python.syntax import Function, find_test, parse

_PARTS = (start, rewriting, loading, fixtures, stand_in, parameters, requests, running)
_LINE = re.compile(r"(?::|\", line )(\d{1,7})")
_SEES_ITS_NAME = re.compile(
    r"getsource|currentframe|_getframe|extract_stack|inspect\.stack|co_name|__qualname__|traceback|pytester|testdir|\bdoctest\b"
    r"|\bfuncName\b|\bstacklevel\b|== __file__|__file__ ==|, __file__\)|\(__file__,"
    r"|(?:patch|setattr|import_module)\([\"'](?:[a-z_]{1,50}\.){0,9}tests?\."
)
"""What a test says that asks for its own name, file or runner: under another name it may fail without any tampering."""
_LISTS_FILES = re.compile(r"glob\(|listdir\(|iterdir\(|scandir\(|walk\(")
_ITS_FOLDER = re.compile(r"__file__|[\"']\.?/?tests?\b|getcwd|\.cwd\(")
"""Together: a test that lists the folder where its own file is missed."""
_WORDS = 24


def make_harness(targets: Targets, names: Names) -> Harness | None:
    """None if no target can be called without its runner."""
    callable_tests = [test for test in targets.tests if _is_callable(test, targets.files)]
    if not callable_tests:
        return None
    files = sorted({test.file for test in callable_tests})
    conftests = sorted(
        (path for path in targets.files if _name(path) == "conftest.py"), key=lambda path: path.count("/")
    )
    payload = {
        "mark": names.nonce,
        "words": list(dict.fromkeys(names.word(f"driver {number}") for number in range(_WORDS))),
        "tests": [(test.id, test.file, failing_lines(test)) for test in callable_tests],
        "texts": {path: targets.files[path] for path in (*files, *conftests)},
        "conftests": conftests,
        "paths": python_paths(targets.files),
    }
    kept = _arguments(fixtures.SOURCE) | _arguments(stand_in.SOURCE)
    program = renamed("\n".join(part.SOURCE for part in _PARTS), names, kept)
    script = f"{names.word('script')}.py"
    return Harness(
        argv=("python", script),
        tests=tuple(test.id for test in callable_tests),
        stdin=f"{len(program)}\n{program}{json.dumps(payload)}\n",
        files={script: _script(names)},
        hidden=tuple(files),
    )


def _is_callable(test: TargetTest, files: Mapping[str, str]) -> bool:
    tree = parse(files.get(test.file, ""))
    found = find_test(tree, test) if tree else None
    if not tree or not found:
        return False
    text = ast.unparse(found.function) if found.function else _inherited(tree, test)
    if found.function and _has_inner_test(found.function):
        return False
    if _SEES_ITS_NAME.search(text) or (_LISTS_FILES.search(text) and _ITS_FOLDER.search(files[test.file])):
        return False
    return f"{_name(test.file).removesuffix('.py')}." not in text


def _has_inner_test(function: Function) -> bool:
    """Such a name is replaced too, and the tested code may use it: a command or a route is named after its function."""
    inner = (node for node in ast.walk(function) if isinstance(node, Function | ast.ClassDef) and node is not function)
    return any("test" in node.name.lower() for node in inner)


def _inherited(tree: ast.Module, test: TargetTest) -> str:
    """Functions of that name in the file; all of the file if the test comes from another."""
    name = test.id.rpartition("::")[2].partition("[")[0]
    functions = [node for node in ast.walk(tree) if isinstance(node, Function) and node.name == name]
    return "\n".join(map(ast.unparse, functions)) or ast.unparse(tree)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def failing_lines(test: TargetTest) -> list[int]:
    """The lines of the target's file that its runner named when it failed on base."""
    after = test.failure.split(test.file)[1:]
    found = (_LINE.match(part[:40]) for part in after)
    return sorted({int(match[1]) for match in found if match})


def _script(names: Names) -> str:
    """An ordinary small script: its work comes by standard input."""
    store, use = names.word("store"), names.word("use")
    forms = (
        f"{store} = sys.stdin\nexec(compile({store}.read(int({store}.readline())), __file__, 'exec'), {{}})\n",
        f"def {use}({store}):\n    size = int({store}.readline())\n"
        f"    return compile({store}.read(size), __file__, 'exec')\n\n\nexec({use}(sys.stdin), {{}})\n",
    )
    return f'"""{names.title("script")}."""\n\nimport sys\n\n{forms[names.choice("script form", len(forms))]}'


def renamed(program: str, names: Names, kept: Set[str] = frozenset()) -> str:
    """The program with other names for all that is its own: the driver differs from run to run."""
    tree = ast.parse(program)
    own = _own_names(tree) - kept
    new = {name: f"{names.word(f'name {name}')}_{number}" for number, name in enumerate(sorted(own))}
    for node in ast.walk(tree):
        for field in ("id", "arg", "name"):  # the arguments of calls have a field of their own, and are kept
            if hasattr(node, field) and not isinstance(node, ast.keyword | ast.alias):
                setattr(node, field, new.get(getattr(node, field), getattr(node, field)))
        if isinstance(node, ast.Global):
            node.names = [new.get(name, name) for name in node.names]
    return ast.unparse(tree) + "\n"


def _own_names(tree: ast.Module) -> set[str]:
    """What is defined at the top, arguments and variables; not what is asked for by its name, such as a method."""
    nodes = list(ast.walk(tree))
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    asked = {str(node.arg) for node in nodes if isinstance(node, ast.keyword)}
    members = (member for node in nodes if isinstance(node, ast.ClassDef) for member in node.body)
    return own - asked - {name for member in members for name in _bound(member)}


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name))


def _arguments(part: str) -> set[str]:
    """Tests may give them by name."""
    return {node.arg for node in ast.walk(ast.parse(part)) if isinstance(node, ast.arg)}


def python_paths(files: Mapping[str, str]) -> Sequence[str]:
    """The `pythonpath` of pytest's settings, from the file that pytest would read."""
    for path, section in (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(files.get(path, ""))
        except configparser.Error:
            continue
        if parser.has_section(section):
            return parser.get(section, "pythonpath", fallback="").split()
    try:
        settings = tomllib.loads(files.get("pyproject.toml", ""))
    except tomllib.TOMLDecodeError:
        return []
    for key in ("tool", "pytest", "ini_options", "pythonpath"):
        settings = settings.get(key, {}) if isinstance(settings, dict) else {}
    return settings.split() if isinstance(settings, str) else [str(each) for each in settings]
