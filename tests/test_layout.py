"""The tree is as ARCHITECTURE.md says: small folders, and tests that mirror the source."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "reknit"
MOST_FILES = 15
MOST_REASONS = 15
TESTED_ELSEWHERE = {
    "shared by the command-line agents: tests/contracts/test_agents.py and tests/adapters/agents/test_cli_agent.py": (
        "adapters/agents/cli_spec.py adapters/agents/model_access.py"
    ),
    "the child process behind calls.py: tests/adapters/bounded/test_calls.py": "adapters/bounded/child.py",
    "parts of one box: tests/adapters/box and tests/security look at it from inside": (
        "adapters/box/bubblewrap/as_root/mount_calls.py adapters/box/bubblewrap/assemble.py"
        " adapters/box/bubblewrap/kernel_view.py adapters/box/bubblewrap/probes.py adapters/box/bubblewrap/profile.py"
    ),
    "behind the repositories: tests/adapters/git/test_trusted_repository.py and test_user_repository.py": (
        "adapters/git/demo_commit.py adapters/git/plumbing/names.py adapters/git/plumbing/objects.py"
        " adapters/git/plumbing/trusted_gitdir.py adapters/git/plumbing/user_gitdir.py"
    ),
    "what GitHub answers: every test of tests/adapters/github": (
        "adapters/github/api/graphql_models.py adapters/github/api/rest_models.py"
    ),
    "reading the configuration: tests/app/config/test_load.py and tests/security": (
        "app/config/schema.py app/config/sources.py"
    ),
    "what commands do: tests/interfaces/cli runs the commands": (
        "app/demo.py app/doctor.py app/initial_config.py app/issues/ledger.py app/issues/report_files.py"
        " app/pulls/find.py app/runs/attempt_diff.py app/runs/claims.py app/runs/follow.py app/runs/foreground.py"
        " app/runs/liveness.py app/runs/resume.py app/start/agent_settings.py app/start/fix_issues.py"
        " app/start/new_spec.py app/start/readiness.py app/start/signed_in_agents.py app/start/test_command.py"
        " app/start/workspace.py"
        " interfaces/cli/commands/init.py interfaces/cli/commands/issues_write.py interfaces/cli/launch/run.py"
        " interfaces/cli/options/issues.py interfaces/cli/output/choose_view.py"
    ),
    "runs workflows: tests/workflows and tests/crash": "app/engine/client.py app/engine/worker.py app/wiring.py",
    "values whose few methods are used by the tests of their folder": (
        "core/fix_pr/checks_snapshot.py core/issues/formats/report.py core/issues/formats/sarif/model.py"
        " core/issues/import_summary.py core/runs/event.py core/runs/view.py"
    ),
    "texts: tests/core/fix_tests/test_events.py and the tests of what prints them": (
        "core/fix_pr/check_summary.py core/issues/output/documents.py core/runs/attempt_events.py"
        " core/runs/claim_text.py core/runs/feedback.py core/text/layout.py"
    ),
    "what the rules of the gate read: tests/core/gate/rules": (
        "core/gate/syntax/python_test_awareness.py core/gate/syntax/rust_tests.py core/repository/paths.py"
    ),
    "allow-lists of all provider APIs: tests/core/gateway/wire/test_allow_lists.py": (
        "core/gateway/wire/anthropic_body.py core/gateway/wire/gemini_body.py core/gateway/wire/nodes.py"
        " core/gateway/wire/openai_body.py core/gateway/wire/openai_content.py core/gateway/wire/shapes.py"
    ),
    "parts of the webhook server: tests/interfaces/web/test_webhooks.py and tests/security": (
        "interfaces/web/connections.py interfaces/web/refusals.py"
    ),
    "behind every table: tests/store/test_database.py, test_ledger.py and test_reader.py": (
        "store/issues/bulk_insert.py store/issues/values.py store/migrations/versions/0001_runs.py"
        " store/migrations/versions/0002_calls.py store/migrations/versions/0003_claims.py"
        " store/migrations/versions/0004_issues.py store/open_databases.py store/problems.py store/transactions.py"
    ),
    "a step runs inside its workflow: tests/workflows has whole runs of each": (
        "workflows/fix_issues/challenge_step.py workflows/fix_issues/saved_issues.py workflows/fix_issues/steps.py"
        " workflows/fix_pr/act_steps.py workflows/fix_pr/ci_history.py"
        " workflows/fix_pr/observe_steps.py workflows/fix_pr/record_steps.py workflows/fix_pr/review_step.py"
        " workflows/fix_tests/steps.py workflows/fix_tests/verification.py workflows/runtime/services.py"
        " workflows/runtime/step.py workflows/shared/agent_attempt.py workflows/shared/agent_reading.py"
        " workflows/shared/agent_call.py workflows/shared/attempt_cycle.py workflows/shared/forge_calls.py"
        " workflows/shared/forge_waits.py workflows/shared/gate_check.py"
        " workflows/shared/landing.py workflows/shared/prompt_facts.py workflows/shared/saved_values.py"
        " workflows/shared/tests_check.py workflows/shared/work_folders.py workflows/vote/steps.py"
    ),
}
"""Reason -> modules without a test file of their own name. A new module needs a test, or a place here."""


def modules() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        if "demo_repository" not in path.parts:
            yield path.relative_to(SOURCE).as_posix()


def only_declares(module: str) -> bool:
    """Values, constants and Protocols: none of its functions has a body."""
    tree = ast.parse((SOURCE / module).read_text())
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    bodies = (line for function in functions for line in function.body)
    return all(isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) for line in bodies)


def has_namesake(module: str) -> bool:
    folder, _, name = module.rpartition("/")
    return (ROOT / "tests" / folder / f"test_{name}").exists()


def test_every_module_has_a_test_of_its_name_or_a_reason() -> None:
    listed = Counter(module for named in TESTED_ELSEWHERE.values() for module in named.split())
    lacking = {module for module in modules() if not only_declares(module) and not has_namesake(module)}
    assert lacking == set(listed), "add a test of the same name, or remove an entry that is no longer needed"
    assert set(listed.values()) == {1}
    assert len(TESTED_ELSEWHERE) <= MOST_REASONS


def test_tests_are_in_folders_of_the_source() -> None:
    """Suites that test the whole product are in separate folders."""
    whole = {"contracts", "crash", "e2e", "golden", "security", "tools"}
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    mirrored = [folder for folder in sorted(folders) if folder.parts and folder.parts[0] not in whole]
    assert mirrored
    assert [str(folder) for folder in mirrored if not (SOURCE / folder).is_dir()] == []


def test_no_folder_is_crowded() -> None:
    sizes = Counter(str(Path(module).parent) for module in modules() if not module.endswith("__init__.py"))
    assert {folder: size for folder, size in sizes.items() if size > MOST_FILES} == {}
