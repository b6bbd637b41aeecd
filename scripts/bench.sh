#!/usr/bin/env bash
# Measures every budget of the project on this machine, as ratios, and ends with a summary of the budgets that hold.
# docs/benchmarks.md explains the table.
# usage: scripts/bench.sh [--long] [--strict]
#   --long    ten times as many rounds
#   --strict  exit with 1 if a budget is exceeded by more than noise explains
# LIBPROMISE names a libpromise.so to measure instead of the one of this tree, PLUGIN_HOST a plugin-host.
set -euo pipefail

long=
strict=0
for argument; do
  case $argument in
    --long) long=--long ;;
    --strict) strict=1 ;;
    *) echo "usage: scripts/bench.sh [--long] [--strict]" >&2; exit 64 ;;
  esac
done

root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/.build/benchmarks
swift=${SWIFT:-swift}
host=${PLUGIN_HOST:-$root/.build-host/release/plugin-host}
table=$out/table.txt
log=$out/build-swift.log

"$root/scripts/build-benchmarks.sh" "$out"
"$swift" build --package-path "$root/Benchmarks/swift" -c release >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
programs=$("$swift" build --package-path "$root/Benchmarks/swift" -c release --show-bin-path)

# Peers that call C functions. A peer that is not installed leaves an empty file, and is reported as missing.
peers=()
peer() { # peer NAME FILE COMMAND...
  "${@:3}" "$out/callee.so" >"$out/$2" 2>"$out/$2.log" || : >"$out/$2"
  peers+=(--peer "$1" "$out/$2")
}
export PYTHONDONTWRITEBYTECODE=1
python=${PYTHON:-python3}
# Debian's packages are for Debian's Python.
"$python" -c 'import cffi' 2>/dev/null || [ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
peer "Python's ctypes" ctypes.txt "$python" "$root/Benchmarks/peers/calls_ctypes.py"
peer "Python's cffi" cffi.txt "$python" "$root/Benchmarks/peers/calls_cffi.py"
peer "LuaJIT's FFI" luajit.txt "${LUAJIT:-luajit}" "$root/Benchmarks/peers/calls_luajit.lua"

# crossing LANGUAGE BUDGET COMMAND...: the rows of Benchmarks/peers/crossing.*, one for each number of crossings in a
# step. The budget is for the largest number; a step with one crossing shows the cost of a step.
crossing() {
  local language=$1 budget=$2
  if ! LIBPROMISE=$out/libpromise.so "${@:3}" "$root/examples/queues" >"$out/crossing.txt" 2>"$out/crossing.log"; then
    printf '  %-58s %10s\n' "$language" missing
    return
  fi
  awk -v language="$language" -v budget="$budget" '
    { step[NR] = $1; theirs[NR] = $2; ours[NR] = $3 }
    END {
      for (row = 1; row <= NR; row++) {
        ratio = ours[row] / theirs[row]
        printf "  %-58s %10.2f %10.2f %8.2f", language ", " step[row] " a step", theirs[row], ours[row], ratio
        if (row == NR) printf " %8s   %s", sprintf("<= %.2f", budget), ratio <= budget ? "ok" : "OVER"
        printf "\n"
      }
    }' "$out/crossing.txt"
}

# Each program exits with 1 if a budget is exceeded; the table shows it too. Any other status is an error.
{
  "$out/costs" "$out/floor.so" "$out/libpromise.so" $long || [ $? -eq 1 ]
  "$programs/swift-costs" $long || [ $? -eq 1 ]
  "$programs/stream-costs" $long || [ $? -eq 1 ]
  "$programs/host-costs" "$out/callee.so" $long "${peers[@]}" || [ $? -eq 1 ]
  "$programs/worker-costs" "$out/callee.so" "$out/chain.so" "$host" $long || [ $? -eq 1 ]
  "$python" "$root/Benchmarks/cached_steps.py" "$host" "$out/callee.so" $long || [ $? -eq 1 ]
  "$python" "$root/Benchmarks/listed_plugins.py" "$host" "$out/callee.so" $long || [ $? -eq 1 ]
  "$root/scripts/count-worker-calls.sh" "$programs/worker-costs" "$out/callee.so" "$out/chain.so" || [ $? -eq 1 ]
  echo "promises settled from Python's ctypes, nanoseconds each:" \
    "$("$python" "$root/Benchmarks/peers/many_ctypes.py" "$out/libpromise.so" | tr '\n' ' ' || echo missing)"
  printf '\n%-60s %10s %10s %8s %8s   (%s)\n' "a crossing against the language's own promise" reference ours ratio budget ns
  crossing LuaJIT 1.00 "${LUAJIT:-luajit}" "$root/Benchmarks/peers/crossing.lua"
  crossing PHP 2.00 php -d ffi.enable=1 "$root/Benchmarks/peers/crossing.php"
  "$root/scripts/check-counts.sh" || [ $? -eq 1 ]
} | tee "$table"

held=$(grep -c ' ok$' "$table" || true)
near=$(grep -c ' near$' "$table" || true)
over=$(grep -c ' OVER$' "$table" || true)
echo
echo "$((held + near + over)) budgets: $held hold, $near are passed by no more than noise, $over are not held"
grep ' near$' "$table" || true
grep ' OVER$' "$table" || true
[ "$strict" -eq 0 ] || [ "$over" -eq 0 ]
