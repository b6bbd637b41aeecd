#!/bin/sh
# Builds and runs the examples against an installed libpromise, without anything else of this tree.
#
#   scripts/test-examples.sh [PREFIX]
#
# PREFIX: where `make install PREFIX=...` put the library, its headers and promise.pc. Without it, the built library,
# LIBPROMISE, is installed into EXAMPLES/prefix. EXAMPLES: the build folder. PLUGIN_HOST: the host that checks single
# calls and the demo; empty: they are skipped. Each installed compiler of CC_LIST (gcc clang) is used; programs also run
# under valgrind where it is installed and supported.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=${EXAMPLES:-$root/.build/examples}
host=${PLUGIN_HOST-$root/.build-host/release/plugin-host}
mkdir -p "$out"
out=$(cd "$out" && pwd)
if [ $# -ge 1 ]; then
  prefix=$(cd "$1" && pwd)
else
  prefix=$out/prefix
  PREFIX=$prefix DESTDIR='' LIBRARY=${LIBPROMISE:-$root/.build/release/libpromise.so} \
    "$root/scripts/install.sh" install library
fi

library=$(find "$prefix" -name 'libpromise.so.1' | head -n 1)
[ -n "$library" ] || {
  echo "$0: no libpromise.so.1 below $prefix: expected the folder of make install PREFIX=..." >&2
  exit 1
}
libraries=$(dirname "$library")
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PKG_CONFIG_PATH="$libraries/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"

# label command...: runs the command silently, and shows its output if it fails.
try() {
  label=$1
  shift
  if "$@" >"$out/log.txt" 2>&1; then
    echo "ok    $label"
  else
    status=$?
    cat "$out/log.txt"
    echo "FAIL  $label (status $status)"
    exit 1
  fi
}

# check_symbols PLUGIN: it exports its entry and no other symbol, and reaches the promise functions in the way that it
# demonstrates.
check_symbols() {
  exported=$(nm -D --defined-only "$1" | awk '{ print $3 }')
  [ "$exported" = promise_plugin_entry ] || {
    echo "$1 exports: $exported"
    return 1
  }
  linked=$(readelf -d "$1" | grep -c 'NEEDED.*libpromise' || :)
  undefined=$(nm -D --undefined-only "$1" | grep -c ' promise_' || :)
  case $(basename "$1" .so) in
    deflate) [ "$linked" -eq 1 ] && [ "$undefined" -gt 0 ] ;;
    digest) [ "$linked" -eq 0 ] && [ "$undefined" -eq 0 ] ;;
    catalog) [ "$linked" -eq 0 ] && [ "$undefined" -gt 0 ] ;;
  esac
}

# compare EXPECTED COMMAND...: the output of the command is the file.
compare() {
  expected=$1
  shift
  "$@" >"$out/actual.txt" && diff -u "$expected" "$out/actual.txt"
}

# Seconds after which a program counts as hanging: plenty, for slow machines.
limit=1800

# label command...: the same under valgrind, if it is installed. Valgrind runs one thread at a time. Without fair
# scheduling a thread that never sleeps can starve the others, on a loaded machine for minutes.
try_memcheck() {
  label=$1
  shift
  command -v valgrind >/dev/null || return 0
  try "$label under valgrind" timeout "$limit" \
    valgrind -q --fair-sched=try --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect "$@"
}

# Older versions of valgrind do not read the debug format of the newest clang.
CFLAGS="-O2 -gdwarf-4"
export CFLAGS

compilers=0
for cc in ${CC_LIST:-gcc clang}; do
  command -v "$cc" >/dev/null || continue
  compilers=$((compilers + 1))
  compiler=$cc
  built=$out/$cc
  mkdir -p "$built/data"
  try "$cc: plugins" make -B -C "$root/examples/plugins" CC="$cc" OUT="$built"
  try "$cc: C example" make -B -C "$root/examples/c" CC="$cc" OUT="$built"
  try "$cc: C example prints what is expected" make -C "$root/examples/c" CC="$cc" OUT="$built" check
  try_memcheck "$cc: C example" "$built/promises"
  try "$cc: loops" make -B -C "$root/examples/loops" CC="$cc" OUT="$built"
  try "$cc: loops print what is expected" timeout "$limit" make -C "$root/examples/loops" CC="$cc" OUT="$built" check
  for loop in epoll libuv; do
    try_memcheck "$cc: promises in $loop" "$built/loop-$loop"
  done
  for plugin in deflate digest catalog; do
    try "$cc: $plugin.so shows its entry alone" check_symbols "$built/$plugin.so"
    # shellcheck disable=SC2046,SC2086 # several words on purpose
    try "$cc: test of $plugin" "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror $CFLAGS -pthread \
      $(pkg-config --cflags promise) -o "$built/${plugin}_test" "$root/Tests/Examples/host.c" \
      "$root/Tests/Examples/${plugin}_test.c" $(pkg-config --libs promise) -ldl -lsqlite3
    try "$cc: $plugin" timeout "$limit" "$built/${plugin}_test" "$built/$plugin.so" "$built/data"
    try_memcheck "$cc: $plugin" "$built/${plugin}_test" "$built/$plugin.so" "$built/data"
  done
done
[ "$compilers" -gt 0 ] || {
  echo "$0: no compiler of ${CC_LIST:-gcc clang} is there" >&2
  exit 1
}

if command -v python3 >/dev/null; then
  export LIBPROMISE="$library" PYTHONPATH="$root/examples/python" PYTHONDONTWRITEBYTECODE=1
  try "python: example prints what is expected" compare "$root/examples/c/expected.txt" python3 "$root/examples/python/promises.py"
  try "python: promises in asyncio" compare "$root/examples/loops/expected.txt" timeout "$limit" \
    python3 "$root/examples/loops/promises_asyncio.py"
  try "python: promise.py" timeout "$limit" python3 "$root/Tests/Examples/promise_test.py"
  try "python: reasons that promise.py raises" timeout "$limit" python3 "$root/Tests/Examples/promise_raising_test.py"
  try "python: processes with promise.py" timeout "$limit" python3 "$root/Tests/Examples/promise_processes_test.py"
else
  echo "skip  python: there is no python3"
fi

# Bindings over the completion queue alone. They exit while timers fire, so each runs several times; and once while
# memory runs out for libpromise.
export LIBPROMISE="$library"
queues=$root/examples/queues
scarce=$root/Tests/Examples/scarce
# shellcheck disable=SC2086 # several words on purpose
try "queue: scarce.so" "$compiler" -std=c11 -Wall -Wextra -Werror $CFLAGS -shared -fPIC -o "$out/scarce.so" \
  "$scarce/scarce.c" -ldl
try_often() {
  binding=$1
  shift
  for run in 1 2 3 4 5; do try "$binding, run $run" timeout "$limit" "$@"; done
}
# try_alone LABEL COMMAND...: runs the command with the library alone, without the link of a development package.
mkdir -p "$out/alone"
ln -sf "$library" "$out/alone/libpromise.so.1"
try_alone() {
  binding=$1
  shift
  try "$binding, by the soname" timeout "$limit" env -u LIBPROMISE LD_LIBRARY_PATH="$out/alone" "$@"
}
# try_scarce LABEL [VARIABLE=VALUE...] COMMAND...: runs the command while memory runs out.
try_scarce() {
  binding=$1
  shift
  try "$binding, without memory" timeout "$limit" env LD_PRELOAD="$out/scarce.so" "$@"
}
if command -v python3 >/dev/null; then
  export PYTHONPATH="$queues" PYTHONDONTWRITEBYTECODE=1
  try "queue: asyncio, and 20 exits while timers fire" timeout "$limit" python3 "$queues/test_queue.py"
  try_alone "queue: asyncio" python3 "$queues/test_queue.py"
  try_scarce "queue: asyncio" python3 "$scarce/scarce.py" 60
fi
if command -v luajit >/dev/null; then
  try_often "queue: LuaJIT" luajit "$queues/test.lua"
  try_alone "queue: LuaJIT" luajit "$queues/test.lua"
  try_scarce "queue: LuaJIT" LUA_PATH="$queues/?.lua" luajit "$scarce/scarce.lua"
else
  echo "skip  queue: LuaJIT: there is no luajit"
fi
if command -v php >/dev/null && php -d ffi.enable=1 -r 'exit(class_exists("FFI") && class_exists("Fiber") ? 0 : 1);'; then
  try_often "queue: PHP" php -d ffi.enable=1 "$queues/test.php"
  try_alone "queue: PHP" php -d ffi.enable=1 "$queues/test.php"
  try_scarce "queue: PHP" LD_PRELOAD="$out/scarce.so $library" SCARCE_LIBRARY="$out/scarce.so" \
    php -d ffi.enable=1 "$scarce/scarce.php" "$queues/promise.php" 100
else
  echo "skip  queue: PHP: there is no php 8.1 with the extension FFI"
fi
if command -v go >/dev/null; then
  try "queue: Go builds" env -C "$queues/go" GOFLAGS=-mod=mod GOCACHE="$out/go-cache" go build -o "$out/queue-go" .
  try_often "queue: Go" "$out/queue-go"
  try_scarce "queue: Go" "$out/queue-go" scarce
else
  echo "skip  queue: Go: there is no go"
fi

if [ -n "$host" ]; then
  for cc in ${CC_LIST:-gcc clang}; do
    built=$out/$cc
    [ -f "$built/deflate.so" ] || continue
    try "calls of plugins by $cc" env PLUGIN_HOST="$host" PLUGINS="$built" "$root/Tests/Examples/calls.sh" "$built/data"
    try "demo with plugins by $cc" env PLUGIN_HOST="$host" PLUGINS="$built" OUT="$built/demo" \
      "$root/examples/check-demo.sh"
  done
else
  echo "skip  calls and demo: no PLUGIN_HOST"
fi
