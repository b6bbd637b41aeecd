import Glibc
import PluginRuntime

/// Has clang read a header.
struct Clang {
  /// The program; nil for the newest in PATH.
  var program: String?
  /// The time limit.
  var timeout: Seconds
  /// `-I`, `-D` and the like.
  var flags: [String]

  /// Returns the declarations of the header at an absolute path and of the files that it includes.
  func declarations(of path: String) throws(Failure) -> [HeaderNode] {
    // "--" ends the options, and an absolute path does not begin with "@", which names a file of options.
    let arguments = ["-x", "c", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json"] + flags + ["--", path]
    let result = try run(arguments)
    guard result.status == 0 else {
      let ending =
        result.status == 1
        ? "clang finds mistakes in \(path); pass the flags that it needs with -I, -D or --flag"
        : "clang ended with the status \(result.status) and did not read \(path)"
      let limit = SystemLimit.memory.map { "; if clang lacked memory: \($0)" } ?? ""
      throw Failure(.rejected, (ending + limit).displayLine)
    }
    do {
      return try HeaderNodeReader.read(result.output)
    } catch {
      throw Failure(.rejected, "clang's tree of \(path) cannot be read, from byte \(error.offset) on".displayLine)
    }
  }

  func run(_ arguments: [String], isQuiet: Bool = false) throws(Failure) -> Command.Result {
    let candidates = program.map { [$0] } ?? ["clang"] + (14...22).reversed().map { "clang-\($0)" }
    for candidate in candidates {
      do {
        return try Command.run(candidate, arguments, timeout: timeout.duration, isQuiet: isQuiet)
      } catch {
        switch error {
        case .system(let error) where error.code == ENOENT && program == nil: continue
        case .system(let error): throw Failure(.rejected, "\(candidate): \(error)".displayLine)
        case .timedOut:
          throw Failure(.timedOut, "\(candidate): \(CallFailure.timedOut(seconds: timeout.value))".displayLine)
        case .interrupted(let signal): TerminationSignals.die(by: signal)
        }
      }
    }
    throw Failure(.rejected, "clang was not found: install it, or name it with --clang")
  }

  /// Returns the absolute path of a header: as it is, or where the compiler would look for `#include <name>`.
  static func path(ofHeader name: String, directories: [String]) throws(Failure) -> String {
    if FileKind(path: name) == .other { return Directory.absolute(name) }
    let machines = ["x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu"].map { "/usr/include/\($0)" }
    let folders = directories + ["/usr/local/include"] + machines + ["/usr/include"]
    for folder in folders where !name.isAbsolutePath {
      let path = Directory.join(folder, name)
      if FileKind(path: path) == .other { return Directory.absolute(path) }
    }
    let searched = "here, or in \(folders.joined(separator: ", "))"
    throw Failure(.usage, "\(name): no such header \(searched); -I adds a folder, and --flag does not".displayLine)
  }

  /// The relation of a file's functions to the header that includes the file.
  enum Origin {
    /// Part of the header: curl/easy.h for curl/curl.h, sodium/core.h for sodium.h.
    case own
    /// Part of any header that includes it: the C library splits its headers into bits/.
    case shared
    /// Part of another header: stdio.h for zlib.h.
    case foreign
  }

  static func origin(of file: String, inHeader path: String) -> Origin {
    // sodium.h includes sodium/core.h, and declares nothing itself.
    if file == path || path.hasSuffix(".h") && file.isPath(below: String(path.dropLast(2))) { return .own }
    let folder = Directory.parent(of: path)
    let isCommon = Directory.name(of: folder) == "include" || folder.hasSuffix("-linux-gnu") || folder == "."
    if !isCommon, file.isPath(below: folder) { return .own }
    return Directory.name(of: Directory.parent(of: file)) == "bits" ? .shared : .foreign
  }
}
