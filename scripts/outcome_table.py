"""Writes docs/reference/outcomes.md from what the e2e suite saw: `outcome_table.py SEEN [--check]`, SEEN a folder."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "outcomes.md"
_HEAD = """\
<!-- Made by scripts/outcome_table.py from what the e2e suite saw (`make e2e`). Do not edit by hand. -->

# Outcomes

How each situation ends, with the real CLIs in the box against a scripted model. The words come from the gateway's own
sight of the call and from the CLI's last event, never from its prose or its exit code alone.

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


def main(arguments: Sequence[str]) -> int:
    seen = next(word for word in arguments if not word.startswith("--"))
    text = page(rows_in(Path(seen)))
    if "--check" not in arguments:
        PAGE.write_text(text)
        return 0
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    sys.stderr.write(f"{PAGE.name} is not what the e2e suite saw: run `make outcomes`\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
