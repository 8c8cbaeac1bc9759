"""Every place of the package that opens a file or removes a folder; a new one has to say why it may."""

import ast
from collections.abc import Iterator
from functools import cache

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
    "adapters/agents/activity.py:_read_end": OWN,
    "adapters/agents/scripted/agent.py:_make_command": SHIPPED,
    "adapters/agents/scripted/agent.py:_has_used_up_limits": OWN,
    "adapters/agents/scripted/player.py": "runs inside the box",
    "adapters/bounded/child.py:serve": DESCRIPTOR,
    "app/hook/start_check.py:check_again": OTHER,
    "app/start/review.py:_list_changed_files": OTHER,
    "app/start/review.py:plan_review_of_pull": OTHER,
    "app/start/instructions/variant_files.py:_read_shipped": SHIPPED,
    "app/start/planning/accepted.py:read_plan": BOUNDED,
    "app/start/uncommitted_work.py:commit_staged": OWN,
    "app/start/uncommitted_work.py:commit_uncommitted": OWN,
    "adapters/box/bubblewrap/as_root.py:_read_delegated_ids": "what the administrator delegates",
    "adapters/box/bubblewrap/as_root.py:_read_mapped_ids": KERNEL,
    "adapters/box/bubblewrap/as_root.py:find_box_uid": KERNEL,
    "adapters/box/process/process_tree.py:__init__": DESCRIPTOR,
    "adapters/box/process/process_tree.py:_open_living_members": KERNEL,
    "adapters/box/process/process_tree.py:end": DESCRIPTOR,
    "adapters/box/process/process_tree.py:attach": DESCRIPTOR,
    "adapters/box/bubblewrap/mounts.py:_list_borrowed_objects": OWN,
    "adapters/box/bubblewrap/mounts.py:_read_index": OWN,
    "adapters/box/bubblewrap/overlays.py:_open_user_namespace": KERNEL,
    "adapters/box/bubblewrap/mounts.py:open_data": DESCRIPTOR,
    "adapters/box/bubblewrap/probes.py": "runs inside the box",
    "adapters/box/bubblewrap/as_root.py:_make_namespace": KERNEL,
    "adapters/box/bubblewrap/as_root.py:_open_path": "only its place (O_PATH), which waits for nothing",
    "adapters/box/bubblewrap/self_test.py": "what our own probes left, in a folder made for them",
    "adapters/box/services/channel.py:command": SHIPPED,
    "adapters/box/services/starter.py": "runs inside the box",
    "adapters/box/process/supervisor.py:_watch_child": DESCRIPTOR,
    "adapters/box/process/supervisor.py:run": OWN,
    "interfaces/web/pages.py:_make_file": SHIPPED,
    "interfaces/github_action.py:_append": "a file that the runner made for this step",
    "adapters/setup/proxy.py:_make_context": "a new file, created by this call",
    "adapters/setup/layer_store.py:_read_description": OWN,
    "adapters/setup/layer_store.py:_list_layers": OWN,
    "adapters/setup/layer_store.py:_open_locked": OWN,
    "adapters/testing/boxed_command.py:read_source": SHIPPED,
    "adapters/testing/report_files.py:_read_entry": BOUNDED,
    "adapters/hook.py:_replace": "a new file, created by this call",
    "adapters/files/working_tree.py:refuse_unappendable": BOUNDED,
    "adapters/files/working_tree.py:_open_inner_folder": FOLDER,
    "adapters/files/working_tree.py:_open_new_files_folder": FOLDER,
    "adapters/files/working_tree.py:_open_parent": FOLDER,
    "adapters/files/working_tree.py:_read": BOUNDED,
    "adapters/files/working_tree.py:module": OTHER,
    "adapters/files/atomic_replace.py:_write": "a new file, created by this call",
    "adapters/files/atomic_replace.py:write_settings": FOLDER,
    "adapters/files/folders.py:_remove_folder": FOLDER,
    "adapters/files/folders.py:_unlock": FOLDER,
    "adapters/files/folders.py:remove": FOLDER,
    "adapters/gateway/request_handler.py:_forward_paid": OTHER,
    "adapters/files/regular_files.py:_read_beginning": BOUNDED,
    "adapters/files/regular_files.py:open_plain": BOUNDED,
    "adapters/git/agent_tree.py:_descend": FOLDER,
    "adapters/files/regular_files.py:has_plain_file": FOLDER,
    "adapters/files/regular_files.py:is_empty_folder": FOLDER,
    "adapters/git/agent_tree.py:_read_regular": BOUNDED,
    "adapters/git/agent_tree.py:compare_folder": FOLDER,
    "adapters/git/local_import.py:_remember_cuts": OWN,
    "adapters/git/plumbing/write_commit.py:lock_folder": FOLDER,
    "adapters/git/plumbing/write_commit.py:make_gitdir": OWN,
    "adapters/git/workspace.py:__init__": OTHER,
    "app/start/instructions/agent_files.py:_read_shipped": SHIPPED,
    "app/start/instructions/judges.py:_read_shipped": SHIPPED,
    "app/issues/import_reports.py:_read_descriptor": DESCRIPTOR,
    "app/makers.py:_read_shipped_prices": SHIPPED,
    "app/engine/slots.py:_is_dirty": OWN,
    "app/engine/slots.py:_lock": OWN,
    "app/issues/results_by_file.py:read": BOUNDED,
    "interfaces/cli/main.py:_log_bug": OWN,
    "interfaces/hook/prompt.py:start_command": "/dev/null",
    "interfaces/hook/window.py:read_first_line": BOUNDED,
    "interfaces/hook/window.py:stop": "/dev/null",
    "interfaces/hook/window.py:list_parents": "only its place (O_PATH), which waits for nothing",
    "store/database.py:lock_schema": OWN,
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
        "interfaces/cli/commands/config.py",
    }  # the last is kept


def _calls(names: frozenset[str] | set[str]) -> Iterator[tuple[str, str, str]]:
    """(file, function, what is called); also where it is only named, as an argument of another call."""
    for file, function, name in _all_names():
        if name in names:
            yield file, function, name


@cache
def _all_names() -> list[tuple[str, str, str]]:
    return [
        (str(path.relative_to(PACKAGE)), function, node.attr if isinstance(node, ast.Attribute) else node.id)
        for path in sources()
        for function, node in _within(ast.parse(path.read_text("utf-8")), "module")
        if isinstance(node, ast.Attribute | ast.Name)
    ]


def _within(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST]]:
    for inner in ast.iter_child_nodes(node):
        is_function = isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
        yield function, inner
        yield from _within(inner, inner.name if is_function else function)  # type: ignore[attr-defined]
