import Testing

extension EndToEnd {
  /// Enums whose values are not of the size of an int.
  @Suite struct AdoptEnumerationsTests {
    private static let header = """
      #include <stdint.h>
      enum fixed : uint8_t { RED = 1, GREEN = 200 };
      enum __attribute__((packed)) small { LOW, HIGH };
      typedef enum { COLD = -1, HOT = 127 } __attribute__((packed)) heat;
      enum __attribute__((packed)) medium { FEW, MANY = 300 };
      enum large { NONE, ALL = 1ull << 40 };
      enum fixed fixed_next(enum fixed f);
      enum small small_next(enum small s);
      heat heat_next(heat h);
      enum medium medium_next(enum medium m);
      int64_t large_low(enum large l);
      enum large large_next(enum large l);
      struct dot { enum fixed color; enum small side; heat heat; uint8_t weight; };
      int dot_weight(const struct dot *d);
      int dots_many(unsigned dots_len, const struct dot *dots);
      int fixed_status(int n, enum fixed *status);
      """
    private static let source = """
      #include <stdint.h>
      // The bits beyond the value are the function's own, as in a register that it has used.
      uint64_t fixed_next(uint8_t f) { return 0xabcdef00ull | (uint8_t)(f + 199); }
      uint64_t small_next(uint8_t s) { return 0xabcdef00ull | !s; }
      uint64_t heat_next(int8_t h) { return 0xabcdef00ull | (uint8_t)-h; }
      uint64_t medium_next(uint16_t m) { return 0xabcd0000ull | (uint16_t)(m + 300); }
      int64_t large_low(int64_t l) { return l >> 40; }
      int64_t large_next(int64_t l) { return l + 1; }
      struct dot { uint8_t color, side, heat, weight; };
      int dot_weight(const struct dot *d) { return d->weight; }
      int dots_many(unsigned n, const struct dot *d) { return d[n - 1].weight; } int fixed_status() { return 0; }
      """

    @Test(arguments: [
      ("fixed_next", "(f: u8 enum {RED = 1, GREEN = 200}) -> u8"),
      ("small_next", "(s: u8 enum {LOW = 0, HIGH = 1}) -> u8"),
      ("heat_next", "(h: i8 enum {COLD = -1, HOT = 127}) -> i8"),
      ("medium_next", "(m: u16 enum {FEW = 0, MANY = 300}) -> u16"),
      ("large_low", "(l: u64) -> i64"), ("large_next", "(l: u64) -> u64"),
      ("dot_weight", "(d: &{color: u8, side: u8, heat: i8, weight: u8}) -> i32"),
      ("dots_many", "(dots_len: u32, dots: &[{color: u8, side: u8, heat: i8, weight: u8}; dots_len]) -> i32"),
    ])
    func anEnumHasTheSizeOfItsType(name: String, types: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      #expect(adopted.signature(name) == name + types, "\(adopted.draft.errors)")
    }

    @Test func anAddressOfOneByteMayBeThatOfMany() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let reason = "nothing says how many elements 'status' has"
      #expect(adopted.signature("fixed_status").contains(reason), "\(adopted.signature("fixed_status"))")
    }

    @Test func theNamesOfALongEnumAreConstantsOfTheFile() throws {
      let names = (0...300).map { "OPTION_\($0) = \($0 + 1000)" }.joined(separator: ", ")
      let adopted = try AdoptedHeader.of(
        "#define LIMIT 7\nenum option { \(names) };\nint option_set(enum option option, int value);\n",
        source: "int option_set(unsigned option, int value) { return (int)option + value; }\n")
      #expect(adopted.signature("option_set") == "option_set(option: u32, value: i32) -> i32")
      #expect(adopted.draft.text.contains("constants:\n  LIMIT: 7\n  OPTION_0: 1000\n"), "\(adopted.draft.errors)")
      #expect(try adopted.call("option_set", "OPTION_300", "LIMIT") == "1307\n")
      #expect(try adopted.call("option_set", "OPTION_301", "1").contains("argument 'option' is \"OPTION_301\""))
    }

    @Test(arguments: [
      (["fixed_next", "RED"], "200"), (["small_next", "LOW"], "1"), (["heat_next", "COLD"], "1"),
      (["heat_next", "1"], "-1"), (["medium_next", "FEW"], "300"), (["large_low", "1099511627776"], "1"),
      (["large_next", "1099511627776"], "1099511627777"),
      (["dot_weight", #"{"color": 1, "side": 0, "heat": -1, "weight": 9}"#], "9"),
    ])
    func callsGiveTheValuesOfC(words: [String], expected: String) throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source)
      let ending = try HostProcess.run(["call", adopted.file] + words)
      #expect(ending.text == expected + "\n", "\(ending.errors)")
    }
  }
}
