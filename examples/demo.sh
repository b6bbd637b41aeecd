#!/bin/sh
# Runs examples/pipeline.yaml over the project's own source files, and prints the results.
#
#   PLUGIN_HOST=FILE LIBPROMISE=FILE EXAMPLES=DIR examples/demo.sh
#
# PLUGIN_HOST: the plugin-host to use; LIBPROMISE: the library to build the plugins with; EXAMPLES: a folder for built
# files. PLUGINS=DIR uses plugins that are built already. OUT=DIR is the folder of the results, whose content is
# replaced.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
host=${PLUGIN_HOST:-$root/.build-host/release/plugin-host}
examples=${EXAMPLES:-$root/.build/examples}
plugins=${PLUGINS:-$examples/plugins}
out=${OUT:-$examples/demo}
folders="include Sources examples"

fail() {
  echo "demo.sh: $*" >&2
  exit 1
}

command -v "$host" >/dev/null || fail "$host is missing: make plugin-host builds it"
[ -n "${PLUGINS:-}" ] || "$root/scripts/build-examples.sh" "$plugins"
for plugin in deflate digest catalog; do
  [ -f "$plugins/$plugin.so" ] || fail "$plugins/$plugin.so is missing"
done

mkdir -p "$out"
out=$(cd "$out" && pwd)
database=$out/catalog.sqlite
rm -f "$database" "$out"/*.tar "$out"/*.tar.gz

for folder in $folders; do
  # Sorted and without dates, so that the same files have the same archive and checksums.
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --exclude=__pycache__ --exclude=build \
    -C "$root" -cf "$out/$folder.tar" "$folder"
  echo "== $folder"
  "$host" run --raw --plugins "$plugins" --set input="$out/$folder.tar" --set name="$folder" --set database="$database" \
    "$root/examples/pipeline.yaml"
  echo
  "$host" call --progress off --raw "$plugins/catalog.so" fetch "$database" "$folder" >"$out/$folder.tar.gz"
done

# Prints a line for each row of a statement, which must name its column `line`.
lines() {
  "$host" call --progress off --raw "$plugins/catalog.so" query "$database" "$1" >"$out/rows.json"
  sed -e 's/^[[ ]{"line":"//' -e 's/"}[],]*$//' "$out/rows.json"
  printf '\n\n'
}

echo
echo "The catalog:"
echo "  id  folder       bytes    packed   ratio"
lines "select printf('  %2d  %-8s %9d %9d  %5.1f %%', id, name, original_size, length(data),
         100.0 * length(data) / original_size) as line from files order by id"
echo "SHA-256, as sha256sum prints it:"
lines "select original_sha256 || '  ' || name || '.tar' as line from files union all
       select sha256 || '  ' || name || '.tar.gz' from files"

cat <<END
To check it with other tools, in $out:
  sqlite3 catalog.sqlite "select id, name, original_size, sha256 from files"
  sqlite3 catalog.sqlite "select writefile('copy.gz', data) from files where name = 'Sources'"
  gzip -t copy.gz && gzip -dc copy.gz | cmp - Sources.tar
  sha256sum *.tar *.tar.gz
or all of that at once: examples/check-demo.sh
END
