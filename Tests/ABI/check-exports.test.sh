#!/usr/bin/env bash
# A check that cannot fail checks nothing: builds small libraries that export what they should not, or not what they
# should, and asks scripts/check-exports.sh to refuse each for the right reason.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
check=$root/scripts/check-exports.sh
map=$root/Sources/CPromiseABI/exports.map
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

passed=0
failed=0

# build NAME [FLAG...]: a library of stubs, with whatever stands in $scratch/extra.c, linked by $scratch/map.
build() {
  local name=$1
  shift
  cc -shared -fPIC -o "$scratch/$name.so" "$scratch/stubs.c" "$scratch/extra.c" \
    -Wl,--version-script="$scratch/map" "${@:--Wl,-soname=libpromise.so.1}"
}

reset() {
  "$root/scripts/abi-functions.sh" | sed 's/.*/void &(void);\nvoid &(void) {}/' > "$scratch/stubs.c"
  : > "$scratch/extra.c"
  cp "$map" "$scratch/map"
}

# expect NAME STATUS TEXT: what the check says to the library NAME.
expect() {
  local status=0 output
  output=$(MAP="$scratch/map" "$check" "$scratch/$1.so" 2>&1) || status=$?
  if [[ $status -eq $2 && $output == *"$3"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'check-exports.test.sh: %s: expected status %s and "%s", got status %s and:\n%s\n' \
      "$1" "$2" "$3" "$status" "$output" >&2
  fi
}

soname=-Wl,-soname=libpromise.so.1

reset
build sound
expect sound 0 "needs libc alone"

sed -i '/promise_wait/d' "$scratch/stubs.c"
build missing
expect missing 1 "missing.so lacks promise_wait, which promise.h declares"

reset
echo 'void promise_surprise(void); void promise_surprise(void) {}' > "$scratch/extra.c"
build hidden
expect hidden 0 "needs libc alone"
sed -i 's/promise_wait;/promise_wait; promise_surprise;/' "$scratch/map"
build extra
expect extra 1 "map has promise_surprise, which promise.h does not declare"
expect extra 1 "extra.so has promise_surprise, which promise.h does not declare"

reset
sed -i 's/promise_wait;/promise_*;/' "$scratch/map"
build pattern
expect pattern 1 "map exports by a pattern"
expect pattern 1 "map lacks promise_wait, which promise.h declares"

reset
echo 'int promise_data; int promise_data = 1;' > "$scratch/extra.c"
sed -i 's/promise_wait;/promise_wait; promise_data;/' "$scratch/map"
build data
expect data 1 "promise_data is exported, but is no function"

reset
sed -i 's/PROMISE_1.0/PROMISE_2.0/' "$scratch/map"
build node
expect node 1 "promise_wait is exported without the version PROMISE_1.0: promise_wait@@PROMISE_2.0"

reset
cc -shared -fPIC -o "$scratch/unversioned.so" "$scratch/stubs.c" "$soname"
expect unversioned 1 "promise_wait is exported without the version PROMISE_1.0: promise_wait"

reset
build nameless -Wl,-soname=libpromise.so
expect nameless 1 "the soname is 'libpromise.so', expected 'libpromise.so.1'"

build needy "$soname" -Wl,--no-as-needed -lm
expect needy 1 "it needs libm.so.6; libc alone is allowed"
expect needy 1 "it loads libm.so.6; libc alone is allowed"

# shellcheck disable=SC2016 # the loader's variable, not the shell's
build searching "$soname" '-Wl,-rpath,$ORIGIN:/opt/somewhere'
expect searching 1 "it searches /opt/somewhere"
# shellcheck disable=SC2016
build beside "$soname" '-Wl,-rpath,$ORIGIN'
expect beside 0 "needs libc alone"

build stack "$soname" -Wl,-z,execstack
expect stack 1 "it asks for an executable stack"

echo 'char ballast[600 * 1024] = {1}; char *promise_ballast(void); char *promise_ballast(void) { return ballast; }' \
  > "$scratch/extra.c"
build heavy
expect heavy 1 "more than 524288"

echo "$passed passed, $failed failed"
((failed == 0))
