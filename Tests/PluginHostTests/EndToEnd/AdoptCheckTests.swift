import Foundation
import Testing

extension EndToEnd {
  /// Functions whose headers say less than they write, called with random arguments by `adopt --check`.
  @Suite struct AdoptCheckTests {
    private static let header = """
      #include <stddef.h>
      int good_text(char *buffer, size_t size);
      int good_sum(const double *values, int count);
      int good_split(double value, int *whole);
      int good_name(const char *name);
      int writes_beyond(unsigned char *out, size_t size);
      int writes_before(unsigned char *out, size_t size);
      int writes_wide(double value, int *whole);
      int writes_const(const double *values, int count);
      int reads_beyond(const unsigned char *data, size_t length);
      int keeps_text(const char *name);
      int upper_text(char *text);
      int trim_text(char *text);
      typedef struct thing thing;
      thing *thing_new(int size);
      int thing_size(thing *t);
      typedef struct part part;
      part *part_of(thing *t);
      int part_size(part *p);
      typedef struct other other;
      int other_size(other *o);
      int removes(const char *path);
      int crashes(int x);
      int crashes_at_times(int x);
      int hides(unsigned char *out, size_t size, int x);
      int lib_init(void);
      int needs_init(int x);
      int all_texts(const char *const *texts, int count);
      int all_letters(const wchar_t *text);
      int all_things(thing *const *things, int count);
      int good_letters(const char *text, size_t length);
      int good_ended(const char *text, size_t length);
      typedef struct blob blob;
      blob *blob_new(const unsigned char *data, size_t length);
      int blob_size(blob *b);
      """
    private static let source = """
      #include <stdlib.h>
      #include <string.h>
      #include <stdio.h>
      #include <signal.h>
      #include <unistd.h>
      int good_ended(const char *text, size_t length) { return length ? text[length - 1] : (int)strlen(text); }
      int good_text(char *buffer, size_t size) { return size ? snprintf(buffer, size, "some text") : 0; }
      int good_sum(const double *values, int count) { double s = 0; while (count-- > 0) s += *values++; return s > 0; }
      int good_split(double value, int *whole) { (void)value; *whole = 3; return 0; }
      int good_name(const char *name) { return (int)strlen(name); }
      int writes_beyond(unsigned char *out, size_t size) { for (size_t i = 0; i <= size; i++) out[i] = 1; return 0; }
      int writes_before(unsigned char *out, size_t size) { (void)size; out[-1] = 1; return 0; }
      int writes_wide(double value, int *whole) { (void)value; memset(whole, 1, 16); return 0; }
      int writes_const(const double *values, int count) { if (count > 0) ((double *)values)[0] = 1; return 0; }
      int reads_beyond(const unsigned char *data, size_t length) { int s = 0; for (size_t i = 0; i < length + 32; i++) s += data[i]; return s; }
      int upper_text(char *text) { int n = 0; for (; *text; text++, n++) *text |= 1; return n; }
      int trim_text(char *text) { strcat(text, "more"); return 0; }
      int keeps_text(const char *name) { static const char *kept; int n = kept ? (int)strlen(kept) : 0; kept = name; return n; }
      struct thing { int size; };
      struct thing *thing_new(int size) { struct thing *t = malloc(sizeof *t); t->size = size; return t; }
      int thing_size(struct thing *t) { return t->size; }
      void *part_of(struct thing *t) { return &t->size; }
      int part_size(int *p) { return *p; }
      int other_size(void *o) { return *(int *)o; }
      int removes(const char *path) { kill(getppid(), SIGKILL); return unlink(getenv("ADOPT_CHECK_FILE") ? getenv("ADOPT_CHECK_FILE") : path); }
      static int *ready;
      int lib_init(void) { static int one = 1; ready = &one; return 0; }
      int needs_init(int x) { return *ready + (x == 1); }
      int all_texts(const char *const *texts, int count) { size_t n = 0; while (count-- > 0) n += strlen(texts[count]); return n > 5; }
      int all_letters(const wchar_t *text) { int n = 0; while (*text++) n++; return n; }
      int all_things(struct thing *const *things, int count) { int n = 0; while (count-- > 0) n += things[count]->size != 0; return n; }
      int good_letters(const char *text, size_t length) {
        int n = 0;
        for (size_t i = 0; i < length; n++) {
          unsigned char c = text[i];
          size_t size = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
          n += ((volatile const char *)text)[i + size - 1] == 'x';
          i += size;
        }
        return n;
      }
      struct blob { int sum; };
      struct blob *blob_new(const unsigned char *data, size_t length) {
        struct blob *b = malloc(sizeof *b);
        b->sum = reads_beyond(data, length);
        return b;
      }
      int blob_size(struct blob *b) { return b->sum != 0; }
      int crashes(int x) { return *(volatile int *)((long)x & 0); }
      int crashes_at_times(int x) { return x & 1 ? 1 : crashes(x); }
      int hides(unsigned char *out, size_t size, int x) { if (x & 1) return crashes(x); out[size] = 1; return 0; }
      """

    private func withLibrary(_ body: (_ folder: URL, _ header: String, _ library: String) throws -> Void) throws {
      let folder = try TemporaryFolder()
      try folder.write(Self.header, to: "a.h")
      try folder.write(Self.source, to: "a.c")
      let library = folder.path("liba.so")
      try Package.run(
        "cc", ["-std=gnu11", "-w", "-O1", "-shared", "-fPIC", "-o", library, folder.path("a.c")])
      try body(folder.url, folder.path("a.h"), library)
    }

    @Test func aFunctionThatWritesElsewhereIsLeftOut() throws {
      try withLibrary { folder, header, library in
        let victim = folder.appending(path: "victim").path
        try Data("still here".utf8).write(to: URL(filePath: victim))
        let draft = try HostProcess.run(
          "adopt", "--check", header, "--library", library, environment: ["ADOPT_CHECK_FILE": victim])
        #expect(draft.status == 0, "\(draft.errors)")
        if draft.errors.contains("cannot confine a process") {
          return print("skipped: this system has no seccomp")
        }
        for name in [
          "good_text", "good_sum", "good_split", "good_name", "thing_new", "thing_size", "part_size", "removes",
          "needs_init", "all_texts", "all_letters", "all_things", "good_letters", "good_ended", "blob_size",
        ] {
          #expect(draft.text.contains("'\(name)("), "\(name): \(draft.text)")
          #expect(name == "blob_size" || !draft.errors.contains("  \(name):"), "\(name): \(draft.errors)")
        }
        for (name, reason) in [
          ("writes_beyond", "it writes beyond 'out'"), ("writes_wide", "it writes beyond 'whole'"),
          ("writes_const", "it writes 'values', though it is const"), ("reads_beyond", "it reads beyond 'data'"),
          ("writes_before", "it writes"), ("hides", "it writes"),
          ("blob_new", "it reads beyond 'data'"),
        ] {
          #expect(!draft.text.contains("'\(name)("), "\(name)")
          #expect(draft.text.contains("#   \(name): \(reason)"), "\(name): \(draft.text)")
        }
        let kept = "check: name is kept: a call used it after the one that it was given to\n"
        #expect(draft.text.contains(kept + "  - signature: 'keeps_text(name: keep cstr) -> i32'"), "\(draft.text)")
        #expect(draft.text.contains("'upper_text(text: inout str[*]) -> i32'"), "\(draft.text)")
        #expect(draft.text.contains("#   trim_text: it writes beyond 'text'"), "\(draft.text)")
        #expect(draft.errors.contains("  other_size: not checked: it needs a other"), "\(draft.errors)")
        // The maker of its object is wrong, not the function itself.
        let blame = "  blob_size: not checked: blob_new, which is called first: it reads beyond 'data'"
        #expect(draft.errors.contains(blame), "\(draft.errors)")
        #expect(draft.errors.contains("  crashes: not checked: it crashes with random arguments"), "\(draft.errors)")
        let line = draft.errors.split(separator: "\n").first { $0.hasPrefix("  crashes_at_times: ") } ?? ""
        let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
        #expect(line.contains(": checked by ") && line.hasSuffix(" crashed"), "\(draft.errors)")
        #expect(numbers.count == 2 && numbers.reduce(0, +) == 24 && !numbers.contains(0), "\(line)")
        let table = draft.errors.split(separator: "\n").prefix(2).map { $0.split(separator: "  ").map { $0.trimmed } }
        #expect(table[0] == ["header", "functions", "drafted", "safe", "wrong reads", "wrong writes", "not called"])
        #expect(table[1] == ["a.h", "30", "30", "19", "2", "6", "3"], "\(draft.errors)")
        #expect(FileManager.default.fileExists(atPath: victim))
      }
    }

    @Test("the sum of several headers has the faults of each")
    func sums() throws {
      let folder = try TemporaryFolder()
      for (name, text) in [
        ("a.h", "#include \"b.h\"\nint reads_a(const unsigned char *data, size_t length);\nint crashes_a(int x);"),
        (
          "b.h",
          "#include <stddef.h>\nint reads_b(const unsigned char *data, size_t length);\n"
            + "int writes_b(unsigned char *out, size_t size);"
        ),
        (
          "a.c",
          """
          #include "a.h"
          int reads_a(const unsigned char *data, size_t length) { int s = 0; for (size_t i = 0; i < length + 32; i++) s += data[i]; return s; }
          int reads_b(const unsigned char *data, size_t length) { return reads_a(data, length); }
          int writes_b(unsigned char *out, size_t size) { for (size_t i = 0; i <= size; i++) out[i] = 1; return 0; }
          int crashes_a(int x) { return *(volatile int *)((long)x & 0); }
          """
        ),
      ] { try folder.write("\(text)\n", to: name) }
      let library = folder.path("liba.so")
      try Package.run("cc", ["-w", "-O1", "-shared", "-fPIC", "-o", library, folder.path("a.c")])
      let draft = try HostProcess.run("adopt", "--check", folder.path("a.h"), "--library", library)
      guard !draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      let rows = draft.errors.split(separator: "\n").dropFirst().prefix(3).map { $0.split(separator: " ") }
      let expected: [[Substring]] = [
        ["a.h", "2", "2", "0", "1", "0", "1"], ["b.h", "2", "2", "0", "1", "1", "0"],
        ["all", "4", "4", "0", "2", "1", "1"],
      ]
      #expect(Array(rows) == expected, "\(draft.errors)")
    }

    @Test("a write into the bytes between an argument and the next page is found")
    func alignment() throws {
      let header = "#include <stddef.h>\nint writes_at_times(unsigned char *out, size_t size);"
      // Only where the argument is aligned, and so does not end at a page.
      let source = """
        #include <stddef.h>
        int writes_at_times(unsigned char *out, size_t size) {
          static int calls;
          if (calls++ % 2 && size % 16) out[size] = 1;
          return 0;
        }
        """
      let adopted = try AdoptedHeader.of(header, source: source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      let reason = "writes_at_times: it writes beside 'out'"
      #expect(adopted.draft.errors.contains(reason), "\(adopted.draft.errors)")
    }

    @Test("each field of a struct has random values")
    func fields() throws {
      let header = "typedef struct { int first; int second; } pair;\nint pair_sum(const pair *p);"
      let source = """
        typedef struct { int first; int second; } pair;
        int pair_sum(const pair *p) { return p->second != 0 && p->first != 0 ? *(volatile int *)0 : 1; }
        """
      let adopted = try AdoptedHeader.of(header, source: source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      // Of the single calls a few may have a 0 in a field.
      let reasons = ["pair_sum: not checked: it crashes with random arguments", " crashed\n"]
      #expect(reasons.contains { adopted.draft.errors.contains($0) }, "\(adopted.draft.errors)")
    }

    @Test("a checked call passes NULL in place of a tail, and for a GError the address of a NULL")
    func emptyPlaces() throws {
      let folder = try TemporaryFolder()
      try folder.write(
        """
        #include <stdarg.h>
        #include <stdlib.h>
        int ended(int first, ...) {
          va_list rest;
          va_start(rest, first);
          for (int i = 0; i < 4; i++)
            if (va_arg(rest, void *) != NULL) abort();
          va_end(rest);
          return 0;
        }
        int placed(int x, void **error) { if (*error != NULL) abort(); return x; }
        void gone(void *error) { abort(); }
        """, to: "places.c")
      try Package.run("cc", ["-shared", "-fPIC", "-w", "-o", folder.path("places.so"), folder.path("places.c")])
      try folder.write(
        """
        library: \(folder.path("places.so"))
        functions:
          - signature: 'ended(first: i32, ...: cstr) -> i32'
          - signature: 'placed(x: i32) -> i32 ! gerror(gone)'
        """, to: "places.adopt.yaml")
      for function in ["ended", "placed"] {
        let ending = try HostProcess.run("check-function", folder.path("places.adopt.yaml"), function)
        guard !ending.text.contains("no seccomp") else { return print("skipped: this system has no seccomp") }
        #expect(ending.status == 0 && ending.text.hasPrefix("checked\t24\t"), "\(function): \(ending)")
      }
    }

    @Test("a function that sleeps is checked")
    func pauses() throws {
      let source = """
        #include <unistd.h>
        int pauses(int x) { return usleep(1) == 0 ? x != 0 : *(volatile int *)8; }
        """
      let adopted = try AdoptedHeader.of("int pauses(int x);", source: source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      #expect(adopted.signature("pauses").hasPrefix("pauses("), "\(adopted.draft.text)")
      #expect(!adopted.draft.errors.contains("  pauses:"), "\(adopted.draft.errors)")
    }

    @Test("a function that aborts is not checked, for that reason")
    func aborts() throws {
      let source = "#include <stdlib.h>\nint gives_up(int x) { abort(); }"
      let adopted = try AdoptedHeader.of("int gives_up(int x);", source: source, ["--check"])
      guard !adopted.draft.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      let reason = "  gives_up: not checked: it aborts with random arguments\n"
      #expect(adopted.draft.errors.contains(reason), "\(adopted.draft.errors)")
    }

    @Test("a library of this machine passes; a table of several headers ends with their sum", arguments: [1, 2])
    func aLibraryOfThisMachinePasses(headers: Int) throws {
      let folder = try TemporaryFolder()
      let sums = """
        unsigned long crc32(unsigned long crc, const unsigned char *buf, unsigned int len);
        unsigned long adler32(unsigned long adler, const unsigned char *buf, unsigned int len);
        """
      let others = """
        int compress(unsigned char *dest, unsigned long *destLen, const unsigned char *source, unsigned long sourceLen);
        int uncompress(unsigned char *dest, unsigned long *destLen, const unsigned char *source, unsigned long sourceLen);
        """
      try folder.write(sums, to: "b.h")
      let first = headers == 1 ? sums : "#include \"b.h\""
      let header = folder.url.appending(path: "a.h")
      try Data("\(first)\n\(others)\n".utf8).write(to: header)
      let zlib = try HostProcess.run("adopt", "--check", header.path, "--library", "libz.so.1")
      #expect(zlib.status == 0)
      guard !zlib.errors.contains("do harm") else { return print("skipped: this system has no seccomp") }
      let rows = zlib.errors.split(separator: "\n").dropFirst().map { $0.split(separator: " ") }
      let whole: [Substring] = ["4", "4", "4", "0", "0", "0"]
      let half: [Substring] = ["2", "2", "2", "0", "0", "0"]
      let table = headers == 1 ? [["a.h"] + whole] : [["a.h"] + half, ["b.h"] + half, ["all"] + whole]
      #expect(Array(rows.prefix(table.count)) == table, "\(zlib.errors)")
      #expect(rows.count { $0.first == "all" } == headers - 1, "\(zlib.errors)")
    }
  }
}

extension Substring {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
