import Foundation
import Testing

extension EndToEnd {
  @Suite struct TrustPolicyTests: ~Copyable {
    private let temporary: TemporaryFolder
    private var folder: URL { temporary.url }
    private var plugin: String { folder.appending(path: "plugin.so").path }
    private var configuration: String { folder.appending(path: "plugin-host/trust.conf").path }

    init() throws {
      let made = try TemporaryFolder()
      try FileManager.default.copyItem(atPath: FixturePlugins.path("mortal"), toPath: made.path("plugin.so"))
      temporary = made
    }

    private func run(_ arguments: String...) throws -> HostProcess.Ending {
      try HostProcess.run(arguments, environment: ["XDG_CONFIG_HOME": folder.path])
    }

    /// Runs openssl, by which publishers sign. Returns whether it is installed and succeeded.
    private func openssl(_ arguments: String...) throws -> Bool {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["openssl"] + arguments
      process.currentDirectoryURL = folder
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0
    }

    /// Makes a pair of keys, `NAME.pem` and `NAME.pub`, and signs the plugin with it.
    private func sign(_ name: String) throws -> Bool {
      guard try openssl("genpkey", "-algorithm", "ed25519", "-out", "\(name).pem") else {
        print("skipped: there is no openssl that makes keys of Ed25519")
        return false
      }
      #expect(try openssl("pkey", "-in", "\(name).pem", "-pubout", "-out", "\(name).pub"))
      return try resign(name)
    }

    private func resign(_ name: String) throws -> Bool {
      try openssl("pkeyutl", "-sign", "-rawin", "-inkey", "\(name).pem", "-in", plugin, "-out", "\(plugin).sig")
    }

    private func write(_ text: String) throws {
      try FileManager.default.createDirectory(
        atPath: folder.appending(path: "plugin-host").path, withIntermediateDirectories: true)
      try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    /// Whether the plugin is loaded, in both places. If it is not, the message must have the reason.
    private func isLoaded(_ options: [String] = [], _ reason: String = "is not trusted: ") throws -> Bool {
      var results: Set<Bool> = []
      for place in ["in-process", "process"] {
        let call = try HostProcess.run(
          ["call"] + options + ["--isolation", place, plugin, "echo", "3"],
          environment: ["XDG_CONFIG_HOME": folder.path])
        #expect(call.status == 0 ? call.text == "3\n" : call.status == 2 && call.errors.contains(reason), "\(call)")
        results.insert(call.status == 0)
      }
      #expect(results.count == 1)
      return results == [true]
    }

    @Test func listedHashesAreLoadedAndOthersAreNot() throws {
      #expect(try isLoaded())
      #expect(try run("trust", "policy", "listed").status == 0)
      #expect(try !isLoaded())
      #expect(
        try run("list", plugin).errors.contains("is not trusted: \(configuration) (policy listed) asks for a listed"))
      let added = try run("trust", "add", plugin)
      let hash = try #require(try QuarantineTests.sha256(plugin))
      #expect(added.text == "trusted hash \(hash) plugin.so\n", "\(added.errors)")
      #expect(try isLoaded())
      #expect(try run("trust", "list").text.contains("# \(configuration)\npolicy listed\nhash \(hash) plugin.so\n"))
      // One more byte makes it another file.
      var bytes = try Data(contentsOf: URL(filePath: plugin))
      bytes.append(0)
      try bytes.write(to: URL(filePath: plugin))
      #expect(try !isLoaded())
      try FileManager.default.removeItem(atPath: plugin)
      try FileManager.default.copyItem(atPath: FixturePlugins.path("mortal"), toPath: plugin)
      #expect(try isLoaded())
      #expect(try run("trust", "remove", String(hash.prefix(7))).status == 64)
      #expect(try run("trust", "remove", String(hash.prefix(8))).status == 0)
      #expect(try !isLoaded())
    }

    @Test func signaturesOfListedPublishersAreVerified() throws {
      guard try sign("one"), try sign("two"), try resign("one") else { return }
      try write("policy signed\n")
      #expect(try !isLoaded())
      let key = folder.appending(path: "one.pub").path
      #expect(try run("trust", "add", "--name", "Example Inc.", key).text.hasSuffix(" Example Inc.\n"))
      #expect(try isLoaded())
      #expect(try resign("two"))
      #expect(try !isLoaded())
      #expect(try resign("one"))
      // A signature is valid for one content.
      var bytes = try Data(contentsOf: URL(filePath: plugin))
      bytes.append(0)
      try bytes.write(to: URL(filePath: plugin))
      #expect(try !isLoaded())
      #expect(try resign("one") && isLoaded())
      // A listed hash is not a signature.
      try FileManager.default.removeItem(atPath: "\(plugin).sig")
      #expect(try run("trust", "add", plugin).status == 0)
      #expect(try !isLoaded())
      try write(
        try String(contentsOfFile: configuration, encoding: .utf8).replacing("policy signed", with: "policy listed"))
      #expect(try isLoaded())
      #expect(try run("trust", "remove", "Example Inc.").status == 0)
    }

    /// Builds a plugin with an initialiser that makes a file. Returns the paths of both.
    private func markingPlugin() throws -> (plugin: String, mark: String) {
      let source = folder.appending(path: "marking.c").path
      let (marking, mark) = (folder.appending(path: "marking.so").path, folder.appending(path: "mark").path)
      try """
      #include <fcntl.h>
      #include <promise_plugin.h>
      #include <unistd.h>
      __attribute__((constructor)) static void mark(void) { close(open("\(mark)", O_WRONLY | O_CREAT, 0600)); }
      static int32_t one(void) { return 1; }
      static const promise_plugin_function_t functions[] = {{"one() -> i32", (promise_function_t)one, NULL}};
      static const promise_plugin_t plugin = {
        .size = sizeof(promise_plugin_t), .abi_min = 1, .abi_max = PROMISE_ABI_VERSION,
        .function_size = sizeof functions[0], .id = "org.example.marking", .version = "1.0.0",
        .functions = functions, .function_count = 1};
      const promise_plugin_t *promise_plugin_entry(uint32_t abi) { return abi > 0 ? &plugin : NULL; }
      """.write(toFile: source, atomically: true, encoding: .utf8)
      try Package.run("cc", ["-shared", "-fPIC", "-I", Package.include, "-o", marking, source])
      return (marking, mark)
    }

    @Test(
      "an untrusted file that takes the place of a trusted one does not run in a child that describes or checks it",
      arguments: ["inspect", "check"])
    func exchangedDescriptions(command: String) throws {
      let (marking, mark) = try markingPlugin()
      #expect(try run("trust", "policy", "--untrusted", "process", "any").status == 0)
      #expect(try run("trust", "add", plugin).status == 0)
      let isOver = DispatchSemaphore(value: 0)
      let hasEnded = DispatchSemaphore(value: 0)
      let (trusted, next) = (folder.appending(path: "trusted").path, folder.appending(path: "next").path)
      #expect(link(plugin, trusted) == 0)
      let thread = Thread { [plugin] in
        while isOver.wait(timeout: .now()) == .timedOut {
          // Each of the two is there for as long as the other one.
          for file in [marking, trusted] where link(file, next) == 0 {
            rename(next, plugin)
            usleep(100)
          }
        }
        hasEnded.signal()
      }
      thread.start()
      defer {
        isOver.signal()
        hasEnded.wait()
      }
      for _ in 0..<20 {
        let options = command == "check" ? ["--calls", "1", "--timeout", "1"] : []
        _ = try HostProcess.run([command] + options + [plugin], environment: ["XDG_CONFIG_HOME": folder.path])
        #expect(access(mark, F_OK) != 0)
        if unlink(mark) == 0 { break }
      }
    }

    @Test("a plugin is confined while it is described; an untrusted one that has to be confined is not checked")
    func untrustedDescriptions() throws {
      let (marking, mark) = try markingPlugin()
      let commands = [
        ["list", marking], ["inspect", marking], ["doc", marking], ["call", marking, "one", "--help"],
      ]
      for command in commands {
        #expect(try HostProcess.run(command).status == 0, "\(command)")
        #expect(access(mark, F_OK) != 0, "\(command)")
      }
      #expect(try HostProcess.run("check", "--calls", "1", marking).status == 0 && unlink(mark) == 0)
      #expect(try run("trust", "policy", "--untrusted", "process", "any").status == 0)
      for command in commands {
        let ending = try HostProcess.run(command, environment: ["XDG_CONFIG_HOME": folder.path])
        #expect(ending.status == 0 && ending.text.contains("marking"), "\(command): \(ending)")
        #expect(access(mark, F_OK) != 0, "\(command)")
      }
      // A library of the system is not listed either.
      #expect(try run("call", "--signature", "labs(x: i64) -> i64", "libc.so.6", "--", "-5").text == "5\n")
      let check = try run("check", "--calls", "1", marking)
      #expect(check.status == 2 && check.errors.contains("marking.so: is not trusted"), "\(check)")
      #expect(access(mark, F_OK) != 0)
    }

    @Test("rules that exist but cannot be read refuse every plugin", arguments: ["link", "folder", "FIFO"])
    func unreadableRules(kind: String) throws {
      let nowhere = folder.appending(path: "nowhere").path
      if kind == "folder" {
        #expect(symlink(nowhere, folder.appending(path: "plugin-host").path) == 0)
      } else {
        try write("")
        #expect(unlink(configuration) == 0)
        #expect((kind == "link" ? symlink(nowhere, configuration) : mkfifo(configuration, 0o600)) == 0)
      }
      let problem = kind == "FIFO" ? "not a regular file" : "No such file or directory"
      let ending = try run("call", plugin, "echo", "3")
      #expect(ending.status == 2 && ending.text == "")
      #expect(
        ending.errors == "plugin-host: \(configuration): \(problem): no plugin is loaded until it is repaired\n")
      // A worker reads them itself, because they may change after its host began.
      let worker = try run("--plugin-worker")
      #expect(worker.status == 2 && worker.errors == ending.errors, "\(worker)")
    }

    @Test func aSignatureThatIsNotAFileIsNotUsed() throws {
      try write("policy signed\nkey d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a nobody\n")
      #expect(mkfifo("\(plugin).sig", 0o600) == 0)
      #expect(try !isLoaded())
    }

    @Test func aCallerMayTightenTheRulesAndNotLoosenThem() throws {
      #expect(try !isLoaded(["--trust", "listed"], "is not trusted: --trust listed asks for"))
      try write("policy listed\n")
      #expect(try run("trust", "add", plugin).status == 0)
      #expect(try isLoaded(["--trust", "listed"]))
      #expect(try !isLoaded(["--trust", "signed"], "is not trusted: --trust signed asks for"))
      let loosened = try run("call", "--trust", "any", plugin, "echo", "3")
      #expect(loosened.status == 64 && loosened.text == "")
      #expect(loosened.errors.contains("\(configuration) asks for listed; it can be made stricter, not looser"))
    }

    @Test func untrustedPluginsRunInWorkersIfTheRulesSaySo() throws {
      try write("policy any\nuntrusted process # by default\n")
      let crash = try run("call", plugin, "crash")
      #expect(crash.status == 1 && crash.errors.contains("its worker process"), "\(crash)")
      let forced = try run("call", "--isolation", "in-process", plugin, "echo", "3")
      #expect(forced.status == 2 && forced.errors.contains("lets it run in a worker process alone"), "\(forced)")
      #expect(try run("call", plugin, "echo", "3").text == "3\n")
      #expect(try run("trust", "add", plugin).status == 0)
      let trusted = try run("call", plugin, "crash")
      #expect(trusted.signal == SIGSEGV, "\(trusted)")
      #expect(try run("call", "--isolation", "in-process", plugin, "echo", "3").text == "3\n")
    }

    /// Builds a library beside the plugin, and replaces the plugin by one that needs the library.
    private func needALibrary() throws -> String {
      let needed = folder.appending(path: "needed.so").path
      let source = folder.appending(path: "needed.c").path
      try "int needed(void) { return 0; }".write(toFile: source, atomically: true, encoding: .utf8)
      try Package.run("cc", ["-shared", "-fPIC", "-w", source, "-o", needed])
      try Package.run(
        "cc",
        [
          "-shared", "-fPIC", "-w", Package.fixtures.appending(path: "mortal.c").path, "-o", plugin, "-I",
          Package.include, "-D_GNU_SOURCE", "-pthread", "-L\(folder.path)", "-Wl,--no-as-needed", "-l:needed.so",
          "-Wl,-rpath,$ORIGIN",
        ])
      return needed
    }

    @Test func theLibrariesThatAPluginNeedsAreJudgedToo() throws {
      let needed = try needALibrary()
      #expect(try isLoaded())
      try write("policy listed\n")
      #expect(try run("trust", "add", plugin).status == 0)
      #expect(try !isLoaded([], "\(plugin): needs needed.so: \(needed): is not trusted: "))
      #expect(try run("trust", "add", needed).status == 0)
      #expect(try isLoaded())
    }

    @Test func aPluginThatNeedsAnUntrustedLibraryRunsInAWorker() throws {
      let needed = try needALibrary()
      try write("policy any\nuntrusted process\n")
      #expect(try run("trust", "add", plugin).status == 0)
      #expect(try run("call", plugin, "crash").status == 1)
      #expect(try run("trust", "add", needed).status == 0)
      #expect(try run("call", plugin, "crash").signal == SIGSEGV)
    }

    @Test func keysAreReadInBothFormsAndNoOtherAlgorithmIs() throws {
      guard try sign("one"), try sign("two") else { return }
      let pem = try String(contentsOf: folder.appending(path: "two.pub"), encoding: .utf8)
      let der = try #require(Data(base64Encoded: pem.split(separator: "\n").dropFirst().dropLast().joined()))
      let digits = der.suffix(32).map { String(format: "%02x", $0) }.joined()
      #expect(try run("trust", "policy", "signed").status == 0)
      #expect(try run("trust", "add", folder.appending(path: "one.pub").path).status == 0)
      #expect(try !isLoaded(), "signed by the other")
      let file = folder.appending(path: "two.hex").path
      try "\(digits)\n".write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try run("trust", "add", "--name", "Two", file).text == "trusted key \(digits) Two\n")
      #expect(try run("trust", "list").text.hasSuffix("key \(digits) Two\n"))
      #expect(try isLoaded(), "any of the listed keys may have signed")
      #expect(try openssl("genpkey", "-algorithm", "x25519", "-out", "other.pem"))
      #expect(try openssl("pkey", "-in", "other.pem", "-pubout", "-out", "other.pub"))
      let cut = folder.appending(path: "cut.pub").path
      try pem.split(separator: "\n").dropLast().joined(separator: "\n").write(
        toFile: cut, atomically: true, encoding: .utf8)
      for wrong in [folder.appending(path: "other.pub").path, cut] {
        #expect(
          try run("trust", "add", wrong).errors.contains("expected a shared library or an Ed25519 public key"))
      }
    }

    @Test func theRulesAreEditedOneByOne() throws {
      let hash = try #require(try QuarantineTests.sha256(plugin))
      #expect(try run("trust", "policy", "any", "--untrusted", "process").status == 0)
      #expect(try run("trust", "policy", "listed").status == 0)
      for _ in 0..<2 { #expect(try run("trust", "add", plugin).status == 0) }
      let lines = try String(contentsOfFile: configuration, encoding: .utf8)
      #expect(lines == "untrusted process\npolicy listed\nhash \(hash) plugin.so\n")
      #expect(
        try run("trust", "list").text
          == "# \(configuration)\npolicy listed\nuntrusted process\nhash \(hash) plugin.so\n")
      #expect(try run("trust", "policy", "any", "--untrusted", "in-process").status == 0)
      let changed = try String(contentsOfFile: configuration, encoding: .utf8)
      #expect(changed == "hash \(hash) plugin.so\npolicy any\nuntrusted in-process\n")
      #expect(
        try run("trust", "list").text
          == "# \(configuration)\npolicy any\nuntrusted in-process\nhash \(hash) plugin.so\n")
      // Other rules are not counted as entries.
      #expect(try run("trust", "remove", "in-process").status == 64)
      #expect(try run("trust", "remove", hash.prefix(9).uppercased()).text.hasPrefix("removed 1 entry for "))
      #expect(try run("trust", "list").text == "# \(configuration)\npolicy any\nuntrusted in-process\n")
      // Digits are the same in upper case.
      try write("policy listed\nhash \(hash.uppercased())\n")
      #expect(try isLoaded())
    }

    @Test func theRulesAreInTheHomeFolderToo() throws {
      let home = ["HOME": folder.path]
      #expect(try HostProcess.run("trust", "policy", "listed", environment: home).status == 0)
      let file = folder.appending(path: ".config/plugin-host/trust.conf").path
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "policy listed\n")
      #expect(try HostProcess.run("call", plugin, "echo", "3", environment: home).status == 2)
      #expect(try run("call", plugin, "echo", "3").status == 0)
      #expect(try HostProcess.run("trust", "policy", "listed").status == 64)
    }

    @Test("a file with a byte order mark, CR LF and tabs is read, and keeps its rules when one is added")
    func linesOfOtherEditors() throws {
      try write("\u{FEFF}policy\tlisted\r\n# A comment.\r\nuntrusted process\r\n\r\n")
      #expect(try !isLoaded())
      #expect(try run("trust", "add", plugin).status == 0)
      #expect(try isLoaded())
      let text = try String(contentsOfFile: configuration, encoding: .utf8)
      #expect(text.hasPrefix("policy listed\n# A comment.\nuntrusted process\nhash "))
    }

    @Test(arguments: [
      "policy none", "hash 12", "key zz", "trust me", "policy any more", "hash " + String(repeating: "z", count: 64),
      "key " + String(repeating: "+1", count: 32), "key 00", "key 0", "untrusted moon", "hash", "policy",
    ])
    func aMistakeInTheFileIsShownAndNothingIsLoaded(line: String) throws {
      try write("# rules\n\(line)\n")
      let call = try run("call", plugin, "echo", "3")
      #expect(call.status == 2 && call.text == "")
      #expect(
        call.errors.hasPrefix("plugin-host: \(configuration):2: \"\(line)\": expected \"policy"), "\(call.errors)")
    }

    @Test(
      "a second policy, which would loosen the first one, is a mistake",
      arguments: ["policy any", "untrusted in-process"])
    func aSecondPolicyIsAMistake(line: String) throws {
      try write("policy listed\n  untrusted process\n\(line)\n")
      let call = try run("call", plugin, "echo", "3")
      #expect(call.status == 2 && call.text == "")
      let word = line.prefix { $0 != " " }
      #expect(call.errors.hasPrefix("plugin-host: \(configuration):3: a second line \"\(word)\": "), "\(call.errors)")
      // The command replaces an indented line.
      try write("  policy listed\n")
      #expect(try run("trust", "policy", "any").status == 0)
      #expect(try run("call", plugin, "echo", "3").text == "3\n")
    }

    @Test("rules that the environment accepts although others can change them hold in workers too")
    func unsafeRules() throws {
      try write("policy listed\n")
      #expect(try run("trust", "add", plugin).status == 0)
      #expect(chmod(configuration, 0o666) == 0)
      #expect(try isLoaded())
    }

    @Test func aFileThatIsNeitherPluginNorKeyIsNotAdded() throws {
      let file = folder.appending(path: "text").path
      try "hello".write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try run("trust", "add", file).errors.contains("expected a shared library or an Ed25519 public key"))
      #expect(try run("trust", "add", file + "no").status == 1)
      try String(repeating: "root:x:0:0\n", count: 200).write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try run("trust", "add", file).errors.contains("expected a shared library or an Ed25519 public key"))
      #expect(!FileManager.default.fileExists(atPath: configuration))
    }
  }
}
