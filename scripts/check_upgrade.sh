#!/usr/bin/env bash
# Begins runs with a wheel of an older commit, kills them, and has the code here finish them: tests/crash/test_upgrade.py.
# Both use the dependencies of the present environment; only the build backend is downloaded.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
old=$(mktemp -d)
trap 'rm -rf "$old"' EXIT

mkdir "$old/source"
git archive "${1:?a commit}" | tar x -C "$old/source"
"$python" -m pip wheel -q --no-deps -w "$old/wheel" "$old/source"
mv "$old/source/tests" "$old/tests"
cp tests/crash/plan_and_start.py "$old/tests/crash/"

"$python" -m venv --without-pip "$old/venv"
"$python" -m pip --python "$old/venv/bin/python" install -q --no-deps "$old"/wheel/*.whl
"$python" -c 'import sys; print(*(path for path in sys.path if path.endswith("-packages")), sep="\n")' \
  >"$(echo "$old"/venv/lib/python*/site-packages)/dependencies.pth"

REKNIT_UPGRADE_FROM=$old "$python" -m pytest -m upgrade -n 2 -rP tests/crash/test_upgrade.py
