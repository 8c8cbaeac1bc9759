"""Parses a reviewer file: its fields are checked, all problems are reported at once, the body is the instruction."""

import re

from reknit.core.agents.reviewer import LEVELS, Level, Reviewer, ReviewerProblem
from reknit.core.agents.reviewer_fields import Field, Frontmatter, listed, read_frontmatter
from reknit.core.text.did_you_mean import did_you_mean
from reknit.core.text.format import words
from reknit.core.text.frontmatter import plain
from reknit.core.text.redact import clean, redact

FIELDS = ("name", "level", "prefix", "languages", "agent", "model")
_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_LONGEST_NAME = 40
_PREFIX = re.compile(r"[A-Z]{2,6}")
_FROM_A_WORD, _FROM_WORDS = 3, 6
"""Letters of a prefix that is derived from the name."""
_EXTENSION = re.compile(r"[a-z0-9_+#-]{1,20}")
_LONGEST_WORD = 100
_SHOWN = 60
_OF_LANGUAGE = {
    "c#": "cs", "csharp": "cs", "golang": "go", "javascript": "js", "kotlin": "kt", "perl": "pl",
    "python": "py", "ruby": "rb", "rust": "rs", "shell": "sh", "typescript": "ts",
}  # fmt: skip
"""What people write instead of an extension; none of them is one that files of that language have."""


def parse_reviewer(text: str, origin: str, default_name: str) -> Reviewer | tuple[ReviewerProblem, ...]:
    """`origin`: the file, for people. `default_name`: its name if it does not say one."""
    front = read_frontmatter(text)
    if isinstance(front, ReviewerProblem):
        return (front,)
    problems = [*front.problems, *_unknown(front), *_lists(front)]
    name = _name(front, default_name, problems)
    agent = front.fields.get("agent")
    reviewer = Reviewer(
        name=name,
        level=_level(front, problems),
        prefix=_prefix(front, name, problems),
        text=redact(clean(front.body)).strip(),
        languages=_languages(front.fields.get("languages"), problems),
        agent=_word("agent", agent, problems),
        model=_word("model", front.fields.get("model"), problems),
        origin=origin,
        agent_line=agent.line if agent else 0,
    )
    if not reviewer.text:
        help_ = "write below it what the reviewer looks for"
        problems.append(ReviewerProblem(front.closed, "it has no instruction", help_))
    return tuple(sorted(problems, key=lambda problem: problem.line)) or reviewer


def _unknown(front: Frontmatter) -> list[ReviewerProblem]:
    return [
        ReviewerProblem(
            field.line,
            f"unknown field `{words(name, _SHOWN)}`",
            did_you_mean(name, FIELDS) or f"the fields are {', '.join(FIELDS)}",
        )
        for name, field in front.fields.items()
        if name not in FIELDS
    ]


def _lists(front: Frontmatter) -> list[ReviewerProblem]:
    return [
        ReviewerProblem(field.items[0][0], f"`{name}` takes one value, not a list", f"write `{name}: …` on one line")
        for name, field in front.fields.items()
        if field.items and name in FIELDS and name != "languages"
    ]


def _name(front: Frontmatter, default: str, problems: list[ReviewerProblem]) -> str:
    field = front.fields.get("name")
    written = field.value if field else default
    name = (plain(written) or "") if field else default
    if len(name) <= _LONGEST_NAME and _NAME.fullmatch(name):
        return name
    better = "-".join(re.findall("[a-z0-9]+", name.lower()))[:_LONGEST_NAME].strip("-") or "my-reviewer"
    expected = "is not a reviewer's name: expected lower-case letters, digits and hyphens"
    what = f"`{words(written, _SHOWN)}` {expected}" if written else "`name` is empty"
    problems.append(ReviewerProblem(field.line if field else front.opened, what, f"write `name: {better}`"))
    return ""


def _level(front: Frontmatter, problems: list[ReviewerProblem]) -> Level:
    field = front.fields.get("level")
    written = plain(field.value) if field else ""
    known = next((level for level in LEVELS if level == written), None)
    if known:
        return known
    if field is None:
        help_ = f"add `level: warning`; the levels are {', '.join(LEVELS)}"
        problems.append(ReviewerProblem(front.opened, "`level` is missing", help_))
    else:
        what = f"`{words(field.value, _SHOWN)}` is not a level" if field.value else "`level` is empty"
        help_ = did_you_mean(field.value, LEVELS) or f"the levels are {', '.join(LEVELS)}"
        problems.append(ReviewerProblem(field.line, what, help_))
    return LEVELS[0]


def _prefix(front: Frontmatter, name: str, problems: list[ReviewerProblem]) -> str:
    field = front.fields.get("prefix")
    if field is None:
        prefix = derived_prefix(name)
        if name and not prefix:
            what = f"no prefix can be derived from the name `{name}`"
            help_ = "add one of 2 to 6 capital letters, such as `prefix: ABC`"
            problems.append(ReviewerProblem(front.opened, what, help_))
        return prefix
    prefix = plain(field.value) or ""
    if not _PREFIX.fullmatch(prefix):
        better = "".join(re.findall("[A-Z]", prefix.upper()))[:_FROM_WORDS]
        help_ = f"did you mean `{better}`?" if len(better) > 1 else "for example `prefix: SEC`"
        what = f"`prefix` must be 2 to 6 capital letters, not `{words(field.value, _SHOWN)}`"
        problems.append(ReviewerProblem(field.line, what, help_))
    return prefix


def derived_prefix(name: str) -> str:
    """`SEC` for security, `AC` for api-contracts; empty if the name has too few letters."""
    parts = re.findall("[a-z]+", name)
    letters = "".join(part[0] for part in parts) if len(parts) > 1 else "".join(parts)[:_FROM_A_WORD]
    return letters[:_FROM_WORDS].upper() if len(letters) > 1 else ""


def _languages(field: Field | None, problems: list[ReviewerProblem]) -> tuple[str, ...]:
    if field is None:
        return ()
    items = listed(field)
    if items is None:
        problems.append(ReviewerProblem(field.line, "`languages` is not a list", "write `languages: [py, ts]`"))
        return ()
    found = []
    for line, item in items:
        extension = (item or "").removeprefix(".").lower()
        if extension in _OF_LANGUAGE or extension == "all" or not _EXTENSION.fullmatch(extension):
            problems.append(_no_extension(line, item or "", extension))
        found.append(extension)
    return tuple(dict.fromkeys(found))


def _no_extension(line: int, item: str, extension: str) -> ReviewerProblem:
    help_ = "write `languages: [py, ts]`"
    if extension == "all":
        help_ = "leave `languages` out to review all files"
    elif extension in _OF_LANGUAGE:
        help_ = f"did you mean `{_OF_LANGUAGE[extension]}`?"
    return ReviewerProblem(line, f"`{words(item, _SHOWN)}` is not a file extension", help_)


def _word(name: str, field: Field | None, problems: list[ReviewerProblem]) -> str:
    """Empty if the field is empty, or wrong and reported."""
    if field is None:
        return ""
    text = plain(field.value)
    if text is None or len(text) > _LONGEST_WORD or len(text.split()) > 1 or not text.isprintable():
        what = f"`{name}` must be one word, not `{words(field.value, _SHOWN)}`"
        problems.append(ReviewerProblem(field.line, what, f"write `{name}: …` without spaces"))
        return ""
    return text
