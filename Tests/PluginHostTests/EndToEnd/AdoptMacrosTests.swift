import Foundation
import Testing

extension EndToEnd {
  /// Integers that macros of a header define.
  @Suite struct AdoptMacrosTests {
    private static let header = """
      #include <limits.h>
      #define LOW 1
      #define HIGH (LOW << 4)
      #define LESS (-7)
      #define ALL 0xFFFFFFFFFFFFFFFFull
      #define LETTER 'a'
      #define TEXT "text"
      #define HALF 0.5
      #define WRONG (nothing + 1)
      #define DOUBLE(x) (2 * (x))
      #define GONE 5
      #undef GONE
      #define EVIL 1 }; int evil(void); enum { OTHER = 1
      #define EMPTY
      #define _RESERVED 3
      #define OPEN_FILE_READ 1
      #define OPEN_FILE_WRITE 2
      #define OPEN_FILE_CREATE 4
      #define OPEN_NET 8
      int abs(int x);
      /** @param x OPEN_FILE_READ or OPEN_FILE_WRITE */
      long labs(long x);
      """

    @Test func integersAreConstantsOfTheFile() throws {
      let adopted = try AdoptedHeader.of(Self.header, library: "libc.so.6")
      let constants = """
        constants:
          LOW: 1
          HIGH: 16
          LESS: -7
          ALL: 18446744073709551615
          LETTER: 97
          OPEN_FILE_READ: 1
          OPEN_FILE_WRITE: 2
          OPEN_FILE_CREATE: 4
          OPEN_NET: 8

        """
      #expect(adopted.draft.text.hasSuffix(constants), "\(adopted.draft.text)")
      // Errors of clang about the other macros are not shown to the user.
      #expect(!adopted.draft.errors.contains("error:"), "\(adopted.draft.errors)")
    }

    @Test func theyAreAcceptedByNameForIntegers() throws {
      let adopted = try AdoptedHeader.of(Self.header, library: "libc.so.6")
      #expect(adopted.signature("abs") == "abs(x: i32) -> i32")
      #expect(try adopted.call("abs", "LESS") == "7\n")
      #expect(try adopted.call("abs", "LOW|HIGH") == "17\n")
      #expect(try adopted.call("abs", "-3") == "3\n")
      let unknown = try adopted.call("abs", "LES")
      #expect(unknown.contains("did you mean \"LESS\"?"), "\(unknown)")
      // An i32 cannot hold it.
      let large = try adopted.call("abs", "ALL")
      #expect(large.contains("\"ALL\""), "\(large)")
    }

    @Test func theDocumentationOfAParameterNamesItsValues() throws {
      let adopted = try AdoptedHeader.of(Self.header, library: "libc.so.6")
      #expect(
        adopted.signature("labs")
          == "labs(x: i64 flags {OPEN_FILE_READ = 1, OPEN_FILE_WRITE = 2, OPEN_FILE_CREATE = 4}) -> i64")
      let sum = try adopted.call("labs", "OPEN_FILE_WRITE|OPEN_FILE_CREATE")
      #expect(sum == "6\n")
    }

    @Test func aConstantThatIsNoneIsAMistakeOfTheFile() throws {
      let adopted = try AdoptedHeader.of("int abs(int x);", library: "libc.so.6")
      let text = adopted.draft.text + "constants: {A: 1.5, '1B': 2}\n"
      let file = adopted.file.replacing("a.adopt", with: "wrong.adopt")
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      let errors = try HostProcess.run("call", file, "abs", "1").errors
      #expect(errors.contains("A: 1.5 is not a constant") && errors.contains("1B: 2 is not a constant"), "\(errors)")
    }
  }
}
