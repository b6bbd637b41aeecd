import Glibc
import PluginRuntime

/// Checks that the file of a library is verified, or is refused with a message.
enum LibraryFuzzing {
  static func run(_ bytes: some Sequence<UInt8>) {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/library-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    precondition(descriptor >= 0, "no file can be made in \(folder)")
    let bytes = Array(bytes)
    precondition(write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    defer { unlink(template) }
    do {
      let facts = try LibraryFacts(
        of: String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
      precondition(facts.segments.allSatisfy { $0.sizeInFile <= $0.size && $0.sizeInFile <= UInt64(facts.size) })
    } catch {
      precondition(!error.message.isEmpty, "says nothing")
    }
  }
}
