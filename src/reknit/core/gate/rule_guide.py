"""Explains each rule of the gate to people: its purpose, an example, and if a person can allow it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Strength = Literal["hard", "advice"]
"""`hard`: it refuses whatever tamper checks show. `advice`: it guesses at an intention; tamper checks can refute it."""


@dataclass(frozen=True)
class RuleGuide:
    """The explanation of one rule."""

    purpose: str
    example: str
    """A change that it refuses."""
    never: str = ""
    """Why nobody can allow it; empty: a person can."""
    strength: Strength = "hard"


STRENGTHS: Mapping[Strength, str] = {
    "hard": "always: it is a hard rule",
    "advice": "as advice: it refuses only where no tamper check could show that the change is harmless",
}
_PROOF = "the proof of a fix rests on it; make such a change yourself, in a commit of its own"

GUIDE: Mapping[str, RuleGuide] = {
    "test-removed": RuleGuide(
        "A test that is gone cannot fail.", "`def test_login` is deleted, or renamed so that it no longer runs", _PROOF
    ),
    "test-skipped": RuleGuide("A skipped test proves nothing.", "`@pytest.mark.skip` above a red test", _PROOF),
    "test-emptied": RuleGuide(
        "A test that checks less passes more easily.", "one of two assertions of a test is removed", _PROOF
    ),
    "protected-test": RuleGuide(
        "What the tests expect is the specification: a fix follows it and does not rewrite it.",
        "the expected value in `tests/test_price.py`, or the snapshot `__snapshots__/page.snap`, is changed",
    ),
    "test-support": RuleGuide(
        "A test proves only as much as the helpers and the data that it uses.",
        "`data/cases.csv`, which only a test reads, is emptied; a new `hamcrest.py` where the tests import hamcrest",
    ),
    "protected-config": RuleGuide(
        "Configuration decides what is built, installed, checked and run, also on other machines.",
        "`package-lock.json`, `tsconfig.json` or `.github/workflows/ci.yml` is changed",
    ),
    "unusual-file": RuleGuide(
        "Editors, shells, build tools and CI execute files that nobody thinks of as code.",
        "a new `.gdbinit`, `Tiltfile` or `ci.toml`, or any dotfile that the product's source does not read",
    ),
    "runner-tampering": RuleGuide(
        "A run proves something only if it runs the same tests in the same way as before.",
        "another test script in `package.json`; a new `pytest.py` in the top folder",
        _PROOF,
    ),
    "test-awareness": RuleGuide(
        "Code that recognises its tests can pass them without doing its work.",
        '`if "pytest" in sys.modules:` in the source; an `__eq__` that is always true',
        strength="advice",
    ),
    "test-values": RuleGuide(
        "Code that has the test's input and its answer passes, and may know the answer to nothing else.",
        "`if (price, percent) == (250, 20): return 200` where the test expects `discount(250, 20) == 200`",
        strength="advice",
    ),
    "unreadable": RuleGuide(
        "The other rules can only judge what they can read.",
        "a `.so` file, or Python that does not parse",
        "what cannot be read is judged by no rule",
    ),
    "hidden-text": RuleGuide(
        "A person who reads the change must see all of it.", "a right-to-left override in a comment"
    ),
    "suppression-added": RuleGuide(
        "A silenced warning looks like a repaired one.",
        "`# type: ignore` behind the line that was reported",
        strength="advice",
    ),
    "error-swallowed": RuleGuide(
        "An error that nobody sees looks like one that does not happen.",
        "`except Exception: pass` around the line that fails",
        strength="advice",
    ),
    "secret-added": RuleGuide(
        "A pushed secret cannot be taken back.",
        "an access key in `settings.py`; `https://user:password@example.com` is an example, not a secret",
    ),
    "unsafe-entry": RuleGuide(
        "Only what was read can be committed.",
        "a socket, a file with a second hard link, a submodule, a nested repository",
        "it is no file that can be read, so it cannot be judged",
    ),
    "no-symlink": RuleGuide(
        "A link makes one path stand for another, so that rules about paths no longer hold.",
        "`config.json` becomes a link to `/etc/passwd`",
        "behind a link, no rule about a path holds",
    ),
    "no-mode-change": RuleGuide(
        "An executable file can be started by a hook or a build.", "`deploy.sh` becomes executable"
    ),
    "out-of-reach": RuleGuide(
        "A fix belongs to the project whose test fails, or to one that it depends on.",
        "a test of `web/` fails, and `billing/` is changed",
    ),
    "vendored-file": RuleGuide(
        "What was copied or generated is changed where it comes from.",
        "a new `node_modules/left-pad/index.js`",
        strength="advice",
    ),
    "too-much": RuleGuide("A person has to read the change.", "2,000 changed lines; an allowed file is not counted"),
    "nothing-changed": RuleGuide(
        "Without a change there is nothing to land.", "the agent changed no file", "there is nothing to allow"
    ),
}


def explain_rule(rule: str, holds: str, *, example: bool = False) -> str:
    """Explain a rule. `holds`: the rule's own sentence; `example`: add an entry for a person's own file."""
    guide = GUIDE[rule]
    allow = f"nobody: {guide.never}" if guide.never else f"a person, for one run: `--allow {rule}:PATH`"
    lines = [
        f"{rule}  {holds}",
        f"  why      {guide.purpose}",
        f"  refuses  {guide.example}",
        f"  counts   {STRENGTHS[guide.strength]}",
        f"  allows   {allow}",
    ]
    if not guide.never:
        lines.append("           or for longer, in that person's own config file: `[[gate.allow]]`")
    if not guide.never and example:
        lines += [f"             {line}" for line in _render_entry(rule)]
    return "\n".join(lines)


def _render_entry(rule: str) -> tuple[str, ...]:
    return (
        "[[gate.allow]]",
        f'rule = "{rule}"',
        'path = "PATH"  # from the top folder; `*` within a name, `**` for folders',
        'reason = "why"',
        "until = 2026-12-31  # the last day; without it, there is no end",
    )


def rule_to_document(rule: str, holds: str) -> dict[str, object]:
    """Return the explanation for `--format json`. `nobody`: why nobody can allow it; empty: a person can."""
    guide = GUIDE[rule]
    return {
        "rule": rule,
        "holds": holds,
        "why": guide.purpose,
        "refuses": guide.example,
        "strength": guide.strength,
        "nobody": guide.never,
    }
