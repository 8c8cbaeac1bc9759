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
    "adapters/agents/scripted/agent.py:_command": SHIPPED,
    "adapters/agents/scripted/agent.py:_limits_are_over": OWN,
    "adapters/agents/scripted/player.py": "runs inside the box",
    "adapters/bounded/child.py:serve": DESCRIPTOR,
    "app/hook/start_check.py:check_again": OTHER,
    "app/start/review.py:_changed": OTHER,
    "app/start/review.py:plan_review_of_pull": OTHER,
    "app/start/instructions/variant_files.py:_shipped": SHIPPED,
    "app/start/planning/accepted.py:read_plan": BOUNDED,
    "app/start/uncommitted_work.py:commit_staged": OWN,
    "app/start/uncommitted_work.py:commit_uncommitted": OWN,
    "adapters/box/bubblewrap/machine.py:setting": "settings of the kernel",
    "adapters/box/bubblewrap/as_root/box_user.py:_delegated": "what the administrator delegates",
    "adapters/box/bubblewrap/as_root/box_user.py:_mapped": KERNEL,
    "adapters/box/bubblewrap/as_root/box_user.py:box_uid": KERNEL,
    "adapters/box/process/process_tree.py:__init__": DESCRIPTOR,
    "adapters/box/process/process_tree.py:_living_members": KERNEL,
    "adapters/box/process/process_tree.py:end": DESCRIPTOR,
    "adapters/box/process/process_tree.py:attach": DESCRIPTOR,
    "adapters/box/bubblewrap/git_view.py:_borrowed_objects": OWN,
    "adapters/box/bubblewrap/git_view.py:_index": OWN,
    "adapters/box/bubblewrap/overlays.py:_user_namespace": KERNEL,
    "adapters/box/bubblewrap/mounts.py:data": DESCRIPTOR,
    "adapters/box/bubblewrap/probes.py": "runs inside the box",
    "adapters/box/bubblewrap/as_root/mounts.py:_make": KERNEL,
    "adapters/box/bubblewrap/as_root/mounts.py:_open": "only its place (O_PATH), which waits for nothing",
    "adapters/box/bubblewrap/self_test.py": "what our own probes left, in a folder made for them",
    "adapters/box/services/channel.py:command": SHIPPED,
    "adapters/box/services/starter.py": "runs inside the box",
    "adapters/box/process/supervisor.py:_attend": DESCRIPTOR,
    "adapters/box/process/supervisor.py:run": OWN,
    "interfaces/github_action.py:_append": "a file that the runner made for this step",
    "adapters/setup/certificates.py:_make": "a new file, created by this call",
    "adapters/setup/layer_store.py:_described": OWN,
    "adapters/setup/layer_store.py:_layers": OWN,
    "adapters/setup/layer_store.py:_locked": OWN,
    "adapters/testing/result_stream.py:source_of": SHIPPED,
    "adapters/testing/report_files.py:_opened": BOUNDED,
    "adapters/hook/files.py:_replace": "a new file, created by this call",
    "adapters/files/working_tree.py:refuse_unappendable": BOUNDED,
    "adapters/files/working_tree.py:_inner_folder": FOLDER,
    "adapters/files/working_tree.py:_new_files": FOLDER,
    "adapters/files/working_tree.py:_parent": FOLDER,
    "adapters/files/working_tree.py:_read": BOUNDED,
    "adapters/files/working_tree.py:module": OTHER,
    "adapters/files/atomic_replace.py:_write": "a new file, created by this call",
    "adapters/files/settings_files.py:write_settings": FOLDER,
    "adapters/files/folders.py:_remove_folder": FOLDER,
    "adapters/files/folders.py:_unlock": FOLDER,
    "adapters/files/folders.py:remove": FOLDER,
    "adapters/gateway/request_handler.py:_let_through": OTHER,
    "adapters/files/first_bytes.py:_begin": BOUNDED,
    "adapters/files/regular_files.py:open_plain": BOUNDED,
    "adapters/git/agent_tree.py:_descend": FOLDER,
    "adapters/git/left_by_tools.py:has_file": FOLDER,
    "adapters/git/left_by_tools.py:is_empty": FOLDER,
    "adapters/git/agent_tree.py:_regular": BOUNDED,
    "adapters/git/agent_tree.py:look": FOLDER,
    "adapters/git/local_import.py:_remember_cuts": OWN,
    "adapters/git/plumbing/trusted_gitdir.py:locked": FOLDER,
    "adapters/git/plumbing/trusted_gitdir.py:make_gitdir": OWN,
    "adapters/git/workspace.py:__init__": OTHER,
    "app/start/instructions/agent_files.py:_shipped": SHIPPED,
    "app/start/instructions/reviewer_files.py:_shipped": SHIPPED,
    "app/issues/report_files.py:_opened_before": DESCRIPTOR,
    "app/price_table.py:_shipped": SHIPPED,
    "app/engine/slots.py:_is_dirty": OWN,
    "app/engine/slots.py:_lock": OWN,
    "app/issues/working_tree.py:read": BOUNDED,
    "interfaces/cli/main.py:_logged": OWN,
    "interfaces/hook/prompt.py:become": "/dev/null",
    "interfaces/hook/window.py:first_line": BOUNDED,
    "interfaces/hook/window.py:stop": "/dev/null",
    "interfaces/hook/window.py:upwards": "only its place (O_PATH), which waits for nothing",
    "store/database.py:exclusive": OWN,
}
"""File, or file and function -> why what it opens cannot be a stranger's pipe or device."""


def test_files_are_opened_in_one_way() -> None:
    found = {(file, f"{file}:{function}") for file, function, _name in _calls(_OPENING) if not file.startswith("core/")}
    unknown = sorted(place for file, place in found if not {file, place} & TRUSTED.keys())
    assert not unknown, f"use `adapters/files/regular_files.py` for what a user or a repository names: {unknown}"
    stale = sorted(TRUSTED.keys() - {name for pair in found for name in pair})
    assert not stale, f"no longer opens anything: {stale}"


def test_folders_are_removed_in_one_place() -> None:
    elsewhere = [f"{file}:{function}:{name}" for file, function, name in _calls(_REMOVING)]
    assert not elsewhere, f"use `adapters/files/folders.py`: {elsewhere}"
    makers = {file for file, _function, name in _calls({"mkdtemp"})}
    assert makers == {
        "adapters/files/folders.py",
        "adapters/box/bubblewrap/overlays.py",
        "interfaces/cli/commands/demo.py",
    }  # the last is kept


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
