"""What is beside a changed file, and who mentions it."""

from reknit.core.gate.base_facts import MOST_NEAR, BaseFacts, facts_of

TRACKED = ("go.mod", "src/a.py", "src/deep/b.py", "src/deep/er/c.py", "other/d.py", "vendor/x/y.go")


def test_files_near_a_change_are_known() -> None:
    facts = facts_of(["src/deep/new.py", "vendor/z/new.go"], TRACKED, str)
    assert facts.near == {"go.mod", "src/a.py", "src/deep/b.py"}
    assert facts.folders == {"src", "src/deep", "vendor"}
    assert facts_of(["a.py"], TRACKED, str) == BaseFacts(frozenset({"go.mod"}))


def test_a_module_of_go_is_known_however_far_above_it_is() -> None:
    tracked = ("go.mod", "api/go.mod", "api/a/b/c/d.go", "web/go.mod", "api/a/x.go")
    assert facts_of(["api/a/b/c/new.go"], tracked, str).near == {"go.mod", "api/go.mod", "api/a/b/c/d.go"}


def test_a_package_is_known_however_far_above_it_is() -> None:
    tracked = ("shop/__init__.py", "shop/a/b/c/x.toml", "__init__.py", "other/__init__.py", "shop/a/x.py")
    facts = facts_of(["shop/a/b/c/new.toml"], tracked, str)
    assert facts.near == {"__init__.py", "shop/__init__.py", "shop/a/b/c/x.toml"}


def test_only_so_many_files_are_near() -> None:
    tracked = [f"src/{number}.py" for number in range(MOST_NEAR + 1)]
    assert facts_of(["src/new.py"], tracked, str).near == {*tracked[:-1]}


def test_a_file_does_not_mention_itself() -> None:
    facts = BaseFacts(mentions={"a": ("x.py", "y.py"), "b": ("z.py",)})
    assert list(facts.mentioning(("a", "b", "c"), but="x.py")) == ["y.py", "z.py"]
