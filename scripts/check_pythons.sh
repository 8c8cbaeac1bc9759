#!/usr/bin/env bash
# Runs the demo and the quick tests on every supported Python, with Debian's SQLite and with a current one.
# A missing interpreter fails; nothing is skipped. What it makes is in .pythons/. PYTHONS="3.11 3.13": only these.
set -euo pipefail
cd "$(dirname "$0")/.."

here=$PWD/.pythons
uv=$here/uv/bin/uv
export UV_CACHE_DIR=$here/uv/cache
sqlite_source=better-sqlite3@13.0.3  # its source archive on npm has SQLite as one C file
test_tools=(hypothesis openapi-schema-validator pytest pytest-randomly pytest-timeout pytest-xdist ruff)
quick=(tests/core tests/store/test_database.py tests/store/runs/test_reader.py tests/store/runs/test_ledger.py
  tests/app/config/test_load.py tests/interfaces/cli/commands/test_runs.py tests/interfaces/hook)
not_quick=(tests/core/gate tests/core/gateway/wire tests/core/issues/formats)
not_long='not random_edits and not two_edits and not huge_file'
mkdir -p "$here"

# The interpreter of a version: on PATH, of pyenv, or downloaded by uv.
find_python() {
  local candidate
  for candidate in "$(command -v "python$1" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    if "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  if ! "$uv" python install -q --install-dir "$here/interpreters" "$1" >&2; then
    echo "error: no Python $1: install it with pyenv, or make it python$1 on PATH" >&2
    return 1
  fi
  echo "$here/interpreters"/cpython-"$1".*/bin/"python$1"
}

# An environment with reknit and the test tools, by uv: an eighth of pip's work. pip may know an index that uv does not.
make_environment() {
  local interpreter=$1 venv=$2 packages=(-c constraints.txt -e . "${test_tools[@]}")
  "$uv" venv -q --clear --python "$interpreter" "$venv"
  "$uv" pip install -q --python "$venv/bin/python" "${packages[@]}" && return
  "$interpreter" -m venv --clear "$venv"
  "$venv/bin/pip" install -q --no-compile "${packages[@]}"
}

build_sqlite() {
  test -f "$here/sqlite/libsqlite3.so.0" && return
  mkdir -p "$here/sqlite"
  (cd "$here/sqlite" && npm pack --silent "$sqlite_source" >/dev/null && tar xzf ./*.tgz package/deps/sqlite3/sqlite3.c &&
    gcc -O0 -w -shared -fPIC -o libsqlite3.so.0.part package/deps/sqlite3/sqlite3.c -lm && mv libsqlite3.so.0.part libsqlite3.so.0)
}

# Ends FIXED, or fails with all that was printed.
demo() {
  local state told
  state=$(mktemp -d)
  told=$(REKNIT_STATE=$state TMPDIR=$state "$1/bin/reknit" demo 2>&1) || true
  rm -rf "$state"
  grep -q '^FIXED' <<<"$told" || { echo "$told"; return 1; }
}

version_of_sqlite() { "$1/bin/python" -c 'import sqlite3; print(sqlite3.sqlite_version)'; }

check() {
  local version=$1 interpreter venv=$here/$1
  interpreter=$(find_python "$version")
  make_environment "$interpreter" "$venv"
  demo "$venv"
  echo "Python $version, SQLite $(version_of_sqlite "$venv"): demo FIXED"
  if [ "$version" != 3.11 ]; then  # `make check` is all of it on 3.11
    "$venv/bin/python" -m pytest -n 2 -p no:cacheprovider -k "$not_long" "${not_quick[@]/#/--ignore=}" "${quick[@]}"
  fi
  export LD_LIBRARY_PATH=$here/sqlite
  demo "$venv"
  "$venv/bin/python" -m pytest -p no:cacheprovider tests/store/test_database.py tests/store/runs/test_ledger.py
  echo "Python $version, SQLite $(version_of_sqlite "$venv"): demo FIXED"
}

test -x "$uv" || { python3 -m venv "$here/uv" && "$here/uv/bin/pip" install -q uv; }
build_sqlite
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
jobs=()
for version in ${PYTHONS:-3.11 3.12 3.13}; do
  check "$version" >"$here/$version.log" 2>&1 &
  jobs+=("$version $!")
done
failed=0
for job in "${jobs[@]}"; do
  read -r version pid <<<"$job"
  wait "$pid" || { failed=1; echo "Python $version failed:"; tail -n 60 "$here/$version.log"; continue; }
  grep "demo FIXED" "$here/$version.log"
done
exit "$failed"
