import Foundation
import Testing

extension EndToEnd {
  /// The directions of arguments that `adopt --check` finds by calls with different contents of their memory.
  @Suite struct AdoptContentsTests {
    private static let header = """
      #include <stddef.h>
      void join(char *all, size_t len, int sep);
      int fills(char *text, size_t size);
      double next(unsigned short seed[3]);
      void makes(unsigned char key[16]);
      void begins(unsigned char start[16]);
      void floods(unsigned char all[24576]);
      void takes(unsigned short param[7]);
      int follows(double value, int *place);
      int stamps(double value, long *when);
      int crashes_at(double value, unsigned *offset);
      int nothing(double value, int *whole);
      int both(unsigned char first_out[4], unsigned char second_out[4]);
      int fails(double value, int *status);
      """
    private static let source = """
      #include <stddef.h>
      #include <string.h>
      #include <time.h>
      #include <unistd.h>
      void join(char *all, size_t len, int sep) {
        for (size_t i = 0; i + 1 < len; i++) if (all[i] == 0) all[i] = sep;
      }
      int fills(char *text, size_t size) { if (size) memset(text, 'x', size - 1), text[size - 1] = 0; return size > 3; }
      double next(unsigned short seed[3]) {
        unsigned long x = seed[0] + 65536ul * seed[1] + 4294967296ul * seed[2];
        x = x * 25214903917ul + 11;
        seed[0] = x; seed[1] = x >> 16; seed[2] = x >> 32;
        return x % 1000;
      }
      void makes(unsigned char key[16]) { memset(key, 0, 8); memset(key + 8, 'a', 8); }
      void begins(unsigned char start[16]) { memset(start, 1, 8); }
      void floods(unsigned char all[24576]) { memset(all, 0, 12288); memset(all + 12288, 'a', 12288); }
      static unsigned short kept[7];
      void takes(unsigned short param[7]) { memcpy(kept, param, sizeof kept); }
      int follows(double value, int *place) { int old = *place; *place = value > 1; return old > 0; }
      int stamps(double value, long *when) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        *when = now.tv_nsec + getpid();
        return 0;
      }
      static unsigned char table[16];
      int crashes_at(double value, unsigned *offset) {
        volatile unsigned char *place = table;
        int found = place[1000ul * *offset];
        *offset = 1;
        return found;
      }
      int nothing(double value, int *whole) { return 0; }
      int both(unsigned char a[4], unsigned char b[4]) { memset(a, 7, 4); b[0]++; return 0; }
      int fails(double value, int *status) { if (*status) return 1; *status = 2; return 0; }
      """

    @Test func anArgumentWhoseContentsMakeACallHangIsNotJudged() throws {
      let header = "void waits(unsigned char first[4], unsigned char second[4]);"
      let source = """
        #include <string.h>
        void waits(unsigned char *first, unsigned char *second) {
          static int calls;
          memset(first, 1, 4);
          calls++;
          while (calls == 3 && memcmp(second, "ah", 2) == 0) __asm__ volatile("" ::: "memory");
        }
        """
      let adopted = try AdoptedHeader.of(header, source: source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      let types = "(first: out [u8; 4], second: inout [u8; 4])"
      #expect(adopted.signature("waits") == "waits\(types)", "\(adopted.draft.errors)")
      #expect(
        !adopted.checks("waits").contains { $0.contains("second was not written") }, "\(adopted.checks("waits"))")
    }

    @Test func callsShowWhichArgumentsAreRead() throws {
      let adopted = try AdoptedHeader.of(Self.header, source: Self.source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      for (name, types) in [
        ("join", "(all: inout str[len], len: usize, sep: i32)"),
        ("fills", "(text: out str[size], size: usize) -> i32"),
        ("next", "(seed: inout [u16; 3]) -> f64"), ("makes", "(key: out [u8; 16])"),
        ("begins", "(start: inout [u8; 16])"), ("floods", "(all: out [u8; 24576])"),
        ("takes", "(param: inout [u16; 7])"),
        ("follows", "(value: f64, place: inout i32) -> i32"), ("stamps", "(value: f64, when: out i64) -> i32"),
        ("crashes_at", "(value: f64, offset: inout u32) -> i32"), ("nothing", "(value: f64, whole: out i32) -> i32"),
        ("both", "(first_out: out [u8; 4], second_out: inout [u8; 4]) -> i32"),
        ("fails", "(value: f64, status: out i32) -> i32"),
      ] {
        #expect(adopted.signature(name) == name + types, "\(adopted.draft.errors)")
      }
      for (name, check) in [
        ("join", "all is read and written: calls that found other contents there had other effects"),
        ("makes", "key is written, and not read by any of 24 calls"),
        ("floods", "all is written, and not read by any of 24 calls"),
        ("begins", "start is taken to be 16 elements that are read and written; if only written, it is out"),
        ("takes", "param was not written by any of 24 calls; if it is only read, it is not inout"),
        ("nothing", "whole was not written by any of 24 calls; if it is read, it is inout"),
        ("fails", "status is read and written, and 0 is taken to be no error"),
      ] {
        #expect(adopted.checks(name).contains("  # check: \(check)"), "\(name): \(adopted.checks(name))")
      }
      #expect(!adopted.checks("join").contains { $0.contains("room") }, "\(adopted.checks("join"))")
      let joined = try adopted.call("join", "all=a.b", "sep=44")
      #expect(joined.contains("a.b"))
      let next = try adopted.call("next", "seed=[1,2,3]")
      let first = try adopted.call("next", "seed=[0,0,0]")
      #expect(next != first)
    }
  }
}
