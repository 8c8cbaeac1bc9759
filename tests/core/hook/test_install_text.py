"""What a person reads after `reknit hook install` and `uninstall`."""

from reknit.core.hook.install_text import HookChange, change_lines


def test_one_line_per_file_and_what_to_do_next() -> None:
    changes = [
        HookChange("claude", "/h/.claude/settings.json", "installed"),
        HookChange("codex", "/h/.codex/hooks.json", "updated"),
        HookChange("gemini", "/h/.gemini/settings.json", "already installed"),
    ]
    own = [
        "claude  Stop hook installed in /h/.claude/settings.json",
        "codex   Stop hook updated in /h/.codex/hooks.json; codex skips it until you trust it: type /hooks there",
        "gemini  AfterAgent hook already installed in /h/.gemini/settings.json",
    ]
    following = "  next      reknit hook arm BUG-001 PATH    then let the agent fix it in its window"
    assert list(change_lines(changes, project=False)) == [*own, following]
    of_project = list(change_lines(changes, project=True))
    assert (of_project[:3], of_project[-1]) == (own, following)
    assert of_project[3:-1] == [
        "  note      the files name the Python of this machine: do not commit them",
        "            agents skip a project's hooks until you trust its folder",
    ]


def test_after_a_removal_there_is_nothing_to_do() -> None:
    changes = [HookChange("codex", "/h/hooks.json", "removed"), HookChange("claude", "/h/s.json", "not installed")]
    assert list(change_lines(changes, project=True)) == [
        "codex   Stop hook removed from /h/hooks.json",
        "claude  Stop hook not installed in /h/s.json",
    ]


def test_hooks_that_are_switched_off_are_named() -> None:
    change = HookChange("gemini", "/h/s.json", "already installed", is_off=True)
    assert list(change_lines([change], project=False))[:2] == [
        "gemini  AfterAgent hook already installed in /h/s.json",
        "  note      it does not run: hooksConfig.enabled switches all hooks off in that file",
    ]
