"""The text of the program that calls the tests, with names of this run."""

import json
import re

from reknit.core.tamper_checks.javascript.program.asserting import ASSERTING
from reknit.core.tamper_checks.javascript.program.builtins import BUILTINS
from reknit.core.tamper_checks.javascript.program.chai import CHAI
from reknit.core.tamper_checks.javascript.program.collecting import COLLECTING
from reknit.core.tamper_checks.javascript.program.comparing import COMPARING
from reknit.core.tamper_checks.javascript.program.expecting import EXPECTING
from reknit.core.tamper_checks.javascript.program.hooks import HOOKS
from reknit.core.tamper_checks.javascript.program.loading import LOADING
from reknit.core.tamper_checks.javascript.program.main import MAIN
from reknit.core.tamper_checks.javascript.program.mocking import MOCKING
from reknit.core.tamper_checks.javascript.program.running import RUNNING
from reknit.core.tamper_checks.names import Names

_PARTS = (BUILTINS, COMPARING, ASSERTING, MOCKING, EXPECTING, CHAI, COLLECTING, RUNNING, LOADING, MAIN)
_NAME = re.compile(r"\$[A-Za-z]\w{0,60}")
"""What the parts share begins with a dollar sign in our text, and has an ordinary name in the program."""
_COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)


def program_text(names: Names) -> str:
    parts = ('"use strict";', f"const $hooksText = {json.dumps(HOOKS)};", *_PARTS)
    text = _COMMENT.sub("", "\n".join(part.strip("\n") for part in parts) + "\n")
    shared = sorted({*_NAME.findall(text)}, key=lambda name: names.choice(f"place {name}", 1 << 30))
    own = {name: f"{names.word(name)}{number}" for number, name in enumerate(shared)}
    return _NAME.sub(lambda found: own[found.group()], text)
