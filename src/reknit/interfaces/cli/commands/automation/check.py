"""`reknit check`: the pre-commit hook for commits that agents make."""

import json
import os
from pathlib import Path

import click

from reknit.interfaces.cli.options.allow import ALLOW
from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.options.settings import settings
from reknit.interfaces.cli.output.echo import echo


@click.command()
@ALLOW
@FORMAT
def check(form: str) -> int:
    """Judge what is staged before an agent commits it: configuration, reviewer files, and the rules of the gate.

    For a pre-commit hook. It calls no model, starts no run and changes nothing. Exit code 0: the commit is accepted;
    1: it is refused, a line for each reason (a test was removed or skipped, a lockfile or CI was changed …); 2: the
    configuration is wrong. A person may do what an agent may not: `git commit --no-verify`, or allow it.
    """
    from reknit.app.check import check_commit
    from reknit.app.installation import installation
    from reknit.core.gate.commit_check import check_document, check_lines

    checked = check_commit(installation(os.environ), Path.cwd(), settings())
    code = 0 if checked.verdict.accepted else 1
    if form == "json":
        echo(json.dumps(check_document(checked.verdict, checked.waivers, code)))
        return code
    for line in check_lines(checked.verdict, checked.waivers):
        echo(line)
    return code
