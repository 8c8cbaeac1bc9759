"""How commits relate: common history, the same change on another head, messages, and who wrote a line."""

from pathlib import Path

import pytest

from reknit.adapters import process
from reknit.adapters.git.plumbing import history
from reknit.adapters.git.plumbing.command import Git
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.errors import InternalError
from reknit.core.repository.change import EXECUTABLE, REGULAR, Change, FileChange
from tests.adapters.git.users_git import AT, files_of, git, head, repository

TEN = "".join(f"{number}\n" for number in range(1, 11))


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return repository(tmp_path / "user", {"app.py": TEN, "run.sh": "#!/bin/sh\n", "keep.txt": "k\n"})


def person(trusted: TrustedGit, user: Path, message: str = "by a person", **files: str) -> str:
    for name, text in files.items():
        (user / name).write_text(text)
    git(user, "add", "--all")
    git(user, "commit", "--quiet", "--allow-empty", f"--message={message}")
    trusted.fetch(str(user), head(user))
    return head(user)


def ours(trusted: TrustedGit, base: str, text: str, message: str = "fix: it\n\nRun: r1\n") -> str:
    change = FileChange("app.py", trusted.read(base, "app.py").encode(), text.encode(), REGULAR, REGULAR)
    return trusted.commit(base, Change((change,)), message, at=AT)


def test_common_history(trusted: TrustedGit, user: Path) -> None:
    base = head(user)
    theirs, fix = person(trusted, user, **{"keep.txt": "theirs\n"}), ours(trusted, base, "1\n")
    git(user, "checkout", "--quiet", "--orphan", "alone")
    alone = person(trusted, user, **{"alone.txt": "a\n"})
    assert trusted.merge_base(theirs, fix) == base
    assert trusted.merge_base(theirs, alone) == ""
    assert trusted.is_ancestor(base, fix) and trusted.is_ancestor(base, base)
    assert not trusted.is_ancestor(fix, base) and not trusted.is_ancestor(theirs, fix)
    assert not trusted.is_ancestor("1" * 40, fix), "what is not here is in no history that is"
    with pytest.raises(InternalError):
        trusted.is_ancestor(base, "1" * 40)


def test_a_change_is_replayed_on_a_head_that_moved(trusted: TrustedGit, user: Path) -> None:
    fix = ours(trusted, head(user), TEN.replace("2\n", "two\n"), "fix: zwei → two\n\nRun: r1\n")
    (user / "run.sh").chmod(0o755)
    theirs = person(trusted, user, **{"app.py": TEN.replace("9\n", "nine\n"), "new.txt": "n\n"})
    again = trusted.replay(fix, theirs, at=AT + 5)
    assert trusted.resolve(f"{again}^") == theirs
    assert files_of(trusted.change(theirs, again)) == {
        "app.py": TEN.replace("2\n", "two\n").replace("9\n", "nine\n").encode()
    }
    assert trusted.messages(theirs, again) == ((again, "fix: zwei → two\n\nRun: r1\n", "reknit <reknit@localhost>"),)
    facts = git(Path(trusted.gitdir), "--git-dir=.", "show", "--no-patch", "--format=%an <%ae> %at %cn %ct", again)
    assert facts == f"reknit <reknit@localhost> {int(AT) + 5} reknit {int(AT) + 5}"
    assert trusted.replay(fix, theirs, at=AT + 5) == again, "same input, same commit"


def test_mode_bits_are_kept(trusted: TrustedGit, user: Path) -> None:
    base = head(user)
    mode = FileChange("run.sh", b"#!/bin/sh\n", b"#!/bin/sh\necho\n", REGULAR, EXECUTABLE)
    fix = trusted.commit(base, Change((mode,)), "fix: mode\n", at=AT)
    theirs = person(trusted, user, **{"keep.txt": "theirs\n"})
    (made,) = trusted.change(theirs, trusted.replay(fix, theirs, at=AT)).files
    assert (made.path, made.mode_before, made.mode_after) == ("run.sh", REGULAR, EXECUTABLE)


def test_a_conflict_is_no_commit(trusted: TrustedGit, user: Path) -> None:
    fix = ours(trusted, head(user), TEN.replace("2\n", "two\n"))
    assert trusted.replay(fix, person(trusted, user, **{"app.py": TEN.replace("2\n", "deux\n")}), at=AT) == ""


def test_a_change_never_follows_a_file_to_another_name(trusted: TrustedGit, user: Path) -> None:
    fix = ours(trusted, head(user), TEN.replace("2\n", "two\n"))
    git(user, "mv", "app.py", "test_app.py")
    assert trusted.replay(fix, person(trusted, user), at=AT) == ""


def test_only_a_head_that_stands_on_the_same_ground_will_do(trusted: TrustedGit, user: Path) -> None:
    start = head(user)
    later = person(trusted, user, **{"keep.txt": "later\n"})
    fix = ours(trusted, later, TEN.replace("2\n", "two\n"))
    assert trusted.replay(fix, start, at=AT) == ""
    assert trusted.replay(start, person(trusted, user), at=AT) == head(user), "already in its history"
    git(user, "checkout", "--quiet", "--orphan", "alone")
    alone = person(trusted, user, **{"alone.txt": "a\n"})
    assert trusted.replay(start, alone, at=AT) == "", "a first commit stands on nothing"


def test_what_is_already_there_is_not_committed_again(trusted: TrustedGit, user: Path) -> None:
    fix = ours(trusted, head(user), TEN.replace("2\n", "two\n"))
    theirs = person(trusted, user, **{"app.py": TEN.replace("2\n", "two\n")})
    assert trusted.replay(fix, theirs, at=AT) == theirs
    assert trusted.replay(fix, fix, at=AT) == fix


def test_no_merge_driver_runs(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    base = person(trusted, user, **{".gitattributes": "* merge=evil\nkeep.txt merge=union\n"})
    theirs = person(trusted, user, **{"app.py": TEN.replace("9\n", "nine\n"), "keep.txt": "theirs\n"})
    fix = ours(trusted, base, TEN.replace("2\n", "two\n"))
    both = FileChange("keep.txt", b"k\n", b"ours\n", REGULAR, REGULAR)
    union = trusted.commit(base, Change((both,)), "fix: keep\n", at=AT)
    # The worst case: a driver of that name stands even in the trusted config, and the attributes are read from HEAD
    # (as newer git does in a bare repository), from the index or from a file.
    for folder in (Path(trusted.gitdir), user):
        git(folder, "config", "--file", str(_config(folder)), "merge.evil.driver", f"touch {ran}; true")
    git(user, "config", "--file", str(_config(Path(trusted.gitdir))), "core.attributesFile", f"{user}/.gitattributes")
    trusted.show(theirs)
    again = trusted.replay(fix, theirs, at=AT)
    assert "two\n" in trusted.read(again, "app.py") and "nine\n" in trusted.read(again, "app.py")
    assert trusted.replay(union, theirs, at=AT) == "", "a conflict stays one"
    assert not ran.exists()
    git(user, "checkout", "--quiet", "-b", "naive", base)
    person(trusted, user, **{"app.py": TEN.replace("2\n", "two\n")})
    git(user, "merge", "--quiet", theirs, check=False)
    assert ran.exists(), "naive git does run it"


def test_messages_newest_first(trusted: TrustedGit, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = head(user)
    first = person(trusted, user, "first\n\nbody\n\nRun: r1")
    second = person(trusted, user, "second")
    third = person(trusted, user, "third " + "x" * 20_000)
    told = trusted.messages(base, third)
    assert [sha for sha, *_ in told] == [third, second, first]
    assert [entry[:2] for entry in told[1:]] == [(second, "second\n"), (first, "first\n\nbody\n\nRun: r1\n")]
    assert len(told[0][1]) == history.MAX_MESSAGE_CHARS
    assert trusted.messages(third, base) == trusted.messages(base, base) == ()
    monkeypatch.setattr(history, "MAX_MESSAGES", 2)
    assert [sha for sha, *_ in trusted.messages(base, third)] == [third, second]


def test_who_wrote_a_line(trusted: TrustedGit, user: Path) -> None:
    start = head(user)
    second = person(trusted, user, **{"app.py": TEN.replace("2\n", "two\n"), "odd [1].txt": "a\nb", "empty": ""})
    third = person(trusted, user, **{"app.py": TEN.replace("2\n", "two\n").replace("9\n", "nine")})
    places = [
        ("app.py", 9), ("app.py", 2), ("app.py", 1), ("app.py", 2), ("app.py", 0), ("app.py", 99), ("gone.py", 1),
        ("odd [1].txt", 2), ("odd [1].txt", 3), ("empty", 1), ("", 1), ("../app.py", 1), ("--all", 1), ("a\0b", 1),
    ]  # fmt: skip
    told = trusted.last_commits_of_lines(third, places)
    assert told == (third, second, start, second, "", "", "", second, *[""] * 6)
    assert trusted.last_commits_of_lines(start, [("app.py", 9)]) == (start,)
    assert trusted.last_commits_of_lines(third, []) == ()


def test_a_line_that_looks_like_blames_own_words_is_only_a_line(trusted: TrustedGit, user: Path) -> None:
    fake = "1" * 40
    second = person(trusted, user, f"{fake} 1 1", **{"app.py": f"{fake} 1 1\n{fake} 2 2\n"})
    assert trusted.last_commits_of_lines(second, [("app.py", 1), ("app.py", 2)]) == (second, second)


def test_no_textconv_runs(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    second = person(trusted, user, **{".gitattributes": "* diff=evil\n", "app.py": "1\n"})
    git(user, "config", "--file", str(_config(Path(trusted.gitdir))), "diff.evil.textconv", f"touch {ran}; cat")
    Path(trusted.gitdir, "info", "attributes").write_text("* diff=evil\n")
    assert trusted.last_commits_of_lines(second, [("app.py", 1)]) != ("",)
    assert not ran.exists()


def test_a_file_too_large_or_a_history_too_long_has_no_writers(
    trusted: TrustedGit, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never_ends(self: Git, *args: str) -> bytes:
        raise process.ProcessTimeoutError("process-timeout", "too late")

    monkeypatch.setattr(history, "MAX_FILE_BYTES", 5)
    assert trusted.last_commits_of_lines(head(user), [("app.py", 1)]) == ("",)
    monkeypatch.undo()
    monkeypatch.setattr(Git, "out", never_ends)
    assert trusted.last_commits_of_lines(head(user), [("app.py", 1)]) == ("",)


def test_another_commit_can_be_shown_to_an_agent(trusted: TrustedGit, user: Path) -> None:
    start, gitdir = head(user), Path(trusted.gitdir)
    second = person(trusted, user, **{"new.txt": "n\n"})
    trusted.show(start)
    assert git(gitdir, "--git-dir=.", "rev-parse", "HEAD") == start
    assert git(gitdir, "--git-dir=.", "diff", "--cached", "--name-only", start) == ""
    trusted.show(second)
    assert git(gitdir, "--git-dir=.", "rev-parse", "HEAD") == second
    assert "new.txt" in git(gitdir, "--git-dir=.", "ls-files")
    with pytest.raises(InternalError):
        trusted.show("1" * 40)


def _config(folder: Path) -> Path:
    return folder / ".git" / "config" if (folder / ".git").exists() else folder / "config"


def test_paths_that_the_last_commits_changed(trusted: TrustedGit, user: Path) -> None:
    first = person(trusted, user, **{"a b.txt": "1\n"})
    last = person(trusted, user, **{"app.py": "2\n", "ü.txt": "2\n"})
    assert set(trusted.recently_changed(last, 1)) == {"app.py", "ü.txt"}
    assert set(trusted.recently_changed(last, 2)) == {"app.py", "ü.txt", "a b.txt"}
    assert {"run.sh", "keep.txt"} <= set(trusted.recently_changed(first, 10)), "of the very first commit too"


def test_files_that_were_renamed_also_with_an_edit(trusted: TrustedGit, user: Path) -> None:
    base = head(user)
    git(user, "mv", "app.py", "main ü.py")
    git(user, "rm", "--quiet", "keep.txt")
    renamed = person(trusted, user, **{"main ü.py": f"0\n{TEN}", "new.txt": "n\n"})
    assert trusted.renames(base, renamed) == {"app.py": "main ü.py"}
    assert trusted.renames(renamed, base) == {"main ü.py": "app.py"}
    assert trusted.renames(base, base) == trusted.renames("1" * 40, renamed) == {}


FILES = {
    "tests/test_a.py": "import helper\nopen('data/cases.csv')\nhelper.run('data/cases.csv')\n",
    "src/a.py": "import helpers\n",
    "docs/x:y.md": "cases.csv\n",
    "-e.txt": "nothing\n",
}


@pytest.fixture
def indexed(tmp_path: Path) -> tuple[TrustedGit, str]:
    user = repository(tmp_path / "user", FILES)
    trusted = TrustedGit.open(str(tmp_path / "gitdir"))
    trusted.fetch(str(user), head(user))
    return trusted, head(user)


def test_each_word_has_the_files_that_contain_it(indexed: tuple[TrustedGit, str]) -> None:
    git, commit = indexed
    found = git.mentions(commit, ["cases.csv", "data/cases.csv", "import helper", "absent", "-v", "", "a\nb"])
    assert found == {
        "cases.csv": ("docs/x:y.md", "tests/test_a.py"),
        "data/cases.csv": ("tests/test_a.py",),
        "import helper": ("src/a.py", "tests/test_a.py"),
    }
    assert git.mentions(commit, []) == {}


def test_a_search_that_is_too_large_has_no_answer(
    indexed: tuple[TrustedGit, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    git, commit = indexed
    assert git.mentions(commit, [f"w{number}" for number in range(history.MAX_WORDS + 1)]) is None
    monkeypatch.setattr(history, "TIMEOUT_S", 0.0)
    assert git.mentions(commit, ["cases.csv"]) is None


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("data/", '/cases.csv"'), id="a folder before a name"),
        pytest.param(('/cases.csv"', "data/", "cases.csv"), id="a name before a folder"),
        pytest.param(("shop.data", "data.cases", "cases import"), id="names of modules"),
    ],
)
def test_a_word_does_not_hide_another_that_begins_with_its_end(words: tuple[str, ...], tmp_path: Path) -> None:
    text = 'open("data/cases.csv")\nfrom shop.data.cases import first\n'
    user = repository(tmp_path / "user", {"a.py": text})
    git = TrustedGit.open(str(tmp_path / "gitdir"))
    git.fetch(str(user), head(user))
    assert git.mentions(head(user), words) == dict.fromkeys(words, ("a.py",))


def test_searches_are_few_even_if_all_words_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["aab", "baa", "aba", "ab", "ba"]
    assert len(history.group_words(words)) > 2
    monkeypatch.setattr(history, "MAX_SEARCHES", 2)
    assert len(history.group_words(words)) == 2
    assert sorted(word for group in history.group_words(words) for word in group) == sorted(words)
