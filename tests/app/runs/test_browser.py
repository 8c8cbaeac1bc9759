"""Opening a file in the user's browser."""

from pathlib import Path

import pytest

from reknit.app.runs.browser import open_file

SCRIPT = '#!/bin/sh\nprintf "%s\\n" "$@" > "$OUT"\n'


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("xdg-open", "firefox"):
        (folder / name).write_text(SCRIPT)
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin", "DISPLAY": ":9", "OUT": str(tmp_path / "arguments")}


@pytest.mark.parametrize(
    ("browser", "before"),
    [
        pytest.param("", [], id="the desktop's"),
        pytest.param("firefox", [], id="the user's"),
        pytest.param("firefox --new-window %s:lynx", ["--new-window"], id="with arguments, the first of a list"),
        pytest.param("firefox 'unclosed", [], id="unreadable, so the desktop's"),
    ],
)
def test_a_browser_gets_the_path(environment: dict[str, str], tmp_path: Path, browser: str, before: list[str]) -> None:
    page, arguments = tmp_path / "page.html", tmp_path / "arguments"
    child = open_file(page, {**environment, "BROWSER": browser})
    assert child
    assert child.wait(30) == 0
    assert arguments.read_text().splitlines() == [*before, str(page)]


@pytest.mark.parametrize("change", [{"DISPLAY": ""}, {"PATH": "/nowhere"}, {"BROWSER": "no-such-browser"}])
def test_without_display_or_browser_nothing_is_started(
    environment: dict[str, str], tmp_path: Path, change: dict[str, str]
) -> None:
    assert not open_file(tmp_path / "page.html", {**environment, **change})


def test_wayland_is_a_display(environment: dict[str, str], tmp_path: Path) -> None:
    child = open_file(tmp_path / "page.html", {**environment, "DISPLAY": "", "WAYLAND_DISPLAY": "wayland-0"})
    assert child
    assert child.wait(30) == 0
