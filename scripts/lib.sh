# What the scripts share; source it, do not run it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv
logs=$root/build/logs
LLVM_BIN=/usr/lib/llvm-22/bin

say() { printf '== %s\n' "$*"; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# phase NAME COMMAND...   runs it and says how long it took
phase() {
  local name=$1 start=$SECONDS status=0
  shift
  say "$name"
  "$@" || status=$?
  say "$name: $((SECONDS - start)) s"
  return $status
}

# suite_name FILE   the name of a suite: that of its file without the number
suite_name() { basename "$1" | sed 's/^[0-9]*-//'; }

# require_suites FOLDER [NAME...]   lists the suites in FOLDER and exits with 2 if a NAME is none of them
require_suites() {
  local folder=$1 suite name known=()
  shift
  for suite in "$folder"/[0-9]*; do
    known+=("$(suite_name "$suite")")
  done
  for name in "$@"; do
    [[ " ${known[*]} " == *" $name "* ]] && continue
    printf "error: there is no suite '%s', only: %s\n" "$name" "${known[*]}" >&2
    exit 2
  done
}

# quietly NAME COMMAND...   its output goes to a log, shown only when it fails
quietly() {
  local log=$logs/$1.log status=0
  shift
  mkdir -p "$logs"
  "$@" >"$log" 2>&1 || status=$?
  if [ $status -ne 0 ]; then
    tail -n 25 "$log" >&2
    printf 'the whole output is in %s\n' "$log" >&2
  fi
  return $status
}
