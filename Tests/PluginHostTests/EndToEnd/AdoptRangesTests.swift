import Testing

extension EndToEnd {
  /// Two addresses in the same data: `const char *first, const char *last`.
  @Suite struct AdoptRangesTests {
    private static let header = """
      typedef struct scanner scanner;
      typedef unsigned char letter;
      int parse(const char *first, const char *last, double *value);
      int rx_compile(scanner *s, const letter *pattern, const letter *pattern_end);
      double range_sum(const double *from, const double *fromend);
      int join(const char *name, const char *backend);
      void scan_each(scanner *s, void (*token)(const char *begin, const char *end, void *user), void *user);
      void scan_chunks(scanner *s, void (*take)(const char *chunk, int bytes_read, void *user), void *user);
      void scan_log(scanner *s, void (*log)(int level, const char *text, void *user), void *user);
      """
    private static let source = """
      int parse() { return 0; } int rx_compile() { return 0; } double range_sum() { return 0; }
      int join() { return 0; } void scan_each() {} void scan_chunks() {} void scan_log() {}
      """

    @Test(arguments: [("parse", "first"), ("rx_compile", "pattern"), ("range_sum", "from")])
    func theEndsOfOneTextAreNotCopied(name: String, parameter: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let reason = "'\(parameter)' may be an address in the data of other arguments"
      #expect(adopted.signature(name).contains(reason), "\(adopted.signature(name))")
    }

    @Test func callersGiveTheAddresses() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--caller-memory"])
      #expect(
        adopted.signature("parse") == "parse(first: ptr<char>, last: ptr<char>, value: out f64) -> i32")
    }

    @Test(arguments: [
      ("join", "(name: cstr, backend: cstr) -> i32"),
      (
        "scan_each",
        "(s: ptr<scanner>, token: fn(begin: ptr<char>?, end: ptr<char>?, user: context) @call, user: context)"
      ),
      (
        "scan_chunks",
        "(s: ptr<scanner>, take: fn(chunk: ptr<char>?, bytes_read: i32, user: context) @call, user: context)"
      ),
      ("scan_log", "(s: ptr<scanner>, log: fn(level: i32, text: cstr?, user: context) @call, user: context)"),
    ])
    func onlyTextThatEndsWithANULIsText(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name) == name + types, "\(adopted.draft.errors)")
    }
  }
}
