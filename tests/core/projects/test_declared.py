from reknit.core.projects.declared import MAX_MANIFEST_CHARS, read_declarations


def test_names_needs_and_paths_of_all_manifests_of_a_project() -> None:
    found = read_declarations({
        "package.json": '{"name": "web", "dependencies": {"a": "1", "b": "file:../b"}}',
        "Cargo.toml": '[package]\nname = "Web_Core"\n[workspace.dependencies]\nc = { path = "c" }\nd = "1"\n',
    })  # fmt: skip
    assert found.names == {"npm:web", "cargo:web-core"}
    assert found.needs == {"npm:a"}
    assert found.paths == {"../b"}
    assert found.members == (("cargo:c", "c"),)


def test_a_project_does_not_need_itself() -> None:
    assert read_declarations({"setup.py": "setup(name='a', extras={'b': ['a[x]', 'c']})"}).needs == {"py:b", "py:c"}


def test_a_manifest_that_is_too_long_says_nothing() -> None:
    text = '{"name": "web"}'
    assert read_declarations({"package.json": text}).names == {"npm:web"}
    assert read_declarations({"package.json": text + " " * MAX_MANIFEST_CHARS}).names == frozenset()


def test_the_servers_of_browser_tests_are_dependencies() -> None:
    text = """\
import shared from "../shared/base";
export default defineConfig({ webServer: [
  { command: "npm start" },
  { command: "cd ../backend && python -m shop", cwd: "../../services/api/main" },
  { command: "node a/../b.js" },
] });
"""
    found = read_declarations({"playwright.config.ts": text}).paths
    assert found == {"../backend", "../../services", "../../services/api", "../../services/api/main"}
    assert read_declarations({"playwright.config.js": "module.exports = {};"}).paths == frozenset()
