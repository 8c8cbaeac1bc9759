"""Keeps a report in a file that the user chose: always a complete document of the newest state."""

import json
import os
from pathlib import Path

from reknit.core.agent_reports.document import document
from reknit.core.agent_reports.session import ReportSession
from reknit.core.errors import UsageProblem


def check(path: Path) -> None:
    """Fails before the agent works, not after. The file is not touched: clients also start a server to inspect it."""
    if path.exists() and not path.is_file():
        raise UsageProblem("out", f"{path} is not a file", help="name a file for the report")
    if not os.access(path.absolute().parent, os.W_OK):
        raise UsageProblem("out", f"no file can be created in {path.absolute().parent}", help="name a file elsewhere")


def write(path: Path, session: ReportSession) -> None:
    target = path.resolve()
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        fresh.write_text(json.dumps(document(session), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        fresh.replace(target)
    except OSError as problem:
        raise UsageProblem("out", f"the report cannot be written: {problem}", help="name a file elsewhere") from problem
