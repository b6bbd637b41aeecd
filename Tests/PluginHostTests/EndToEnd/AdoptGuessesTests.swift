import Testing

extension EndToEnd {
  /// Names that speak for one number or for many, and functions whose objects may refer to data that they are given.
  @Suite struct AdoptGuessesTests {
    private static let header = """
      #include <stddef.h>
      #include <stdint.h>
      typedef struct body body;
      typedef struct { unsigned state[4]; unsigned index; } sums;
      void body_get_center(body *b, double *center);
      void body_get_position(body *b, double *position);
      void fft_get(body *f, double *spectrum);
      void fft_parts(body *f, double *re, double *im);
      void body_place(body *b, double *x, double *y);
      void body_size(body *b, float *width, float *out_height);
      /// \\param[out] axis  The one number.
      void body_axis(body *b, double *axis);
      void body_white(body *b, double *white_x, double *white_Y);
      double whole(double x, double *iptr);
      void prog_basename(char *name);
      void fill_up(char *buffer);
      char *path_basename(char *path);
      void face_new(const uint8_t *file_base, size_t file_size, body **face_out);
      void parser_set_input(body *p, const unsigned char *input, size_t size);
      void sums_set_key(sums *s, const uint8_t *key, size_t key_size);
      int option_set(int fd, const void *value, size_t value_size);
      void ring_add(body *r, const void *data, size_t size);
      void title_set(body *b, const char *title, size_t title_length);
      void list_set(body *b, body *const *others, size_t others_count);
      size_t body_read(body *b, const uint8_t *data, size_t size);
      typedef struct { int at; } mark;
      void body_marks(body *b, mark *marks, size_t marks_count);
      /// \\param[out] marks  The marks of the body.
      void body_tell(body *b, mark *marks, size_t marks_count);
      int recvmarks(int fd, mark *marks, size_t marks_count);
      int g_spawn_sync(char **argv, char **envp);
      void png_save_uint_32(uint8_t *buf, uint32_t i);
      """
    private static let source = """
      #include <stdint.h>
      #include <stdlib.h>
      #include <string.h>
      struct body { const uint8_t *data; size_t size; };
      void body_get_center() {} void body_get_position() {} void fft_get() {} void fft_parts() {} void body_place() {}
      void body_size() {} void body_axis() {} void body_white() {} double whole() { return 0; }
      void prog_basename() {} void fill_up() {} char *path_basename(char *p) { return p; }
      void face_new(const uint8_t *data, size_t size, struct body **out) {
        *out = malloc(sizeof **out); (*out)->data = data; (*out)->size = size; }
      void parser_set_input(struct body *b, const uint8_t *data, size_t size) { b->data = data; b->size = size; }
      void sums_set_key() {} int option_set() { return 0; } void ring_add() {} void title_set() {} void list_set() {}
      void body_marks() {} void body_tell() {} int recvmarks() { return 0; }
      int g_spawn_sync() { return 0; } void png_save_uint_32() {}
      size_t body_read(struct body *b, const uint8_t *data, size_t size) {
        return b->size == size && memcmp(b->data, data, size) == 0; }
      """

    @Test(arguments: [
      ("body_get_center", "center"), ("body_get_position", "position"), ("fft_get", "spectrum"), ("fft_parts", "re"),
    ])
    func aNumberThatMayBeTheFirstOfManyIsNotOne(name: String, parameter: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let reason = "nothing says how many elements '\(parameter)' has"
      #expect(adopted.signature(name).contains(reason), "\(adopted.signature(name))")
    }

    @Test(arguments: [("prog_basename", "name"), ("fill_up", "buffer")])
    func textOfThatNameIsWritten(name: String, parameter: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let reason = "'\(parameter)' is written to, and nothing says how much room it needs"
      #expect(adopted.signature(name).contains(reason), "\(adopted.signature(name))")
    }

    @Test(arguments: [
      ("body_place", "(b: ptr<body>, x: out f64, y: out f64)"),
      ("body_size", "(b: ptr<body>, width: out f32, out_height: out f32)"),
      ("body_axis", "(b: ptr<body>, axis: out f64)"),
      ("body_white", "(b: ptr<body>, white_x: out f64, white_Y: out f64)"),
      ("whole", "(x: f64, iptr: out f64) -> f64"), ("path_basename", "(path: inout str[*]) -> cstr?"),
      // An object with addresses, or of unknown contents, may refer to the data; a sum and a descriptor cannot.
      ("face_new", "(file_base: keep bytes[file_size], file_size: usize, face_out: out ptr<body>?)"),
      ("parser_set_input", "(p: ptr<body>, input: keep bytes[size], size: usize)"),
      ("sums_set_key", "(s: ptr<sums>, key: bytes[key_size], key_size: usize)"),
      ("option_set", "(fd: i32, value: bytes[value_size], value_size: usize) -> i32"),
      ("ring_add", "(r: ptr<body>, data: bytes[size], size: usize)"),
      ("title_set", "(b: ptr<body>, title: str[title_length], title_length: usize)"),
      ("list_set", "(b: ptr<body>, others: &[ptr<body>; others_count], others_count: usize)"),
      ("body_read", "(b: ptr<body>, data: bytes[size], size: usize) -> usize"),
      // Structs without const are read, unless the header or a verb says that they are written.
      ("body_marks", "(b: ptr<body>, marks: &[{at: i32}; marks_count], marks_count: usize)"),
      ("body_tell", "(b: ptr<body>, marks: out &[{at: i32}; marks_count], marks_count: usize)"),
      ("recvmarks", "(fd: i32, marks: out &[{at: i32}; marks_count], marks_count: usize) -> i32"),
      // Parameters of the bundled map, about which neither name nor type says enough.
      ("g_spawn_sync", "(argv: &[cstr; 0], envp: &[cstr; 0]?) -> i32"),
      ("png_save_uint_32", "(buf: out [u8; 4], i: u32)"),
    ])
    func theNameDecides(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name) == name + types, "\(adopted.draft.errors)")
    }

    @Test(arguments: [("ring_add", "keep bytes[size]"), ("title_set", "keep str[title_length]")])
    func aMarkNamesTheOtherMeaning(name: String, type: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let marks = adopted.checks(name)
      #expect(marks.contains { $0.hasSuffix("; if the function keeps their address, it is \(type)") }, "\(marks)")
      #expect(!adopted.checks("body_read").contains { $0.contains("keep") })
    }

    @Test func dataOfAnObjectLivesAsLongAsIt() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let text = String(repeating: "abcdefgh", count: 20)
      let found = try adopted.shell(
        "use LIB as b", "f = b.face_new \(text)", "b.body_read $f xxxxxxxx", "b.body_read $f \(text)")
      #expect(found == "0\n1\n")
    }
  }
}
