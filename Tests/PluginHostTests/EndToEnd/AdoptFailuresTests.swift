import Testing

extension EndToEnd {
  /// Functions of a header that say whether a result is an error.
  @Suite struct AdoptFailuresTests {
    private static let header = """
      #include <stdbool.h>
      #include <stddef.h>
      typedef size_t zip_code;
      typedef int tar_status;
      unsigned zip_isError(zip_code code);
      const char *zip_getErrorName(zip_code code);
      size_t zip_pack(int n);
      zip_code zip_begin(int n);
      int zip_version(int n);
      size_t other(int n);
      bool tar_is_error(tar_status status);
      const char *tar_strerror(tar_status status);
      tar_status tar_open(int n);
      int tar_count(int n);
      unsigned bare_isError(size_t code);
      size_t bare_pack(int n);
      """
    private static let source = """
      #include <stdbool.h>
      #include <stddef.h>
      unsigned zip_isError(size_t code) { return code > (size_t)-10; }
      const char *zip_getErrorName(size_t code) { return code == (size_t)-2 ? "no room" : "another mistake"; }
      size_t zip_pack(int n) { return (size_t)n; }
      size_t zip_begin(int n) { return (size_t)n; }
      int zip_version(int n) { return n; }
      size_t other(int n) { return (size_t)n; }
      bool tar_is_error(int status) { return status > 3; }
      const char *tar_strerror(int status) { return "a broken archive"; }
      int tar_open(int n) { return n; }
      int tar_count(int n) { return n; }
      unsigned bare_isError(size_t code) { return 1; }
      size_t bare_pack(int n) { return (size_t)n; }
      """
    private static let test = " ! if zip_isError(result) message zip_getErrorName(result)"

    @Test(arguments: [
      ("zip_pack", "(n: i32) -> usize\(test)"), ("zip_begin", "(n: i32) -> u64\(test)"),
      ("zip_version", "(n: i32) -> i32"), ("other", "(n: i32) -> usize"),
      ("tar_open", "(n: i32) -> i32 ! if tar_is_error(result) -> bool message tar_strerror(result)"),
      // An int may be anything but a status.
      ("tar_count", "(n: i32) -> i32"),
      // Nothing names its errors.
      ("bare_pack", "(n: i32) -> usize"),
    ])
    func aTestOfTheLibraryIsTheRule(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name) == name + types)
      for name in ["zip_isError", "zip_getErrorName", "tar_is_error", "tar_strerror", "bare_isError"] {
        #expect(!adopted.signature(name).contains("!"), "\(adopted.signature(name))")
      }
    }

    @Test func theRuleIsMarked() throws {
      let checks = try AdoptedHeader.of(Self.header, source: Self.source).checks("zip_pack")
      #expect(checks == ["  # check: zip_isError is taken to say whether the result is an error"])
    }

    @Test func aFailureHasTheTextOfTheLibrary() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(try adopted.call("zip_pack", "7") == "7\n")
      #expect(try adopted.call("zip_pack", "-2") == "plugin-host: a.zip_pack: no room (a -2)\n")
      #expect(try adopted.call("tar_open", "3") == "3\n")
      #expect(try adopted.call("tar_open", "4") == "plugin-host: a.tar_open: a broken archive (a 4)\n")
      #expect(try adopted.shell("use LIB as a", "x = a.zip_begin 5", "$x", "a.zip_begin $x") == "5\n5\n")
      #expect(try adopted.shell("use LIB as a", "a.zip_begin -2").contains("a.zip_begin: no room (a -2)"))
    }

    @Test(arguments: [[], ["--isolation", "process"]])
    func aStepFailsByIt(options: [String]) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let file = try PipelineFile(
        """
        plugins: [\(adopted.file)]
        steps:
          five: {call: a.zip_pack, with: {n: 5}}
          more: {call: a.zip_pack, with: {n: -2}, after: five}
        """)
      let ending = try HostProcess.run(["run", "--progress", "off"] + options + [file.path])
      #expect(ending.status == 1)
      #expect(ending.errors.contains("no room"), "\(ending.errors)")
    }

    @Test func anArrayOfCharIsText() throws {
      let adopted = try AdoptedHeader.of(
        """
        struct machine { char name[16]; unsigned char id[4]; char pad[3]; char letter[1]; signed char offset[2]; };
        int machine_get(struct machine *machine_out);
        """,
        source: """
          struct machine { char name[16]; unsigned char id[4]; char pad[3]; char letter[1]; signed char offset[2]; };
          int machine_get(struct machine *m) { __builtin_strcpy(m->name, "größe"); m->id[3] = 7; return 1; }
          """)
      #if arch(x86_64)
      let letter = "i8"
      #else
      let letter = "u8"
      #endif
      #expect(
        adopted.signature("machine_get")
          == "machine_get(machine_out: out {name: str[16], id: [u8; 4], pad: [\(letter); 3], "
          + "letter: [\(letter); 1], offset: [i8; 2]}) -> i32")
      let text = try adopted.call("machine_get")
      #expect(text.contains(#""name":"größe""#) && text.contains(#""id":[0,0,0,7]"#), "\(text)")
    }
  }
}
