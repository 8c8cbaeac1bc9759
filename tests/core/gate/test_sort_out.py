import pytest

from reknit.core.gate.judge import judge
from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import Waivers, WaiverUse, parse_typed
from reknit.core.repository.change import EXECUTABLE, GITLINK, REGULAR, SYMLINK, Change, FileChange


def changed(path: str, before: bytes | None = b"a\n", after: bytes | None = b"b\n", *modes: int) -> FileChange:
    old, new = modes or (REGULAR if before is not None else 0, REGULAR if after is not None else 0)
    return FileChange(path, before, after, old, new)


def judged(*files: FileChange, allow: tuple[str, ...] = (), forbid: tuple[str, ...] = ()) -> GateVerdict:
    waivers = Waivers(tuple(map(parse_typed, allow)), forbid)
    return judge(Change(files), Scope(("tests/test_a.py",), "web", 20, 100, "pytest", waivers=waivers))


def refused(verdict: GateVerdict) -> list[tuple[str, str]]:
    return [(refusal.rule, refusal.path) for refusal in verdict.refusals]


LOCK = changed("web/package-lock.json")


def test_an_allowed_file_is_accepted_and_its_use_is_recorded() -> None:
    assert refused(judged(LOCK)) == [("protected-config", "web/package-lock.json")]
    verdict = judged(LOCK, allow=("protected-config:web/package-lock.json", "too-much:web/a.py"))
    assert verdict.accepted
    assert verdict.allowed == (WaiverUse("protected-config", "web/package-lock.json", "", "--allow"),)


def test_every_use_is_recorded() -> None:
    verdict = judged(LOCK, changed("web/tsconfig.json"), allow=("protected-config:web/*.json",))
    assert [use.path for use in verdict.allowed] == ["web/package-lock.json", "web/tsconfig.json"]


def test_a_waiver_for_one_path_does_not_help_another() -> None:
    verdict = judged(LOCK, changed("web/tsconfig.json"), allow=("protected-config:web/package-lock.json",))
    assert refused(verdict) == [("protected-config", "web/tsconfig.json")]


def test_a_waiver_for_one_rule_does_not_help_against_another() -> None:
    secret = changed("web/package-lock.json", b"{}\n", b"AKIAIOSFODNN7EXAMPLZ\n")
    verdict = judged(secret, allow=("protected-config:web/package-lock.json",))
    assert refused(verdict) == [("secret-added", "web/package-lock.json")]


def test_what_the_repository_forbids_stays_refused() -> None:
    verdict = judged(LOCK, allow=("protected-config:web/**",), forbid=("protected-config:**/package-lock.json",))
    assert refused(verdict) == [("protected-config", "web/package-lock.json")]
    assert verdict.allowed == ()


def test_both_names_of_a_renamed_file_must_be_allowed() -> None:
    gone, new = changed("web/tsconfig.json", b"{}\n", None), changed("web/tsconfig.base.json", None, b"{}\n")
    assert refused(judged(gone, new, allow=("protected-config:web/tsconfig.json",))) == [
        ("protected-config", "web/tsconfig.base.json")
    ]
    assert refused(judged(gone, new, allow=("protected-config:web/tsconfig.base.json",))) == [
        ("protected-config", "web/tsconfig.json")
    ]


@pytest.mark.parametrize("path", ["web/Package-lock.json", "web/package-lock.json ", "web/x/../package-lock.json"])
def test_another_spelling_of_the_path_is_another_file(path: str) -> None:
    verdict = judged(changed(path), allow=("protected-config:web/package-lock.json",))
    assert not [use for use in verdict.allowed if use.path != "web/package-lock.json"]
    assert verdict.allowed == ()


@pytest.mark.parametrize("modes", [(REGULAR, SYMLINK), (SYMLINK, REGULAR), (0, GITLINK), (GITLINK, REGULAR)])
def test_an_allowed_path_that_becomes_a_link_or_a_submodule_is_refused(modes: tuple[int, int]) -> None:
    allow = ("protected-config:web/package-lock.json", "no-mode-change:web/package-lock.json")
    verdict = judged(changed("web/package-lock.json", b"a", b"../../etc/passwd", *modes), allow=allow)
    assert not verdict.accepted
    assert verdict.allowed == ()


def test_a_script_may_become_executable_if_a_person_says_so() -> None:
    script = changed("web/deploy.py", b"x = 1\n", b"x = 1\n", REGULAR, EXECUTABLE)
    assert refused(judged(script)) == [("no-mode-change", "web/deploy.py")]
    assert judged(script, allow=("no-mode-change:web/deploy.py",)).accepted


def test_an_allowed_file_is_not_counted_but_the_others_are() -> None:
    lock = changed("web/package-lock.json", b"", b"x\n" * 200)
    source = changed("web/a.py", b"", b"x = 1\n" * 90)
    both = ("protected-config:web/package-lock.json", "too-much:web/package-lock.json")
    assert refused(judged(lock, source, allow=both[:1])) == [("too-much", "")]
    verdict = judged(lock, source, allow=both)
    assert verdict.accepted
    assert [use.rule for use in verdict.allowed] == ["protected-config", "too-much"]
    assert verdict.added == 290
    more = changed("web/b.py", b"", b"x = 1\n" * 20)
    verdict = judged(lock, source, more, allow=both)
    assert refused(verdict) == [("too-much", "")]
    assert [use.rule for use in verdict.allowed] == ["protected-config"]


def test_a_waiver_that_is_not_needed_is_not_recorded() -> None:
    assert judged(changed("web/a.py"), allow=("protected-config:web/a.py",)).allowed == ()


def test_a_waiver_for_other_files_does_not_help_against_the_size() -> None:
    source = changed("web/a.py", b"", b"x = 1\n" * 200)
    assert refused(judged(source, allow=("too-much:web/package-lock.json",))) == [("too-much", "")]
