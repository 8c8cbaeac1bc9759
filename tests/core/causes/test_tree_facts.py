"""What is known of a tree: what can be imported, where a path is, which names are near."""

from reknit.core.causes.tree_facts import TreeFacts, is_near

FACTS = TreeFacts(
    frozenset({
        "pyproject.toml", "src/shop/__init__.py", "src/shop/cart.py", "src/shop/_fast.c", "apps/web/setup.py",
        "apps/web/web/views.py", "tool.py", "vendor/x/y.py",
    }),
    {"pyproject.toml": '[tool.setuptools_scm]\nwrite_to = "src/shop/_version.py"\n'},
    roots=("/w/tree",),
)  # fmt: skip


def test_what_can_be_imported() -> None:
    assert {"shop": "src/shop", "tool": "tool.py", "web": "apps/web/web"}.items() <= FACTS.python_tops.items()
    assert "cart" not in FACTS.python_tops
    assert {"cart", "views"} <= FACTS.python_names
    assert "y" not in FACTS.python_names
    assert [FACTS.has_module(name) for name in ("shop.cart", "shop", "shop.gone")] == [True, True, False]
    assert [FACTS.is_built(name) for name in ("shop._fast", "shop._version", "shop.gone")] == [True, True, False]


def test_where_a_path_is() -> None:
    places = {
        "src/a.py": "src/a.py",
        "../a": None,
        "/w/tree/src/a": "src/a",
        "/w/tree": "",
        "/other/src/shop/cart.py": "src/shop/cart.py",
        "/other/src/shop/new.py": "src/shop/new.py",
        "/etc/passwd": None,
    }
    assert {path: FACTS.to_relative_path(path) for path in places} == places


def test_near_names() -> None:
    assert is_near("reqests", ["requests"])
    assert not is_near("requests", ["requests"])
    assert not is_near("flask", ["requests"])
