#!/usr/bin/env bash
# Holds three lists against each other: the functions that include/promise.h declares, those that the exports map names,
# and the symbols that the library exports. Missing and extra ones both fail, each by name. Then what the library asks of
# the machine that loads it: libc alone, no folder of another machine, its soname, at most 512 KiB when stripped.
#
#     scripts/check-exports.sh LIBRARY
#
# MAX_BYTES, MAP and HEADER replace what is checked against.
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/.." && pwd)
header=${HEADER:-$root/include/promise.h}
map=${MAP:-$root/Sources/CPromiseABI/exports.map}
max_bytes=${MAX_BYTES:-$((512 * 1024))}
soname=libpromise.so.1
node=PROMISE_1.0

[[ $# -eq 1 ]] || { echo "usage: check-exports.sh LIBRARY" >&2; exit 64; }
library=$1
for file in "$library" "$map" "$header"; do
  [[ -f $file ]] || { echo "check-exports.sh: no such file: $file" >&2; exit 2; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

failures=0
fail() { echo "check-exports.sh: $1" >&2; failures=$((failures + 1)); }

# compare WHAT LIST...: fails with the name of each function that is in one of the two lists only.
compare() {
  local name
  for name in $(comm -23 "$2" "$3"); do fail "$1 lacks $name, which $4 declares"; done
  for name in $(comm -13 "$2" "$3"); do fail "$1 has $name, which $4 does not declare"; done
}

"$root/scripts/abi-functions.sh" "$header" > "$scratch/header"

# The map: names only, no patterns, so that each export is a decision.
${CC:-cc} -E -P -x c "$map" > "$scratch/map.text" # without its comments
if grep -q '[A-Za-z0-9_]\*' "$scratch/map.text"; then fail "$(basename "$map") exports by a pattern"; fi
tr ' ' '\n' < "$scratch/map.text" | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\);$/\1/p' | sort > "$scratch/map"
compare "$(basename "$map")" "$scratch/header" "$scratch/map" "$(basename "$header")"

# The library: functions with their version. The node itself appears as an absolute symbol.
nm -D --extern-only --defined-only --with-symbol-versions "$library" | awk '{ print $(NF - 1), $NF }' > "$scratch/symbols"
: > "$scratch/exported"
while read -r type symbol; do
  name=${symbol%%@*}
  version=${symbol##*@}
  if [[ $type == A && $name == "$node" ]]; then continue; fi
  echo "$name" >> "$scratch/exported"
  if [[ $symbol != *@@* || $version != "$node" ]]; then fail "$name is exported without the version $node: $symbol"; fi
  if [[ $type != T ]]; then fail "$name is exported, but is no function (nm type $type)"; fi
done < "$scratch/symbols"
sort -o "$scratch/exported" "$scratch/exported"
compare "$(basename "$library")" "$scratch/header" "$scratch/exported" "$(basename "$header")"

dynamic=$(readelf -dW "$library")
got=$(sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p' <<< "$dynamic")
if [[ $got != "$soname" ]]; then fail "the soname is '$got', expected '$soname'"; fi
while read -r needed; do
  case $needed in '' | libc.so.6 | ld-linux*) ;; *) fail "it needs $needed; libc alone is allowed" ;; esac
done <<< "$(sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' <<< "$dynamic")"
# What ldd adds to that list was asked for by something that is asked for.
for loaded in $(ldd "$library" | awk '{ print $1 }'); do
  case $loaded in
    linux-vdso* | libc.so.6 | */ld-linux*) ;;
    statically) ;; # "statically linked": asks for nothing
    *) fail "it loads $loaded; libc alone is allowed" ;;
  esac
done
# $ORIGIN, its own folder, is what SwiftPM gives every library; a folder of the machine that built it must not remain.
while read -r searched; do
  case $searched in '' | "\$ORIGIN") ;; *) fail "it searches $searched" ;; esac
done <<< "$(sed -n 's/.*(R\(UN\)\?PATH).*\[\(.*\)\].*/\2/p' <<< "$dynamic" | tr ':' '\n')"
if grep -q '(TEXTREL)' <<< "$dynamic"; then fail "its code is relocated when it is loaded (TEXTREL)"; fi
if readelf -lW "$library" | grep 'GNU_STACK' | grep -q 'RWE'; then fail "it asks for an executable stack"; fi

strip -o "$scratch/stripped" "$library"
bytes=$(stat -c %s "$scratch/stripped")
if ((bytes > max_bytes)); then fail "stripped it has $bytes bytes, more than $max_bytes"; fi

count=$(wc -l < "$scratch/header")
if ((failures > 0)); then
  echo "check-exports.sh: $library: $failures wrong" >&2
  exit 1
fi
echo "$(basename "$library"): $count functions, all of $node; needs libc alone; $bytes bytes stripped"
