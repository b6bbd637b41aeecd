#!/usr/bin/env bash
# Tests scripts/check-layers.py in a repository made for it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=Tests/Prose/judge.sh
source "$root/Tests/Prose/judge.sh"
cd "$scratch"
git init -q .
mkdir -p target/Low target/High target/Beside
echo 'struct Base { struct Part {} }' > target/Low/Base.swift
echo 'struct Tower { let base: Base }' > target/High/Tower.swift
echo 'struct Peer { let tower: Tower }' > target/Beside/Peer.swift
fence=$(printf '\140\140\140')

# expect STATUS PATTERN NAME ORDER [CELLS]: adds the sources, and checks them by the order and the list of files.
expect() {
  git add -A
  printf '%slayers\n%s\n%s\n' "$fence" "$4" "$fence" > rules.md
  if [[ -n ${5-} ]]; then printf '%scells\n%s\n%s\n' "$fence" "$5" "$fence" >> rules.md; fi
  judge "$1" "$2" "$3" "$root/scripts/check-layers.py" rules.md
}

expect 0 end "downwards" 'target: Low < High < Beside'
expect 1 'Beside/Peer.swift: Tower is of High, which comes after Beside' "upwards" 'target: Low < Beside < High'
expect 0 end "beside each other" 'target: Low < High, Beside'
expect 0 end "an exception" $'target: Low < Beside < High\n  Beside: Tower'
expect 1 'the folder Beside is not in the order of target' "a folder without a place" 'target: Low < High'
printf '// Tower is drawn here.\nlet text = "Tower"\nlet part = Base.Tower()\n' > target/Low/Words.swift
expect 0 end "comments, strings and nested names" 'target: Low < High < Beside'
printf 'private struct Tower {}\nlet own = Tower()\n' > target/Low/Own.swift
expect 0 end "a private type of the same name" 'target: Low < High < Beside'
expect 1 'no file needs the exception of Beside for Peer' "an exception without a use" $'target: Low < Beside < High\n  Beside: Tower, Peer'
printf 'extension Base {\n  func buildTower() {}\n  private func noteFloor() {}\n}\n' > target/High/Build.swift
printf 'let built: () = Base().buildTower()\n' > target/Beside/Built.swift
expect 0 end "a function downwards" 'target: Low < High < Beside'
expect 1 'Beside/Built.swift: buildTower is of High' "a function upwards" $'target: Low < Beside < High\n  Beside: Tower'
expect 0 end "an exception for a function" $'target: Low < Beside < High\n  Beside: Tower, buildTower'
printf 'func noteFloor() {}\nlet noted: () = noteFloor()\n' > target/Low/Noted.swift
expect 0 end "a private function of the same name" 'target: Low < High < Beside'
printf '// cell.pointee is for Base alone.\nlet base = ref.cell.pointee.base\n' > target/Low/Base.swift
expect 0 end "a file that may use cell.pointee" 'target: Low < High < Beside' 'target: Base'
expect 1 'Low/Base.swift: cell.pointee' "a file that may not" 'target: Low < High < Beside' 'target: Own'
expect 1 'Own has no cell.pointee' "a file that needs no permission" 'target: Low < High < Beside' 'target: Base, Own'
expect 1 'has no block of layers' "a document without rules" "$fence"

if [[ $failed -gt 0 ]]; then
  echo "check-layers: $failed failed" >&2
  exit 1
fi
