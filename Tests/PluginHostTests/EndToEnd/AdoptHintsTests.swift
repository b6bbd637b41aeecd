import Testing

extension EndToEnd {
  /// Words of declarations and comments that decide about one parameter each.
  @Suite struct AdoptHintsTests {
    private static let header = """
      #include <stddef.h>
      typedef struct body body;
      int volatile_sum(const volatile int *values, size_t values_count);
      void body_width(body *b, double *width_ptr);
      int money(const char *format, ...) __attribute__((format(strfmon, 1, 2)));
      int my_printf(const char *format, ...);
      /// \\param name  The name, not NULL.
      int take_name(const char *name);
      /// \\param title  The title, or NULL.
      int take_title(const char *title);
      /// \\param visit  Called for each; may be NULL.
      void walk_each(body *b, void (*visit)(int x));
      /// \\param visit  Called for each.
      void walk_all(body *b, void (*visit)(int x));
      int both(int result, int other);
      int upper_text(char *text);
      int sized(const unsigned char *data, size_t length, size_t *size);
      """
    private static let source = """
      int volatile_sum() { return 0; } void body_width() {} int money() { return 0; } int my_printf() { return 0; }
      int take_name() { return 0; } int take_title() { return 0; } void walk_each() {} void walk_all() {}
      int both(int result, int other) { return result - other; } int upper_text() { return 0; }
      int sized() { return 0; }
      """

    @Test(arguments: [
      // A second qualifier does not undo the first one.
      ("volatile_sum", "(values: &[i32; values_count], values_count: usize) -> i32"),
      // A width by its address.
      ("body_width", "(b: ptr<body>, width_ptr: out f64)"),
      // The format is that of strfmon; the word printf is in the next declaration.
      ("money", "(format: cstr, ...: i64 | u64 | f64 | cstr | ptr<void>) -> i32"),
      ("my_printf", "(format: const cstr = \"%s\", ..., text: cstr) -> i32"),
      ("take_name", "(name: cstr) -> i32"), ("take_title", "(title: cstr?) -> i32"),
      ("walk_each", "(b: ptr<body>, visit: fn(x: i32) @call?)"),
      ("walk_all", "(b: ptr<body>, visit: fn(x: i32) @call)"),
      // No parameter has the name of the result.
      ("both", "(result_: i32, other: i32) -> i32"), ("upper_text", "(text: inout str[*]) -> i32"),
      // A count by its address is not a second count.
      ("sized", "(data: bytes[length], length: usize, size: out usize) -> i32"),
    ])
    func wordsDecide(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.header, source: Self.source).signature(name) == name + types)
    }

    @Test func aTextThatIsChangedInPlaceIsToBeChecked() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let check = "  # check: text is taken to be text that is changed in place, and does not become longer"
      #expect(adopted.checks("upper_text") == [check[...]])
      #expect(try adopted.call("both", "result_=7", "other=2") == "5\n")
    }
  }
}
