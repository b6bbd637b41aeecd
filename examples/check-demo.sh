#!/bin/sh
# Runs demo.sh, and checks its output with gzip, sha256sum, sqlite3 and tar. Takes the same variables; see there.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
examples=${EXAMPLES:-$root/.build/examples}
out=${OUT:-$examples/demo}
export OUT="$out"

fail() {
  echo "check-demo.sh: $*" >&2
  exit 1
}

equal() {
  [ "$2" = "$3" ] || fail "$1: $2, but expected $3"
}

for tool in gzip sha256sum sqlite3 tar cmp diff; do
  command -v "$tool" >/dev/null || fail "$tool is missing: it is what the result is checked with"
done

mkdir -p "$out"
"$root/examples/demo.sh" >"$out/demo.txt" || fail "demo.sh failed"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sql() {
  sqlite3 -readonly "$out/catalog.sqlite" "$1"
}

equal "sqlite3's integrity check" "$(sql 'pragma integrity_check')" ok
equal "folders in the catalog" "$(sql 'select group_concat(name) from (select name from files order by id)')" \
  include,Sources,examples

id=0
for folder in include Sources examples; do
  id=$((id + 1))
  tar=$out/$folder.tar
  stored=$scratch/$folder.tar.gz
  sql "select writefile('$stored', data) from files where name = '$folder'" >/dev/null
  gzip -t "$stored" || fail "$folder: what is stored is not a gzip file"
  gzip -dc "$stored" | cmp - "$tar" || fail "$folder: what is stored is not the archive"
  cmp "$stored" "$out/$folder.tar.gz" || fail "$folder: catalog.fetch gives other bytes than sqlite3"

  original_sum=$(sha256sum <"$tar" | cut -d ' ' -f 1)
  packed_sum=$(sha256sum <"$stored" | cut -d ' ' -f 1)
  original_size=$(($(wc -c <"$tar")))
  packed_size=$(($(wc -c <"$stored")))
  equal "$folder: its row" \
    "$(sql "select id, original_size, original_sha256, sha256, length(data) from files where name = '$folder'")" \
    "$id|$original_size|$original_sum|$packed_sum|$packed_size"

  # The output of demo.sh, line by line.
  grep -qx "$original_sum  $folder.tar" "$out/demo.txt" || fail "$folder: its checksum is not in what was printed"
  grep -qx "$packed_sum  $folder.tar.gz" "$out/demo.txt" || fail "$folder: its packed checksum is not in what was printed"
  grep -Eqx " +$id +$folder +$original_size +$packed_size +[0-9.]+ %" "$out/demo.txt" ||
    fail "$folder: its sizes are not in what was printed"

  # The archive has the files of the project.
  mkdir "$scratch/$folder"
  tar -C "$scratch/$folder" -xf "$tar"
  diff -r --no-dereference -x __pycache__ -x build "$root/$folder" "$scratch/$folder/$folder" ||
    fail "$folder: the archive is not of the project's files"
done

echo "demo: ok"
