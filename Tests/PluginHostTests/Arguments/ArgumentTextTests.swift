import Foundation
import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct ArgumentTextTests {
  @Test(arguments: [
    ("-", ArgumentText.standardInput), ("@-", .standardInput), ("@file", .file("file")), ("@@x", .file("@x")),
    ("@", .file("")), ("", .literal("")), ("text", .literal("text")), ("-5", .literal("-5")), ("a@b", .literal("a@b")),
    ("\\@x", .literal("@x")), ("\\-", .literal("-")), ("\\-x", .literal("-x")), ("\\\\", .literal("\\")),
    ("\\\\@x", .literal("\\@x")), ("\\d+", .literal("\\d+")), ("\\", .literal("\\")),
  ])
  func reads(text: String, expected: ArgumentText) {
    #expect(ArgumentText(text) == expected)
  }

  @Test func saysWhichFileCannotBeRead() {
    #expect(throws: UnreadableInput(message: "/no/such: No such file or directory")) {
      try ArgumentText("@/no/such").content()
    }
    #expect(throws: UnreadableInput(message: "/: Is a directory")) { try ArgumentText("@/").content() }
    #expect(throws: UnreadableInput(message: "\"@\" without a path: No such file or directory")) {
      try ArgumentText("@").content()
    }
  }
}

@Suite struct FileBytesTests: ~Copyable {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aFileWithoutEndOrTooLargeIsAnError() throws {
    #expect(throws: SystemError(code: EFBIG)) { try FileBytes.read(path: "/dev/zero", limit: 1 << 20) }
    // A sparse file takes no space on the disk.
    let large = folder.path("large")
    #expect(FileManager.default.createFile(atPath: large, contents: nil))
    #expect(truncate(large, off_t(FileBytes.longest) + 1) == 0)
    #expect(throws: UnreadableInput(message: "\(large): File too large: expected at most 1073741824 bytes")) {
      try ArgumentText("@\(large)").content()
    }
  }

  @Test(arguments: [0, 1, 1 << 16, (1 << 16) + 1, 200_000])
  func asManyBytesAsTheLimitAreRead(count: Int) throws {
    let (pipe, bytes) = (Pipe(), [UInt8](repeating: 7, count: count))
    let writer = Thread { [handle = pipe.fileHandleForWriting] in
      try? handle.write(contentsOf: bytes)
      try? handle.close()
    }
    writer.start()
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    #expect(try FileBytes.read(descriptor: descriptor, limit: count) == bytes)
    let file = folder.path("file")
    try Data(bytes).write(to: URL(filePath: file))
    #expect(try FileBytes.read(path: file, limit: count) == bytes)
    #expect(try FileBytes.readRegular(path: file, limit: count) == bytes)
    if count > 0 {
      #expect(throws: SystemError(code: EFBIG)) { try FileBytes.readRegular(path: file, limit: count - 1) }
    }
  }

  @Test func aFIFOIsNotWaitedForWhereAFileIsExpected() throws {
    let fifo = folder.path("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    #expect(throws: SystemError(code: EINVAL)) { try FileBytes.readRegular(path: fifo, limit: 64) }
  }
}

@Suite struct SecondsTests {
  @Test(arguments: [
    ("30", 30), ("0.5", 0.5), ("1e-3", 0.001), ("5s", 5), ("5m", 300), ("1.5h", 5400), ("250ms", 0.25), ("1h30m", 5400),
    ("1d", 86_400),
  ])
  func takes(text: String, value: Double) { #expect(Seconds(text)?.value == value) }

  @Test(arguments: [
    "", "0", "-1", "nan", "inf", "1e300", " 5", "5x", "m", "5m5", "5m1h", "0s", "-5m", "5 m", "1e9d", "5M",
  ])
  func refuses(text: String) { #expect(Seconds(text) == nil) }
}
