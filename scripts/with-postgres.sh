#!/usr/bin/env bash
# Runs a command with a PostgreSQL server of its own, for example: scripts/with-postgres.sh npm run test:services
# TEST_DATABASE_URL is the address of the server. It does not wait for the disk, because its data is deleted when the command ends.
# It accepts enough connections for three test files at the same time: with two, a quarter of the time of two cores is unused.
# The command uses another server if TEST_DATABASE_URL is set, or if the programs of a PostgreSQL server are not installed.
set -euo pipefail

readonly MAX_CONNECTIONS=300

# The folder of initdb and pg_ctl: from PATH, or the newest that Debian has installed. Empty if there is none.
programs() {
  local found
  if found="$(command -v initdb)"; then
    dirname "$found"
  else
    find /usr/lib/postgresql/*/bin -name initdb -exec dirname {} + 2>/dev/null | sort -V | tail -1 || true
  fi
}

# PostgreSQL refuses to run as root.
as_user() {
  if [[ "$(id -u)" == 0 ]]; then runuser -u postgres -- "$@"; else "$@"; fi
}

free_port() {
  node -e "const s = require('node:net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close(); });"
}

start() {
  local port
  port="$(free_port)"
  as_user "$bin/initdb" --pgdata "$folder/data" --auth trust --username postgres --encoding UTF8 --locale C.UTF-8 --no-sync >/dev/null
  as_user "$bin/pg_ctl" start --wait --silent --pgdata "$folder/data" --log "$folder/log" --options "\
    -c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories=$folder -c max_connections=$MAX_CONNECTIONS \
    -c fsync=off -c synchronous_commit=off -c full_page_writes=off" || { cat "$folder/log" >&2; return 1; }
  export TEST_DATABASE_URL="postgres://postgres@127.0.0.1:$port/postgres"
}

stop() {
  as_user "$bin/pg_ctl" stop --silent --mode immediate --pgdata "$folder/data" || true
  rm -rf "$folder"
}

bin="$(programs)"
if [[ -n "${TEST_DATABASE_URL:-}" ]]; then
  "$@"
elif [[ -z "$bin" ]]; then
  TEST_DATABASE_URL='postgres://postgres@127.0.0.1:5432/postgres' "$@"
else
  folder="$(mktemp -d)"
  [[ "$(id -u)" != 0 ]] || chown postgres "$folder"
  trap stop EXIT
  start
  export VITEST_MAX_WORKERS="${VITEST_MAX_WORKERS:-3}"
  "$@"
fi
