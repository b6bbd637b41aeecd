import Testing

extension EndToEnd {
  /// Data that a library keeps, changes in place, or reads without a count, as a header has them.
  @Suite struct KeptTests {
    private static let header = """
      #include <stddef.h>
      typedef struct note note;
      note *note_new(void);
      void note_free(note *n);
      void note_set_text(note *n, char *text, size_t length);
      void note_set_weights(note *n, int weights[3]);
      void note_set_limit(note *n, int *limit);
      void note_insert(note *n, const void *item);
      long note_sum(note *n);
      char *strreverse(char *text);
      int note_mkstemp(char *template);
      int note_upper(const char *from, char *to);
      int copy_upper(char *dest, const char *from);
      unsigned first(const void *data);
      """
    private static let source = """
      #include <stdlib.h>
      #include <string.h>
      typedef struct { const char *text; size_t length; const int *weights, *limit; const unsigned char *item; } note;
      note *note_new(void) { return calloc(1, sizeof(note)); }
      void note_free(note *n) { free(n); }
      void note_set_text(note *n, char *text, size_t length) { n->text = text; n->length = length; }
      void note_set_weights(note *n, int *weights) { n->weights = weights; }
      void note_set_limit(note *n, int *limit) { n->limit = limit; }
      void note_insert(note *n, const void *item) { n->item = item; }
      long note_sum(note *n) {
        long sum = 0;
        for (size_t i = 0; i < n->length; i++) sum += n->text[i];
        for (int i = 0; n->weights && i < 3; i++) sum += 1000 * n->weights[i];
        return sum + (n->limit ? 1000000 * *n->limit : 0) + (n->item ? 10000000 * *n->item : 0);
      }
      char *strreverse(char *text) {
        for (char *a = text, *b = text + strlen(text); a < --b; a++) { char c = *a; *a = *b; *b = c; }
        return text;
      }
      int note_mkstemp(char *template) { memset(template + strlen(template) - 6, '7', 6); return 3; }
      int note_upper() { return 0; } int copy_upper() { return 0; }
      unsigned first(const unsigned char *data) { return data[0]; }
      """

    @Test(arguments: [
      ("note_set_text", "(n: ptr<note>, text: keep str[length], length: usize)"),
      ("note_set_weights", "(n: ptr<note>, weights: keep [i32; 3])"),
      ("note_set_limit", "(n: ptr<note>, limit: keep &i32)"), ("note_insert", "(n: ptr<note>, item: keep bytes[*])"),
      ("strreverse", "(text: inout str[*]) -> cstr?"), ("note_mkstemp", "(template: inout str[*]) -> i32"),
      ("first", "(data: bytes[*]?) -> u32"),
    ])
    func draftsSayWhichDataAreKeptOrChanged(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name) == name + types)
      // These write to another text, whose capacity nothing states.
      for other in ["note_upper", "copy_upper"] {
        #expect(adopted.draft.text.contains("#   \(other): "), "\(adopted.draft.text)")
      }
    }

    @Test func aSessionKeepsDataThatTheLibraryUsesLater() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let sum = try adopted.shell(
        "use LIB as a", "n = a.note_new", "a.note_set_text $n ab", "a.note_set_weights $n '[1, 2, 3]'",
        "a.note_set_limit $n 4", "a.note_insert $n A", "x = a.first BBBBBBBBBBBB", "a.note_sum $n", "a.note_free $n")
      #expect(sum.contains("654006195"), "\(sum)")
    }

    @Test func aTextIsChangedInPlace() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      for options in [[], ["--isolation", "process"]] {
        let reversed = try HostProcess.run(["call", "--raw"] + options + [adopted.file, "strreverse", "text=abc"])
        #expect(reversed.text == #"{"result":"cba","text":"cba"}"# + "\n", "\(reversed.errors)")
        let named = try HostProcess.run(
          ["call", "--raw"] + options + [adopted.file, "note_mkstemp", "/tmp/aXXXXXX"])
        #expect(named.text == #"{"result":3,"template":"/tmp/a777777"}"# + "\n", "\(named.errors)")
        let first = try HostProcess.run(["call", "--raw"] + options + [adopted.file, "first", "A"])
        #expect(first.text == "65\n", "\(first.errors)")
      }
    }
  }
}
