#!/usr/bin/env bash
# Tests scripts/check-paths.py: a missing path, an ambiguous one and a broken link are found, and good ones pass.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/Prose/judge.sh
source Tests/Prose/judge.sh

# expect STATUS PATTERN NAME: checks the standard input.
expect() {
  cat > "$scratch/case.md"
  judge "$1" "$2" "$3" scripts/check-paths.py "$scratch/case.md"
}

expect 0 end "whole paths, parts of paths, folders and patterns" << 'TEXT'
`Package.swift`, `Engine/Settle.swift`, `Sources/Promises/Engine`, `include/promise/*.h`, `make lint`, `a.b()`.
TEXT
expect 1 'case.md:2: Engine/Nothing.swift: no such file' "a missing file, at its line" << 'TEXT'

`Engine/Nothing.swift`
TEXT
expect 1 'fork.c: is several: Sources/CPlatform/fork.c, ' "a part that fits several files" << 'TEXT'
`fork.c`
TEXT
expect 1 'Streams/\*.c: no such file' "a pattern without a match" << 'TEXT'
`Engine/Streams/*.c`
TEXT
expect 1 'nothing.md: the link leads nowhere' "a broken link" << 'TEXT'
[nothing](nothing.md#part), [elsewhere](https://example.org), [here](#part)
TEXT
expect 0 end "code is not looked at" << 'TEXT'
```
`Engine/Nothing.swift`
`nothing()` (`Engine/Settle.swift`)
```
TEXT
expect 0 end "names in the files behind them" << 'TEXT'
`settle()` (`Engine/Settle.swift`), `CellRef.allocate`
(`Engine/Wait.swift`, `Engine/Slab.swift`), `.build-mutate/report.json`.
TEXT
expect 1 'case.md:3: CellRef.nothing: is not in the file behind it' "a name that is not in the file behind it" << 'TEXT'
```
```
`CellRef.nothing` (`Engine/Settle.swift`)
TEXT

if [[ $failed -gt 0 ]]; then
  echo "check-paths: $failed failed" >&2
  exit 1
fi
