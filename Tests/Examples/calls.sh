#!/bin/sh
# The example plugins through plugin-host, a call at a time, compared with the tools that do the same.
#
#   PLUGIN_HOST=FILE PLUGINS=DIR Tests/Examples/calls.sh DIR      DIR: a folder to write to
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
host=${PLUGIN_HOST:?}
plugins=${PLUGINS:?}
out=$1
text=$root/LICENSE
database=$out/calls.sqlite
rm -f "$database" "$out/absent.sqlite"

fail() {
  echo "calls.sh: $*" >&2
  exit 1
}

equal() {
  [ "$2" = "$3" ] || fail "$1: $2, but expected $3"
}

# plugin function argument...
call() {
  plugin=$1
  shift
  "$host" call --progress off --raw "$plugins/$plugin.so" "$@"
}

# status part-of-message command...: it must fail like that.
refused() {
  status=$1
  message=$2
  shift 2
  actual=0
  "$@" >"$out/stdout.txt" 2>"$out/stderr.txt" || actual=$?
  equal "$*: exit code" "$actual" "$status"
  grep -qF "$message" "$out/stderr.txt" || fail "$*: said \"$(cat "$out/stderr.txt")\", but expected \"$message\""
  [ ! -s "$out/stdout.txt" ] || fail "$*: printed a result"
}

for id in deflate digest catalog; do
  "$host" list "$plugins" | grep -q "^org.promises.$id " || fail "plugin-host list does not show $id"
  "$host" inspect "$plugins/$id.so" | grep -q "^org.promises.$id 1.0.0" || fail "plugin-host inspect does not show $id"
done

# deflate
for level in 0 1 9; do
  call deflate compress "@$text" level=$level >"$out/text.gz"
  gzip -t "$out/text.gz" || fail "level $level: gzip -t"
  gzip -dc "$out/text.gz" | cmp - "$text" || fail "level $level: gzip -dc gives something else"
done
gzip -9c "$text" | call deflate decompress - | cmp - "$text" || fail "decompress: something else"
equal measure "$(call deflate measure "@$out/text.gz")" "$(($(wc -c <"$text")))"
equal crc32 "$(call deflate crc32 123456789)" 3421780262
refused 1 "org.promises.deflate 1" call deflate compress text level=10
refused 1 "incorrect header check (zlib -3)" call deflate decompress "@$text"
refused 1 "limit of 10 bytes (org.promises.deflate 4)" call deflate decompress "@$out/text.gz" limit=10

# digest
equal sha256 "$(call digest sha256 "@$text")" "$(sha256sum <"$text" | cut -d ' ' -f 1)"
equal sha512 "$(call digest digest "@$text" sha512)" "$(sha512sum <"$text" | cut -d ' ' -f 1)"
equal hmac "$(call digest hmac Jefe 'what do ya want for nothing?')" \
  5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843
call digest algorithms | grep -qx sha256 || fail "algorithms: no sha256"
refused 1 'not "sha999" (org.promises.digest 1)' call digest digest text sha999

# catalog
sum=$(sha256sum <"$out/text.gz" | cut -d ' ' -f 1)
original=$(sha256sum <"$text" | cut -d ' ' -f 1)
equal store "$(call catalog store "$database" text "@$out/text.gz" "$sum" "$original" 7)" 1
call catalog fetch "$database" text | cmp - "$out/text.gz" || fail "fetch: something else"
equal query "$(call catalog query "$database" 'select name, original_size from files where id = ?1' '[1]')" \
  '[{"name":"text","original_size":7}]'
refused 1 "sqlite 14" call catalog query "$out/absent.sqlite" 'select 1'
refused 1 "sqlite 23" call catalog query "$database" 'drop table files'
refused 1 "no plugin of this id" call catalog verify "$database" text
refused 3 "timed out" "$host" call --progress off --timeout 0.2 "$plugins/catalog.so" query "$database" \
  'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n'

# A trace of a call.
call digest sha256 --trace "$out/trace.json" text >/dev/null
python3 -c 'import json, sys; events = json.load(open(sys.argv[1]))["traceEvents"]
assert any(event["ph"] == "b" for event in events), events' "$out/trace.json" || fail "trace: no promise"
call digest sha256 --trace "$out/trace.dot" text >/dev/null
grep -q '^digraph promises' "$out/trace.dot" || fail "trace: no graph"
refused 1 'not "sha999"' call digest digest --trace "$out/rejected.dot" text sha999
grep -q rejected "$out/rejected.dot" || fail "trace: no rejection"
refused 64 "plugin-host: --trace $out/absent/trace: No such file" call digest sha256 --trace "$out/absent/trace" text
refused 1 "plugin-host: --trace /dev/full: the trace could not be written" call digest sha256 --trace /dev/full text

# One plugin calls another.
verify() {
  "$host" run --progress off --plugins "$plugins" - <<END
plugins: [digest, catalog]
steps:
  verified:
    call: catalog.verify
    with: {database: "$database", name: text}
END
}
equal "verify, untouched" "$(verify)" true
sqlite3 "$database" "update files set data = x'00'"
equal "verify, touched" "$(verify)" false

# An exception is no longer uncaught once the host has caught it, although the host has a C++ runtime of its own.
c++ -std=c++17 -Wall -Wextra -Werror -shared -fPIC -I"$root/include" -o "$out/throwing.so" \
  "$root/Tests/Examples/throwing.cpp"
cat >"$out/throwing.yaml" <<END
plugins: [./throwing.so]
steps:
  thrown: {call: test.throwing.fail, serial: thread, rescue: {value: null}}
  count: {call: test.throwing.uncaught, serial: thread, after: thrown}
result: count
END
equal "exceptions without a handler" "$("$host" run --progress off "$out/throwing.yaml")" 0
refused 1 "threw std::runtime_error: thrown" "$host" call "$out/throwing.so" fail

echo "calls: ok"
