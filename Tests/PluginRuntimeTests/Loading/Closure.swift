import Foundation
import Glibc
import Promises
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Loading: a library and the libraries that it needs")
struct Closure {
  @Test("a sealed copy of the plugin is mapped: writing to the file changes nothing, and the system's files have none")
  func copied() async throws {
    let folder = try Folder()
    let plugin = try folder.plugin("uint32_t needed(void) { return deflateBound(0, 0) > 0 ? 7 : 0; }", ["-l:libz.so.1"])
    let (host, id) = try folder.load(plugin)
    #expect(try await host.call("value", of: id, []).outcomeInTime().value == .uint(7))
    let maps = try mappings()
    #expect(maps.contains("/memfd:plugin.so") && !maps.contains(plugin))
    #expect(maps.contains("/libz.so.1") && !maps.contains("memfd:libz"), "\(maps)")
    let file = try #require(FileHandle(forWritingAtPath: plugin))
    try file.write(contentsOf: [UInt8](repeating: 0xCC, count: 20_000))
    try file.truncate(atOffset: 10)
    #expect(try await host.call("value", of: id, []).outcomeInTime().value == .uint(7))
  }

  /// Files there have seals, as memory files do.
  @Test("a file in a file system in memory is copied as others are")
  func inMemory() throws {
    let path = "/dev/shm/promises-\(UUID().uuidString).so"
    do {
      try FileManager.default.copyItem(atPath: try Fixture.plugin("whole"), toPath: path)
    } catch {
      return print("skipped: there is no /dev/shm: \(error)")
    }
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try PluginFile(opening: path)
    try file.seal()
    // F_GET_SEALS and F_SEAL_WRITE.
    let seals = fcntl(file.descriptor, 1034)
    #expect(seals >= 0 && seals & 8 != 0, "\(seals)")
  }

  @Test("of two needed libraries of one DT_SONAME, none stands for the other", arguments: [false, true])
  func oneName(isOtherFirst: Bool) async throws {
    let folder = try Folder()
    let (other, own) = ("other-\(UUID().uuidString).so", "own-\(UUID().uuidString).so")
    func makeOther(_ flags: [String] = []) throws {
      _ = try folder.library(other, "int other(void) { return 1; } int which(void) { return 1; }", flags)
    }
    try makeOther()
    _ = try folder.library(own, "int which(void) { return 2; }", ["-Wl,-soname,\(own)"])
    let names = isOtherFirst ? [other, own] : [own, other]
    let plugin = try folder.plugin(
      "extern int which(void), other(void); uint32_t needed(void) { return which() * 10 + other(); }",
      ["-Wl,--no-as-needed"] + names.map { "-l:\($0)" } + ["-L\(folder.path)", "-Wl,-rpath,$ORIGIN"],
      "plugin-\(isOtherFirst).so")
    // The plugin needs it by the name of its file.
    try makeOther(["-Wl,-soname,\(own)"])
    guard isOtherFirst else {
      let (host, id) = try folder.load(plugin)
      #expect(try await host.call("value", of: id, []).outcomeInTime().value == .uint(21))
      #expect(try Host.inspect(plugin).id == id)
      return
    }
    for _ in 0..<2 {
      let error = #expect(throws: PluginError.self) { try Host.inspect(plugin) }
      #expect(error?.message.contains("needs \(folder.path)/\(own) as \(own), which is also the name") == true)
    }
  }

  @Test(
    "needed libraries are mapped from sealed copies, by each name that is used for them",
    arguments: [
      // Needed by the name of the file, its DT_SONAME, a path, a path with $ORIGIN.
      ("-l:needed.so", ""), ("-l:needed.so", "-Wl,-soname,libother.so.2"), ("ORIGIN/needed.so", ""),
      ("-l:needed.so", "-Wl,-soname,$ORIGIN/needed.so"),
    ])
  func names(link: String, name: String) async throws {
    let folder = try Folder()
    // In a process a name stands for one library.
    let file = "needed-\(UUID().uuidString).so"
    let code = "unsigned needed(void) { return 5; }"
    let path = try folder.library(file, code, name.isEmpty ? [] : [name.replacing("needed.so", with: file)])
    let plugin = try folder.plugin(
      "extern uint32_t needed(void);",
      [
        link.replacing("needed.so", with: file).replacing("ORIGIN", with: folder.path), "-L\(folder.path)",
        "-Wl,-rpath,$ORIGIN",
      ])
    // The linker has copied the DT_SONAME to the plugin. A library whose DT_SONAME is a path is refused, so it goes
    // back.
    if name.contains("/") { _ = try folder.library(file, code) }
    if name.contains("libother") {
      try FileManager.default.moveItem(atPath: path, toPath: folder.path + "/libother.so.2")
    }
    let (host, id) = try folder.load(plugin)
    #expect(try await host.call("value", of: id, []).outcomeInTime().value == .uint(5))
    let maps = try mappings()
    #expect(!maps.contains(folder.path), "\(maps)")
  }

  @Test("a DT_SONAME with a slash is refused, with a mark behind it too", arguments: ["a/b.so", "a/\u{301}b.so"])
  func slashes(name: String) throws {
    let folder = try Folder()
    let plugin = try folder.plugin("uint32_t needed(void) { return 1; }", ["-Wl,-soname,\(name)"])
    let error = #expect(throws: PluginError.self) { try PluginRuntime.Host.inspect(plugin) }
    #expect(error?.kind == .unsafeName)
  }

  @Test("libraries that libraries need are found by DT_RPATH of the plugin, and one that two need is mapped once")
  func deep() async throws {
    let folder = try Folder()
    let flags = ["-L\(folder.path)"]
    _ = try folder.library("count.so", "unsigned count(void) { static unsigned n; return ++n; }")
    for name in ["left", "right"] {
      _ = try folder.library(
        "\(name).so", "extern unsigned count(void); unsigned \(name)(void) { return count(); }",
        flags + ["-l:count.so"])
    }
    let plugin = try folder.plugin(
      "extern unsigned left(void), right(void); uint32_t needed(void) { int l = left(); return 10 * l + right(); }",
      flags + ["-l:left.so", "-l:right.so", "-Wl,--disable-new-dtags,-rpath,$ORIGIN"])
    let (host, id) = try folder.load(plugin)
    #expect(try await host.call("value", of: id, []).outcomeInTime().value == .uint(12))
  }

  @Test("a needed library that is missing, damaged, in a cycle, a filter, or needed by two names is refused")
  func refused() throws {
    let folder = try Folder()
    let flags = ["-L\(folder.path)", "-Wl,-rpath,$ORIGIN"]
    let code = "unsigned needed(void) { return 5; }"
    let needed = try folder.library("absent.so", code)
    let plugin = try folder.plugin("extern uint32_t needed(void);", flags + ["-l:absent.so"])
    try FileManager.default.removeItem(atPath: needed)
    folder.expect(.loadFailed, "needs absent.so: absent.so: no such library in the search path of \(plugin)", plugin)
    try Data("text".utf8).write(to: URL(filePath: needed))
    folder.expect(.notAPlugin, "needs absent.so: \(needed): is not an ELF file", plugin)
    _ = try folder.library("circle.so", "void other(void) {}")
    _ = try folder.library("absent.so", code, flags + ["-Wl,--no-as-needed", "-l:circle.so"])
    _ = try folder.library("circle.so", "void other(void) {}", flags + ["-Wl,--no-as-needed", "-l:absent.so"])
    folder.expect(.loadFailed, "depends on \(folder.path)/circle.so, which depends on it", plugin)
    _ = try folder.library("absent.so", code, ["-Wl,-f,circle.so"])
    folder.expect(.damaged, "is a filter of another library", plugin)
    _ = try folder.library("absent.so", code)
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/second.so", withDestinationPath: "absent.so")
    let twice = try folder.plugin(
      "extern uint32_t needed(void);", flags + ["-Wl,--no-as-needed", "-l:absent.so", "-l:second.so"], "twice.so")
    folder.expect(.loadFailed, "and was needed by another name before", twice)
  }

  @Test("a library that a plugin needs is not that of another plugin, which the process has loaded under its name")
  func taken() async throws {
    let (first, second) = (try Folder(), try Folder())
    let name = "taken-\(UUID().uuidString).so"
    let flags = ["-l:\(name)", "-Wl,-rpath,$ORIGIN"]
    for (folder, value) in [(first, 5), (second, 6)] {
      _ = try folder.library(name, "unsigned needed(void) { return \(value); }")
      _ = try folder.plugin("extern uint32_t needed(void);", flags + ["-L\(folder.path)"])
    }
    let (host, id) = try first.load("\(first.path)/plugin.so")
    #expect(try await host.call("value", of: id, []).outcomeInTime().value == .uint(5))
    second.expect(
      .loadFailed,
      "plugin.so: needs \(name): \(second.path)/\(name): is another file than \(first.path)/\(name), which this process "
        + "has loaded under that name", "\(second.path)/plugin.so")
    // Another plugin that needs the same file has it.
    let beside = try first.plugin("extern uint32_t needed(void);", flags + ["-L\(first.path)"], "beside.so")
    #expect(throws: Never.self) { try PluginRuntime.Host.inspect(beside) }
    // A name that no folder has is not the other plugin's library, either.
    try FileManager.default.removeItem(atPath: "\(second.path)/\(name)")
    second.expect(.loadFailed, "no such library in the search path of", "\(second.path)/plugin.so")
    // A file that was replaced is not the loaded one.
    _ = try first.library(name, "unsigned needed(void) { return 70; }")
    let late = try first.plugin("extern uint32_t needed(void);", flags + ["-L\(first.path)"], "late.so")
    first.expect(.replaced, "has changed since this process loaded it", late)
  }

  @Test("a library of the system that the process has loaded is used in place of a copy beside the plugin")
  func takenBySystem() async throws {
    let (first, second) = (try Folder(), try Folder())
    // The test program does not need it.
    let name = "libBrokenLocale.so.1"
    let code = "uint32_t needed(void) { return 7; }"
    let needing = ["-Wl,--no-as-needed", "-l:\(name)"]
    let (host, id) = try first.load(try first.plugin(code, needing))
    #expect(try await host.call("value", of: id, []).outcomeInTime().value == .uint(7))
    try FileManager.default.copyItem(
      atPath: try PluginFile(opening: try LibraryFinder.path(of: name)).path, toPath: "\(second.path)/\(name)")
    let bundled = try second.plugin(code, needing + ["-L\(second.path)", "-Wl,-rpath,$ORIGIN"])
    #expect(throws: Never.self) { try PluginRuntime.Host.inspect(bundled) }
  }

  @Test("a copy is one state of the file, even if another process writes to it and resets its times")
  func stable() throws {
    let folder = try Folder()
    let path = folder.path + "/changing"
    // So long that a whole write fits into the time of a copy.
    let contents = [UInt8(1), 2].map { [UInt8](repeating: $0, count: 2 << 20) }
    try Data(contents[0]).write(to: URL(filePath: path))
    let isOver = Atomic<Bool>(false)
    let writer = Thread { [contents] in
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      defer { close(descriptor) }
      var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
      while !isOver.load(ordering: .relaxed) {
        for content in contents {
          pwrite(descriptor, content, content.count, 0)
          futimens(descriptor, &times)
          // Copies begin and end between two writes.
          usleep(.random(in: 0..<10_000))
        }
      }
    }
    writer.start()
    defer { isOver.store(true, ordering: .relaxed) }
    var (copies, tries) = (0, 0)
    // A busy writer changes the file during each copy.
    let end = ContinuousClock.now + .seconds(60)
    while tries < 100 || copies == 0 && ContinuousClock.now < end {
      tries += 1
      let file = try PluginFile(opening: path)
      guard (try? file.seal()) != nil else { continue }
      copies += 1
      let reader = FileReader(file)
      let bytes = try #require(reader.bytes(at: 0, count: Int(file.identity.size)))
      let found = Set(stride(from: 0, to: bytes.count, by: 4096).map { bytes[$0] })
      #expect(found == [1] || found == [2], "a mixture")
    }
    #expect(copies > 0)
  }

  @Test("a file that is longer than the process's files may be is refused, and large bytes are not shared")
  func longFile() async {
    await #expect(processExitsWith: .success) {
      // A parent may ignore SIGXFSZ, and a thread of Dispatch blocks it.
      signal(SIGXFSZ, SIG_DFL)
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGXFSZ)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      var old = rlimit()
      #expect(getrlimit(resource, &old) == 0)
      var limit = rlimit(rlim_cur: 100, rlim_max: old.rlim_max)
      #expect(setrlimit(resource, &limit) == 0)
      let file = try PluginFile(opening: "/proc/self/exe")
      let error = #expect(throws: PluginError.self) { try file.seal() }
      #expect(error?.kind == .notReadable && error?.description.contains("(RLIMIT_FSIZE)") == true)
      #expect(SharedBytes(copying: [UInt8](repeating: 0, count: 101)) == nil)
      #expect(SharedBytes(copying: [UInt8](repeating: 0, count: 100)) != nil)
    }
  }

  @Test("a file that shrinks before or while it is copied is refused")
  func shrinking() throws {
    let path = try Fixture.file("shrinking", containing: [UInt8](repeating: 1, count: 5_000))
    let file = try PluginFile(opening: path)
    #expect(truncate(path, 4_000) == 0)
    #expect(#expect(throws: PluginError.self) { try file.seal() }?.kind == .replaced)
    // A file of sysfs reports the size of a page, but fewer bytes can be read.
    let short = "/sys/devices/system/cpu/online"
    guard let status = try? FileManager.default.attributesOfItem(atPath: short), status[.size] as? Int == 4_096 else {
      print("skipped: \(short) is not a file of 4,096 bytes")
      return
    }
    let online = try PluginFile(opening: short)
    let error = #expect(throws: PluginError.self) { try online.seal() }
    #expect(error?.kind == .replaced, "\(error as Any)")
  }

  @Test("a file of the system is one that root alone can change, in a folder for software")
  func system() throws {
    let folder = try Folder()
    let plugin = try folder.library("own.so", "int x;")
    #expect(try !PluginFile(opening: plugin).isOfSystem)
    let own = try PluginFile(opening: plugin)
    // The folder for temporary files is writable by everyone.
    #expect(!SystemFile.isOne(own.path, own.descriptor, in: [Fixture.folder.resolvingSymlinksInPath().path]))
    let library = try PluginFile(opening: try LibraryFinder.path(of: "libz.so.1"))
    #expect(library.isOfSystem)
    #expect(!SystemFile.isOne(library.path, own.descriptor), "another file is open")
    #expect(!SystemFile.isOne(library.path, library.descriptor, in: ["/opt"]))
  }

  @Test(
    "a file that others own or can write to, or in such a folder, is not a file of the system",
    .enabled(if: getuid() == 0))
  func owners() throws {
    // Only root may write to its parents, unlike those of the folder for temporary files.
    let folder = "/run/promise-\(UUID().uuidString)"
    guard mkdir(folder, 0o755) == 0 else { return print("skipped: no folder can be made in /run") }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // A mark behind the slash does not hide the folder before it.
    let inner = "\(folder)/\u{301}own"
    let path = "\(inner)/own.so"
    try #require(mkdir(inner, 0o755) == 0)
    try Data([1]).write(to: URL(filePath: path))
    try #require(chmod(path, 0o644) == 0 && chmod(inner, 0o755) == 0 && chmod(folder, 0o755) == 0)
    let file = try PluginFile(opening: path)
    func isOne() -> Bool { SystemFile.isOne(path, file.descriptor, in: ["/run"]) }
    try #require(isOne())
    for (place, mode) in [(path, 0o644), (inner, 0o755), (folder, 0o755)] as [(String, mode_t)] {
      #expect(chown(place, 54_321, 0) == 0)
      #expect(!isOne(), "\(place) is another user's")
      #expect(chown(place, 0, 0) == 0)
      for bit in [S_IWGRP, S_IWOTH] {
        #expect(chmod(place, mode | bit) == 0)
        #expect(!isOne(), "others can write to \(place)")
      }
      #expect(chmod(place, mode) == 0)
    }
    #expect(isOne())
  }
}

/// A folder with libraries.
private struct Folder {
  let path = URL(filePath: Fixture.file("x")).deletingLastPathComponent().resolvingSymlinksInPath().path

  init() throws {}

  func library(_ name: String, _ code: String, _ flags: [String] = []) throws -> String {
    let source = try Fixture.file("\(name).c", containing: code.utf8)
    // A new file: the old one may be in use.
    try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
    try Fixture.run(
      "cc",
      ["-std=gnu11", "-w", "-shared", "-fPIC", "-I", Fixture.include.path, source, "-o", "\(path)/\(name)"] + flags)
    return "\(path)/\(name)"
  }

  /// Makes a plugin whose function `value` returns the result of needed(), which the code defines or declares.
  func plugin(_ code: String, _ flags: [String], _ name: String = "plugin.so") throws -> String {
    let source = """
      #include <promise_plugin.h>
      extern unsigned long deflateBound(void *, unsigned long);
      \(code)
      static uint32_t value(void) { return needed(); }
      static const promise_plugin_function_t functions[] = {{"value() -> u32", (promise_function_t)value, NULL}};
      static const promise_plugin_t plugin = {
          .size = sizeof(promise_plugin_t), .abi_min = 1, .abi_max = PROMISE_ABI_VERSION,
          .function_size = sizeof(promise_plugin_function_t), .id = "org.example.closure", .version = "1.0.0",
          .functions = functions, .function_count = 1};
      const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) { return &plugin; }
      """
    return try library(name, source, flags)
  }

  func load(_ plugin: String) throws -> (PluginRuntime.Host, String) {
    let host = PluginRuntime.Host()
    return (host, try host.load(plugin).id)
  }

  func expect(
    _ kind: PluginError.Kind, _ message: String, _ path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: PluginError.self, sourceLocation: sourceLocation) {
      try PluginRuntime.Host.inspect(path)
    }
    #expect(
      error?.kind == kind && error?.description.contains(message) == true, "\(error as Any)",
      sourceLocation: sourceLocation)
  }
}
