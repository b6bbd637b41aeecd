#!/usr/bin/env bash
# Checks the check: builds small libraries with extra or missing exports, and changed headers, and expects
# scripts/check-abi to reject each for the right reason.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
check=$root/scripts/check-abi
map=$root/Sources/CPromiseABI/exports.map
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

passed=0
failed=0

# build NAME [FLAG...]: a library of stubs, with the content of $scratch/extra.c, linked by $scratch/map.
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

# judge NAME STATUS TEXT COMMAND...: the command ends with that status, and its output contains each line of TEXT.
judge() {
  local name=$1 expected=$2 text=$3 status=0 output line says=true
  shift 3
  output=$("$@" 2>&1) || status=$?
  while read -r line; do
    if [[ $output != *"$line"* ]]; then says=false; fi
  done <<< "$text"
  if [[ $status -eq $expected && $says == true ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'check-abi.test.sh: %s: expected status %s and "%s", got status %s and:\n%s\n' \
      "$name" "$expected" "$text" "$status" "$output" >&2
  fi
}

# expect NAME STATUS TEXT: the check's verdict on the library NAME.
expect() { judge "$@" env MAP="$scratch/map" "$check" "$scratch/$1.so"; }

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

# Needs a symbol of glibc 2.2.5.
echo 'extern const char *gnu_get_libc_version(void); const char *promise_libc(void);
const char *promise_libc(void) { return gnu_get_libc_version(); }' > "$scratch/extra.c"
build glibc
judge glibc 1 "it asks for glibc 2.2.5, newer than 2.2: gnu_get_libc_version@GLIBC_2.2.5" \
  env MAP="$scratch/map" MAX_GLIBC=2.2 "$check" "$scratch/glibc.so"
expect glibc 0 "needs libc alone"
echo '__thread int promise_kept __attribute__((visibility("hidden"), tls_model("initial-exec")));
int promise_keeps(void); int promise_keeps(void) { return promise_kept; }' > "$scratch/extra.c"
build local "$soname" -fuse-ld=gold
expect local 1 "promise_kept is local, but stands in the dynamic symbol table"
: > "$scratch/extra.c"

build stack "$soname" -Wl,-z,execstack
expect stack 1 "it asks for an executable stack"

echo 'char ballast[600 * 1024] = {1}; char *promise_ballast(void); char *promise_ballast(void) { return ballast; }' \
  > "$scratch/extra.c"
build heavy
expect heavy 1 "more than 524288"

# headers NAME FILE SCRIPT: copies the headers into the folder NAME, and edits one of them by sed.
headers() {
  cp -R "$root/include" "$scratch/$1"
  sed -i "$3" "$scratch/$1/$2"
  if cmp -s "$root/include/$2" "$scratch/$1/$2"; then
    failed=$((failed + 1))
    echo "check-abi.test.sh: $1: $2 has nothing that could be changed so" >&2
  fi
}

# accepted NAME FILE SCRIPT, refused NAME FILE SCRIPT TEXT: the check's verdict on headers edited in this way. Most
# changes contradict the assertions too, which does not count: abidiff itself must reject them.
accepted() {
  headers "$1" "$2" "$3"
  judge "$1" 0 "unchanged" env INCLUDE="$scratch/$1" BASELINE="$scratch/baseline.abi" "$check"
}
refused() {
  headers "$1" "$2" "$3"
  judge "$1" 1 "the headers changed or removed what baseline.abi has
$4" env INCLUDE="$scratch/$1" BASELINE="$scratch/baseline.abi" "$check"
}

# The header's map by task is missing, or lacks a function.
reset
build mapless
headers mapless-headers promise.h 's/^ \* MAP$/ * FUNCTIONS/'
judge mapless 1 "promise.h has no map by task" \
  env MAP="$scratch/map" INCLUDE="$scratch/mapless-headers" "$check" "$scratch/mapless.so"
headers unmapped-headers promise.h 's/promise_wait_any\b//'
judge unmapped 1 "the map of promise.h lacks promise_wait_any, which it declares" \
  env MAP="$scratch/map" INCLUDE="$scratch/unmapped-headers" "$check" "$scratch/mapless.so"

# The baseline of the current headers, so that additions since the last release can be changed here too.
judge record 0 "unchanged" env BASELINE="$scratch/baseline.abi" "$check" --record
judge "no machine's paths" 1 "" grep -E '/(usr|home|root|tmp|work)/' "$scratch/baseline.abi" \
  "$root/Tests/ABI/baseline.abi"

more='PROMISE_API int promise_more(promise_t *PROMISE_NULLABLE promise);'
accepted function-added promise/core.h "s/^PROMISE_END_DECLS/$more\n&/"
accepted type-added promise/core.h \
  's/^PROMISE_END_DECLS/typedef struct promise_more { int32_t more; } promise_more_t;\n&/'
accepted constant-added promise/status.h 's/XX(PROMISE_ECLOSED, -8/XX(PROMISE_EMORE, -1000, "more") &/'
accepted field-added promise/callback.h 's/^} promise_reaction_t/  int64_t more;\n&/'
accepted field-added-to-plugins promise_plugin.h 's/^} promise_plugin_t/  int64_t more;\n&/'
accepted parameter-renamed promise/core.h 's/int64_t timeout_ns/int64_t limit_ns/'

refused function-removed promise/core.h '/promise_discard(promise_t/d' \
  "'function promise_status_t promise_discard(promise_t*)'"
refused function-renamed promise/core.h 's/ promise_discard(/ promise_discarded(/' "{promise_discard}"
refused parameter-changed promise/core.h 's/int64_t timeout_ns/int32_t timeout_ns/' "promise_wait(promise_t*, int64_t)"
refused parameter-added promise/core.h 's/int64_t timeout_ns/&, int32_t more/' \
  "parameter 3 of type 'typedef int32_t' was added"
refused result-changed promise/error.h 's/int64_t promise_value_code/int32_t promise_value_code/' "return type changed"
refused const-removed promise/value.h 's/promise_value_retain(const /promise_value_retain(/' "promise_value_retain"
refused constants-reordered promise/core.h \
  's/PROMISE_STATE_FULFILLED = 2/PROMISE_STATE_FULFILLED = 3/; s/PROMISE_STATE_REJECTED = 3/PROMISE_STATE_REJECTED = 2/' \
  "'witness_PROMISE_FULFILLED::value_of_PROMISE_FULFILLED' from value '2' to '3'"
refused constant-removed promise/status.h '/XX(PROMISE_EDEADLK, -6/d' "{witness_PROMISE_EDEADLK}"
refused status-widened promise/status.h 's/typedef int32_t promise_status_t/typedef int64_t promise_status_t/' \
  "typedef name changed from int32_t to int64_t"
refused union-changed promise/value.h 's/    double f64;/    float f64;/' "double"
refused field-added-to-a-value promise/value.h 's/^} promise_value_t/  int64_t more;\n&/' "promise_value"
refused field-changed promise/callback.h 's/promise_token_t \*PROMISE_NULLABLE token;/int64_t token;/' \
  "witness_promise_reaction_t_token"
refused field-in-the-middle promise/callback.h 's/^  promise_token_t \*PROMISE_NULLABLE token;/  int64_t more;\n&/' \
  "witness_offset_promise_reaction_t_token"
refused field-changed-and-one-added promise/callback.h \
  's/promise_token_t \*PROMISE_NULLABLE token;/int64_t token;/; s/^} promise_reaction_t/  int64_t more;\n&/' \
  "witness_promise_reaction_t_token"
refused field-removed promise/callback.h '/promise_token_t \*PROMISE_NULLABLE token;/d' \
  "{witness_promise_reaction_t_token}"
refused field-renamed promise_plugin.h 's/PROMISE_NONNULL configuration)/PROMISE_NONNULL settings)/' \
  "{witness_promise_host_t_configuration}"
refused handler-changed promise/callback.h 's/(\*promise_handler_t)(void \*/(*promise_handler_t)(char */' \
  "promise_handler_t"

# A rejected change is not recorded either.
cp "$scratch/baseline.abi" "$scratch/kept.abi"
judge "record a change" 1 "changed or removed" env INCLUDE="$scratch/function-removed" BASELINE="$scratch/baseline.abi" \
  "$check" --record
judge "the baseline stays" 0 "" cmp "$scratch/baseline.abi" "$scratch/kept.abi"
judge "record an addition" 0 "unchanged" env INCLUDE="$scratch/function-added" BASELINE="$scratch/baseline.abi" \
  "$check" --record
judge "the addition is part of it" 1 "{promise_more}" env BASELINE="$scratch/baseline.abi" "$check"

echo "$passed passed, $failed failed"
((failed == 0))
