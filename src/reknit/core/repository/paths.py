"""Classifies a file by its path: test, configuration, or third-party code."""

import posixpath
import re
from collections.abc import Iterator

_TEST_NAMES = re.compile(
    r"test_[^/]*\.py|[^/]*_tests?\.py|tests?\.py"
    r"|[^/]*\.(test|spec|cy|e2e)\.[cm]?[jt]sx?|(test[-_][^/]*|([^/]*[-_])?tests?|[^/]*[-_]spec)\.[cm]?[jt]sx?"
    r"|[^/]*_test\.go|([^/]*_)?tests?\.rs|test_[^/]*\.rs"
    r"|[^/]*_(spec|test)\.(rb|exs|dart|lua|cr|clj[cs]?)|test_[^/]*\.(rb|lua)|test[-_][^/]*\.r"
    r"|(test_[^/]*|([^/]*_)?(unit)?tests?)\.(c|cc|cpp|cxx|m|mm)"
    r"|[^/]*\.(t|bats|feature)",
    re.IGNORECASE,
)
# Case-sensitive, because `Latest.java` is not a test.
_TEST_CLASSES = re.compile(
    r"\w*(Test|Tests|TestCase|[a-z0-9]IT)\.(java|kt|scala|groovy|cs|fs|vb|php|swift)|\w*Spec\.(scala|groovy)"
    r"|Test[A-Z]\w*\.(java|kt|scala)"
)
_TEST_FOLDERS = re.compile(
    r"tests?|__tests__|__mocks__|__fixtures__|e2e|cypress|testfixtures|tests[-_.].*|.*[-_.]tests"
    r"|(android|integration|int|functional|unit|acceptance|instrumented)[-_]?tests?"
)
# Names that product code uses too: they count only at the top of the repository or with typical test files.
_TEST_PLACES = re.compile(
    r"(testing|specs?|t|fixtures?)/"
    r"|((?!(src|lib|app|pkg|internal|docs?)/)[^/]+/)*"
    r"(specs?/.*\.(rb|[cm]?[jt]sx?|cr|lua|php|ya?ml|json)$|features/((steps|step_definitions|support)/|environment\.py$))",
    re.IGNORECASE,
)
_RECORDED_FOLDERS = frozenset(
    {
        "testdata", "__snapshots__", "__image_snapshots__", "snapshots", "golden", "goldens", "cassettes",
        "fixtures", "fixture", "expected", "baselines",
    }
)  # fmt: skip
_DATA_FOLDERS = frozenset({"fixtures", "fixture", "expected", "baselines"})
_CODE = re.compile(
    r".*\.(pyi?|[cm]?[jt]sx?|go|rs|java|kts?|scala|groovy|cs|fs|vb|php|rb|swift|c|cc|cpp|cxx|h|hh|hpp|mm?|exs?|erl|dart|lua|clj[cs]?"
    r"|vue|svelte)",
    re.IGNORECASE,
)
_RECORDED_NAMES = re.compile(r"[^/]*\.(snap|ambr|golden|approved\.\w+)", re.IGNORECASE)

_LOCKFILES = r"[^/]*\.lock|[^/]*[.-]lock\.(json|ya?ml)|[^/]*\.lockb|npm-shrinkwrap\.json|go\.sum"
_LOCKFILE = re.compile(_LOCKFILES, re.IGNORECASE)
TEST_SETTINGS = re.compile(
    r"(?:vitest|vite|jest|karma|playwright|cypress|wdio)\.(?:config|conf|workspace|setup)\.\w+|\.mocharc\.\w+|package\.json"
    r"|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|conftest\.py"
)
"""Names of files, in lower case, that steer the tests of a project."""
_START_FILES = re.compile(
    r"(?:site|user)customize\.py|[^/]*\.pth|(?:gnu)?makefile|justfile|taskfile\.ya?ml|noxfile\.py|[^/]*\.(?:mk|sh|bash)"
    r"|[^/]*(?:requirements|constraints)[^/]*\.(?:txt|in)|run[-_]?tests?(?:\.[^/]*)?|dockerfile[^/]*"
)
"""Files that are executed, or decide what is installed, before a test runs."""
_CONFIG_NAMES = re.compile(
    # Python: runner, linters, types, coverage, build, start-up files
    r"conftest\.py|\.?pytest\.(ini|toml)|tox\.(ini|toml)|setup\.cfg|pyproject\.toml|(site|user)customize\.py|[^/]*\.pth"
    r"|\.coveragerc|\.?mypy\.ini|\.flake8|\.?pylintrc|\.?ruff\.toml|pyrightconfig\.json|\.bandit|\.isort\.cfg|hatch\.toml|pixi\.toml"
    r"|[^/]*(requirements|constraints)[^/]*\.(txt|in)|pipfile|\.python-version|pip\.(conf|ini)"
    r"|(uv|poetry|pdm)\.toml|behave\.ini|\.behaverc|nose2?\.cfg|\.noserc"
    rf"|{_LOCKFILES}"
    # JavaScript and TypeScript
    r"|package\.json|\.?(jest|vitest|vite|babel|webpack|rollup|karma|cypress|playwright|eslint|prettier|stylelint|commitlint"
    r"|lint-staged|ava|nyc|swc|postcss|tailwind|next|nuxt|svelte|astro|rspack|esbuild|metro|wdio)\.(config|conf|setup|workspace)\.[^/]*"
    r"|((jest|vitest|mocha|tests?)[-_.]?(setup|init)|setup[-_]?(jest|vitest|mocha|tests?))\.[cm]?[jt]sx?|\.taprc|cucumber\.(ya?ml|json|[cm]?js)"
    r"|[tj]sconfig[^/]*\.json|\.(eslint|mocha|nyc|c8|babel|swc|npm|yarn|prettier|stylelint)(rc|ignore)[^/]*"
    r"|\.?pnpmfile\.[cm]?js|launchsettings\.json|[\w.-]+\.(tf|tfvars)\.json|pnpm-workspace\.yaml|deno\.jsonc?|bunfig\.toml|biome\.jsonc?|turbo\.json|nx\.json|lerna\.json|\.nvmrc|\.node-version"
    # Go, Rust, JVM, others
    r"|go\.(mod|work)|\.golangci[^/]*|cargo\.toml|rust-toolchain[^/]*|\.?(clippy|rustfmt)\.toml"
    r"|pom\.xml|[^/]*\.gradle(\.kts)?|(gradle|gradle-wrapper|maven-wrapper)\.properties|libs\.versions\.toml|gradlew[^/]*|mvnw[^/]*|checkstyle[^/]*\.xml|junit-platform\.properties|testng[^/]*\.xml|spotbugs[^/]*\.xml|[^/]*\.sbt"
    r"|gemfile|rakefile|\.rubocop[^/]*|\.rspec|spec_helper\.rb|composer\.json|phpunit\.xml[^/]*|phpstan[^/]*|[^/]*\.(cs|fs|vb)proj|[^/]*\.sln"
    r"|directory\.build\.[^/]*|nuget\.config|mix\.exs|cmakelists\.txt|meson\.build|configure\.ac|rebar\.config|(?-i:BUILD|WORKSPACE|BUCK|TARGETS|SConstruct|SConscript|(?!Profile)[A-Z][a-z]+file(\.(dev|ci|local|prod|test))?)|conanfile\.(py|txt)|build\.zig"
    r"|package\.swift|(rails|test)_helper\.(rb|exs)|\.rspec-local|appsettings\.test(ing)?\.json"
    # scripts that start tests
    r"|run[-_]?(all[-_]?)?(unit[-_]?)?tests(\.[^/]*)?|(tests?|run[-_]?test|test[-_]?runner)\.(sh|bash|zsh|ps1|bat|cmd)|test[-_]?runner"
    # task runners, CI, containers, infrastructure, editors
    r"|[^/]*\.(mk|mak|cmake|bazel|bzl|star|nix|tf|tfvars|tofu|hcl|nomad|gemspec|podspec|rockspec|cabal|opam|nimble|rake|gyp|gypi|props|targets|code-workspace|sublime-project)"
    r"|(gnu)?makefile|\.?justfile|taskfile\.ya?ml|dockerfile[^/]*|docker-compose[^/]*|compose[\w.-]*\.ya?ml|jenkinsfile|\.travis\.yml"
    r"|\.gitlab-ci[^/]*|azure-pipelines[^/]*|bitbucket-pipelines\.yml|appveyor\.yml|\.?codecov\.ya?ml|sonar-project\.properties|renovate\.json5?"
    r"|(buildspec|buildkite|cloudbuild|appspec|skaffold|serverless|codemagic|bitrise|wercker|shippable|codefresh|codeship-\w+|netlify|wrangler|samconfig"
    r"|helmfile|kustomization|mkdocs|readthedocs|dependabot|snapcraft|screwdriver|docker-bake|devfile|werf|nixpacks)\.(ya?ml|toml|json)|(?-i:Chart\.yaml)|buildozer\.spec"
    # git, hooks, environment
    r"|\.gitattributes|\.gitmodules|\.gitignore|\.gitconfig|((pre|post)-(commit|push|merge|checkout|rebase|receive|rewrite|applypatch)|(prepare-)?commit-msg)(\.\w+)?|\.dockerignore|\.pre-commit-config\.ya?ml|lefthook\.ya?ml|codeowners"
    r"|\.env(\.[^/]*)?|\.envrc|\.tool-versions|\.?mise\.toml"
    # agents and reknit itself
    r"|\.?mcp\.json|[\w.-]+\.instructions\.md|SKILL\.md|ansible\.cfg|copilot-instructions(\.local)?\.md|\.cursorrules|\.windsurfrules|\.aider[^/]*|\.?reknit\.toml",
    re.IGNORECASE,
)
# Read in the top folder of a repository or of a project; elsewhere, the same name is often that of a product file.
_TOP_NAMES = re.compile(
    r"setup\.py|build\.rs|(nox|fab)file\.py|dodo\.py|pavement\.py|(ipython|jupyter\w*)_config\.(py|json)|manifest\.in|runtime\.txt|system\.properties|configure"
    r"|build|workspace|wscript|buck|[a-z]+file|meson_options\.txt|compile_flags\.txt|(premake\d?|xmake)\.lua|build\.(xml|sc|mill|boot|pl)|makefile\.pl|cpanfile"
    r"|config\.ru|project\.clj|(deps|shadow-cljs|bb|tests)\.edn|(grunt|gulp|jake|knex|danger|plop|broc|chomp|vue|make)file(\.\w+)*\.[cm]?[jt]s|[\w.-]+[-.]conf(ig)?\.([cm]?[jt]sx?|py)|(testem"
    r"|wallaby|ember-cli-build|webpack\.mix|gridsome\.(server|client)|gatsby-(node|browser|ssr)|config-overrides|electron-builder)\.[cm]?[jt]sx?|(rake|danger|guard|cap)file\.rb|pdm_build\.py|(pip|tox|nox|mypy|black|ruff|twine|virtualenv|pre_commit|mkdocs|wheel|hatchling|flake8|pylint|isort|bandit|pipx|pyright)(/__(init|main)__)?\.py|(guix|manifest)\.scm|tupfile\.lua|serverless\.[cm]?[jt]s|setup\.l?hs"
    r"|mage(file)?\.go|(robofile|castor|deploy|rector|ecs)\.php|build\.fsx|user\.clj|lefthook(-local)?\.json|(vercel|now|railway|firebase|dagger|angular|nest-cli|project|workspace|app|amplify|bower|rush|tslint|nodemon|global"
    r"|cypress|vcpkg|elm|esy|dub|truffle|cdk|cmake(user)?presets|compile_commands|devcontainer|devbox|opencode|crush|gemini-extension|dprint|wrangler|tauri\.conf)\.json[c5]?|(environment"
    r"|semaphore|render|heroku|fly|_config|pubspec|shard|stack|foundry|dvc|tasks|service|tilt|garden|okteto)\.(ya?ml|toml)",
    re.IGNORECASE,
)
_MANIFESTS = re.compile(
    r"pyproject\.toml|setup\.(py|cfg)|requirements\.txt|pipfile|package\.json|deno\.jsonc?|go\.(mod|work)|cargo\.toml|pom\.xml|build\.gradle(\.kts)?|composer\.json"
    r"|gemfile|[^/]*\.gemspec|mix\.exs|[^/]*\.(cs|fs|vb)proj|cmakelists\.txt|meson\.build|package\.swift|pubspec\.yaml|[^/]*\.sbt",
    re.IGNORECASE,
)
# As agents look for them in any folder; spelled otherwise, it is a page about agents, except in the top folder.
_AGENT_FILES = re.compile(
    r"(AGENTS?|CLAUDE|CODEX|GEMINI|QWEN|CRUSH|WARP|JULES|REPLIT|OPENCODE)(\.(local|override))?\.md"
)
_AGENT_FILES_AT_THE_TOP = re.compile(_AGENT_FILES.pattern, re.IGNORECASE)
_CONFIG_FOLDERS = frozenset(
    {
        ".git", ".github", ".gitlab", ".circleci", ".buildkite", ".azure-pipelines", ".woodpecker",
        ".forgejo", ".gitea",
        ".claude", ".cursor", ".codex", ".gemini", ".windsurf", ".aider", ".reknit", ".agents",
        ".vscode", ".idea", ".zed", ".devcontainer", ".husky", ".githooks", ".cargo", ".mvn", ".yarn", ".config",
        "sitecustomize", "usercustomize", "buildsrc", "debian",
    }
)  # fmt: skip
_TOOL_FOLDERS = frozenset({"k8s", "kubernetes", "helm", "ansible", "infra", "ci", "pipelines", "githooks", "git-hooks"})
"""Folders of tools. Their settings are mostly executed when the project is built or deployed."""
_CONFIG_PATHS = re.compile(
    r"(.*/)?(config/environments/test\.\w+|meta-inf/services/org\.(junit|testng|spockframework|mockito)[^/]*"
    r"|mockito-extensions/[^/]*|[^/]*(requirements|constraints|reqs)[^/]*/[^/]*\.(txt|in)|hooks/hooks\.json|_plugins/[^/]*\.rb|buildkite/[^/]*\.ya?ml|mise/config\.toml|site_scons/.*|(hook|deps)/build\.(dart|jl)"
    r"|(action|callback|connection|filter|inventory|lookup)_plugins/[^/]*\.py|build-logic/.*|docs?/(source/)?conf\.py|renv/activate\.r|project/(build\.properties|[^/]*\.(sbt|scala)))",
    re.IGNORECASE,
)
_CONFIG_ENDINGS = (".egg-info", ".dist-info")
"""Metadata folders: planted on the import path, one can register runner plugins."""

_INSTALLED_FOLDERS = frozenset({"node_modules", "bower_components", "site-packages", ".venv", "venv", ".eggs"})
_COPIED_FOLDERS = frozenset({"vendor", "third_party", "thirdparty", "dist"})
"""Product code uses these names too."""
_FOREIGN_FOLDERS = frozenset(
    {
        *_INSTALLED_FOLDERS, *_COPIED_FOLDERS, ".tox", ".nox", "__pycache__", ".pytest_cache", ".mypy_cache",
        ".ruff_cache", ".gradle",
    }
)  # fmt: skip

_PROSE = (".md", ".rst", ".txt", ".adoc")


def is_test_file(path: str) -> bool:
    """Return True if the name marks a file with tests, or Cargo runs the file by its place."""
    name = posixpath.basename(path)
    return bool(_TEST_NAMES.fullmatch(name) or _TEST_CLASSES.fullmatch(name)) or _is_cargo_test(path)


def _is_cargo_test(path: str) -> bool:
    folders = posixpath.dirname(path).split("/")
    return path.endswith(".rs") and folders[-1] == "tests" and "src" not in folders


def is_in_test_folder(path: str) -> bool:
    """Return True if a folder above the file has a name of tests, or the place is usual for tests."""
    return any(map(_TEST_FOLDERS.fullmatch, _split_folders(path))) or bool(_TEST_PLACES.match(path))


def is_in_unambiguous_test_folder(path: str) -> bool:
    """Return True if a folder above the file has a name that only tests use."""
    return any(map(_TEST_FOLDERS.fullmatch, _split_folders(path)))


def find_test_folder(path: str) -> str:
    """Return the topmost folder of the path with a name of tests; empty: none."""
    folders = posixpath.dirname(path).split("/")
    names = (_TEST_FOLDERS.fullmatch(folder.lower()) or folder.lower() == "testdata" for folder in folders)
    return "/".join(folders[: next((depth for depth, is_test_name in enumerate(names, 1) if is_test_name), 0)])


def is_code(path: str) -> bool:
    """Return True if the ending is that of a programming language."""
    return bool(_CODE.fullmatch(path))


def is_snapshot(path: str) -> bool:
    """Return True if a test recorded the file, by names that product data does not use."""
    folders = _split_folders(path)
    return (
        "testdata" in folders
        or "__snapshots__" in folders
        or bool(_RECORDED_NAMES.fullmatch(posixpath.basename(path)))
        or (is_in_unambiguous_test_folder(path) and not _RECORDED_FOLDERS.isdisjoint(folders))
    )


def is_recorded_expectation(path: str) -> bool:
    """Return True if it is a snapshot, a golden file or test data: a change alters what a test expects."""
    folders = _split_folders(path)
    if "testdata" in folders or "__snapshots__" in folders or _RECORDED_NAMES.fullmatch(posixpath.basename(path)):
        return True
    if _DATA_FOLDERS.isdisjoint(folders) or _CODE.fullmatch(path):
        return is_in_test_folder(path) and not _RECORDED_FOLDERS.isdisjoint(folders)
    return True


def is_config(path: str) -> bool:
    """Return True if it has settings of tools, tests, CI or agents."""
    folders = _split_folders(path)
    if not _CONFIG_FOLDERS.isdisjoint(folders) or any(folder.endswith(_CONFIG_ENDINGS) for folder in folders):
        return True
    name = posixpath.basename(path)
    is_of_a_tool = not _TOOL_FOLDERS.isdisjoint(folders) and name.lower().endswith((".yml", ".yaml", ".toml", ".ini"))
    is_for_agents = _AGENT_FILES.fullmatch(name) or _AGENT_FILES_AT_THE_TOP.fullmatch(path)
    by_name = is_for_agents or _CONFIG_NAMES.fullmatch(name) or _TOP_NAMES.fullmatch(path)
    return is_of_a_tool or name.lower() == ".git" or bool(by_name or _CONFIG_PATHS.fullmatch(path))


def is_test_setting(path: str) -> bool:
    """Return True if a test run reads or executes it before the tests, so that it can decide their results."""
    name = posixpath.basename(path).lower()
    return bool(TEST_SETTINGS.fullmatch(name) or _START_FILES.fullmatch(name))


def is_config_of_a_project(path: str) -> bool:
    """Return True if a tool reads a file of this name in the top folder of a project."""
    return bool(_TOP_NAMES.fullmatch(posixpath.basename(path)))


def is_manifest(path: str) -> bool:
    """Return True if the name marks its folder as a project."""
    return bool(_MANIFESTS.fullmatch(posixpath.basename(path)))


def is_lockfile(path: str) -> bool:
    """Return True if it is a list of exact installed versions, of any language."""
    return bool(_LOCKFILE.fullmatch(posixpath.basename(path)))


def is_foreign(path: str) -> bool:
    """Return True if the file is vendored, installed or generated: not this repository's own source."""
    return not _FOREIGN_FOLDERS.isdisjoint(_split_folders(path))


def is_installed(path: str) -> bool:
    """Return True if a package manager installed the file."""
    return not _INSTALLED_FOLDERS.isdisjoint(_split_folders(path))


def find_copied_folder(path: str) -> str:
    """Return the folder whose name alone says that its content was copied or built; empty: none."""
    folders = posixpath.dirname(path).split("/")
    if _split_folders(path) & (_FOREIGN_FOLDERS - _COPIED_FOLDERS):
        return ""
    at = next((number for number, folder in enumerate(folders, 1) if folder.lower() in _COPIED_FOLDERS), 0)
    return "/".join(folders[:at])


def is_prose(path: str) -> bool:
    """Return True if it is documentation, by its ending."""
    return path.lower().endswith(_PROSE)


def is_python(path: str) -> bool:
    """Return True if it is Python source or a stub."""
    return path.lower().endswith((".py", ".pyi"))


def walk_up(folder: str) -> Iterator[str]:
    """Yield the folder and those around it, the nearest first and the repository's own, which is empty, last."""
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def is_below(path: str, folder: str) -> bool:
    """Return True if the path is below the folder; an empty folder is the whole repository."""
    return not folder or path.startswith(folder.rstrip("/") + "/")


def _split_folders(path: str) -> frozenset[str]:
    return frozenset(posixpath.dirname(path).lower().split("/"))
