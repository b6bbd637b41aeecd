import Testing

extension EndToEnd {
  /// Structs that attributes lay out otherwise than their fields alone.
  @Suite struct AdoptLayoutsTests {
    private static let header = """
      #include <stdint.h>
      #include <stddef.h>
      struct lone { int a; int b __attribute__((aligned(64))); };
      void lone_fill(struct lone *value);
      int lone_take(struct lone value);
      struct __attribute__((packed)) rec { uint8_t kind; uint32_t value; };
      uint32_t rec_value(const struct rec *r);
      uint32_t recs_sum(const struct rec *recs, size_t count);
      struct rec rec_make(void);
      struct outer { uint8_t kind; struct rec rec; };
      uint32_t outer_value(const struct outer *o);
      #pragma pack(push, 1)
      struct wire { uint8_t kind; uint32_t value; };
      #pragma pack(pop)
      uint32_t wire_value(const struct wire *w);
      typedef struct { int a; } line __attribute__((aligned(64)));
      int line_sum(const line *l);
      typedef int wide __attribute__((aligned(16)));
      struct holder { int a; wide b; };
      int holder_sum(const struct holder *h);
      int wide_twice(wide w);
      struct plain { uint8_t kind; uint32_t value; };
      uint32_t plain_value(const struct plain *p);
      typedef struct { unsigned char opaque[384]; } __attribute__((aligned(64))) hash_state;
      int hash_state_init(hash_state *state);
      void hash_state_end(hash_state *state);
      typedef struct { long words[4]; void *next; } __attribute__((aligned(16))) queue;
      int queue_init(queue *q);
      void queue_end(queue *q);
      """
    private static let source = """
      void lone_fill() {} int lone_take() { return 0; } int rec_value() { return 0; } int recs_sum() { return 0; }
      void rec_make() {} int outer_value() { return 0; } int wire_value() { return 0; } int line_sum() { return 0; }
      int holder_sum() { return 0; } int wide_twice(int w) { return 2 * w; } int plain_value() { return 0; }
      int hash_state_init() { return 0; } void hash_state_end() {} int queue_init() { return 0; } void queue_end() {}
      """

    @Test(arguments: [
      ("lone_fill", "(value: ptr<lone>)"), ("rec_value", "(r: ptr<rec>) -> u32"),
      ("recs_sum", "(recs: ptr<rec>, count: usize) -> u32"), ("outer_value", "(o: ptr<outer>) -> u32"),
      ("wire_value", "(w: ptr<wire>) -> u32"), ("line_sum", "(l: ptr<line>) -> i32"),
      ("holder_sum", "(h: ptr<holder>) -> i32"), ("wide_twice", "(w: i32) -> i32"),
      ("plain_value", "(p: &{kind: u8, value: u32}) -> u32"),
    ])
    func aStructWithALayoutOfItsOwnIsAnObject(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name) == name + types, "\(adopted.draft.errors)")
    }

    @Test(arguments: [
      ("hash_state_init", "(state: ptr<hash_state>) -> i32"),
      ("queue_init", "(q: out(48) own(queue_end) ptr<queue>) -> i32"),
    ])
    func theHostAllocatesNoneThatIsAlignedBeyondItsMemory(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name) == name + types, "\(adopted.draft.errors)")
      #expect(!adopted.draft.text.contains("hash_state_new"))
    }

    @Test(arguments: [("lone_take", "lone"), ("rec_make", "rec")])
    func itIsNotPassedByValue(name: String, type: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let reason = "'\(type)' is packed or aligned: libffi cannot pass it by value"
      #expect(adopted.signature(name).contains(reason), "\(adopted.signature(name))")
    }
  }
}
