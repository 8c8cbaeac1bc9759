from pathlib import Path

import pytest

from reknit.adapters.git.landing import apply_patch
from reknit.adapters.git.user_repository import UserRepository
from reknit.core.errors import UsageError
from tests.adapters.git.users_git import git, repository

PATCH = b"""\
diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+new
"""


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return repository(tmp_path / "user", {"app.py": "one\ntwo\nthree\n", "lib/x.py": "x\n"})


def test_files_are_changed_and_nothing_is_staged(user: Path) -> None:
    (user / "app.py").write_text("one\ntwo\nthree\nfour, of my own\n")
    apply_patch(UserRepository.find(str(user / "lib")), PATCH)
    assert (user / "app.py").read_text() == "one\nTWO\nthree\nfour, of my own\n"
    assert (user / "new.py").read_text() == "new\n"
    assert git(user, "diff", "--cached", "--name-only") == ""


@pytest.mark.parametrize(("path", "text"), [("app.py", "one\nmine\nthree\n"), ("new.py", "mine\n")])
def test_nothing_is_overwritten(user: Path, path: str, text: str) -> None:
    (user / path).write_text(text)
    with pytest.raises(UsageError, match="cannot be applied to your working tree") as caught:
        apply_patch(UserRepository.find(str(user)), PATCH)
    assert path in caught.value.message
    assert (user / path).read_text() == text
    assert (user / "new.py").exists() == (path == "new.py")


def test_what_is_applied_already_is_said(user: Path) -> None:
    repository = UserRepository.find(str(user))
    apply_patch(repository, PATCH)
    with pytest.raises(UsageError, match="in your working tree already"):
        apply_patch(repository, PATCH)
    assert (user / "app.py").read_text() == "one\nTWO\nthree\n"


def test_no_filter_of_the_repository_runs(user: Path, tmp_path: Path) -> None:
    git(user, "config", "filter.x.smudge", f"touch {tmp_path / 'ran'}; cat")
    (user / ".gitattributes").write_text("*.py filter=x\n")
    apply_patch(UserRepository.find(str(user)), PATCH)
    assert not (tmp_path / "ran").exists()
