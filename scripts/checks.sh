# shellcheck shell=bash
# The build folder and the results of scripts that make many checks; failures are repeated at the end.
# Sourced, with `root` set. LIBRARY is the library, OUT the build folder: a temporary one.
#
# Sets `out`, `passed` and `failed`; makes LIBRARY a full path.

LIBRARY=$(realpath -m "${LIBRARY:-$root/.build/release/libpromise.so}")
export LIBRARY
[[ -f $LIBRARY ]] || { echo "${0##*/}: no such file: $LIBRARY (build it first: make libpromise)" >&2; exit 2; }
if [[ -n ${OUT:-} ]]; then
  mkdir -p "$OUT"
  out=$(realpath "$OUT")
else
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
fi

passed=0
failed=0
# again LABEL: keeps a failure, with the end of its output, for the summary.
: > "$out/again"
again() { { tail -n 8 "$out/log" && echo "FAIL  $1"; } >> "$out/again"; }

# try LABEL COMMAND...: one check; shows its output if it fails.
try() {
  local label=$1
  shift
  if "$@" > "$out/log" 2>&1; then
    passed=$((passed + 1))
    echo "ok    $label"
  else
    failed=$((failed + 1))
    cat "$out/log"
    echo "FAIL  $label"
    again "$label"
  fi
}

# use_installed: installs the library below `out`, and sets the compiler options `includes` and `libraries` for it.
# INCLUDE: a folder whose headers are used in place of the installed ones.
use_installed() {
  local prefix=$out/prefix
  PREFIX=$prefix DESTDIR='' "$root/scripts/install.sh" install library
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
  # shellcheck disable=SC2034 # read by the sourcing script
  read -ra includes <<< "${INCLUDE:+-I$INCLUDE} $(pkg-config --cflags promise)"
  # shellcheck disable=SC2034
  read -ra libraries <<< "$(pkg-config --libs promise)"
}

# shellcheck disable=SC2034
memcheck=(valgrind -q --fair-sched=try --error-exitcode=9 --leak-check=full
  "--errors-for-leak-kinds=definite,indirect,possible" "--suppressions=$root/Tests/ABI/threads.supp")

# Options for a program that replaces the C library's allocator (Tests/ABI/scarce.h), run by a checker that has another
# allocator. The library is linked statically.
# shellcheck disable=SC2034
wrapped=(-DSCARCE_WRAPPED)
for function in malloc calloc realloc posix_memalign free mprotect eventfd timerfd_create epoll_create1; do
  wrapped+=("-Wl,--wrap=$function")
done

# tell_again: prints the failures.
tell_again() {
  if ((failed == 0)); then return; fi
  printf '\nWhat failed:\n'
  cat "$out/again"
}
