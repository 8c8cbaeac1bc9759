"""Writes docs/reference/outcomes.md from what the e2e suite saw.

`outcome_table.py SEEN [--check | --part]`: SEEN is the folder in which the suite left its rows.
`--check` compares the page with the whole table, `--part` with the rows that were seen.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "outcomes.md"
_HEAD = """\
<!-- Made by scripts/outcome_table.py from what the e2e suite saw (`make e2e`). Do not edit by hand. -->

# Outcomes

How each situation ends, with the real CLIs in the box against a scripted model. The outcome comes from the requests
that the gateway saw and from the CLI's last event, never from its prose or its exit code alone.

"""


def page(rows: Sequence[Mapping[str, str]]) -> str:
    agents = sorted({row["agent"] for row in rows})
    seen: dict[str, dict[str, Mapping[str, str]]] = {}
    for row in rows:
        seen.setdefault(row["situation"], {})[row["agent"]] = row
    lines = [f"| situation | {' | '.join(agents)} | reknit |", f"|---|{'---|' * len(agents)}---|"]
    for situation, by_agent in sorted(seen.items()):
        words = [f"`{by_agent[agent]['outcome']}`" if agent in by_agent else "" for agent in agents]
        reactions = " / ".join(dict.fromkeys(by_agent[agent]["reknit"] for agent in agents if agent in by_agent))
        lines.append(f"| {situation} | {' | '.join(words)} | {reactions} |")
    return _HEAD + "\n".join(lines) + "\n"


def rows_in(folder: Path) -> list[dict[str, str]]:
    """The suite runs in several processes, and each leaves a file. Where two tell of one thing, the newest counts."""
    files = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
    rows = (row for file in files for row in json.loads(file.read_text()))
    return list({(row["situation"], row["agent"]): row for row in rows}.values())


def read_page(text: str) -> dict[tuple[str, str], str]:
    """Return (situation, agent) -> outcome."""
    head, _, *lines = [
        [cell.strip(" `") for cell in line.split("|")[1:-1]] for line in text.splitlines() if "|" in line
    ]
    return {(line[0], agent): cell for line in lines for agent, cell in zip(head[1:-1], line[1:-1], strict=True)}


def main(arguments: Sequence[str]) -> int:
    seen = next(word for word in arguments if not word.startswith("--"))
    rows = rows_in(Path(seen))
    if not {"--check", "--part"}.intersection(arguments):
        PAGE.write_text(page(rows))
        return 0
    text = PAGE.read_text() if PAGE.exists() else ""
    if "--part" in arguments:
        written = read_page(text)
        is_same = all(written.get((row["situation"], row["agent"])) == row["outcome"] for row in rows)
    else:
        is_same = text == page(rows)
    if is_same:
        return 0
    sys.stderr.write(f"{PAGE.name} is not what the e2e suite saw: run `make outcomes`\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
