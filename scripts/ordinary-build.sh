# shellcheck shell=bash
# Links C programs with the ordinary build of the engine and the ABI, in place of the Embedded library. Sourced.

# link_ordinary_build PACKAGE FOLDER TOOLCHAIN: sets LIBS to the objects of CPromiseABI in a build folder of the
# package, and to the Swift libraries of the toolchain.
link_ordinary_build() {
  local root=$1 folder=$2 runtime=$3/lib/swift/linux target
  # Objects in a response file, because their paths may contain spaces. Selected by their sources: objects of deleted
  # sources remain in the build folder.
  for target in CPromiseABI Promises CPlatform; do
    find "$root/Sources/$target" -name '*.swift' -printf "\"$folder/debug/$target.build/%f.o\"\n" -o \
      -name '*.c' -printf "\"$folder/debug/$target.build/%f.o\"\n"
  done > "$folder/objects"
  # swiftrt.o registers the program's conformances: without it, generic types of unoptimized code are not found.
  LIBS="@$folder/objects $runtime/$(uname -m)/swiftrt.o -L$runtime -Wl,-rpath,$runtime -lswiftCore -lswiftSwiftOnoneSupport -lswiftSynchronization"
  LIBS+=" -lswift_Concurrency -lswift_StringProcessing -lswiftGlibc -lswiftDispatch -ldispatch -lBlocksRuntime -lm -lstdc++"
}
