import Foundation
import Testing

extension EndToEnd {
  /// Counts of memory in headers, other than a count right behind its data.
  @Suite struct AdoptCountsTests {
    private static let header = """
      #include <stddef.h>
      int gather(void *to, int fd, unsigned long room) __attribute__((access(write_only, 1, 3)));
      int scatter(int fd, const void *from, int flags, unsigned long room) __attribute__((__access__ (__read_only__, 2, 4)));
      int append(char *to, const char *from, unsigned long n)
        __attribute__((access(write_only, 1, 3), access(read_only, 2, 3)));
      __attribute__((access(write_only, 1, 3))) int take(void *to, int fd, unsigned long room);
      int mix(void *block, int key, unsigned long room) __attribute__((access(read_write, 1, 3)));
      int dump(const double *values, int fd, unsigned long room) __attribute__((access(write_only, 1, 3)));
      int keyed(size_t key_length, const unsigned char *key, int rounds);
      int fill(size_t length, unsigned char *to);
      int wide(const wchar_t *text);
      int wide_of(const wchar_t *text, int length, int flags);
      int parse(const char *text, char **endptr);
      int fails(const char *sql, char **errmsg);
      int names(char **all);
      enum state { GOOD, BAD };
      typedef struct problem_error problem_error;
      int open_all(const char *path, enum state *status);
      int ask(int what, problem_error **e);
      int tell(int what, problem_error **other);
      typedef struct face_rec { void *p; } *face;
      int new_face(const char *path, face *aface);
      int use_face(const char *path, face *aface);
      void glVertex3fv(const float *v);
      void glLightfv(int light, int name, const float *params);
      void glPixelMapfv(int map, const float *values);
      int count_all(char *const *argv, const char letters[]);
      void set_table(const int *table);
      void set_matrix(int matrix[16]);
      void encode(char *dst, size_t length, const unsigned char *src);
      void encode_size(char *dst, size_t dst_size, const unsigned char *src);
      void negate(unsigned long *rp, const unsigned long *up, long k);
      struct ctx; long ctx_read(struct ctx *, void *, size_t); long ctx_write(struct ctx *, const void *, size_t);
      void ctx_drop(struct ctx *, void *, size_t, size_t); void block_free(void *, size_t);
      size_t ctx_pack(void *dst, size_t dstCapacity, const void *src, size_t compressedSize);
      size_t ctx_mix(const void *one, size_t packedSize, int maxItems);
      int letter_at(const char *text, int *offset, int length); long send_part(int fd, long *file_pos, size_t count);
      """
    private static let source = """
      int gather() { return 0; } int scatter() { return 0; } int append() { return 0; } int keyed() { return 0; }
      int dump() { return 0; } int take() { return 0; } int mix() { return 0; }
      int fill() { return 0; } int wide() { return 0; } int wide_of() { return 0; } int parse() { return 0; }
      int fails() { return 0; } int names() { return 0; } int open_all() { return 0; }
      int ask() { return 0; } int tell() { return 0; } int new_face() { return 0; }
      int use_face() { return 0; } void glVertex3fv() {} void glLightfv() {}
      void glPixelMapfv() {} int count_all() { return 0; } void set_table() {} void set_matrix() {} void negate() {}
      long ctx_read() { return 0; } long ctx_write() { return 0; } void ctx_drop() {} void block_free() {}
      long ctx_pack() { return 0; } long ctx_mix() { return 0; }
      void encode() {} void encode_size() {} int letter_at() { return 0; } long send_part() { return 0; }
      """

    @Test(arguments: [
      ("gather", "(to: out bytes[room], fd: i32, room: u64) -> i32"),
      ("scatter", "(fd: i32, from: bytes[room], flags: i32, room: u64) -> i32"),
      ("take", "(to: out bytes[room], fd: i32, room: u64) -> i32"),
      ("mix", "(block: inout bytes[room], key: i32, room: u64) -> i32"),
      ("keyed", "(key_length: usize, key: bytes[key_length], rounds: i32) -> i32"),
      // A size right behind data, without names, or without a name that says so.
      ("ctx_read", "(argument1: ptr<ctx>, argument2: out bytes[argument3], argument3: usize) -> i64"),
      ("ctx_write", "(argument1: ptr<ctx>, argument2: bytes[argument3], argument3: usize) -> i64"),
      ("ctx_drop", "(argument1: ptr<ctx>, argument2: ptr<void>, argument3: usize, argument4: usize)"),
      (
        "ctx_pack",
        "(dst: out bytes[dstCapacity], dstCapacity: usize, src: bytes[compressedSize], compressedSize: usize) -> usize"
      ),
      ("ctx_mix", "(one: bytes[*], packedSize: usize, maxItems: i32) -> usize"),
      ("encode_size", "(dst: out str[dst_size], dst_size: usize, src: bytes[*])"),
      // A position is one number, which the function advances.
      ("letter_at", "(text: cstr, offset: inout i32, length: i32) -> i32"),
      ("send_part", "(fd: i32, file_pos: inout i64, count: usize) -> i64"),
      ("fill", "(length: usize, to: out bytes[length]) -> i32"), ("wide", "(text: &[i32; 0]) -> i32"),
      ("wide_of", "(text: &[i32; length], length: i32, flags: i32) -> i32"),
      ("parse", "(text: cstr, endptr: out ptr<char>?) -> i32"), ("fails", "(sql: cstr, errmsg: out cstr?) -> i32"),
      ("open_all", "(path: cstr, status: out u32) -> i32"), ("ask", "(what: i32, e: out ptr<problem_error>?) -> i32"),
      ("glVertex3fv", "(v: [f32; 3])"), ("glLightfv", "(light: i32, name: i32, params: [f32; 4])"),
    ])
    func theHeaderSaysTheSize(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.header, source: Self.source).signature(name) == name + types)
    }

    @Test(arguments: [
      // The result may be longer than the part that is read.
      ("append", "'to' is written to"),
      ("encode", "'dst' is written to"),
      ("new_face", "'aface' may be an array of addresses"), ("use_face", "'aface' may be an array of addresses"),
      ("tell", "'other' may be an array of addresses"),
      ("names", "'all' may be an array of addresses"),
      // As many as the function reads, which nothing counts either.
      ("negate", "nothing says how many elements 'rp' has"),
    ])
    func ambiguousNamesAreNotGuessed(name: String, reason: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name).contains(reason), "\(adopted.signature(name))")
    }

    @Test(arguments: [
      // The attribute contradicts the type.
      ("dump", "(values: &[f64; *], fd: i32, room: u64) -> i32"), ("glPixelMapfv", "(map: i32, values: &[f32; *])"),
      ("count_all", "(argv: &[cstr; *], letters: str[*]) -> i32"),
      ("set_table", "(table: keep &[i32; *])"), ("set_matrix", "(matrix: keep [i32; 16])"),
    ])
    func dataThatAreReadNeedNoCount(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.header, source: Self.source).signature(name) == name + types)
    }

    private static let others = """
      #include <stddef.h>
      char *salt(const char *setting, unsigned long count, const char *rbytes, int nrbytes);
      int letters(const char *setting, unsigned long count, int nothing);
      int scalar(const char *tag, const char *value, int length);
      int compare(const char *s1, const char *s2, int length);
      int searches(void *base, size_t *nmemb, size_t size);
      int sums(const unsigned *nelem, int n);
      unsigned char *digest(const unsigned char *d, size_t n, unsigned char md[16]);
      void *lend(size_t size);
      #define API __attribute__((visibility("default")))
      API int into(void *to, int fd, unsigned long room) __attribute__((access(write_only, 1, 3)));
      API int behind(void *ctx, int mode, unsigned long flags);
      API int mask(void *src, int key, size_t room) __attribute__((access(read_write, 1, 3)));
      """
    private static let othersSource = """
      #include <stddef.h>
      char *salt() { return 0; } int letters() { return 0; } int scalar() { return 0; } int compare() { return 0; }
      int searches() { return 0; } int sums() { return 0; } void *lend(size_t size) { return 0; }
      unsigned char *digest(const unsigned char *d, size_t n, unsigned char *md) {
        for (int i = 0; i < 16; i++) md[i] = n;
        return n < 3 ? NULL : md;
      }
      int into() { return 0; } int behind() { return 0; } int mask() { return 0; }
      """

    /// Numbers beside data that they do not count, and results that are arguments.
    @Test(arguments: [
      ("salt", "(setting: cstr, count: u64, rbytes: str[nrbytes], nrbytes: i32) -> cstr?"),
      ("letters", "(setting: str[count], count: u64, nothing: i32) -> i32"),
      ("scalar", "(tag: cstr, value: str[length], length: i32) -> i32"),
      ("compare", "(s1: str[length], s2: str[length], length: i32) -> i32"),
      ("sums", "(nelem: &[u32; n], n: i32) -> i32"), ("lend", "(size: usize) -> ptr<void>?"),
      ("digest", "(d: bytes[n], n: usize, md: inout [u8; 16]) -> usize ! zero"),
      ("into", "(to: out bytes[room], fd: i32, room: u64) -> i32"),
      ("mask", "(src: inout bytes[room], key: i32, room: usize) -> i32"),
    ])
    func anotherNumberCountsNothing(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.others, source: Self.othersSource).signature(name) == name + types)
    }

    @Test("a function whose declaration begins with a macro does not have the attributes of those before it")
    func attributesOfOthers() throws {
      let adopted = try AdoptedHeader.of(Self.others, source: Self.othersSource)
      #expect(!adopted.signature("behind").contains("bytes"), "\(adopted.signature("behind"))")
    }

    @Test func aNumberAtAnAddressIsNotTakenForAnArray() throws {
      let adopted = try AdoptedHeader.of(Self.others, source: Self.othersSource)
      #expect(adopted.signature("searches").contains("nothing says how many elements 'nmemb' has"))
    }

    /// Memory of an argument is freed after the call, so its address must not be returned as an object.
    @Test func aResultThatIsAnArgumentIsNotTakenForAnObject() throws {
      let adopted = try AdoptedHeader.of(Self.others, source: Self.othersSource, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      #expect(adopted.signature("digest") == "digest(d: bytes[n], n: usize, md: out [u8; 16]) -> usize ! zero")
      let (digest, failure) = (try adopted.call("digest", "d=abcd"), try adopted.call("digest", "d=a"))
      #expect(digest.contains("\"md\":[4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4]"))
      #expect(failure.contains("digest returned 0"))
    }

    private static let units = """
      typedef struct hidden hidden;
      typedef void nameless;
      struct spot { double x, y; };
      enum mode { ON, OFF };
      int octets(const unsigned char *chunk, int flags, int chunkbytes);
      int before(int bytes_chunk, int flags, const unsigned char *chunk);
      int words(const int *grid, int flags, int gridsize);
      int doubles(const double *points, int flags, int npoints);
      int modes(const enum mode *modes, int flags, int modes_len);
      int blob(const void *blob, int flags, int bloblen);
      int blobs(const void *blob, int flags, int blobcount);
      int numbered(const void *blob, int flags, int nblob);
      int spots(const struct spot *spots, int flags, int spots_count);
      int length(const struct spot *spots, int flags, int spots_len);
      int texts(const char *const *texts, int flags, int texts_len);
      int hiddens(hidden *const *all, int flags, int all_count);
      int one(const hidden *all, int flags, int all_count);
      int other(const nameless *all, int flags, int all_len);
      int shorts(const short *const *all, int flags, int all_count);
      """
    private static let unitsSource = [
      "octets", "before", "words", "doubles", "modes", "blob", "blobs", "numbered", "spots", "length", "texts",
      "hiddens", "one", "other", "shorts",
    ].map { "int \($0)() { return 0; }\n" }.joined()

    /// A count of bytes, of elements, or of either.
    @Test(arguments: [
      ("octets", "(chunk: bytes[chunkbytes], flags: i32, chunkbytes: i32) -> i32"),
      ("before", "(bytes_chunk: i32, flags: i32, chunk: bytes[bytes_chunk]) -> i32"),
      ("doubles", "(points: &[f64; npoints], flags: i32, npoints: i32) -> i32"),
      ("modes", "(modes: &[u32; modes_len], flags: i32, modes_len: i32) -> i32"),
      ("blob", "(blob: bytes[bloblen], flags: i32, bloblen: i32) -> i32"),
      ("spots", "(spots: &[{x: f64, y: f64}; spots_count], flags: i32, spots_count: i32) -> i32"),
      ("texts", "(texts: &[cstr; texts_len], flags: i32, texts_len: i32) -> i32"),
      ("hiddens", "(all: &[ptr<hidden>; all_count], flags: i32, all_count: i32) -> i32"),
      ("one", "(all: ptr<hidden>, flags: i32, all_count: i32) -> i32"),
      ("other", "(all: ptr<nameless>, flags: i32, all_len: i32) -> i32"),
    ])
    func theNameOfACountFitsItsData(name: String, types: String) throws {
      #expect(try AdoptedHeader.of(Self.units, source: Self.unitsSource).signature(name) == name + types)
    }

    @Test(arguments: ["words", "blobs", "numbered", "length", "shorts"])
    func aNameOfAnotherUnitCountsNothing(name: String) throws {
      let adopted = try AdoptedHeader.of(Self.units, source: Self.unitsSource)
      let signature = adopted.signature(name)
      let counted = signature.replacing("[*]", with: "").replacing("; *]", with: "").contains(/\[\w+\]|;/)
      #expect(!counted, "\(signature)")
    }
  }
}
