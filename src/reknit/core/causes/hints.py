"""Words that point outside the tree: a login, a device, data to download, something to install."""

import re

from reknit.core.causes import known_names
from reknit.core.causes.cause import Cause, CauseKind, doubtful, environment
from reknit.core.causes.manifests import is_manifest
from reknit.core.causes.reading import Reading
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.repository.manifest_text import normalized

_SIGNS: tuple[tuple[CauseKind, str, str, re.Pattern[str]], ...] = (
    ("credential", "a login that is not here", "use a fake of the service: no login is passed on", re.compile(
        r"NoCredentials|[Uu]nable to (?:locate|load) [^\n]{0,20}credentials|DefaultCredentialsError"
        r"|[Cc]ould not (?:automatically determine|load|find)[^\n]{0,40} credentials|CredentialsProviderError"
        r"|CredentialUnavailable|failed to (?:refresh cached|retrieve) credentials"
    )),
    ("device", "a device or driver that this machine lacks", "run them where it is", re.compile(
        r"no NVIDIA driver|CUDA driver version|No CUDA GPUs|no CUDA-capable device|not compiled with CUDA|/dev/kvm\b"
        r"|NVML|[Nn]o such device\b|\bENODEV\b|could not open port /dev/|[Nn]o default (?:in|out)put device"
    )),
    ("download", "data that must be downloaded first", "download it in the set-up", re.compile(
        r"couldn't connect to 'https?://|in the cached files|NLTK Downloader|Can't find model '|\bspacy download\b"
    )),
    ("variable", "a name and address for Git", "set GIT_AUTHOR_NAME and the like in the test command", re.compile(
        r"unable to auto-detect email address|[Pp]lease tell me who you are|empty ident name"
    )),
)  # fmt: skip
_COMMAND = re.compile(
    r"\b(?:(?:pip3?|conda|npm|pnpm|gem|apt|apt-get|brew|dnf|apk|cargo|go|playwright) install|(?:yarn|uv|poetry) add)"
    r"(?: -{1,2}[\w=-]{1,30}){0,3} ['\"`]?([A-Za-z@][\w./-]{0,80})(?:\[([\w.-]{1,60}))?"
)
_WORD = re.compile(
    r"\b(?:install|credential|locale\b|devices?\b|display|driver|download|api.?key|gpu\b)", re.IGNORECASE
)
"""Said by an installed package; product code says such words about its own matters."""


def hint(reading: Reading, facts: TreeFacts, *, is_of_test: bool) -> Cause | None:
    """Who says it decides: an installed package or the test itself is right, product code may be wrong."""
    for kind, thing, remedy, sign in _SIGNS:
        if sign.search(reading.words):
            sentence, remedy = f"the tests need {thing}", f"{remedy}, or leave the tests out of checks.tests.run"
            return (environment if reading.is_in_package or is_of_test else doubtful)(kind, sentence, remedy)
    if command := _COMMAND.search(reading.words):
        is_known = "ImportError" in reading.words and "No module" not in reading.text and _is_declared(command, facts)
        sentence = f"{command[1]}{f'[{command[2]}]' if command[2] else ''} is not installed"
        return (environment if is_known else doubtful)("missing-module", sentence, f"`{command[0].strip('`')}`")
    if reading.is_in_package and _WORD.search(reading.words):
        return doubtful("missing-module", f"a package may lack something ({reading.words.splitlines()[0][:160]})")
    return None


def _is_declared(command: re.Match[str], facts: TreeFacts) -> bool:
    package, extra = command.groups()
    if extra and package.replace("-", "_") in facts.python_tops:
        return any(extra in text for path, text in facts.texts.items() if is_manifest(path))
    return normalized(package) in facts.python_packages or package in known_names.THIRD_PARTY
