import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// The rights of the processes that read descriptions.
  @Suite struct ScanConfinementTests {
    @Test(
      "the process that reads a plugin can write no files, start no processes, and use no network",
      arguments: [
        ("open(getenv(\"PLACE\"), O_WRONLY)", EACCES), ("open(getenv(\"PLACE\"), O_RDONLY)", EACCES),
        ("unlink(getenv(\"PLACE\"))", EACCES), ("fork()", EPERM), ("socket(AF_INET, SOCK_DGRAM, 0)", EACCES),
        ("kill(getppid(), 0)", EPERM),
      ])
    func confined(_ action: String, _ error: Int32) throws {
      let folder = try TemporaryFolder()
      let place = folder.path("place")
      try Data().write(to: URL(filePath: place))
      let plugin = try folder.plugin("reaching", "IN_INITIALISER=REFUSED(\(action))")
      for words in [["list"], ["inspect"], ["doc"], ["call", "call", "--help"]] {
        let arguments = [words[0], plugin] + words.dropFirst()
        let ending = try HostProcess.run(arguments, environment: ["PLACE": place])
        #expect(ending.errors.contains("with status \(error), in its initialisers"), "\(ending.errors)")
        #expect(ending.errors.hasSuffix("without the rights to write, to start processes and to use the network\n"))
      }
      #expect(FileManager.default.fileExists(atPath: place))
      // In the command's own process it has the rights of the user.
      let aborted = try HostProcess.run(["call", plugin, "call"], environment: ["PLACE": place])
      #expect(aborted.errors.contains("SIGABRT"), "\(aborted.errors)")
    }

    @Test("a plugin is read with the libraries that it needs, beside itself and of the system")
    func neededLibraries() throws {
      let folder = try TemporaryFolder()
      let source = folder.path("helper.c")
      try Data("double cos(double); double help(double x) { return cos(x); }\n".utf8).write(to: URL(filePath: source))
      try Package.run("cc", ["-shared", "-fPIC", "-o", folder.path("helper.so"), source, "-lm"])
      let plugin = try folder.plugin(
        "needing", "IN_INITIALISER=do{extern double help(double);if(help(0)!=1)abort();}while(0)",
        flags: ["-L", folder.url.path, "-l:helper.so", "-Wl,-rpath,$ORIGIN"])
      let ending = try HostProcess.run("inspect", plugin)
      #expect(ending.status == 0 && ending.errors == "", "\(ending.errors)")
    }

    @Test("a plugin is read with a library of the system that is in none of the loader's folders")
    func libraryOfTheSystem() throws {
      guard geteuid() == 0 else { return print("skipped: only root installs in /opt") }
      let folder = try TemporaryFolder()
      let place = "/opt/promises-\(UUID().uuidString)"
      try FileManager.default.createDirectory(
        atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
      defer { try? FileManager.default.removeItem(atPath: place) }
      let source = folder.path("helper.c")
      try Data("int help(void) { return 1; }\n".utf8).write(to: URL(filePath: source))
      try Package.run("cc", ["-shared", "-fPIC", "-o", "\(place)/helper.so", source])
      let plugin = try folder.plugin(
        "needing", "IN_INITIALISER=do{extern int help(void);if(help()!=1)abort();}while(0)",
        flags: ["\(place)/helper.so"])
      let ending = try HostProcess.run("inspect", plugin)
      #expect(ending.status == 0 && ending.errors == "", "\(ending.errors)")
    }
  }
}
