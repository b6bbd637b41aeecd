# shellcheck shell=bash
# Sourced by tests of this folder: judges the runs of a check on made-up files in $scratch.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# judge STATUS PATTERN NAME COMMAND...: runs a check, which must end with the status and print a line with the pattern.
judge() {
  local status=0
  "${@:4}" > "$scratch/log" 2>&1 || status=$?
  if [[ $status -ne $1 ]] || ! grep -qE -- "$2" <(cat "$scratch/log"; echo end); then
    failed=$((failed + 1))
    echo "FAIL  $3: status $status"
    cat "$scratch/log"
  fi
}
