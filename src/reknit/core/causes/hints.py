"""Words that point outside the tree: a login, a device, data to download, something to install."""

import re

from reknit.core.causes.cause import Cause, CauseKind, doubtful, environment
from reknit.core.causes.reading import Reading
from reknit.core.causes.test_lines import TestLines

_LEAVE_OUT = "or leave the tests that need it out of checks.tests.run"
_SIGNS: tuple[tuple[CauseKind, str, str, re.Pattern[str]], ...] = (
    ("credential", "a login that is not here", f"no login is passed on: use a fake of the service, {_LEAVE_OUT}",
     re.compile(
        r"NoCredentials|[Uu]nable to (?:locate|load) credentials|DefaultCredentialsError"
        r"|[Cc]ould not (?:automatically determine|load|find)[^\n]{0,40} credentials|CredentialsProviderError"
        r"|CredentialUnavailable|failed to (?:refresh cached|retrieve) credentials|no valid providers in chain"
        r"|could not find default credentials|SdkClientException: Unable to load [^\n]{0,20}credentials"
     )),
    ("device", "a device or driver that this machine lacks", f"run them on a machine that has it, {_LEAVE_OUT}",
     re.compile(
        r"no NVIDIA driver|CUDA driver version|No CUDA GPUs|no CUDA-capable device|not compiled with CUDA"
        r"|CUDA_ERROR_NO_DEVICE|[Nn]o such device\b|\bENODEV\b|could not open port /dev/|/dev/kvm\b|NVML"
        r"|[Nn]o default (?:in|out)put device|No (?:OpenCL )?platforms? found|PLATFORM_NOT_FOUND_KHR"
     )),
    ("download", "data that must be downloaded first", f"download it in the set-up, {_LEAVE_OUT}",
     re.compile(
        r"couldn't connect to 'https?://|find (?:it|them) in the cached files|NLTK Downloader|Can't find model '"
        r"|\bspacy download\b|cannot find the requested files in the (?:local|disk) cache|HF_HUB_OFFLINE"
     )),
    ("variable", "a name and address for Git",
     "set them in the test command, as in `GIT_AUTHOR_NAME=… GIT_AUTHOR_EMAIL=…` (and `GIT_COMMITTER_…`)",
     re.compile(r"unable to auto-detect email address|Please tell me who you are|empty ident name|identity unknown")),
)  # fmt: skip
_COMMAND = re.compile(
    r"\b(?:(?:pip3?|conda|mamba|npm|pnpm|gem|apt|apt-get|brew|dnf|apk|cargo|go|playwright) install"
    r"|(?:yarn|uv|poetry|cargo) add|dotnet tool install|rustup component add)\b"
)
_WORD = re.compile(r"\b(?:install|credential|locale|devices?\b|display|driver|download|api.?key|gpu\b)", re.IGNORECASE)
"""Said by an installed package; product code says such words about its own matters."""


def hint(reading: Reading, lines: TestLines) -> Cause | None:
    """Whoever was called says it: an installed package or the test itself; product code may be wrong."""
    is_outside = reading.is_in_package or lines.is_last
    for kind, thing, remedy, sign in _SIGNS:
        if sign.search(reading.words):
            return (environment if is_outside else doubtful)(kind, f"the tests need {thing}", remedy)
    if _COMMAND.search(reading.words) or (reading.is_in_package and _WORD.search(reading.words)):
        message = reading.words.partition("\n")[0][:160]
        return doubtful("missing-module", f"something may have to be installed or set up ({message})")
    return None
