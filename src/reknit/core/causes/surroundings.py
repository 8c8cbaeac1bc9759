"""Explains missing surroundings: variables, locales, browsers, devices, logins, time, memory."""

import re

from reknit.core.causes import known_names
from reknit.core.causes.cause import CODE, Cause, CauseKind, doubtful, environment
from reknit.core.causes.manifests import is_manifest
from reknit.core.causes.programs import find_lfs_pointer
from reknit.core.causes.reading import Reading, find_failing_lines
from reknit.core.causes.tree_facts import TreeFacts, is_near
from reknit.core.repository.manifest_text import normalize_package_name
from reknit.core.text.format import to_one_line

_KEY = re.compile(r"KeyError: ['\"]([A-Z][A-Z0-9_]{2,60})['\"]")
_ENVIRON = re.compile(
    r"(?:<frozen os>|/os\.py):\d{1,5}: KeyError|/os\.py\", line \d{1,5}, in __getitem__|<frozen os>\", line"
)
_SAID = re.compile(
    r"\b([A-Z][A-Z0-9_]{2,60})\b['\"`]? (?:environment variable|env var)\b"
    r"|(?:environment|env) (?:variable|var)s?:? {0,2}['\"`]?([A-Z][A-Z0-9_]{2,60})\b"
    r"|\b([A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{1,40})\b['\"`]? (?:is not set|not set|must be set|has to be set|is unset)\b"
)
_BROWSER = re.compile(
    r"Executable doesn't exist at \S{1,300}|playwright install|Could not find (?:Chrome|Chromium|Firefox"
    r"|expected browser)"
    r"|cannot find (?:Chrome|Firefox) binary|(?:chromedriver|geckodriver)'? executable needs to be in PATH"
    r"|Unable to obtain driver for|Chrome failed to start|chrome not reachable|DevToolsActivePort file"
    r"|Cypress binary is missing|Host system is missing dependencies to run browsers|No usable sandbox!"
)
_DISPLAY = re.compile(
    r"no display name and no \$DISPLAY|cannot open display|[Cc]ould not connect to display"
    r"|couldn't connect to display|Missing X server"
    r"|Unable to init server"
)
_LOCALE = re.compile(r"unsupported locale setting|cannot change locale")
_LOCALE_NAME = re.compile(r"['\"(]([a-z]{2,3}_[A-Z]{2}[\w.@-]{0,20})")
_ZONE = re.compile(r"(?i:time.?zone|zone)[^\n]{0,60}?\b([A-Z]\w{1,20}/[A-Z][\w/+-]{1,40}|UTC)")
_SPACE = re.compile(r"No space left on device|\bENOSPC\b|Disk quota exceeded|\bEDQUOT\b")
_WATCHERS = re.compile(r"System limit for number of file watchers|inotify watch limit")
_RUNAWAY = re.compile(
    r"heap out of memory|OutOfMemoryError|std::bad_alloc|Cannot allocate memory|\bENOMEM\b|\bMemoryError\b"
)
_TIMEOUT = re.compile(
    r"Timeout (?:>|\()|Exceeded timeout of|Test timed out in|test timed out after|TimeoutExpired|timed out after"
)

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
    r"(?: -{1,2}[\w=-]{1,30}){0,3} ['\"`]?([A-Za-z@][\w./-]{0,80})(?:\[([\w.-]{1,60})[^\]\n]{0,60}\])?"
)
_NOT_FOUND = re.compile(r"\bnot (?:found|available) (?:on|in) (?:the |your |\$)?PATH\b|\bis not installed\b")
_QUOTES = "'\"`"
_WORD_OF_PACKAGE = re.compile(
    r"\b(?:install|credential|locale\b|devices?\b|display|driver|download|api.?key|gpu\b)", re.IGNORECASE
)
"""Words that count only in a message of an installed package; product code has its own uses for them."""


def explain_missing_variable(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of an environment variable that is not set."""
    match = _KEY.search(reading.words)
    if match and not _ENVIRON.search(reading.text):
        return CODE
    match = match or _SAID.search(reading.words)
    if not match:
        return None
    name = next(part for part in match.groups() if part)
    if name in facts.own_variables or is_near(name, facts.own_variables | _list_example_variables(facts)):
        return CODE
    if facts.clears_environment(reading.file):
        return CODE
    remedy = f"set it in the test command, as in `{name}=… pytest` (checks.tests.run): your shell's are not passed on"
    return environment("variable", f"the environment variable {name} is not set", remedy)


def explain_missing_locale(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a missing locale or time zone; product code may ask for a wrong one."""
    is_of_test = find_failing_lines(reading, facts).is_last
    if _LOCALE.search(reading.words):
        match = _LOCALE_NAME.search(reading.words) or _LOCALE_NAME.search(reading.text)
        name = match[1] if match else "that is asked for"
        cause = environment if is_of_test else doubtful
        return cause("locale", f"the locale {name} is not installed on this machine", "install it: `locale-gen`")
    if reading.words == "another time zone":
        remedy = "set it in the test command, as in `TZ=Europe/Berlin pytest` (checks.tests.run)"
        return environment("time-zone", "the test asks for another time zone than this machine has", remedy)
    zone = _ZONE.search(reading.words)
    if not zone:
        return None
    cause = environment if is_of_test or zone[1] in known_names.ZONES else doubtful
    return cause("time-zone", f"the time zone {zone[1]} is not known on this machine", "install `tzdata`")


def _list_example_variables(facts: TreeFacts) -> frozenset[str]:
    """Return the variables that an example of the settings names: these are spelled correctly."""
    examples = (
        text for path, text in facts.texts.items() if path.endswith((".env.example", "compose.yml", "compose.yaml"))
    )
    return frozenset(name for text in examples for name in re.findall(r"\b[A-Z][A-Z0-9_]{2,60}\b", text))


def explain_missing_browser(reading: Reading, _facts: TreeFacts) -> Cause | None:
    """Return the cause of a missing browser or display."""
    if _BROWSER.search(reading.words):
        python = ".py" in reading.text
        remedy = "`playwright install`" if python else "`npx playwright install`, or install the browser the tests use"
        return environment("browser", "the browser that the tests drive is not installed", remedy)
    if _DISPLAY.search(reading.words):
        return environment("display", "the tests need a display", "run them under `xvfb-run`")
    return None


def explain_exhausted_resource(reading: Reading, _facts: TreeFacts) -> Cause | None:
    """Return the cause of a full disk, too little memory or too little time."""
    if _WATCHERS.search(reading.words):
        return environment("space", "too few file watchers", "raise `fs.inotify.max_user_watches`")
    if _SPACE.search(reading.words):
        return environment("space", "the disk is full", "free some space")
    if _RUNAWAY.search(reading.words):
        return doubtful("memory", "the tests ran out of memory")
    return doubtful("timeout", "the test took too long") if _TIMEOUT.search(reading.words) else None


def explain_by_hint(reading: Reading, facts: TreeFacts, *, is_of_test: bool) -> Cause | None:
    """Return a cause from hints. An installed package or the test itself is right; product code may be wrong."""
    for kind, thing, remedy, sign in _SIGNS:
        if sign.search(reading.words):
            sentence, remedy = f"the tests need {thing}", f"{remedy}, or leave the tests out of checks.tests.run"
            return (environment if reading.is_in_package or is_of_test else doubtful)(kind, sentence, remedy)
    if command := _COMMAND.search(reading.words):
        is_certain = "ImportError" in reading.words and "No module" not in reading.text and _is_declared(command, facts)
        sentence = f"{command[1]}{f'[{command[2]}]' if command[2] else ''} is not installed"
        remedy = f"`{''.join(character for character in command[0] if character not in _QUOTES)}`"
        return (environment if is_certain else doubtful)("missing-module", sentence, remedy)
    if path := find_lfs_pointer(reading, facts):
        return doubtful("lfs", f"{path} is a pointer of Git LFS, not the data itself")
    if line := next(filter(_NOT_FOUND.search, reading.words.splitlines()), ""):
        return doubtful("missing-program", f"a program may be missing ({to_one_line(line)[:160]})")
    if reading.is_in_package and _WORD_OF_PACKAGE.search(reading.words):
        return doubtful("missing-module", f"a package may lack something ({reading.words.splitlines()[0][:160]})")
    return None


def _is_declared(command: re.Match[str], facts: TreeFacts) -> bool:
    package, extra = command.groups()
    if extra and package.replace("-", "_") in facts.python_tops:
        return any(extra in text for path, text in facts.texts.items() if is_manifest(path))
    return normalize_package_name(package) in facts.python_packages or package in known_names.THIRD_PARTY
