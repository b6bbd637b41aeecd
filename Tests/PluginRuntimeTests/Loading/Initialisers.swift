import Glibc
import Testing

@testable import PluginRuntime

/// Code of a library that runs while it is mapped, and the file that the system's loader maps.
@Suite("Loading: initialisers, and the file that is mapped")
struct Initialisers {
  @Test("an initialiser that closes a standard stream is reported; the stream is restored, without a descriptor left")
  func streams() async {
    await #expect(processExitsWith: .success) {
      let paths = try (0...2).map { try Fixture.plugin("dying", ["-DIN_INITIALISER=close(\($0))"]) }
      var descriptors: [Int] = []
      for (stream, path) in zip(Int32(0)...2, paths) {
        var (before, after) = (stat(), stat())
        #expect(fstat(stream, &before) == 0)
        let error = #expect(throws: PluginError.self) { try Host.inspect(path) }
        #expect(error?.kind == .loadFailed)
        #expect(
          error?.message.hasPrefix("closed or replaced standard streams of this process") == true, "\(error as Any)")
        #expect(fstat(stream, &after) == 0 && after.st_dev == before.st_dev && after.st_ino == before.st_ino)
        descriptors.append(Fixture.descriptors)
      }
      // A leak is there after each inspection. Threads of the system's libraries open descriptors at any time.
      #expect(descriptors[1] <= descriptors[0] || descriptors[2] <= descriptors[1], "\(descriptors)")
    }
  }

  /// The system's loader identifies libraries by their names, which no check can precede.
  @Test("another library that the loader has under the name of the verified file is not taken for it")
  func another() async {
    await #expect(processExitsWith: .success) {
      let sources = (1...2).map { "int value(void) { return \($0); }" }
      let file = try PluginFile(opening: try Fixture.library("one", from: sources[0], by: "cc"))
      try file.seal()
      // Loads the first library under each path by which the loader may open the other one: the second path of a
      // descriptor in this process (`DescriptorPath`). The names stay.
      for descriptor in Int32(3)..<100 where fcntl(descriptor, F_GETFD) < 0 {
        #expect(dup2(file.descriptor, descriptor) == descriptor)
        #expect(dlopen("/proc/\(getpid())/fd/.//\(descriptor)", RTLD_NOW) != nil)
        close(descriptor)
      }
      let other = try Fixture.library("other", from: sources[1], by: "cc")
      let adoption = Adoption(
        id: "test.other", library: other,
        functions: [Adoption.Function(signature: try Signature(parsing: "value() -> i32"))])
      let error = #expect(throws: PluginError.self) { try Host().adopt(adoption) }
      #expect(error?.kind == .replaced, "\(error as Any)")
      #expect(error?.message.contains("is not the file that the system's loader has loaded for it") == true)
    }
  }
}
