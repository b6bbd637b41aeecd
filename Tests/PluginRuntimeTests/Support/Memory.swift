import Foundation
import Testing

/// Returns the number of bytes of resident memory of this process.
func residentBytes() throws -> Int {
  let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
  return try #require(Int(fields[1])) * Int(getpagesize())
}

/// Returns the mappings of this process, a line each.
func mappings() throws -> String {
  // The system reports no size for the file, which is longer than one read.
  let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
  var bytes = Data()
  while let part = try file.read(upToCount: 4_096), !part.isEmpty { bytes += part }
  return String(decoding: bytes, as: UTF8.self)
}
