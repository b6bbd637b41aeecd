#!/usr/bin/env bash
# Installs the library into temporary folders, and uses it from there with only a C compiler and pkg-config, without
# Swift.
#
#     Tests/ABI/install.test.sh LIBRARY
set -euo pipefail
[[ $# -eq 1 ]] || { echo "usage: install.test.sh LIBRARY" >&2; exit 64; }
root=$(cd "$(dirname "$0")/../.." && pwd)
LIBRARY=$1
unset OUT PREFIX DESTDIR LIBDIR INCLUDEDIR BINDIR LIBEXECDIR DATADIR
install=$root/scripts/install.sh
. "$root/scripts/checks.sh"
scratch=$out

refuses() { ! "$@"; }
same() { diff <(printf '%s\n' "$1") <(printf '%s\n' "$2"); }
files() { (cd "$1" && find . ! -type d | sort); }

# Runs a command in a clean environment, with no toolchain but the system's.
bare() { env -i PATH=/usr/bin:/bin "$@"; }

cat > "$scratch/prog.c" <<'PROGRAM'
#include <promise.h>
#include <promise_plugin.h>
#include <stdio.h>

static promise_verdict_t double_it(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  out->kind = PROMISE_KIND_I64;
  out->as.i64 = in->as.i64 * 2;
  return PROMISE_FULFILL;
}

int main(void) {
  promise_t *answer = promise_new();
  promise_t *twice = promise_then(answer, double_it, NULL, NULL);
  promise_value_t value = {.kind = PROMISE_KIND_I64, .as.i64 = 21};
  promise_resolve(answer, &value);
  promise_result(twice, &value);
  promise_release(twice);
  promise_release(answer);
  printf("%lld\n", (long long)value.as.i64);
  return 0;
}
PROGRAM

library_files() { # library_files PREFIX: the paths of the files below it
  (
    cd "$root/include"
    find . '(' -name '*.h' -o -name '*.hpp' ')' -printf "./$1/include/%P\n"
  )
  printf '%s\n' "./$1/include/CPromise/module.modulemap" "./$1/lib/libpromise.a" "./$1/share/promise/promise.cdef" \
    "./$1/lib/libpromise.so" "./$1/lib/libpromise.so.1" "./$1/lib/libpromise.so.1.0.0" \
    "./$1/lib/pkgconfig/promise.pc" "./$1/share/doc/promise/LICENSE"
  pages "./$1"
}
pages() { # pages PREFIX: the pages of docs/ below it, but those for this repository
  (cd "$root/docs" && printf "$1/share/doc/promise/%s\n" *.md decisions/*.md |
    grep -v '/\(architecture\|mutation\|releasing\|testing\)\.md$')
}
dead_links() { # dead_links FOLDER: the links in its pages that lead to no file
  local page target
  find "$1" -name '*.md' | while read -r page; do
    grep -oE '\]\([^):# ]+\.(md|txt|h|hpp|yaml|sh|fish|bash)[^)]*\)|\]\(\.\.[^)]*\)' "$page" | tr -d '])(' |
      while read -r target; do
        [[ -e $(dirname "$page")/${target%%#*} ]] || echo "$page: $target"
      done
  done
}

# Installs under a prefix whose name needs quoting, then under another, and uses the library from there.
prefix="$scratch/a prefix"
try "installs under a prefix" env PREFIX="$prefix" "$install" install library
try "installs these files, no more" same "$(files "$scratch" | grep '^./a prefix' | sort)" \
  "$(library_files 'a prefix' | sort)"
try "installs the library as it was built" cmp "$LIBRARY" "$prefix/lib/libpromise.so.1.0.0"
try "links libpromise.so.1 to the file" same "$(readlink "$prefix/lib/libpromise.so.1")" libpromise.so.1.0.0
try "links libpromise.so to libpromise.so.1" same "$(readlink "$prefix/lib/libpromise.so")" libpromise.so.1
try "installs the archive as it was built" cmp "${LIBRARY%.so}.a" "$prefix/lib/libpromise.a"
try "installs again over itself" env PREFIX="$prefix" "$install" install library
try "the pages link to installed files alone" same "$(dead_links "$prefix/share/doc/promise")" ""
try "other links stay" grep -q '](decisions/0022-glibc-floor.md)' "$prefix/share/doc/promise/install.md"

# Files of another version.
touch "$prefix/lib/libpromise.so.1.1.0" "$prefix/lib/libpromise.so.10.0" "$prefix/share/doc/promise/former.md"
try "installs over another version" env PREFIX="$prefix" "$install" install library
try "leaves its own version alone, and another soname's" same "$(cd "$prefix/lib" && echo libpromise.so.*)" \
  "libpromise.so.1 libpromise.so.1.0.0 libpromise.so.10.0"
try "leaves its own pages alone" refuses test -e "$prefix/share/doc/promise/former.md"
touch "$prefix/lib/libpromise.so.1.1.0" "$prefix/share/doc/promise/former.md"
try "uninstalls another version too" env PREFIX="$prefix" "$install" uninstall library
try "leaves another soname's file alone" same "$(files "$prefix")" ./lib/libpromise.so.10.0
rm "$prefix/lib/libpromise.so.10.0"
try "installs once more" env PREFIX="$prefix" "$install" install library

prefix=$scratch/prefix
mv "$scratch/a prefix" "$scratch/moved"
try "uninstalls nothing elsewhere" env PREFIX="$prefix" "$install" uninstall library
try "installs under another prefix" env PREFIX="$prefix/" "$install" install library
mkdir "$scratch/work"
cd "$scratch/work"
try "pkg-config knows the version" same \
  "$(bare PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --modversion promise)" 1.0.0
try "pkg-config gives the flags" same \
  "$(bare PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs promise | sed 's/ *$//')" \
  "-I$prefix/include -L$prefix/lib -lpromise"
cp "$scratch/prog.c" .
# With --as-needed the linker requires the libraries last.
# shellcheck disable=SC2016 # for the inner shell
try "a C program builds with pkg-config alone" bare PKG_CONFIG_PATH="$prefix/lib/pkgconfig" sh -c \
  'cc $(pkg-config --cflags --libs promise) prog.c -o prog || cc prog.c $(pkg-config --cflags --libs promise) -o prog'
try "a C program runs without a toolchain" same "$(bare LD_LIBRARY_PATH="$prefix/lib" ./prog)" 42
try "it asks for the version that it was built with" grep -q PROMISE_1.0 <(readelf -V prog)
try "the library itself asks for libc alone" refuses grep -v 'linux-vdso\|libc\.so\|libpthread\.so\|ld-linux' \
  <(bare ldd "$prefix/lib/libpromise.so.1")
cd "$scratch"

# A staged installation, as for packages: the files are below DESTDIR and name only the prefix.
stage=$scratch/stage
try "installs into DESTDIR" env DESTDIR="$stage" PREFIX=/opt/promise "$install" install library
try "installs nothing beside the prefix" same "$(files "$stage")" "$(library_files opt/promise | sort)"
try "promise.pc does not name DESTDIR" refuses grep -F "$stage" "$stage/opt/promise/lib/pkgconfig/promise.pc"
try "promise.pc names the prefix" grep -qx 'prefix=/opt/promise' "$stage/opt/promise/lib/pkgconfig/promise.pc"
try "a staged library is found through a sysroot" same \
  "$(bare PKG_CONFIG_SYSROOT_DIR="$stage" PKG_CONFIG_PATH="$stage/opt/promise/lib/pkgconfig" \
    pkg-config --cflags promise | sed 's/ *$//')" "-I$stage/opt/promise/include"

# Custom folders.
try "installs into folders of their own" env DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu \
  INCLUDEDIR=/elsewhere/include "$install" install library
try "promise.pc follows the prefix where it can" grep -qxF "libdir=\${prefix}/lib/x86_64-linux-gnu" \
  "$stage/usr/lib/x86_64-linux-gnu/pkgconfig/promise.pc"
try "promise.pc names a folder elsewhere as it is" grep -qx 'includedir=/elsewhere/include' \
  "$stage/usr/lib/x86_64-linux-gnu/pkgconfig/promise.pc"
try "uninstalls from folders of their own" env DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu \
  INCLUDEDIR=/elsewhere/include "$install" uninstall library

# A script stands in for the host, whose installation does not depend on its content.
printf '#!/bin/sh\necho host\n' > "$scratch/plugin-host"
try "installs the host" env DESTDIR="$stage" PREFIX=/opt/promise PLUGIN_HOST="$scratch/plugin-host" \
  "$install" install host
try "the host can be run" same "$("$stage/opt/promise/bin/plugin-host")" host
try "the worker is a link to the host" same "$("$stage/opt/promise/libexec/plugin-worker")" host
try "the man page can be found" man -l --warnings=all "$stage/opt/promise/share/man/man1/plugin-host.1"
printf '#!/bin/sh\necho conformance\n' > "$scratch/promise-conformance"
try "installs the conformance program" env DESTDIR="$stage" PREFIX=/opt/promise \
  CONFORMANCE="$scratch/promise-conformance" "$install" install conformance
try "the conformance program can be run" same "$("$stage/opt/promise/bin/promise-conformance")" conformance
try "its man page can be found" man -l --warnings=all "$stage/opt/promise/share/man/man1/promise-conformance.1"
try "uninstalls the host alone" env DESTDIR="$stage" PREFIX=/opt/promise "$install" uninstall host
try "the conformance program stays" test -x "$stage/opt/promise/bin/promise-conformance"
try "installs the host again" env DESTDIR="$stage" PREFIX=/opt/promise PLUGIN_HOST="$scratch/plugin-host" \
  "$install" install host
try "uninstalls the library alone" env DESTDIR="$stage" PREFIX=/opt/promise "$install" uninstall library
try "leaves the programs and the documents" same "$(files "$stage" | grep -v '/doc/promise/.*\.md$')" \
  "./opt/promise/bin/plugin-host
./opt/promise/bin/promise-conformance
./opt/promise/libexec/plugin-worker
./opt/promise/share/bash-completion/completions/plugin-host
./opt/promise/share/doc/promise/LICENSE
./opt/promise/share/fish/vendor_completions.d/plugin-host.fish
./opt/promise/share/man/man1/plugin-host.1
./opt/promise/share/man/man1/promise-conformance.1
./opt/promise/share/zsh/site-functions/_plugin-host"
try "leaves all pages" same "$(files "$stage" | grep '/doc/promise/.*\.md$' | sort)" "$(pages ./opt/promise | sort)"
try "uninstalls everything" env DESTDIR="$stage" PREFIX=/opt/promise "$install" uninstall
try "leaves nothing" same "$(files "$stage")" ""
try "leaves no folder of its own" same "$(find "$stage/opt/promise" -mindepth 2 -name promise)" ""
touch "$prefix/include/of_somebody_else.h"
try "uninstalls beside what is somebody else's" env PREFIX="$prefix" "$install" uninstall
try "leaves what is somebody else's" same "$(files "$prefix")" ./include/of_somebody_else.h

# Rejected calls.
refused() { # refused TEXT COMMAND...
  local text=$1 output
  shift
  if output=$("$@" 2>&1); then return 1; fi
  [[ $output == *"$text"* ]] || { echo "$output"; return 1; }
}
try "says what is not built" refused "no such file: /nowhere.so (build it first" \
  env PREFIX="$prefix" LIBRARY=/nowhere.so "$install" install library
try "installs nothing if a part is missing" same "$(
  PREFIX=$scratch/none PLUGIN_HOST=/nowhere "$install" install library host 2>&1
  files "$scratch" | grep '^./none/' || :
)" "install.sh: no such file: /nowhere (build it first: make plugin-host)"
try "make install builds nothing" same \
  "$(make -C "$root" --dry-run --no-print-directory install | grep -v '^PREFIX=')" ""
try "refuses a relative prefix" refused "'here' is no absolute path" env PREFIX=here "$install" install library
try "refuses an unknown part" refused "usage:" env PREFIX="$prefix" "$install" install everything

echo "$passed passed, $failed failed"
((failed == 0))
