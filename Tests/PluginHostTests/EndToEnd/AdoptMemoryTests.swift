import Foundation
import Testing

extension EndToEnd {
  /// Addresses that are read, kept, moved or destroyed in another way than their types say.
  @Suite struct AdoptMemoryTests {
    private static let header = """
      #include <stddef.h>
      #include <stdint.h>
      typedef struct state state;
      unsigned int_hash(const void *v);
      int object_size(void *o);
      int checked_size(void *o);
      int later(state *s, void *closure);
      int nullable(const void *v /* may be NULL */);
      int b64dec_proc(state *s, void *buffer, size_t length);
      int stream_encode(const uint8_t *in, size_t in_size, uint8_t *out, size_t *out_pos, size_t out_size);
      int open_memory(const char *name, size_t size, int mode);
      int scan_memory(const char *buffer, size_t size, int mode);
      char *permalloc(unsigned size);
      char *alloc_name(void);
      state *new_mem_buf(const void *buf, int len);
      state *state_nocopy(const void *buf, int len);
      state *readerNewDoc(const char *cur, const char *url);
      state *readerForDoc(const char *cur, const char *url);
      state *readerForFile(const char *path, const char *url);
      void hmac_update(state *s, size_t length, const uint8_t *data);
      void hmac_digest(state *s, size_t length, uint8_t *digest);
      int get_name(state *s, char *mdname, size_t mdname_sz);
      enum code { FINE, WRONG };
      int get_language(const char *id, char *language, int languageCapacity, enum code *err);
      typedef struct rsa_st RSA;
      struct rsa_st *get1_rsa(state *s);
      int rsa_bits(RSA *r);
      """
    private static let source = """
      #include <stddef.h>
      unsigned int_hash(const int *v) { return *v; } int object_size(int *o) { return *o; }
      int checked_size(int *o) { return o ? *o : 0; }
      int later() { return 0; } int nullable() { return 0; }
      int b64dec_proc(void *s, char *b, size_t n) { for (size_t i = 0; i < n; i++) b[i] ^= 1; return n; }
      int stream_encode(const char *in, size_t in_size, char *out, size_t *out_pos, size_t out_size) {
        for (size_t i = 0; i < in_size && *out_pos < out_size; i++) out[(*out_pos)++] = in[i];
        return 0;
      }
      int open_memory() { return 0; } int scan_memory() { return 0; } char *permalloc() { return 0; }
      char *alloc_name() { return 0; } void *new_mem_buf() { return 0; } void *readerForDoc() { return 0; }
      void *state_nocopy() { return 0; } void *readerNewDoc() { return 0; }
      void *readerForFile() { return 0; } void hmac_update() {} void hmac_digest() {} int get_name() { return 0; }
      int get_language() { return 0; } void *get1_rsa() { return 0; } int rsa_bits() { return 0; }
      """

    @Test(arguments: [
      ("int_hash", "(v: bytes[*]) -> u32"), ("later", "(s: ptr<state>, closure: ptr<void>?) -> i32"),
      ("nullable", "(v: bytes[*]?) -> i32"),
      ("b64dec_proc", "(s: ptr<state>, buffer: inout bytes[length], length: usize) -> i32"),
      (
        "stream_encode",
        """
        (in: bytes[in_size], in_size: usize, out: out bytes[out_size], out_pos: inout usize = 0, out_size: usize) -> i32
        """
      ),
      ("open_memory", "(name: cstr, size: usize, mode: i32) -> i32"),
      ("scan_memory", "(buffer: str[size], size: usize, mode: i32) -> i32"),
      ("permalloc", "(size: u32) -> ptr<void>?"), ("alloc_name", "() -> cstr?"),
      ("new_mem_buf", "(buf: keep bytes[len], len: i32) -> ptr<state>?"),
      ("state_nocopy", "(buf: keep bytes[len], len: i32) -> ptr<state>?"),
      ("readerForDoc", "(cur: keep cstr, url: cstr) -> ptr<state>?"),
      ("readerNewDoc", "(cur: keep cstr, url: cstr) -> ptr<state>?"),
      ("readerForFile", "(path: cstr, url: cstr) -> ptr<state>?"),
      ("hmac_update", "(s: ptr<state>, length: usize, data: bytes[length])"),
      ("hmac_digest", "(s: ptr<state>, length: usize, digest: out bytes[length])"),
      ("get_name", "(s: ptr<state>, mdname: out str[mdname_sz], mdname_sz: usize) -> i32"),
      (
        "get_language",
        "(id: cstr, language: out str[languageCapacity], languageCapacity: i32, err: out u32) -> i32"
      ),
      ("get1_rsa", "(s: ptr<state>) -> ptr<RSA>?"), ("rsa_bits", "(r: ptr<RSA>) -> i32"),
    ])
    func namesShowHowMemoryIsUsed(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.header, source: Self.source).signature(name) == name + types)
    }

    @Test func aPlaceInDataIsOneNumber() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let encoded = try adopted.call("stream_encode", "in=abc", "out_size=8")
      #expect(encoded.contains("\"out_pos\":3"), "\(encoded)")
    }

    @Test func aCheckShowsWhichAddressesMayBeNull() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      #expect(adopted.signature("object_size") == "object_size(o: ptr<void>) -> i32")
      #expect(adopted.signature("checked_size") == "checked_size(o: ptr<void>?) -> i32")
      // Calls show nothing about data whose size only the function knows.
      #expect(adopted.signature("int_hash") == "int_hash(v: bytes[*]) -> u32")
    }

    private static let objects = """
      typedef struct _GObject { int count; } GObject;
      typedef struct _ALauncher ALauncher;
      unsigned long a_launcher_get_type(void);
      ALauncher *a_launcher_new(int flags);
      void a_launcher_close(ALauncher *l);
      typedef struct _AServer { GObject parent; } AServer;
      unsigned long a_server_get_type(void);
      AServer *a_server_new_for_port(int port);
      typedef struct _ABytes ABytes;
      unsigned long a_bytes_get_type(void);
      ABytes *a_bytes_new(int n);
      ABytes *a_bytes_new_filled(int n);
      void a_bytes_unref(ABytes *b);
      typedef struct _ACaps { int kind; } ACaps;
      unsigned long a_caps_get_type(void);
      ACaps *a_caps_new(int kind);
      void g_object_unref(void *object);
      """
    private static let objectsSource = """
      unsigned long a_launcher_get_type() { return 0; } void *a_launcher_new() { return 0; } void a_launcher_close() {}
      unsigned long a_server_get_type() { return 0; } void *a_server_new_for_port() { return 0; }
      unsigned long a_bytes_get_type() { return 0; } void *a_bytes_new() { return 0; } void a_bytes_unref() {}
      void *a_bytes_new_filled() { return 0; } unsigned long a_caps_get_type() { return 0; }
      void *a_caps_new() { return 0; } void g_object_unref() {}
      """

    @Test(arguments: [
      ("a_launcher_new", "(flags: i32) -> own(g_object_unref) ptr<ALauncher>?"),
      ("a_launcher_close", "(l: ptr<ALauncher>)"),
      ("a_server_new_for_port", "(port: i32) -> own(g_object_unref) ptr<AServer>?"),
      ("a_bytes_new", "(n: i32) -> own(a_bytes_unref) ptr<ABytes>?"),
      ("a_bytes_new_filled", "(n: i32) -> ptr<ABytes>?"), ("a_caps_new", "(kind: i32) -> ptr<ACaps>?"),
      ("g_object_unref", "(object: own ptr<void>)"),
    ])
    func aGObjectIsReleasedAsOne(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.objects, source: Self.objectsSource).signature(name) == name + types)
    }

    @Test func aFunctionThatOnlyOldProgramsFindIsLeftOut() throws {
      let source = """
        __asm__(".symver old_one, one@V1"); __asm__(".symver new_two, two@@V2"); __asm__(".symver old_two, two@V1");
        int old_one() { return 1; } int old_two() { return 1; } int new_two() { return 2; }
        """
      let script = TemporaryPath()
      try Data("V1 {}; V2 {} V1;".utf8).write(to: script.url)
      let flags = ["-Wl,--version-script=\(script.path)"]
      let adopted = try AdoptedHeader.of("int one(int x); int two(int x);", source: source, compiling: flags)
      #expect(adopted.signature("one") == "#   one: the library does not export it")
      let two = try adopted.call("two", "0")
      #expect(two == "2\n")
    }

    @Test func aLibraryThatCannotBeLoadedIsNotAdopted() throws {
      let source = "int nobody_has_this(int x); int one(int x) { return nobody_has_this(x); }"
      let adopted = try AdoptedHeader.of("int one(int x);", source: source)
      #expect(adopted.draft.status == 2 && adopted.draft.text == "", "\(adopted.draft.errors)")
      #expect(adopted.draft.errors.contains("cannot be loaded: it needs 'nobody_has_this', which no library"))
    }

    @Test func aTypeMapNamesStructsAndResults() throws {
      let map = TemporaryPath(".yaml")
      let text = """
        types:
          datum: '{data: cstr, size: u32}'
        parameters:
          ask.result_: out
          ask.result: i64
        """
      try Data(text.utf8).write(to: map.url)
      let header = """
        typedef struct datum { unsigned char *data; unsigned size; } datum;
        const datum *find(int n);
        int import(const datum *data);
        int ask(int n, int *result);
        """
      let source = "void *find() { return 0; } int import() { return 0; } int ask() { return 0; }"
      let adopted = try AdoptedHeader.of(header, source: source, ["--types", map.path])
      #expect(adopted.signature("import") == "import(data: &{data: cstr, size: u32}) -> i32")
      #expect(adopted.signature("ask") == "ask(n: i32, result_: out i32) -> i64")
    }
  }
}
