// `fuzz TARGET [CORPUS]... [-OPTION]...`: the options are libFuzzer's.
import CFuzzer
import FuzzTargets
import Glibc

// libFuzzer starts this program again to merge and to minimise, with its own options alone: the environment has the
// target.
let variable = "FUZZ_TARGET"
let inherited = getenv(variable).map { String(cString: $0) }
var arguments = CommandLine.arguments
let name = inherited ?? (arguments.count > 1 ? arguments.remove(at: 1) : "")
guard let target = FuzzTarget(rawValue: name) else {
  print("usage: fuzz \(FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")) [CORPUS]... [-OPTION]...")
  exit(64)
}
setenv(variable, name, 1)
FuzzTarget.chosen = target

var words = arguments.map { strdup($0) } + [nil]
var count = Int32(words.count - 1)
let status = words.withUnsafeMutableBufferPointer { words in
  var start = words.baseAddress
  return LLVMFuzzerRunDriver(&count, &start) { data, size in
    FuzzTarget.chosen.run(UnsafeBufferPointer(start: data, count: size))
    return 0
  }
}
exit(status)
