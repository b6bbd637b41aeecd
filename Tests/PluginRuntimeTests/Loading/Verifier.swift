import Foundation
import Testing

@testable import PluginRuntime

/// The file of a library, of which one byte at a time is changed. Nothing of it is loaded.
struct DamagedFile {
  let path: String
  private let handle: FileHandle
  private let original: [UInt8]

  init(_ library: [UInt8]) throws {
    original = library
    path = try Fixture.file("damaged.so", containing: library)
    handle = try #require(FileHandle(forWritingAtPath: path))
  }

  /// Whether the verifier accepts the file with this byte in it.
  func verifies(_ byte: UInt8, at offset: Int) throws -> Bool {
    try write(byte, at: offset)
    defer { try? write(original[offset], at: offset) }
    do throws(PluginError) {
      try ELFVerifier.verify(PluginFile(opening: path))
      return true
    } catch {
      return false
    }
  }

  private func write(_ byte: UInt8, at offset: Int) throws {
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: [byte])
  }
}

/// Returns the range in the file of the first segment of a type.
func programHeader(_ type: UInt8, _ library: [UInt8]) -> Range<Int>? {
  for index in 0..<Int(library[56]) {
    let header = number(at: 32, library) + 56 * index
    guard library[header..<header + 4].elementsEqual([type, 0, 0, 0]) else { continue }
    return number(at: header + 8, library)..<number(at: header + 8, library) + number(at: header + 32, library)
  }
  return nil
}

/// Returns the number in the eight bytes at an offset of a file.
func number(at offset: Int, _ library: [UInt8]) -> Int {
  (0..<8).reduce(0) { $0 | Int(truncatingIfNeeded: UInt64(library[offset + $1]) << (8 * UInt64($1))) }
}

/// Returns the values of the dynamic section, by their tags. Addresses of tables in the first segment are offsets in
/// the file.
func dynamicValues(_ library: [UInt8]) -> [Int: Int]? {
  guard let dynamic = programHeader(2, library) else { return nil }
  let entries = stride(from: dynamic.lowerBound, to: dynamic.upperBound, by: 16)
  return Dictionary(entries.map { (number(at: $0, library), number(at: $0 + 8, library)) }) { first, _ in first }
}

/// Makes errors to compare with.
enum LoadErrors {
  static func make(_ kind: PluginError.Kind, _ subject: String, _ message: String) -> PluginError {
    PluginError(kind, subject, message)
  }
}
