"""Every place of the package that opens a file or removes a folder; a new one has to say why it may."""

import ast
from collections.abc import Iterator

from tests.tools.pattern_inventory import PACKAGE, sources

_OPENING = frozenset({"open", "read_text", "read_bytes", "fdopen"})
_REMOVING = frozenset({"rmtree", "TemporaryDirectory", "removedirs"})

OWN = "a file of reknit's own, in a folder that only this user can write"
SHIPPED = "a file that ships with reknit"
BOUNDED = "opens without blocking or following links, checks the kind and bounds the size by itself"
DESCRIPTOR = "a descriptor that is already open"
FOLDER = "a folder, opened as one"
KERNEL = "a file of the kernel's"
OTHER = "a method of another kind by that name"

TRUSTED = {
    "adapters/agents/scripted.py:_command": SHIPPED,
    "adapters/agents/scripted.py:_limits_are_over": OWN,
    "adapters/agents/story_player.py": "runs inside the box",
    "adapters/bounded_child.py:serve": DESCRIPTOR,
    "adapters/boxes/box_user.py:_delegated": "what the administrator delegates",
    "adapters/boxes/box_user.py:_mapped": KERNEL,
    "adapters/boxes/box_user.py:box_uid": KERNEL,
    "adapters/boxes/family.py:__init__": DESCRIPTOR,
    "adapters/boxes/family.py:_living_members": KERNEL,
    "adapters/boxes/family.py:end": DESCRIPTOR,
    "adapters/boxes/family.py:meet": DESCRIPTOR,
    "adapters/boxes/git_view.py:_borrowed_objects": OWN,
    "adapters/boxes/git_view.py:_index": OWN,
    "adapters/boxes/layers.py:_user_namespace": KERNEL,
    "adapters/boxes/mounts.py:data": DESCRIPTOR,
    "adapters/boxes/probes_inside.py": "runs inside the box",
    "adapters/boxes/root_mounts.py:_make": KERNEL,
    "adapters/boxes/root_mounts.py:_open": "only its place (O_PATH), which waits for nothing",
    "adapters/boxes/self_test.py": "what our own probes left, in a folder made for them",
    "adapters/boxes/watching.py:_attend": DESCRIPTOR,
    "adapters/boxes/watching.py:run": OWN,
    "adapters/checks/report_files.py:_opened": BOUNDED,
    "adapters/folders.py:_remove_folder": FOLDER,
    "adapters/folders.py:_unlock": FOLDER,
    "adapters/folders.py:remove": FOLDER,
    "adapters/gateway/passing.py:_let_through": OTHER,
    "adapters/plain_files.py:open_plain": BOUNDED,
    "adapters/vcs/agent_folder.py:_descend": FOLDER,
    "adapters/vcs/agent_folder.py:_is_empty": FOLDER,
    "adapters/vcs/agent_folder.py:_regular": BOUNDED,
    "adapters/vcs/agent_folder.py:look": FOLDER,
    "adapters/vcs/bringing.py:_remember_cuts": OWN,
    "adapters/vcs/trusted_gitdir.py:locked": FOLDER,
    "adapters/vcs/trusted_gitdir.py:make_gitdir": OWN,
    "adapters/vcs/workspace.py:__init__": OTHER,
    "app/agent_files.py:_shipped": SHIPPED,
    "app/issues_reading.py:_opened_before": DESCRIPTOR,
    "app/pricing.py:_shipped": SHIPPED,
    "app/slots.py:_is_dirty": OWN,
    "app/slots.py:_lock": OWN,
    "app/working_tree.py:read": BOUNDED,
    "interfaces/cli/main.py:_logged": OWN,
    "store/database.py:exclusive": OWN,
}
"""File, or file and function -> why what it opens cannot be a stranger's pipe or device."""


def test_files_are_opened_in_one_way() -> None:
    found = {(file, f"{file}:{function}") for file, function, _name in _calls(_OPENING) if not file.startswith("core/")}
    unknown = sorted(place for file, place in found if not {file, place} & TRUSTED.keys())
    assert not unknown, f"use `adapters/plain_files.py` for what a user or a repository names: {unknown}"
    stale = sorted(TRUSTED.keys() - {name for pair in found for name in pair})
    assert not stale, f"no longer opens anything: {stale}"


def test_folders_are_removed_in_one_place() -> None:
    elsewhere = [f"{file}:{function}:{name}" for file, function, name in _calls(_REMOVING)]
    assert not elsewhere, f"use `adapters/folders.py`: {elsewhere}"
    makers = {file for file, _function, name in _calls({"mkdtemp"})}
    assert makers == {"adapters/folders.py", "adapters/boxes/layers.py", "interfaces/cli/demo.py"}  # the last is kept


def _calls(names: frozenset[str] | set[str]) -> Iterator[tuple[str, str, str]]:
    """(file, function, what is called); also where it is only named, as an argument of another call."""
    for path in sources():
        tree = ast.parse(path.read_text("utf-8"))
        for function, node in _within(tree, "module"):
            name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
            if name in names:
                yield str(path.relative_to(PACKAGE)), function, name


def _within(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST]]:
    for inner in ast.iter_child_nodes(node):
        is_function = isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
        yield function, inner
        yield from _within(inner, inner.name if is_function else function)  # type: ignore[attr-defined]
