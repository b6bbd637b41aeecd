import Testing

extension EndToEnd {
  /// Evidence in macros, in sentences of the documentation, and in names that repeat those of types.
  @Suite struct AdoptEvidenceTests {
    private static let header = """
      #include <stddef.h>
      #include <stdint.h>
      #define KEY_BYTES 24U
      #define FORMATS(format, first) __attribute__((__format__(__printf__, format, first)))
      #define READS(format, first) __attribute__((__format__(__scanf__, format, first)))
      struct hmac_ctx { uint32_t state[4]; unsigned index; };
      struct cell { int kind, weight; };
      typedef struct { long width; int style; } DrawValues;
      typedef struct pad_changes { long more; int bits; } PadChangesRec, *PadChangesPtr;
      typedef struct { int parties; void *waiting; } barrier_t;
      typedef struct { void *in; int n; } stream;
      typedef struct entries entries;
      void hmac_set_key(struct hmac_ctx *ctx, size_t key_length, const uint8_t *key);
      void hmac_update(struct hmac_ctx *ctx, size_t length, const uint8_t *data);
      void hmac_digest(struct hmac_ctx *ctx, size_t length, uint8_t *digest);
      void cells_digest(struct cell *cells, size_t length, uint8_t *digest);
      int draw(int where, DrawValues *values);
      int pad_changes(PadChangesPtr changes);
      int keygen(unsigned char k[KEY_BYTES]);
      int key_check(const unsigned char k[KEY_BYTES]);
      int key_mix(unsigned char k[2 * KEY_BYTES]);
      int report(int to, const char *format, ...) FORMATS(2, 3);
      int take(int from, const char *format, ...) READS(2, 3);
      void *buffer_new_static(void *mem, size_t size);
      int barrier_init(barrier_t *barrier, unsigned count);
      int barrier_destroy(barrier_t *barrier);
      int decode(uint64_t *memlimit, int flags);
      /// \\param str  On success *str will be set to point to an allocated string.
      int list_names(char **str, int flags);
      /// \\param list  At the end *list will be set to point to the entries.
      int stream_start(stream *s, entries **list, int flags); void table_free(char **result);
      int BZ2_bzBuffToBuffPlain(char *dest, unsigned *destLen, char *source, unsigned sourceLen);
      """
    private static let source = """
      #include <stdarg.h>
      #include <stdint.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      struct hmac_ctx { uint32_t state[4]; unsigned index; };
      void hmac_set_key(struct hmac_ctx *c, size_t n, const uint8_t *key) { c->index = n; }
      void hmac_update(struct hmac_ctx *c, size_t n, const uint8_t *data) { while (n--) c->index += *data++; }
      void hmac_digest(struct hmac_ctx *c, size_t n, uint8_t *digest) { memset(digest, c->index, n); }
      void cells_digest() {} int draw() { return 0; } int pad_changes() { return 0; }
      int keygen(unsigned char *k) { memset(k, 7, 24); return 0; }
      int key_check(const unsigned char *k) { return k[23]; } int key_mix() { return 0; }
      int report(int to, const char *format, ...) {
        char text[100];
        va_list list;
        va_start(list, format);
        int count = vsnprintf(text, sizeof text, format, list);
        va_end(list);
        return count;
      }
      int take() { return 0; } void *buffer_new_static() { return 0; }
      struct barrier { int parties; void *waiting; };
      int barrier_init(struct barrier *b, unsigned count) { b->parties = count; return 0; }
      int barrier_destroy(struct barrier *b) { return 0; }
      int decode(uint64_t *memlimit, int flags) { return *memlimit == 5 ? (*memlimit = 9) : 0; }
      int list_names(char **str, int flags) { *str = strdup("names"); return 0; } int stream_start() { return 0; }
      void table_free(char **result) { free(result); }
      int BZ2_bzBuffToBuffPlain(char *dest, unsigned *destLen, char *source, unsigned sourceLen) {
        memcpy(dest, source, *destLen = sourceLen);
        return 0;
      }
      """

    @Test(arguments: [
      // A struct beside the only data is not counted, unless its name says that there may be several.
      ("hmac_update", "(ctx: ptr<hmac_ctx>, length: usize, data: bytes[length])"),
      ("hmac_digest", "(ctx: ptr<hmac_ctx>, length: usize, digest: out bytes[length])"),
      (
        "hmac_ctx_new",
        "(made: out(20) own ptr<hmac_ctx>, fields: &{state: [u32; 4], index: u32}, size: const usize = 20)"
      ),
      (
        "DrawValues_new",
        "(made: out(16) own ptr<DrawValues>, fields: &{width: i64, style: i32}, size: const usize = 16)"
      ),
      (
        "PadChangesRec_new",
        "(made: out(16) own ptr<PadChangesRec>, fields: &{more: i64, bits: i32}, size: const usize = 16)"
      ),
      ("keygen", "(k: inout [u8; 24]) -> i32"), ("key_check", "(k: [u8; 24]) -> i32"),
      ("take", "(from: i32, format: cstr, ...: i64 | u64 | f64 | cstr | ptr<void>) -> i32"),
      ("report", "(to: i32, format: const cstr = \"%s\", ..., text: cstr) -> i32"),
      ("buffer_new_static", "(mem: keep bytes[size], size: usize) -> ptr<void>?"),
      ("barrier_init", "(barrier: out(16) own(barrier_destroy) ptr<barrier_t>, count: u32) -> i32"),
      ("decode", "(memlimit: inout u64, flags: i32) -> i32"),
      ("list_names", "(str: out cstr?, flags: i32) -> i32"),
      // Data, though its type is that of texts.
      (
        "BZ2_bzBuffToBuffPlain",
        "(dest: out bytes[destLen], destLen: inout u32 = 65536, source: bytes[sourceLen], sourceLen: u32) -> i32"
      ),
    ])
    func evidenceIsFound(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.header, source: Self.source).signature(name) == name + types)
    }

    @Test(arguments: [
      ("cells_digest", "nothing says how many elements 'digest' has"),
      ("cell_new", " is not there"),
      // Only a name is looked up.
      ("key_mix", "nothing says how many elements 'k' has"),
      // The stream may keep the address until its end.
      ("stream_start", "'list' may be an array of addresses, or be kept"),
      // A result of an earlier call.
      ("table_free", "'result_' may be an array of addresses, or be kept"),
    ])
    func otherReadingsStayOpen(name: String, reason: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name).contains(reason), "\(adopted.signature(name))")
    }

    @Test func theDraftsAreCalled() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let digest = try adopted.shell(
        "use LIB as a", "c = a.hmac_ctx_new '{\"state\":[0,0,0,0],\"index\":0}'", "a.hmac_set_key $c key",
        "a.hmac_update $c '\u{1}\u{2}'", "a.hmac_digest $c 3")
      #expect(digest.contains("\"BgYG\""), "\(digest)")
      #expect(try adopted.call("report", "0", "100%s") == "5\n")
      let data = try adopted.shell("use LIB as a", "a.BZ2_bzBuffToBuffPlain source='a\u{1}\u{2}b'")
      #expect(data.contains("\"YQECYg==\""), "\(data)")
      #expect(try adopted.call("decode", "memlimit=5", "flags=0").contains("\"memlimit\":9"))
      #expect(try adopted.call("barrier_init", "count=3").contains("0"))
    }
  }
}
