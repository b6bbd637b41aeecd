import Foundation
import Testing

extension EndToEnd {
  /// The rights of plugins in worker processes.
  @Suite struct CapabilityTests {
    @Test func theRightsOfASinglePluginHoldWhileItsDescriptionIsRead() throws {
      let file = try PipelineFile(
        """
        plugins: [{plugin: ./early.so, isolation: process, capabilities: [read=/etc/passwd]}]
        steps: {a: {call: early.f}}
        """)
      let source = file.folder.appending(path: "early.c")
      try Data(
        """
        #include <fcntl.h>
        #include <promise_plugin.h>
        #include <unistd.h>
        __attribute__((constructor)) static void initialise(void) {
          int file = open("/etc/passwd", O_RDONLY);
          if (file < 0) _exit(9);
          close(file);
        }
        static int32_t f(void) { return 4; }
        static const promise_plugin_function_t functions[] = {{"f() -> i32", (promise_function_t)f, 0}};
        static const promise_plugin_t plugin = {
            .size = sizeof plugin, .abi_min = 1, .abi_max = PROMISE_ABI_VERSION, .function_size = sizeof functions[0],
            .id = "org.example.early", .version = "1.0.0", .functions = functions, .function_count = 1};
        const promise_plugin_t *promise_plugin_entry(uint32_t abi) { (void)abi; return &plugin; }
        """.utf8
      ).write(to: source)
      let library = file.folder.appending(path: "early.so").path
      try Package.run("cc", ["-shared", "-fPIC", "-I", Package.include, source.path, "-o", library])
      let ending = try HostProcess.run("run", "--progress", "off", file.path)
      #expect(ending.status == 0 && ending.text == "4\n", "\(ending)")
    }

    @Test("a worker reads no other files in the folders of LD_LIBRARY_PATH than the libraries that its plugin needs")
    func libraryFolders() throws {
      let folder = try TemporaryFolder()
      try folder.write("secret", to: "secret")
      try folder.write("int help(void) { return 7; }", to: "help.c")
      try Package.run("cc", ["-shared", "-fPIC", "-w", folder.path("help.c"), "-o", folder.path("help.so")])
      let plugin = folder.path("p.so")
      try Package.run(
        "cc",
        [
          "-shared", "-fPIC", "-w", Package.fixtures.appending(path: "reader.c").path, "-o", plugin, "-I",
          Package.include, "-D_GNU_SOURCE", "-L\(folder.url.path)", "-Wl,--no-as-needed", "-l:help.so",
        ])
      func count(_ path: String) throws -> HostProcess.Ending {
        try HostProcess.run(
          ["call", "--isolation", "process", plugin, "count", path], environment: ["LD_LIBRARY_PATH": folder.url.path])
      }
      let library = try count(folder.path("help.so"))
      guard !library.errors.contains("not enforced") else { return print("skipped: \(library.errors)") }
      #expect(library.status == 0 && library.text != "-1\n", "\(library)")
      let secret = folder.path("secret")
      let refused = try count(secret)
      #expect(refused.status == 1 && refused.errors.contains("was refused 'read=\(secret) (openat)'"), "\(refused)")
    }
  }
}
