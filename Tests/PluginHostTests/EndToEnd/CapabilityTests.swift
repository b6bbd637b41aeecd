import Foundation
import Testing

extension EndToEnd {
  /// The rights that a pipeline gives to single plugins.
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
  }
}
