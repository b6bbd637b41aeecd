// `fuzz TARGET [CORPUS]... [-OPTION]...`: the options are libFuzzer's.
import CFuzzer
import FuzzTargets
import Glibc

let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")
guard CommandLine.arguments.count > 1, let target = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
  print("usage: fuzz \(names) [CORPUS]... [-OPTION]...")
  exit(64)
}
FuzzTarget.chosen = target

// The name of the target is no option of libFuzzer's.
var words = ([CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)).map { strdup($0) } + [nil]
var count = Int32(words.count - 1)
let status = words.withUnsafeMutableBufferPointer { words in
  var start = words.baseAddress
  return LLVMFuzzerRunDriver(&count, &start) { data, size in
    FuzzTarget.chosen.run(UnsafeBufferPointer(start: data, count: size))
    return 0
  }
}
exit(status)
