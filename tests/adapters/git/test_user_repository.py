"""The read-only view of the user's repository."""

import os
from pathlib import Path

import pytest

from reknit.adapters.git.plumbing.write_commit import blob_id
from reknit.adapters.git.review_range import repository_around
from reknit.adapters.git.user_repository import MAX_DIRTY, UserRepository
from reknit.core.errors import UsageError
from tests.adapters.git.users_git import git, head, repository
from tests.tools.repository_print import fingerprint


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return repository(tmp_path / "user", {"app.py": "one\n", "lib/x.py": "x\n", ".gitignore": "*.log\n.venv/\n"})


def test_it_is_found_from_any_folder_in_it(user: Path) -> None:
    found = UserRepository.find(str(user / "lib"))
    assert found.root == str(user.resolve())
    assert (found.head(), found.branch()) == (head(user), "main")
    git(user, "checkout", "--quiet", "--detach")
    assert found.branch() == ""


def test_the_parents_of_a_merge_are_known_without_its_history(user: Path, tmp_path: Path) -> None:
    assert UserRepository.find(str(user)).parents() == ()
    first = head(user)
    git(user, "checkout", "--quiet", "-b", "side")
    git(user, "commit", "--quiet", "--allow-empty", "--message=parent 0000\n\nparent 0000")
    side = head(user)
    git(user, "checkout", "--quiet", "main")
    git(user, "merge", "--quiet", "--no-ff", "--message=merge", "side")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{user}", "shallow")
    assert UserRepository.find(str(tmp_path / "shallow")).parents() == (first, side)


def test_a_linked_worktree_is_a_repository(user: Path, tmp_path: Path) -> None:
    git(user, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "linked"))
    found = UserRepository.find(str(tmp_path / "linked"))
    assert (found.root, found.branch()) == (str((tmp_path / "linked").resolve()), "side")


def _places(top: Path) -> dict[str, tuple[Path, str]]:
    """What a folder is -> the folder, and the repository that it belongs to."""
    user = repository(top / "user", {"lib/x.py": "x\n"})
    git(user, "worktree", "add", "--quiet", str(top / "linked"))
    git(top, "clone", "--quiet", "--separate-git-dir", str(top / "elsewhere"), str(user), str(top / "pointing"))
    git(top, "init", "--quiet", "--bare", "bare")
    for name in ("empty/.git", "empty/inside", "dangling", "plain"):
        (top / name).mkdir(parents=True)
    (top / "dangling/.git").write_text(f"gitdir: {top}/gone\n")
    inner = repository(top / "empty/inner", {"a/b.py": "\n"})
    return {
        "the top": (user, str(user)),
        "a folder below": (user / "lib", str(user)),
        "a linked worktree": (top / "linked", str(top / "linked")),
        "a gitdir elsewhere": (top / "pointing", str(top / "pointing")),
        "a repository below an empty .git": (inner / "a", str(inner)),
        "an empty .git": (top / "empty", ""),
        "below an empty .git": (top / "empty/inside", ""),
        "a link that leads nowhere": (top / "dangling", ""),
        "no .git": (top / "plain", ""),
        "a bare repository": (top / "bare", str(top / "bare")),
        "the gitdir itself": (user / ".git", str(user / ".git")),
    }


def test_whether_a_folder_belongs_to_a_repository_is_what_git_says(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    places = _places(tmp_path.resolve())
    assert {name: repository_around(str(folder)) for name, (folder, _) in places.items()} == {
        name: top for name, (_, top) in places.items()
    }


def test_what_is_there(user: Path) -> None:
    (user / ".venv" / "bin").mkdir(parents=True)
    (user / ".venv" / "bin" / "python").touch()
    (user / "debug.log").touch()
    (user / "app.py").write_text("changed\n")
    (user / "two\nlines").touch()
    (user / "fresh").mkdir()
    (user / "fresh" / "a").touch()
    found = UserRepository.find(str(user))
    assert found.tracked() == (".gitignore", "app.py", "lib/x.py")
    assert found.dirty() == ("app.py", "fresh/", "two\nlines")
    assert found.ignored() == (".venv/", "debug.log")
    assert found.read("app.py") == "one\n", "the committed text, not the one being edited"
    assert found.read("lib") is None and found.read("none.py") is None and found.read("../x") is None


def test_looking_changes_nothing(user: Path) -> None:
    os.utime(user / "app.py", (1, 1))  # git would like to refresh its index now
    before = fingerprint(user)
    found = UserRepository.find(str(user))
    found.dirty(), found.tracked(), found.ignored(), found.read("app.py"), found.head(), found.branch()
    assert fingerprint(user) == before


@pytest.mark.parametrize("name", ["x", "a=b", "a.b", 'q"\\', ""])
@pytest.mark.parametrize("key", ["clean", "process"])
@pytest.mark.parametrize("place", ["config", "included"])
def test_a_filter_of_the_repository_does_not_run(user: Path, tmp_path: Path, name: str, key: str, place: str) -> None:
    ran = tmp_path / "ran"
    file = user / ".git" / place
    git(user, "config", "include.path", "included")
    git(user, "config", "--file", str(file), f"filter.{name}.{key}", f"touch {ran}; cat")
    git(user, "config", "--file", str(file), f"filter.{name}.required", "true")
    (user / ".git" / "info").mkdir(exist_ok=True)
    (user / ".git" / "info" / "attributes").write_text(f'*.py filter={name}\n"*.py" filter={name}\n')
    (user / "app.py").write_text("changed\n")
    (user / "lib" / "x.py").write_text("X\n")
    (user / "new.py").touch()
    found = UserRepository.find(str(user))
    assert "new.py" in found.dirty()
    assert not ran.exists()


def test_whether_a_filtered_file_differs_is_not_known(user: Path) -> None:
    (user / ".gitattributes").write_text("*.bin filter=lfs\n*.txt text eol=crlf\n")
    for name in ("a.bin", "staged.bin", "gone.bin"):
        (user / name).write_text("pointer\n")
    (user / "a.txt").write_bytes(b"one\r\n")
    git(user, "add", "--all")
    git(user, "commit", "--quiet", "--message=more")
    git(user, "config", "filter.lfs.clean", "echo pointer")
    (user / "a.bin").write_text("a large file")
    (user / "staged.bin").write_text("other")
    git(user, "-c", "filter.lfs.clean=cat", "add", "staged.bin")
    (user / "gone.bin").unlink()
    os.utime(user / "a.txt", (1, 1))
    (user / "app.py").write_text("changed\n")
    assert UserRepository.find(str(user)).dirty() == ("app.py", "gone.bin", "staged.bin")


def test_more_filters_than_can_be_switched_off_are_a_clear_problem(user: Path) -> None:
    with (user / ".git" / "config").open("a") as config:
        config.writelines(f'[filter "{number:0200}"]\nclean = x\n' for number in range(1000))
    with pytest.raises(UsageError, match="too many filters"):
        UserRepository.find(str(user)).dirty()


def test_a_branch_is_known_by_its_whole_name(user: Path) -> None:
    found = UserRepository.find(str(user))
    git(user, "branch", "reknit/a")
    assert (found.has_branch("main"), found.has_branch("reknit")) == (True, False)
    git(user, "branch", "--move", "reknit/a", "reknit")
    assert found.has_branch("reknit")


def test_a_very_dirty_tree_is_named_in_part(user: Path) -> None:
    for number in range(MAX_DIRTY + 5):
        (user / f"n{number}").touch()
    assert len(UserRepository.find(str(user)).dirty()) == MAX_DIRTY


def test_the_users_own_ignore_rules_count(user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home" / "git").mkdir(parents=True)
    (tmp_path / "home" / "git" / "ignore").write_text("*.mine\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (user / "x.mine").touch()
    found = UserRepository.find(str(user))
    assert (found.dirty(), found.ignored()) == ((), ("x.mine",))


def test_names_that_are_not_text_do_no_harm(user: Path) -> None:
    Path(os.fsdecode(os.fsencode(user) + b"/bad\xff.log")).touch()
    Path(os.fsdecode(os.fsencode(user) + b"/bad\xff.py")).touch()
    found = UserRepository.find(str(user))
    assert (found.ignored(), found.dirty()) == ((), ("bad\ufffd.py",))


def problem(path: Path) -> UsageError:
    with pytest.raises(UsageError) as raised:
        UserRepository.find(str(path))
    assert raised.value.help or raised.value.name == "sha256-repository"
    return raised.value


def test_outside_of_any_repository(tmp_path: Path) -> None:
    assert problem(tmp_path).name == "no-repository"
    assert problem(tmp_path / "none").name == "no-repository"


def test_in_a_bare_repository_or_a_gitdir(user: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    assert problem(tmp_path / "bare.git").name == "no-repository"
    assert problem(user / ".git").name == "no-repository"


def test_with_no_commit_yet(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "unborn")
    assert problem(tmp_path / "unborn").name == "no-commit"


def test_with_other_object_names(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256", "long")
    git(tmp_path / "long", "commit", "--quiet", "--allow-empty", "--message=x")
    assert problem(tmp_path / "long").name == "sha256-repository"


def test_a_damaged_repository_is_a_clear_problem(user: Path) -> None:
    found = UserRepository.find(str(user))
    (user / ".git" / "index").write_bytes(b"nonsense")
    with pytest.raises(UsageError, match="git status failed"):
        found.dirty()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_user(user: Path) -> None:
    for folder in (user, user / ".git"):
        os.chown(folder, 65534, 65534)
    told = problem(user / "lib")
    assert told.name == "repository-of-another-user"
    assert told.help.endswith(f"safe.directory {user}")


def test_its_remotes_are_told_as_they_are_written(user: Path) -> None:
    found = UserRepository.find(str(user))
    assert found.remotes() == ()
    git(user, "remote", "add", "origin", "git@github.com:me/shop.git")
    git(user, "remote", "add", "Up.stream", "short:acme/shop")
    git(user, "config", "url.https://github.com/.insteadOf", "short:")
    git(user, "config", "url.ssh://elsewhere/.pushInsteadOf", "git@github.com:")
    git(user, "config", "remote.origin.pushurl", "git@github.com:push/shop.git")
    git(user, "config", "remote.origin.vcs", "evil")
    git(user, "config", "remote.odd.url", "two\nlines")
    assert found.remotes() == (
        ("origin", "git@github.com:me/shop.git"),
        ("Up.stream", "short:acme/shop"),
        ("odd", "two\nlines"),
    )


@pytest.mark.parametrize(
    ("remote", "merge", "told"),
    [
        pytest.param("origin", "refs/heads/their/topic", ("origin", "their/topic"), id="a-branch-of-a-remote"),
        pytest.param("https://x.test/a/b", "refs/heads/t", ("https://x.test/a/b", "t"), id="a-remote-without-a-name"),
        pytest.param("origin", "refs/pull/7/head", ("origin", "refs/pull/7/head"), id="a-ref-that-is-no-branch"),
        pytest.param(".", "refs/heads/main", ("", ""), id="a-branch-beside-it"),
        pytest.param("origin", "", ("", ""), id="a-remote-alone"),
        pytest.param("", "refs/heads/x", ("", ""), id="a-branch-of-nothing"),
    ],
)
def test_what_the_checked_out_branch_follows(user: Path, remote: str, merge: str, told: tuple[str, str]) -> None:
    found = UserRepository.find(str(user))
    git(user, "checkout", "--quiet", "-b", "my.own/topic")
    assert found.upstream() == ("", "")
    for key, value in (("remote", remote), ("merge", merge)):
        if value:
            git(user, "config", f"branch.my.own/topic.{key}", value)
    assert found.upstream() == told
    git(user, "checkout", "--quiet", "--detach")
    assert found.upstream() == ("", "")


def test_files_are_followed_from_a_commit_to_the_index(user: Path) -> None:
    long = "".join(f"line {number}\n" for number in range(40))
    (user / "kept.py").write_text(long.upper())
    (user / "old name.py").write_text(long)
    git(user, "add", "--all")
    git(user, "commit", "--quiet", "--message=more")
    before = head(user)
    found = UserRepository.find(str(user))
    assert found.renames(before) == {}
    (user / "lib" / "deep").mkdir()
    git(user, "mv", "old name.py", "lib/deep/new\nname.py")
    (user / "lib" / "deep" / "new\nname.py").write_text(long.replace("line 7\n", "changed\n"))
    git(user, "add", "--all")
    assert found.renames(before) == {"old name.py": "lib/deep/new\nname.py"}, "before it is committed"
    git(user, "commit", "--quiet", "--message=moved")
    (user / "copy.py").write_text(long.upper())
    git(user, "add", "--all")
    assert found.renames(before) == {"old name.py": "lib/deep/new\nname.py"}, "a copy is no rename"
    assert found.renames("HEAD") == {}


@pytest.mark.parametrize("since", ["", "0" * 40, "none", "--output=x", "HEAD:app.py"])
def test_from_a_commit_that_is_not_here_nothing_is_followed(user: Path, since: str) -> None:
    git(user, "mv", "app.py", "other.py")
    assert UserRepository.find(str(user)).renames(since) == {}
    assert not (user / "x").exists()


def test_following_files_runs_nothing_of_the_repository_and_changes_nothing(user: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for key in ("filter.x.clean", "filter.x.process", "diff.x.command", "diff.x.textconv", "diff.external"):
        git(user, "config", key, f"touch {ran}; cat")
    (user / ".git" / "info").mkdir(exist_ok=True)
    (user / ".git" / "info" / "attributes").write_text("*.py filter=x diff=x\n")
    git(user, "mv", "app.py", "other.py")
    ran.unlink(missing_ok=True)
    os.utime(user / "other.py", (1, 1))
    before = fingerprint(user)
    assert UserRepository.find(str(user)).renames("HEAD") == {"app.py": "other.py"}
    assert fingerprint(user) == before
    assert not ran.exists()


def test_commits_that_the_last_one_has_in_its_history(user: Path) -> None:
    found, first = UserRepository.find(str(user)), head(user)
    git(user, "switch", "--quiet", "--create", "side")
    git(user, "commit", "--quiet", "--allow-empty", "--message=more")
    side = head(user)
    git(user, "switch", "--quiet", "main")
    git(user, "commit", "--quiet", "--allow-empty", "--message=last")
    last = head(user)
    assert found.in_head_history([first, side, "f" * 40, "main", "", last]) == (first, last)
    assert (found.in_head_history([]), found.in_head_history(["0" * 40])) == ((), ())


def test_commits_on_no_branch_are_abandoned(user: Path) -> None:
    found, first = UserRepository.find(str(user)), head(user)
    commits = []
    for name in ("kept", "remote", "gone"):
        git(user, "switch", "--quiet", "--create", name, first)
        git(user, "commit", "--quiet", "--allow-empty", f"--message={name}")
        commits.append(head(user))
    git(user, "update-ref", "refs/remotes/origin/x", "remote")
    git(user, "switch", "--quiet", "main")
    git(user, "branch", "--quiet", "--delete", "--force", "remote", "gone")
    assert found.list_abandoned([first, *commits, "f" * 40, "gone"]) == (commits[2],)
    git(user, "switch", "--quiet", "--detach", commits[2])
    assert (found.list_abandoned(commits), found.list_abandoned([])) == ((), ())


def test_files_that_are_as_another_commit_made_them(user: Path) -> None:
    git(user, "switch", "--quiet", "--create", "side")
    for path in ("app.py", "lib/x.py"):
        (user / path).write_text("fixed\n")
    git(user, "commit", "--quiet", "--all", "--message=fix")
    side = head(user)
    git(user, "switch", "--quiet", "main")
    files = {side: ["app.py", "lib/x.py", "gone.py", "two\nlines"], "f" * 40: ["app.py"], "side": ["app.py"]}
    found = UserRepository.find(str(user))
    assert found.unchanged_since(files) == frozenset()
    (user / "app.py").write_text("fixed\n")
    assert found.unchanged_since(files) == frozenset(), "it is not committed"
    git(user, "commit", "--quiet", "--all", "--message=the same by another way")
    assert found.unchanged_since(files) == {(side, "app.py")}
    assert found.unchanged_since({}) == frozenset()


def test_contents_by_their_ids(user: Path) -> None:
    (user / "new.py").write_text("one\n")
    (user / "debug.log").touch()
    found = UserRepository.find(str(user))
    assert found.untracked() == ("new.py",)
    assert found.blobs(["two\nlines", "lib/x.py\r", "app.py", "gone.py"]) == {"app.py": blob_id(b"one\n")}
    assert blob_id(b"one\n") == git(user, "hash-object", "app.py").strip()


def test_texts_are_read_at_once(tmp_path: Path) -> None:
    files = {"a.toml": "x = 1\n", "b/c.toml": "", "d e.toml": "HEAD:a missing\n12\n", "ü.toml": "ü", "no\nline": "n"}
    place = repository(tmp_path / "user", files)
    (place / "a.toml").write_text("not committed")
    user = UserRepository.find(str(place))
    assert user.texts([*files, "gone.toml", "b"]) == {name: text for name, text in files.items() if "\n" not in name}
    assert user.texts([]) == {}


def test_the_files_of_a_folder_as_of_a_commit(tmp_path: Path) -> None:
    files = {".reknit/r/b.md": "b\n", ".reknit/r/a.md": "a\n", ".reknit/r/deeper/c.md": "c\n", ".reknit/rest.md": "d\n"}
    place = repository(tmp_path / "user", files)
    (place / ".reknit" / "r" / "link.md").symlink_to("a.md")
    git(place, "add", "--all")
    git(place, "commit", "--quiet", "-m", "a link")
    before, found = head(place), UserRepository.find(str(place))
    git(place, "rm", "--quiet", "-r", ".reknit")
    git(place, "commit", "--quiet", "-m", "none")
    assert found.files_in(".reknit/r", rev=before) == (".reknit/r/a.md", ".reknit/r/b.md")
    assert found.files_in(".reknit/r", rev=head(place)) == ()
    assert found.files_in(".reknit/r", rev="0" * 40) == ()


def test_who_mentions_a_word_in_the_last_commit(tmp_path: Path) -> None:
    user = UserRepository(str(repository(tmp_path / "user", {"a.py": "import b\n", "b.py": "x = 1\n"})))
    (tmp_path / "user" / "b.py").write_text("import b\n")
    assert user.mentions(["import b", "nothing"]) == {"import b": ("a.py",)}
    assert (user.text("b.py"), user.text("none.py"), user.text("")) == ("x = 1\n", "", "")
