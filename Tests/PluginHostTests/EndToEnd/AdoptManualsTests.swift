import Testing

extension EndToEnd {
  /// Functions that the built-in type maps describe as their manuals do.
  @Suite struct AdoptManualsTests {
    private static let header = """
      #include <stddef.h>
      typedef struct barrier barrier;
      typedef void *iconv_t;
      int pthread_barrier_wait(barrier *b);
      void CRYPTO_free(void *ptr, const char *file, int line);
      size_t iconv(iconv_t cd, char **inbuf, size_t *inbytesleft, char **outbuf, size_t *outbytesleft);
      """
    private static let source = """
      #include <stddef.h>
      #include <string.h>
      char *text(int code) { return strerror(code); }
      int pthread_barrier_wait(void *b) { return 0; } void CRYPTO_free(void *p, const char *f, int l) {}
      size_t iconv() { return 0; }
      """

    @Test(arguments: [
      // One of the threads gets -1, and cleans up.
      ("pthread_barrier_wait", "(b: ptr<barrier>) -> i32 ! unless 0 or -1 message strerror(result)"),
      ("CRYPTO_free", "(ptr: own ptr<void>?, file: cstr, line: i32)"), ("iconv", " -> usize ! errno"),
    ])
    func aManualDecides(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name).hasSuffix(types), "\(adopted.signature(name))")
    }
  }
}
