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
      wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n);
      typedef unsigned long mp_limb_t;
      mp_limb_t __gmpn_addmul_1(mp_limb_t *, const mp_limb_t *, long, mp_limb_t);
      typedef struct match_info GMatchInfo;
      int g_regex_match(void *regex, const char *string, int options, GMatchInfo **match_info);
      int getfilecon(const char *path, char **con);
      void freecon(char *con);
      typedef struct sqlite3 sqlite3;
      int sqlite3_complete16(const void *sql);
      const void *sqlite3_errmsg16(sqlite3 *db);
      typedef struct statement sqlite3_stmt;
      int sqlite3_finalize(sqlite3_stmt *pStmt);
      int sqlite3_prepare_v9(sqlite3 *db, const char *sql, sqlite3_stmt **ppStmt);
      int sqlite3_bind_blob(sqlite3_stmt*, int, const void*, int n, void(*)(void*));
      int PyCodec_Check(const char *errors);
      int g_test_add_vtable(const char *testpath, size_t data_size);
      """
    private static let source = """
      #include <stddef.h>
      #include <string.h>
      char *text(int code) { return strerror(code); }
      int pthread_barrier_wait(void *b) { return 0; } void CRYPTO_free(void *p, const char *f, int l) {}
      size_t iconv() { return 0; } void *wmemchr() { return 0; } int __gmpn_addmul_1() { return 0; }
      int sqlite3_complete16() { return 0; } void *sqlite3_errmsg16() { return 0; } int PyCodec_Check() { return 0; }
      int g_test_add_vtable() { return 0; } int sqlite3_bind_blob() { return 0; }
      int sqlite3_finalize() { return 0; } int sqlite3_prepare_v9() { return 0; }
      int g_regex_match() { return 0; } int getfilecon() { return 0; } void freecon() {}
      """

    @Test(arguments: [
      // One of the threads gets -1, and cleans up.
      ("pthread_barrier_wait", "(b: ptr<barrier>) -> i32 ! unless 0 or -1 message strerror(result)"),
      ("CRYPTO_free", "(ptr: own ptr<void>?, file: cstr, line: i32)"), ("iconv", " -> usize ! errno"),
      ("sqlite3_finalize", "(pStmt: own ptr<sqlite3_stmt>?) -> i32"),
      (
        "sqlite3_prepare_v9",
        "(db: ptr<sqlite3>, sql: cstr, ppStmt: out own(sqlite3_finalize) ptr<sqlite3_stmt>?) -> i32"
      ),
      // By its place, although the count has a name.
      (
        "sqlite3_bind_blob",
        "(argument1: ptr<sqlite3_stmt>, argument2: i32, argument3: bytes[n], n: i32, argument5: const isize = -1) -> i32"
      ),
      // Text in UTF-16, which is declared as data; text that may be missing; a size of other data.
      ("sqlite3_complete16", "(sql: &[u16; 0]) -> i32"), ("sqlite3_errmsg16", "(db: ptr<sqlite3>) -> &[u16; 0]?"),
      ("PyCodec_Check", "(errors: cstr?) -> i32"), ("g_test_add_vtable", "(testpath: cstr, data_size: usize) -> i32"),
      // A count that is not beside its data.
      ("wmemchr", "(s: &[i32; n], c: i32, n: u64) -> ptr<i32>?"),
      (
        "__gmpn_addmul_1",
        "(argument1: inout &[u64; argument3], argument2: &[u64; argument3], argument3: i64, argument4: u64) -> u64"
      ),
      // Addresses that are written, and text that the object refers to.
      (
        "g_regex_match",
        "(regex: ptr<void>, string: keep cstr, options: i32, match_info: out ptr<GMatchInfo>?) -> i32"
      ),
      ("getfilecon", "(path: cstr, con: out own(freecon) cstr?) -> i32 ! errno"),
    ])
    func aManualDecides(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name).hasSuffix(types), "\(adopted.signature(name))")
    }
  }
}
