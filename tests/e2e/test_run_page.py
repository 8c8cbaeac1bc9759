"""The page of a run in a real browser: nothing in it runs, everyone can read it."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reknit.app.runs.page import render_page
from reknit.core.run_page.page import build_page
from tests.tools.run_page_samples import SOURCES, replace_texts

pytestmark = pytest.mark.e2e

PROJECT = Path(__file__).parents[2]
SCRIPT = "window.canary = 1"
PAYLOADS = {
    "script": f"<script>{SCRIPT}</script>",
    "attribute": f'" onload="{SCRIPT}" x="',
    "image": f"<img src=x onerror='{SCRIPT}'>",
    "svg": f"<svg onload='{SCRIPT}'><script>{SCRIPT}</script></svg>",
    "style": "</style><style>*{background:url(http://127.0.0.1:9/x)}</style>",
    "link": f"<a href='javascript:{SCRIPT}'>x</a></pre></details></main><base href='http://127.0.0.1:9/'>",
    "comment": f"<!-- {{{{ 7 * 7 }}}} --><![CDATA[<script>{SCRIPT}</script>]]>",
    "control": "\x1b[31m\x1b]8;;http://x\x07\u202e\u2066\u200b\x00",
    "long": "W" * 1_000_000,
    "frame": f"<iframe srcdoc='<script>{SCRIPT}</script>'></iframe><meta http-equiv=refresh content='0;url=http://x'>",
}


def probe(*files: Path, task: str = "open") -> list[dict[str, Any]]:
    modules = os.environ.get("REKNIT_TEST_NPM") or str(PROJECT)
    script = PROJECT / "tests/tools/page_probe.cjs"
    environment = {**os.environ, "NODE_PATH": f"{modules}/node_modules"}
    done = subprocess.run(
        ["node", str(script), task, *map(str, files)], env=environment, capture_output=True, text=True, timeout=150
    )
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def append(payload: str) -> Callable[[str], str]:
    return lambda text: text + payload


def test_a_page_is_readable_for_everyone_and_on_paper(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(render_page(build_page(SOURCES)))
    (answer,) = probe(path, task="audit")
    assert answer["violations"] == []
    assert (answer["width"], answer["printed"]) == (390, True)
    assert answer["color"] == "rgb(27, 31, 36)", "the style is applied"


def test_hostile_text_in_every_field_does_nothing(tmp_path: Path) -> None:
    paths = []
    for name, payload in PAYLOADS.items():
        paths.append(tmp_path / f"{name}.html")
        paths[-1].write_text(render_page(build_page(replace_texts(SOURCES, append(payload)))))
    for path, answer in zip(paths, probe(*paths), strict=True):
        facts = {name: answer[name] for name in ("events", "canary", "active", "width")}
        assert facts == {"events": [], "canary": "undefined", "active": 0, "width": 390}, path.stem


def test_the_probe_sees_what_a_hostile_page_does(tmp_path: Path) -> None:
    hostile = "".join(payload for name, payload in PAYLOADS.items() if name != "frame")
    path = tmp_path / "hostile.html"
    path.write_text(f"<title>x</title><p style='color: #eee; background: #fff'>pale</p>{hostile}")
    (answer,) = probe(path, task="audit")
    assert (answer["canary"], answer["active"] > 3) == ("number", True)
    assert any(event.startswith("request: http://127.0.0.1:9/") for event in answer["events"])
    assert any(violation.startswith("color-contrast") for violation in answer["violations"])


def test_the_policy_stops_what_would_get_through(tmp_path: Path) -> None:
    head = render_page(build_page(SOURCES)).partition("<title>")[0]
    path = tmp_path / "guarded.html"
    path.write_text(head + "<title>x</title>" + "".join(PAYLOADS[name] for name in ("script", "image", "style", "svg")))
    (answer,) = probe(path)
    assert answer["canary"] == "undefined"
    assert any("Content Security Policy" in event for event in answer["events"])
