"""Draws the picture of the README: runs `reknit demo` and writes what it printed as docs/images/demo.svg."""

import contextlib
import os
import pty
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "demo.svg"
COLUMNS, CHAR_W, LINE_H, FONT_PX, EDGE = 108, 8.0, 20, 13, 20
COLORS = {"ok": "#3fb950", "bad": "#f85149", "..": "#8b949e", "wait": "#d29922", "FIXED": "#3fb950"}
TEXT, DIM, BACK = "#c9d1d9", "#8b949e", "#0d1117"


def demo_lines() -> list[str]:
    """What a person sees in a terminal, with the temporary folder and the front of test names cut."""
    with tempfile.TemporaryDirectory() as folder:
        clean = {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder, "REKNIT_STATE": f"{folder}/state"}
        clean |= {"COLUMNS": str(2 * COLUMNS), "TERM": "xterm"}
        printed = in_terminal([sys.executable, "-m", "reknit", "demo"], clean, folder)
    return shortened(printed, folder)


def in_terminal(argv: list[str], environment: dict[str, str], folder: str) -> str:
    ours, theirs = pty.openpty()
    with subprocess.Popen(argv, env=environment, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        printed = bytearray()
        with contextlib.suppress(OSError):  # how Linux reports that the other side is closed
            while data := os.read(ours, 65_536):
                printed += data
    os.close(ours)
    if child.returncode:
        raise SystemExit(f"{argv[-1]} ended with {child.returncode}: {printed.decode()}")
    return printed.decode()


def left_on_screen(printed: str) -> list[str]:
    """What is left on a screen: the panel of a run is written over, line by line."""
    screen, row = [""], 0
    for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\n]|[^\x1b\r\n]+", printed):
        if part == "\n":
            row += 1
            screen += [""] * (row + 1 - len(screen))
        elif up := re.fullmatch(r"\x1b\[(\d*)A", part):
            row = max(0, row - int(up[1] or 1))
        elif part == "\x1b[2K":
            screen[row] = ""
        elif part[0] not in "\x1b\r":
            screen[row] += part
    return screen


def shortened(printed: str, folder: str) -> list[str]:
    text = "\n".join(left_on_screen(printed))
    text = re.sub(rf"{re.escape(folder)}\S*/", "…/", text)
    text = re.sub(r"tests/test_pricing\.py::(?:\w+::)?", "…::", text)
    lines = text.rstrip().splitlines()
    return ["$ reknit demo", *(line if len(line) <= COLUMNS else f"{line[: COLUMNS - 1]}…" for line in lines)]


def drawn(lines: list[str]) -> str:
    width, height = int(COLUMNS * CHAR_W) + 2 * EDGE, len(lines) * LINE_H + 2 * EDGE
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    font = f'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="{FONT_PX}"'
    rows = (_row(line, EDGE + (number + 0.7) * LINE_H) for number, line in enumerate(lines))
    return "\n".join(
        [
            head,
            "<title>reknit demo: a run in a terminal</title>",
            f'<rect width="{width}" height="{height}" rx="8" fill="{BACK}"/>',
            f'<g {font} xml:space="preserve" fill="{TEXT}">',
            *(row for row in rows if row),
            "</g>",
            "</svg>",
            "",
        ]
    )


def _row(line: str, y: float) -> str:
    """The mark of an event in its color; each word at its own column, whatever font the reader has."""
    words = [(found.start(), found.group()) for found in re.finditer(r"\S+(?: \S+)*", line)]
    color = COLORS.get(line.split()[0], "") if line.split() else ""
    if changed := re.match(r" {4}([+-])", line):
        color = COLORS["ok" if changed[1] == "+" else "bad"]
    spans = []
    for number, (column, word) in enumerate(words):
        fill = f' fill="{color or DIM}"' if number == 0 and (color or line.startswith("$")) else ""
        room = f' textLength="{len(word) * CHAR_W:g}" lengthAdjust="spacingAndGlyphs"' if len(word) > 1 else ""
        spans.append(f'<tspan x="{EDGE + column * CHAR_W:g}"{room}{fill}>{escape(word)}</tspan>')
    return f'<text y="{y:g}">{"".join(spans)}</text>' if spans else ""


def stable(lines: list[str]) -> list[str]:
    """Without what differs from run to run: ids, commits, times."""
    return [re.sub(r"r-[0-9a-f]{8}|\b[0-9a-f]{7}\b|[\d.]+ s\b", "·", line).rstrip() for line in lines]


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(drawn(demo_lines()))
