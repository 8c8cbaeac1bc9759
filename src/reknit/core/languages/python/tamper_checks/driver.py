"""Makes the second harness for Python: a program with random names that reads the tests' texts from standard input."""

import ast
import configparser
import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set

from reknit.core.languages.python.tamper_checks.program import (
    fixtures,
    loading,
    parameters,
    requests,
    rewriting,
    running,
    stand_in,
    start,
)
from reknit.core.languages.python.tamper_checks.syntax import Function, find_test, parse
from reknit.core.repository.manifest_text import get_table, read_toml
from reknit.core.tamper_checks.checks import Harness, Names, Targets, TargetTest

_PARTS = (start, rewriting, loading, fixtures, stand_in, parameters, requests, running)
_LINE = re.compile(r"(?::|\", line )(\d{1,7})")
_SEES_ITS_NAME = re.compile(
    r"getsource|currentframe|_getframe|extract_stack|inspect\.stack|co_name|__qualname__|traceback|pytester|testdir|\bdoctest\b"
    r"|\bfuncName\b|\bstacklevel\b|== __file__|__file__ ==|, __file__\)|\(__file__,"
    r"|(?:patch|setattr|import_module)\([\"'](?:[a-z_]{1,50}\.){0,9}tests?\."
)
"""Code that asks for a test's own name, file or runner: it may fail under another name without tampering."""
_LISTS_FILES = re.compile(r"glob\(|listdir\(|iterdir\(|scandir\(|walk\(")
_ITS_FOLDER = re.compile(r"__file__|[\"']\.?/?tests?\b|getcwd|\.cwd\(")
"""Code that names the test's own folder. A test that also matches `_LISTS_FILES` misses its own file there."""
_WORDS = 24


def make_harness(targets: Targets, names: Names) -> Harness | None:
    """Make the harness; None if no target can be called without its runner."""
    callable_tests = [test for test in targets.tests if _is_callable(test, targets.files)]
    if not callable_tests:
        return None
    files = sorted({test.file for test in callable_tests})
    conftests = sorted(
        (path for path in targets.files if _file_name(path) == "conftest.py"), key=lambda path: path.count("/")
    )
    payload = {
        "mark": names.nonce,
        "words": list(dict.fromkeys(names.make_word(f"driver {number}") for number in range(_WORDS))),
        "tests": [(test.id, test.file, find_failing_lines(test)) for test in callable_tests],
        "texts": {path: targets.files[path] for path in (*files, *conftests)},
        "conftests": conftests,
        "paths": read_python_paths(targets.files),
    }
    argument_names = _list_arguments(fixtures.SOURCE) | _list_arguments(stand_in.SOURCE)
    program = rename_program("\n".join(part.SOURCE for part in _PARTS), names, argument_names)
    script = f"{names.make_word('script')}.py"
    return Harness(
        argv=("python", script),
        tests=tuple(test.id for test in callable_tests),
        stdin=f"{len(program)}\n{program}{json.dumps(payload)}\n",
        files={script: _write_script(names)},
        hidden=tuple(files),
    )


def _is_callable(test: TargetTest, files: Mapping[str, str]) -> bool:
    tree = parse(files.get(test.file, ""))
    target = find_test(tree, test) if tree else None
    if not tree or not target:
        return False
    text = ast.unparse(target.function) if target.function else _render_inherited(tree, test)
    if target.function and _has_inner_test(target.function):
        return False
    if _SEES_ITS_NAME.search(text) or (_LISTS_FILES.search(text) and _ITS_FOLDER.search(files[test.file])):
        return False
    return f"{_file_name(test.file).removesuffix('.py')}." not in text


def _has_inner_test(function: Function) -> bool:
    """Return True if an inner function has "test" in its name: a command or a route may get its name from it."""
    inner = (node for node in ast.walk(function) if isinstance(node, Function | ast.ClassDef) and node is not function)
    return any("test" in node.name.lower() for node in inner)


def _render_inherited(tree: ast.Module, test: TargetTest) -> str:
    """Return the functions of that name in the file; the whole file if it inherits the test from another file."""
    name = test.id.rpartition("::")[2].partition("[")[0]
    functions = [node for node in ast.walk(tree) if isinstance(node, Function) and node.name == name]
    return "\n".join(map(ast.unparse, functions)) or ast.unparse(tree)


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


def find_failing_lines(test: TargetTest) -> list[int]:
    """Return the lines of the target's file that its runner named when it failed on base."""
    after = test.failure.split(test.file)[1:]
    matches = (_LINE.match(part[:40]) for part in after)
    return sorted({int(match[1]) for match in matches if match})


def _write_script(names: Names) -> str:
    """Return an ordinary small script that runs the program from standard input."""
    store, use = names.make_word("store"), names.make_word("use")
    forms = (
        f"{store} = sys.stdin\nexec(compile({store}.read(int({store}.readline())), __file__, 'exec'), {{}})\n",
        f"def {use}({store}):\n    size = int({store}.readline())\n"
        f"    return compile({store}.read(size), __file__, 'exec')\n\n\nexec({use}(sys.stdin), {{}})\n",
    )
    return f'"""{names.make_title("script")}."""\n\nimport sys\n\n{forms[names.choose("script form", len(forms))]}'


def rename_program(program: str, names: Names, kept_names: Set[str] = frozenset()) -> str:
    """Return the program with random names in place of its own, so that the driver differs from run to run."""
    tree = ast.parse(program)
    own_names = _list_own_names(tree) - kept_names
    new_names = {name: f"{names.make_word(f'name {name}')}_{number}" for number, name in enumerate(sorted(own_names))}
    for node in ast.walk(tree):
        for field in ("id", "arg", "name"):  # keywords of calls keep their names
            if hasattr(node, field) and not isinstance(node, ast.keyword | ast.alias):
                setattr(node, field, new_names.get(getattr(node, field), getattr(node, field)))
        if isinstance(node, ast.Global):
            node.names = [new_names.get(name, name) for name in node.names]
    return ast.unparse(tree) + "\n"


def _list_own_names(tree: ast.Module) -> set[str]:
    """Return definitions at the top, arguments and variables, but no methods and attributes."""
    nodes = list(ast.walk(tree))
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    keywords = {str(node.arg) for node in nodes if isinstance(node, ast.keyword)}
    members = (member for node in nodes if isinstance(node, ast.ClassDef) for member in node.body)
    return own - keywords - {name for member in members for name in _list_bound_names(member)}


def _list_bound_names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name))


def _list_arguments(part: str) -> set[str]:
    """Return argument names, which tests may use as keywords."""
    return {node.arg for node in ast.walk(ast.parse(part)) if isinstance(node, ast.arg)}


def read_python_paths(files: Mapping[str, str]) -> Sequence[str]:
    """Return the `pythonpath` of pytest's settings, from the file that pytest would read."""
    for path, section in (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(files.get(path, ""))
        except configparser.Error:
            continue
        if parser.has_section(section):
            return parser.get(section, "pythonpath", fallback="").split()
    table = get_table(read_toml(files.get("pyproject.toml")), "tool", "pytest", "ini_options")
    settings = table.get("pythonpath", [])
    return settings.split() if isinstance(settings, str) else [str(setting) for setting in settings]
